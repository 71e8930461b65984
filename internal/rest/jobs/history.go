package jobs

import (
	"context"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/rest/guard"
)

// HistoryKeeper keeps what other schedulers have done.
type HistoryKeeper interface {
	AddHistory(ctx context.Context, namespace, key, source string, past []jobs.PastRun) (jobs.PastTaken, error)
}

type (
	newHistory struct {
		Key       string `path:"key" doc:"The job's key."`
		Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
		Body      api.NewHistory
	}
	historyTaken struct{ Body api.HistoryTaken }
)

func (s *jobRoom) registerHistory() {
	guard.Register(s.Guard, guard.Op{
		ID: "add-history", Method: http.MethodPost, Path: "/jobs/{key}/history", Tags: []string{guard.TagJobs, guard.TagRuns},
		Right: access.Edit, Scope: guard.OnJob, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindJob},
		Summary: "Keep runs of another scheduler with those of a job",
		Description: "The runs are over, have new ids, no attempts and no logs, and count on the days on which they ended. Nothing follows from them, no alarm is sent, " +
			"and they are removed when their ends are as old as those of others that are removed; those that are so old already are left out. A request that is repeated changes nothing.",
	}, s.addHistory)
}

func (s *jobRoom) addHistory(ctx context.Context, in *newHistory) (*historyTaken, error) {
	past := make([]jobs.PastRun, len(in.Body.Runs))
	for i := range in.Body.Runs {
		r := &in.Body.Runs[i]
		past[i] = jobs.PastRun{
			Number: r.Number, State: r.State, Planned: r.PlannedAt.Time, Started: r.StartedAt.Time, Ended: r.EndedAt.Time,
			Executor: r.Executor, Param: r.Param, Message: r.Message,
		}
	}
	taken, err := s.config.History.AddHistory(ctx, in.Namespace, in.Key, in.Body.Source, past)
	if err != nil {
		return nil, err
	}
	return &historyTaken{api.HistoryTaken{Added: taken.Added, Known: taken.Known, Old: taken.Old}}, nil
}
