package rest

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// maxPage bounds the texts of users in one page of a list, in bytes: a page
// ends before it grows larger, and says where the next one starts.
const maxPage = 4 << 20

type jobPath struct {
	Key       string `path:"key" doc:"The job's key."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
}

type jobQuery struct {
	Namespace string `query:"namespace" default:"default" doc:"Jobs of this namespace."`
	Group     string `query:"group" doc:"Only jobs of this group."`
	After     string `query:"after" doc:"Only keys after this one: next of the page before."`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"At most so many jobs. A page of large jobs ends earlier."`
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

func (s *server) registerJobs() {
	register(s, huma.Operation{
		OperationID: "list-jobs", Method: http.MethodGet, Path: "/jobs", Tags: []string{tagJobs},
		Summary: "List jobs in order of key",
	}, s.listJobs)
	register(s, huma.Operation{
		OperationID: "create-job", Method: http.MethodPost, Path: "/jobs", Tags: []string{tagJobs},
		Summary: "Create a job", DefaultStatus: http.StatusCreated,
	}, s.createJob)
	register(s, huma.Operation{
		OperationID: "get-job", Method: http.MethodGet, Path: "/jobs/{key}", Tags: []string{tagJobs},
		Summary: "Show a job",
	}, s.getJob)
	s.registerJobPatch()
	register(s, huma.Operation{
		OperationID: "copy-job", Method: http.MethodPost, Path: "/jobs/{key}/copies", Tags: []string{tagJobs},
		Summary:     "Make copies of a job, all of them stopped",
		Description: "Each copy succeeds or fails by itself; the answer has a result for each, in order.",
	}, s.copyJob)
	register(s, huma.Operation{
		OperationID: "delete-job", Method: http.MethodDelete, Path: "/jobs/{key}", Tags: []string{tagJobs},
		Summary: "Delete a job and cancel its waiting runs",
	}, s.deleteJob)
	register(s, huma.Operation{
		OperationID: "start-job", Method: http.MethodPost, Path: "/jobs/{key}/start", Tags: []string{tagJobs},
		Summary: "Let a job fire by its schedule",
	}, s.startJob)
	register(s, huma.Operation{
		OperationID: "stop-job", Method: http.MethodPost, Path: "/jobs/{key}/stop", Tags: []string{tagJobs},
		Summary: "Let a job fire no more",
	}, s.stopJob)
	register(s, huma.Operation{
		OperationID: "trigger-job", Method: http.MethodPost, Path: "/jobs/{key}/trigger", Tags: []string{tagJobs, tagRuns},
		Summary: "Make a run of a job, now or after a delay", DefaultStatus: http.StatusCreated,
	}, s.triggerJob)
}

func (s *server) listJobs(ctx context.Context, in *jobQuery) (*jobList, error) {
	jobs, err := s.config.Jobs.Jobs(ctx, catalog.JobFilter{
		Namespace: in.Namespace, Group: in.Group, AfterKey: in.After, Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	list, size := api.JobList{Jobs: []api.Job{}}, 0
	for _, j := range jobs {
		size += len(j.Handler.Source) + len(j.Param) + len(j.Title) + sizeOf(&j.Schedule)
		for key, value := range j.Labels {
			size += len(key) + len(value)
		}
		for _, child := range j.Children {
			size += len(child.Key) + len(child.Param)
		}
		if size > maxPage && len(list.Jobs) > 0 {
			list.Next = list.Jobs[len(list.Jobs)-1].Key
			break
		}
		list.Jobs = append(list.Jobs, api.FromJob(j))
	}
	if n := len(list.Jobs); n >= in.Limit {
		list.Next = list.Jobs[n-1].Key
	}
	return &jobList{list}, nil
}

func (s *server) createJob(ctx context.Context, in *newJob) (*jobCreated, error) {
	wanted := in.Body.Job()
	if wanted.Namespace == "" {
		wanted.Namespace = in.Namespace
	}
	var err error
	if wanted.Children, err = s.children(ctx, wanted.Namespace, in.Body.Children); err != nil {
		return nil, err
	}
	if wanted.Template, err = s.template(ctx, wanted.Namespace, in.Body.Template); err != nil {
		return nil, err
	}
	j, err := s.config.Jobs.CreateJob(ctx, wanted)
	if err != nil {
		return nil, err
	}
	location := Prefix + "/jobs/" + url.PathEscape(j.Key)
	if j.Namespace != job.DefaultNamespace {
		location += "?namespace=" + url.QueryEscape(j.Namespace)
	}
	return &jobCreated{location, api.FromJob(j)}, nil
}

func (s *server) getJob(ctx context.Context, in *jobPath) (*jobReply, error) {
	return replyJob(s.config.Jobs.Job(ctx, in.Namespace, in.Key))
}

func (s *server) startJob(ctx context.Context, in *jobPath) (*jobReply, error) {
	return replyJob(s.config.Jobs.StartJob(ctx, in.Namespace, in.Key))
}

func (s *server) stopJob(ctx context.Context, in *jobPath) (*jobReply, error) {
	return replyJob(s.config.Jobs.StopJob(ctx, in.Namespace, in.Key))
}

func (s *server) deleteJob(ctx context.Context, in *jobPath) (*struct{}, error) {
	return nil, s.config.Jobs.DeleteJob(ctx, in.Namespace, in.Key)
}

func (s *server) triggerJob(ctx context.Context, in *trigger) (*runReply, error) {
	var t catalog.Trigger
	if in.Body != nil {
		t = catalog.Trigger{Param: in.Body.Param, PlannedAt: in.Body.PlannedAt.Time, Delay: time.Duration(in.Body.Delay), Addresses: in.Body.Addresses}
	}
	return replyRun(s.config.Runs.Trigger(ctx, in.Namespace, in.Key, t))
}

// sizeOf returns the bytes of a schedule that its user wrote.
func sizeOf(s *schedule.Spec) int {
	size := len(s.Cron) + len(s.Daily)
	for i := range s.Of {
		size += sizeOf(&s.Of[i])
	}
	return size
}

func replyJob(j job.Job, err error) (*jobReply, error) {
	if err != nil {
		return nil, err
	}
	return &jobReply{api.FromJob(j)}, nil
}
