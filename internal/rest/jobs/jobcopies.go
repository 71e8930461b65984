package jobs

import (
	"context"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
)

type newCopies struct {
	Key       string `path:"key" doc:"The key of the job to be copied."`
	Namespace string `query:"namespace" default:"default" doc:"The job's namespace."`
	Body      api.NewCopies
}

type copiesReply struct{ Body api.Copies }

func (s *jobRoom) copyJob(ctx context.Context, in *newCopies) (*copiesReply, error) {
	wanted := &in.Body
	if (len(wanted.Params) > 0) == (len(wanted.Tasks) > 0) {
		return nil, job.Errorf(job.Invalid, "copies are made from params or from tasks: give one of them")
	}
	plan := jobs.Copies{Name: wanted.KeyTemplate, AsInstances: wanted.AsInstances, DryRun: wanted.DryRun}
	for i := range wanted.Params {
		plan.Each = append(plan.Each, jobs.Copy{Param: &wanted.Params[i]})
	}
	for _, task := range wanted.Tasks {
		each := jobs.Copy{Key: task.Key, Title: task.Title, Param: task.Param, Labels: task.Labels}
		if task.Schedule != nil {
			spec := task.Schedule.Spec()
			each.Schedule = &spec
		}
		plan.Each = append(plan.Each, each)
	}
	if !wanted.AsInstances { // each has the code for its own
		if err := s.mayCopy(ctx, in.Namespace, in.Key); err != nil {
			return nil, err
		}
	}
	results, err := s.config.Jobs.CopyJob(ctx, in.Namespace, in.Key, plan)
	if err != nil {
		return nil, err
	}
	reply := &copiesReply{api.Copies{Copies: make([]api.Copied, len(results))}}
	for i, result := range results {
		reply.Body.Copies[i] = api.Copied{Key: result.Key, ID: result.Job.ID}
		if result.Err == nil {
			reply.Body.Made++
			continue
		}
		reply.Body.Failed++
		why := s.Problem(ctx, "copy-job", result.Err).Problem
		reply.Body.Copies[i].Error = &why
	}
	return reply, nil
}
