package runs

import (
	"context"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

type cancel struct {
	ID   string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
	Body *api.Cancel
}

type runList struct{ Body api.RunList }

type attemptList struct{ Body api.AttemptList }

func (s *runRoom) registerRuns() {
	guard.Register(s.Guard, guard.Op{
		ID: "list-runs", Method: http.MethodGet, Path: "/runs", Tags: []string{guard.TagRuns},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading, Spreads: true,
		Summary:     "List runs, the newest first",
		Description: "Those that the caller may see, of all namespaces when none is named.",
	}, s.listRuns)
	guard.Register(s.Guard, guard.Op{
		ID: "get-run", Method: http.MethodGet, Path: "/runs/{id}", Tags: []string{guard.TagRuns},
		Right: access.View, Scope: guard.OnRun, Class: guard.Reading,
		Summary: "Show a run",
	}, s.getRun)
	guard.Register(s.Guard, guard.Op{
		ID: "list-attempts", Method: http.MethodGet, Path: "/runs/{id}/attempts", Tags: []string{guard.TagRuns},
		Right: access.View, Scope: guard.OnRun, Class: guard.Reading,
		Summary: "List the attempts of a run, the first one first",
	}, s.listAttempts)
	guard.Register(s.Guard, guard.Op{
		ID: "cancel-run", Method: http.MethodPost, Path: "/runs/{id}/cancel", Tags: []string{guard.TagRuns},
		Right: access.Operate, Scope: guard.OnRun, Class: guard.Writing,
		Policy:  guard.Policy{Acts: true},
		Summary: "Cancel a run",
		Description: "A run that waits is cancelled at once. One that was sent is stopping until its executor has reported the end; " +
			"the answer comes after some seconds at the latest and may have the state stopping.",
	}, s.cancelRun)
}

func (s *runRoom) getRun(ctx context.Context, in *guard.RunPath) (*guard.RunReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	reply, err := guard.ReplyRun(s.config.Runs.Run(ctx, id))
	if err == nil {
		err = s.letterOf(ctx, &reply.Body)
	}
	if err == nil {
		err = s.shardsOf(ctx, &reply.Body)
	}
	if err == nil {
		err = s.placeRun(ctx, &reply.Body)
	}
	return reply, err
}

// placeRun adds to a run where it is, and which executor has it or had it.
func (s *runRoom) placeRun(ctx context.Context, run *api.Run) error {
	on, err := s.config.Places.Place(ctx, "run", "", run.ID.String())
	if err != nil {
		return err
	}
	if len(on) > 0 {
		run.Namespace, run.Group = on[0].Namespace, on[0].Group
	}
	if run.AttemptID == 0 {
		return nil
	}
	a, err := s.config.Attempts.Attempt(ctx, int64(run.AttemptID))
	if job.Is(err, job.NotFound) { // it was removed since
		return nil
	}
	run.Executor = a.Address
	return err
}

func (s *runRoom) listAttempts(ctx context.Context, in *guard.RunPath) (*attemptList, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	attempts, err := s.config.Runs.Attempts(ctx, id)
	if err != nil {
		return nil, err
	}
	list := api.AttemptList{Attempts: make([]api.Attempt, len(attempts))}
	for i, a := range attempts {
		list.Attempts[i] = api.FromAttempt(a)
	}
	return &attemptList{list}, nil
}

func (s *runRoom) cancelRun(ctx context.Context, in *cancel) (*guard.RunReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	return guard.ReplyRun(s.config.Runs.CancelRun(ctx, id, reason))
}

// Runs is all that the API asks about runs.
type Runs interface {
	RunStarter
	RunReader
}

// RunLogs reads the logs of runs, and looks for lines in them.
type RunLogs interface {
	LogReader
	LogSearcher
}

// RunStarter makes runs by hand and ends them.
type RunStarter interface {
	Trigger(ctx context.Context, namespace, key string, t jobs.Trigger) (job.Run, error)
	CancelRun(ctx context.Context, id int64, reason string) (job.Run, error)
}

// RunReader reads runs.
type RunReader interface {
	Run(ctx context.Context, id int64) (job.Run, error)
	Runs(ctx context.Context, f jobrows.RunFilter) ([]job.Run, error)
	Attempts(ctx context.Context, run int64) ([]job.Attempt, error)
}

// LogReader reads the logs of runs.
type LogReader interface {
	// Log returns lines of an attempt's log.
	Log(ctx context.Context, run int64, q queries.LogQuery) (job.LogPage, error)
	// FollowLog shows lines to a viewer as they are written.
	FollowLog(ctx context.Context, run int64, f queries.LogFollow, viewer queries.LogViewer) error
}

// LogSearcher looks for lines in the logs of a run and of a job.
type LogSearcher interface {
	// SearchLog looks in the log of an attempt; attempt 0 is the last one.
	SearchLog(ctx context.Context, run int64, attempt int, q job.LogSearch) (job.LogHits, error)
	SearchJobLogs(ctx context.Context, namespace, key string, q job.JobLogSearch) (job.LogHits, error)
}
