package runs

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Cleaner removes runs before their time.
type Cleaner interface {
	// Clean returns how many runs were removed and whether there may be more. With
	// dry it removes nothing.
	Clean(ctx context.Context, jobID int64, what job.Cleaning, dry bool) (removed int, more bool, err error)
}

type clean struct{ Body api.Clean }

type cleanReply struct{ Body api.Cleaned }

func (s *runRoom) registerClean() {
	guard.Register(s.Guard, guard.Op{
		ID: "clean-runs", Method: http.MethodPost, Path: "/runs/clean", Tags: []string{guard.TagRuns},
		Right: access.Edit, Scope: guard.InBody, Class: guard.Writing,
		Policy:      guard.Policy{Acts: true},
		Summary:     "Remove runs of a job before their time",
		Description: "Runs that are not over, that ended within the last ten minutes, or that something open needs stay.",
	}, s.clean)
}

func (s *runRoom) clean(ctx context.Context, in *clean) (*cleanReply, error) {
	b := &in.Body
	what := job.Cleaning{Keep: b.Keep}
	switch {
	case b.OlderThan < 0:
		return nil, job.FieldErrorf("older_than", "%s is negative", time.Duration(b.OlderThan))
	case b.OlderThan > 0:
		what.Before = time.Now().Add(-time.Duration(b.OlderThan))
	case b.Keep == 0 && !b.All:
		return nil, job.FieldErrorf("all", "name the runs: older_than, keep, or all for every one that has ended")
	}
	if b.All && (b.OlderThan > 0 || b.Keep > 0) {
		return nil, job.FieldErrorf("all", "goes with neither older_than nor keep")
	}
	namespace := b.Namespace
	if namespace == "" {
		namespace = job.DefaultNamespace
	}
	j, err := s.JobFor(ctx, access.Edit, namespace, b.Job)
	if err != nil {
		return nil, err
	}
	removed, more, err := s.config.Cleaner.Clean(ctx, j.ID, what, b.DryRun)
	if err != nil {
		return nil, err
	}
	return &cleanReply{api.Cleaned{Removed: removed, More: more}}, nil
}
