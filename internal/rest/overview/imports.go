package overview

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// importsPath is where imports are asked for, and importFor the longest that one may
// take.
const (
	importsPath = "/imports"
	importFor   = 10 * time.Minute
)

// Imports takes over what other schedulers have.
type Imports interface {
	// Import takes over what wanted names, through the API of the server itself as who
	// asks. Kinds: Invalid, Full, Unavailable.
	Import(ctx context.Context, wanted api.NewImport, through http.RoundTripper) (api.Import, error)
}

type importAsked struct{ Body api.NewImport }

type importReply struct{ Body api.Import }

func (s *overviewRoom) registerImports() {
	guard.Register(s.Guard, guard.Op{
		ID: "import", Method: http.MethodPost, Path: importsPath, Tags: []string{"imports"},
		Right: access.Admin, Scope: guard.OnServer, Class: guard.Searching, Limit: func(time.Duration) time.Duration { return importFor },
		Policy:  guard.Policy{Made: true, Acts: true},
		Summary: "Import from another scheduler, or preview the import",
		Description: "Groups and jobs are compared with the present ones and created or changed, so the same request changes nothing the second " +
			"time; existing users and executors stay as they are. Each object succeeds or fails separately, and has its line in the audit log. " +
			"One import runs at a time, for at most 10 minutes: changes made by then stay, and the same request continues from there.",
	}, s.importForeign)
}

func (s *overviewRoom) importForeign(ctx context.Context, in *importAsked) (*importReply, error) {
	if s.config.Imports == nil {
		return nil, job.Errorf(job.NotFound, "this server takes nothing over: use 'orth import'")
	}
	report, err := s.config.Imports.Import(ctx, in.Body, s.Within())
	if err != nil {
		return nil, err
	}
	return &importReply{report}, nil
}
