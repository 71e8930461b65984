package jobs

import (
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
)

// Trials tries jobs.
type Trials interface {
	TryJob(ctx context.Context, namespace, key string, a jobs.Attempted) (job.Run, error)
	Trial(ctx context.Context, run int64) (job.Trial, error)
}

type newTrial struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	Body      *api.NewTrial
}

type trialReply struct{ Body api.Trial }

func (s *jobRoom) registerTrials() {
	guard.Register(s.Guard, guard.Op{
		ID: "try-job", Method: http.MethodPost, Path: "/jobs/{key}/trial", Tags: []string{guard.TagJobs, guard.TagRuns},
		Right: access.Operate, Scope: guard.OnJob, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindJob, Dry: true},
		Summary: "Try a job once, or code for it that is not saved",
		Description: "The run has the cause trial. It is tried once, at once and on one executor, whatever else of the job runs; it starts no " +
			"children, raises no alarms, becomes no dead letter and counts in no statistics. It waits a minute for an executor at most. " +
			"A user tries a job once at a time, and 10 trials are under way at most. Code takes the right to write scripts.",
	}, s.tryJob)
	guard.Register(s.Guard, guard.Op{
		ID: "get-trial", Method: http.MethodGet, Path: "/runs/{id}/trial", Tags: []string{guard.TagRuns},
		Right: access.View, Scope: guard.OnRun, Class: guard.Reading,
		Summary: "Show what a run of the cause trial tried",
	}, s.getTrial)
}

func (s *jobRoom) tryJob(ctx context.Context, in *newTrial) (*guard.RunReply, error) {
	caller := intent.Caller(ctx)
	wanted := jobs.Attempted{By: job.Author{Kind: string(caller.Kind), Name: caller.Name}, Owner: intent.CallerOf(&caller)}
	if b := in.Body; b != nil {
		wanted.Code, wanted.Kind, wanted.Param = b.Code, b.Kind, b.Param
		wanted.Timeout, wanted.Address = time.Duration(b.Timeout), b.Address
	}
	if wanted.Code != nil {
		j, err := s.JobFor(ctx, access.Operate, in.Namespace, in.Key)
		if err != nil {
			return nil, err
		}
		if err := s.Allow(ctx, access.Script, guard.PlaceOf(&j)); err != nil {
			return nil, err
		}
	} else {
		var err error
		if wanted.Param, wanted.JobVersion, err = s.RunParam(ctx, in.Namespace, in.Key, wanted.Param); err != nil {
			return nil, err
		}
	}
	return guard.ReplyRun(s.config.Trials.TryJob(ctx, in.Namespace, in.Key, wanted))
}

func (s *jobRoom) getTrial(ctx context.Context, in *guard.RunPath) (*trialReply, error) {
	id, err := guard.ParseID("id", in.ID)
	if err != nil {
		return nil, err
	}
	t, err := s.config.Trials.Trial(ctx, id)
	if err != nil {
		return nil, err
	}
	return &trialReply{api.FromTrial(&t)}, nil
}
