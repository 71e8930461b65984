package rest

import (
	"context"
	"net/http"
	"strconv"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

type runPath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
}

type cancel struct {
	ID   string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
	Body *api.Cancel
}

type runReply struct{ Body api.Run }

type runList struct{ Body api.RunList }

type attemptList struct{ Body api.AttemptList }

func (s *server) registerRuns() {
	register(s, Op{
		ID: "list-runs", Method: http.MethodGet, Path: "/runs", Tags: []string{tagRuns},
		Right: access.View, Scope: narrowed, Class: Reading, Spreads: true,
		Summary:     "List runs, the newest first",
		Description: "Those that the caller may see, of all namespaces when none is named.",
	}, s.listRuns)
	register(s, Op{
		ID: "get-run", Method: http.MethodGet, Path: "/runs/{id}", Tags: []string{tagRuns},
		Right: access.View, Scope: onRun, Class: Reading,
		Summary: "Show a run",
	}, s.getRun)
	register(s, Op{
		ID: "list-attempts", Method: http.MethodGet, Path: "/runs/{id}/attempts", Tags: []string{tagRuns},
		Right: access.View, Scope: onRun, Class: Reading,
		Summary: "List the attempts of a run, the first one first",
	}, s.listAttempts)
	register(s, Op{
		ID: "cancel-run", Method: http.MethodPost, Path: "/runs/{id}/cancel", Tags: []string{tagRuns},
		Right: access.Operate, Scope: onRun, Class: Writing,
		Policy:  Policy{Acts: true},
		Summary: "Cancel a run",
		Description: "A run that waits is cancelled at once. One that was sent is stopping until its executor has reported the end; " +
			"the answer comes after some seconds at the latest and may have the state stopping.",
	}, s.cancelRun)
}

func (s *server) getRun(ctx context.Context, in *runPath) (*runReply, error) {
	id, err := parseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	reply, err := replyRun(s.config.Runs.Run(ctx, id))
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
func (s *server) placeRun(ctx context.Context, run *api.Run) error {
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

func (s *server) listAttempts(ctx context.Context, in *runPath) (*attemptList, error) {
	id, err := parseID("id", in.ID)
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

func (s *server) cancelRun(ctx context.Context, in *cancel) (*runReply, error) {
	id, err := parseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	reason := ""
	if in.Body != nil {
		reason = in.Body.Reason
	}
	return replyRun(s.config.Runs.CancelRun(ctx, id, reason))
}

func replyRun(r job.Run, err error) (*runReply, error) {
	if err != nil {
		return nil, err
	}
	return &runReply{api.FromRun(r)}, nil
}

// parseID reads an id whose digits the schema has checked; 19 of them can still
// be too many.
func parseID(field, text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, job.FieldErrorf(field, "%s is larger than any id", text)
	}
	return id, nil
}
