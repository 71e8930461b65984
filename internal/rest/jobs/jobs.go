package jobs

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

type jobPath struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
}

type newJob struct {
	Namespace string `query:"namespace" default:"default" doc:"The namespace when the body names none."`
	Body      api.NewJob
}

type trigger struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	Body      *api.Trigger
}

type jobReply struct{ Body api.Job }

type jobCreated struct {
	Location string `header:"Location" doc:"The path of the job."`
	Body     api.Job
}

type jobList struct{ Body api.JobList }

func (s *jobRoom) registerJobs() {
	guard.Register(s.Guard, guard.Op{
		ID: "list-jobs", Method: http.MethodGet, Path: "/jobs", Tags: []string{guard.TagJobs},
		Right: access.View, Scope: guard.Narrowed, Class: guard.Reading,
		Summary:     "List jobs in order of namespace and key",
		Description: "Those of a namespace, or of all, that the caller may see.",
	}, s.listJobs)
	guard.Register(s.Guard, guard.Op{
		ID: "create-job", Method: http.MethodPost, Path: "/jobs", Tags: []string{guard.TagJobs},
		Right: access.Edit, Scope: guard.InBody, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindJob, Made: true, Dry: true, Noted: true},
		Summary: "Create a job",
	}, s.createJob)
	guard.Register(s.Guard, guard.Op{
		ID: "get-job", Method: http.MethodGet, Path: "/jobs/{key}", Tags: []string{guard.TagJobs},
		Right: access.View, Scope: guard.OnJob, Class: guard.Reading,
		Policy:  guard.Policy{Kind: guard.KindJob},
		Summary: "Show a job",
	}, s.getJob)
	s.registerJobPatch()
	s.registerRevisions()
	s.registerTrials()
	s.registerHistory()
	guard.Register(s.Guard, guard.Op{
		ID: "copy-job", Method: http.MethodPost, Path: "/jobs/{key}/copies", Tags: []string{guard.TagJobs},
		Right: access.Edit, Scope: guard.OnJob, Class: guard.Writing,
		Policy:      guard.Policy{Kind: guard.KindJob, Noted: true},
		Summary:     "Make copies of a job, all of them stopped",
		Description: "Each copy succeeds or fails by itself; the answer has a result for each, in order.",
	}, s.copyJob)
	guard.Register(s.Guard, guard.Op{
		ID: "delete-job", Method: http.MethodDelete, Path: "/jobs/{key}", Tags: []string{guard.TagJobs},
		Right: access.Edit, Scope: guard.OnJob, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindJob, Dry: true, Noted: true},
		Summary: "Delete a job and cancel its waiting runs",
	}, s.deleteJob)
	guard.Register(s.Guard, guard.Op{
		ID: "start-job", Method: http.MethodPost, Path: "/jobs/{key}/start", Tags: []string{guard.TagJobs},
		Right: access.Operate, Scope: guard.OnJob, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindJob, Dry: true, Noted: true},
		Summary: "Let a job fire by its schedule",
	}, s.startJob)
	guard.Register(s.Guard, guard.Op{
		ID: "stop-job", Method: http.MethodPost, Path: "/jobs/{key}/stop", Tags: []string{guard.TagJobs},
		Right: access.Operate, Scope: guard.OnJob, Class: guard.Writing,
		Policy:  guard.Policy{Kind: guard.KindJob, Dry: true, Noted: true},
		Summary: "Let a job fire no more",
	}, s.stopJob)
	guard.Register(s.Guard, guard.Op{
		ID: "trigger-job", Method: http.MethodPost, Path: "/jobs/{key}/trigger", Tags: []string{guard.TagJobs, guard.TagRuns},
		Right: access.Operate, Scope: guard.OnJob, Class: guard.Writing, Status: http.StatusCreated,
		Policy:  guard.Policy{Kind: guard.KindJob, Dry: true},
		Summary: "Make a run of a job, now or after a delay",
	}, s.triggerJob)
}

func (s *jobRoom) createJob(ctx context.Context, in *newJob) (*jobCreated, error) {
	wanted := in.Body.Job()
	if wanted.Namespace == "" {
		wanted.Namespace = cmp.Or(in.Namespace, job.DefaultNamespace)
	}
	err := s.Allow(ctx, access.Edit, guard.PlaceOf(&wanted))
	if err != nil {
		return nil, err
	}
	if wanted.Children, err = s.children(ctx, wanted.Namespace, in.Body.Children, nil); err != nil {
		return nil, err
	}
	template, err := s.template(ctx, wanted.Namespace, in.Body.Template)
	if err != nil {
		return nil, err
	}
	wanted.Template = idOf(template)
	if err := s.mayKeep(ctx, &wanted, nil, template); err != nil {
		return nil, err
	}
	j, err := s.config.Jobs.CreateJob(ctx, wanted)
	if err != nil {
		return nil, err
	}
	reply := &jobCreated{guard.PathIn("/jobs/", j.Key, j.Namespace), api.FromJob(j)}
	return reply, s.unnamed(ctx, &reply.Body)
}

func (s *jobRoom) getJob(ctx context.Context, in *jobPath) (*jobReply, error) {
	return s.replying(ctx)(s.config.Jobs.Job(ctx, in.Namespace, in.Key))
}

func (s *jobRoom) startJob(ctx context.Context, in *jobPath) (*jobReply, error) {
	return s.replying(ctx)(s.config.Jobs.StartJob(ctx, in.Namespace, in.Key))
}

func (s *jobRoom) stopJob(ctx context.Context, in *jobPath) (*jobReply, error) {
	return s.replying(ctx)(s.config.Jobs.StopJob(ctx, in.Namespace, in.Key))
}

func (s *jobRoom) deleteJob(ctx context.Context, in *jobPath) (*struct{}, error) {
	return nil, s.config.Jobs.DeleteJob(ctx, in.Namespace, in.Key)
}

func (s *jobRoom) triggerJob(ctx context.Context, in *trigger) (*guard.RunReply, error) {
	var t jobs.Trigger
	if in.Body != nil {
		param, version, err := s.RunParam(ctx, in.Namespace, in.Key, in.Body.Param)
		if err != nil {
			return nil, err
		}
		t = jobs.Trigger{
			Param: param, JobVersion: version, PlannedAt: in.Body.PlannedAt.Time, Delay: time.Duration(in.Body.Delay), Addresses: in.Body.Addresses,
		}
	}
	caller := intent.Caller(ctx)
	t.By = caller.Name
	return guard.ReplyRun(s.config.Triggers.Trigger(ctx, in.Namespace, in.Key, t))
}

// sizeOf returns the bytes of a schedule that its user wrote.
func sizeOf(s *schedule.Spec) int {
	size := len(s.Cron) + len(s.Daily)
	for i := range s.Of {
		size += sizeOf(&s.Of[i])
	}
	return size
}

// replying returns what answers with a job, as the caller may see it.
func (s *jobRoom) replying(ctx context.Context) func(job.Job, error) (*jobReply, error) {
	return func(j job.Job, err error) (*jobReply, error) {
		if err != nil {
			return nil, err
		}
		reply := &jobReply{api.FromJob(j)}
		return reply, s.unnamed(ctx, &reply.Body)
	}
}
