package runs

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

type rerun struct {
	ID   string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of a run's id" doc:"The run's id."`
	Body *api.Rerun
}

type attemptPath struct {
	ID string `path:"id" pattern:"^[1-9][0-9]{0,18}$" patternDescription:"the digits of an attempt's id" doc:"The attempt's id, which is the log id of executors."`
}

type attemptReply struct{ Body api.Attempt }

// AttemptFinder finds attempts, whatever run they are of.
type AttemptFinder interface {
	// Attempt returns an attempt. Kinds: NotFound.
	Attempt(ctx context.Context, id int64) (job.Attempt, error)
}

func (s *runRoom) registerReruns() {
	guard.Register(s.Guard, guard.Op{
		ID: "bulk-runs", Method: http.MethodPost, Path: "/runs/bulk", Tags: []string{guard.TagRuns},
		Right: access.Operate, Scope: guard.InBody, Class: guard.Writing,
		Summary: "Cancel many runs, or make them again",
		Description: "Each succeeds or fails by itself, and needs the right to operate where it is; the answer has a result " +
			"for each, in order. A filter finds only runs that the caller may see.",
	}, s.bulkRuns)
	guard.Register(s.Guard, guard.Op{
		ID: "rerun-run", Method: http.MethodPost, Path: "/runs/{id}/rerun", Tags: []string{guard.TagRuns},
		Right: access.Operate, Scope: guard.OnRun, Class: guard.Writing, Status: http.StatusCreated,
		Summary: "Make a run again",
		Description: "A new run of the job as it is now, at once, for the same slot and executors and with the same parameter, " +
			"or with another one. The old run has to be over, and stays as it is. It needs the right to operate where the run was, and where its job is now.",
	}, s.rerun)
	guard.Register(s.Guard, guard.Op{
		ID: "get-attempt", Method: http.MethodGet, Path: "/attempts/{id}", Tags: []string{guard.TagRuns},
		Right: access.View, Scope: guard.OnAttempt, Class: guard.Reading,
		Summary: "Show an attempt",
	}, s.getAttempt)
}

func (s *runRoom) getAttempt(ctx context.Context, in *attemptPath) (*attemptReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	a, err := s.config.Attempts.Attempt(ctx, id)
	if err != nil {
		return nil, err
	}
	return &attemptReply{api.FromAttempt(a)}, nil
}

func (s *runRoom) rerun(ctx context.Context, in *rerun) (*guard.RunReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	var param *string
	if in.Body != nil {
		param = in.Body.Param
	}
	return guard.ReplyRun(s.runAgain(ctx, id, param))
}

// runAgain makes a run of the job of another one, for people that may operate the job.
func (s *runRoom) runAgain(ctx context.Context, id int64, param *string) (job.Run, error) {
	r, err := s.config.Runs.Run(ctx, id)
	if err != nil {
		return r, err
	}
	if !r.State.Final() {
		wrong := job.Errorf(job.Conflict, "run %d is not over: its state is %s", id, r.State)
		wrong.Hint = "wait for its end, or cancel it"
		return r, wrong
	}
	if r.Cause == job.CauseTrial {
		wrong := job.Errorf(job.Conflict, "run %d is a trial: what it tried is not what its job runs", id)
		wrong.Hint = "try the job again, or trigger it"
		return r, wrong
	}
	j, err := s.jobOfRun(ctx, &r)
	if err != nil {
		return r, err
	}
	if err := s.Allow(ctx, access.Operate, guard.PlaceOf(&j)); err != nil {
		return r, err
	}
	version := j.Version
	if param == nil {
		param, err = r.Param, s.MayRepeat(ctx, &j, &r)
	} else {
		param, version, err = s.RunParam(ctx, j.Namespace, j.Key, param)
	}
	if err != nil {
		return r, err
	}
	return s.config.Runs.Trigger(ctx, j.Namespace, j.Key, jobs.Trigger{
		Param: param, JobVersion: version, PlannedAt: r.PlannedAt, Addresses: r.Addresses,
	})
}

// jobOfRun returns the job of a run, as it is now. Kinds: NotFound when it is gone.
func (s *runRoom) jobOfRun(ctx context.Context, r *job.Run) (job.Job, error) {
	on, err := s.config.Places.Place(ctx, "run", "", guard.IDText(r.ID))
	if err != nil {
		return job.Job{}, err
	}
	gone := job.Errorf(job.NotFound, "the job of run %d does not exist any more", r.ID)
	if len(on) == 0 || r.JobKey == "" {
		return job.Job{}, gone
	}
	j, err := s.config.Jobs.Job(ctx, on[0].Namespace, r.JobKey)
	if job.Is(err, job.NotFound) || err == nil && j.ID != r.JobID {
		return job.Job{}, gone
	}
	return j, err
}

func (s *runRoom) bulkRuns(ctx context.Context, in *runBulk) (*guard.DoneReply, error) {
	wish := &in.Body
	if (len(wish.IDs) > 0) == (wish.Filter != nil) {
		return nil, job.Errorf(job.Invalid, "runs are named by ids or found by a filter: give one of them")
	}
	var next int64
	items := make([]guard.BulkItem, 0, len(wish.IDs))
	if wish.Filter != nil {
		found, behind, err := s.runsFor(ctx, wish)
		if err != nil {
			return nil, err
		}
		next = behind
		for _, f := range found {
			items = append(items, s.runItem(f.Run.ID, access.Object{Namespace: f.Namespace, Group: f.Group}, wish))
		}
	}
	for _, id := range wish.IDs {
		on, err := s.config.Places.Place(ctx, "run", "", id.String())
		switch {
		case job.Is(err, job.NotFound), err == nil && len(on) == 0:
			items = append(items, guard.BulkItem{Key: id.String(), Err: guard.Absent("run", id.String())})
		case err != nil:
			return nil, err
		default:
			items = append(items, s.runItem(int64(id), on[0], wish))
		}
	}
	reply := s.Each(ctx, "bulk-runs", access.Operate, wish.DryRun, items)
	if next > 0 {
		reply.Body.More, reply.Body.Next = true, guard.IDText(next)
	}
	return reply, nil
}

// runsFor finds the runs of a filter, and the id that others are found before; 0 when
// there are none.
func (s *runRoom) runsFor(ctx context.Context, wish *api.RunBulk) (found []queries.FoundRun, next int64, err error) {
	f := wish.Filter
	q := queries.RunQuery{
		Sight: s.Sight(ctx, access.View), Namespace: f.Namespace, Job: f.Job, Group: f.Group, States: f.States, Cause: f.Cause, CauseID: int64(f.CauseID),
		Created: queries.Span{Since: f.CreatedSince.Time, Until: f.CreatedUntil.Time}, BeforeID: int64(f.Before),
		Executor: f.Executor, Label: f.Label, By: f.By, Text: f.Text, Late: time.Duration(f.Late),
		MinTook: time.Duration(f.MinDuration), MaxTook: time.Duration(f.MaxDuration), MinTries: f.MinTries, MaxTries: f.MaxTries,
	}
	if len(q.States) == 0 && wish.Action == "cancel" {
		for _, state := range job.States() {
			if !state.Final() {
				q.States = append(q.States, state)
			}
		}
	}
	limit := f.Limit
	if limit <= 0 {
		limit = guard.MaxBulk
	}
	for len(found) < limit {
		q.Limit = limit - len(found)
		part, behind, err := s.config.Lists.FindRuns(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		found, next, q.BeforeID = append(found, part...), behind, behind
		if behind == 0 {
			break
		}
	}
	return found, next, nil
}

// runItem returns what is done to a run.
func (s *runRoom) runItem(id int64, on access.Object, wish *api.RunBulk) guard.BulkItem {
	one := guard.BulkItem{Key: guard.IDText(id), Object: intent.Object{Kind: "run", Namespace: on.Namespace, Group: on.Group, Key: guard.IDText(id)}}
	if wish.Action == "cancel" {
		one.Do = func(ctx context.Context) (int64, error) {
			_, err := s.config.Runs.CancelRun(ctx, id, wish.Reason)
			return 0, err
		}
		one.Look = func(ctx context.Context) (guard.Effect, error) {
			r, err := s.config.Runs.Run(ctx, id)
			if err != nil {
				return guard.Effect{}, err
			}
			return cancelling(&r)
		}
		return one
	}
	one.Would.Text = "it would be made again"
	one.Do = func(ctx context.Context) (int64, error) {
		r, err := s.runAgain(ctx, id, nil)
		if err != nil {
			return 0, err
		}
		return r.ID, nil
	}
	return one
}

// cancelling describes the effect of cancelling a run. Kinds: Conflict for a run that has
// ended.
func cancelling(r *job.Run) (guard.Effect, error) {
	switch {
	case r.State == job.Cancelled:
		return guard.Effect{Text: "it is cancelled already", Unchanged: true}, nil
	case r.State.Final():
		return guard.Effect{}, job.Errorf(job.Conflict, "run %d is over already: its state is %s", r.ID, r.State)
	case r.State == job.Stopping:
		return guard.Effect{Text: "it is being stopped already", Unchanged: true}, nil
	case r.State.Waiting():
		return guard.Effect{Text: "it would be cancelled at once"}, nil
	}
	return guard.Effect{Text: "it would be stopped: its executor gets a request to end it"}, nil
}

type runBulk struct{ Body api.RunBulk }
