package oldadmin

import (
	"context"
	"fmt"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// JobCalls lets executors keep the jobs of their own group: those of others are
// to them jobs that do not exist.
type JobCalls struct {
	Catalog *jobs.Catalog
	Jobs    jobrows.JobReader
	Leases  *registry.Registry
	Zone    string // of schedules that have none
}

// Door returns what the wire needs of it.
func (c JobCalls) Door() xxl.JobCalls {
	return xxl.JobCalls{Book: c, Switch: c, Groups: c, Zone: c.Zone}
}

// about returns a context in which the group of a job wants something of it.
func about(ctx context.Context, operation string, right access.Right, j *job.Job) context.Context {
	return groupAsks(ctx, operation, right, intent.Object{Kind: "job", Namespace: j.Namespace, Group: j.Group, Key: j.Key})
}

// AddJob makes a job, stopped.
func (c JobCalls) AddJob(ctx context.Context, j job.Job) (int64, error) {
	created, err := c.Catalog.CreateJob(groupAsks(ctx, "create-job", access.Edit, intent.Object{Kind: "job", Namespace: j.Namespace, Group: j.Group}), j)
	return created.ID, err
}

// EditJob changes a job of the group.
func (c JobCalls) EditJob(ctx context.Context, group string, id int64, edit func(job.Job) (job.Job, error)) error {
	found, err := c.own(ctx, group, id)
	if err != nil {
		return err
	}
	_, err = c.Catalog.UpdateJob(about(ctx, "update-job", access.Edit, &found), found.Namespace, found.Key, 0, func(j job.Job) (job.Job, error) {
		if j.ID != id || j.Group != group { // it went, or moved, in between
			return job.Job{}, noJob(group, id)
		}
		return edit(j)
	})
	return err
}

// RemoveJob removes a job of the group.
func (c JobCalls) RemoveJob(ctx context.Context, group string, id int64) error {
	found, err := c.own(ctx, group, id)
	if err != nil {
		return err
	}
	return c.Catalog.DeleteJob(about(ctx, "delete-job", access.Edit, &found), found.Namespace, found.Key)
}

// StartJob starts a job of the group.
func (c JobCalls) StartJob(ctx context.Context, group string, id int64) error {
	found, err := c.own(ctx, group, id)
	if err != nil {
		return err
	}
	if found.Schedule.Kind == schedule.KindManual {
		return job.Errorf(job.Refused, "job %s has a manual schedule: it never fires by itself", found.Key)
	}
	_, err = c.Catalog.StartJob(about(ctx, "start-job", access.Operate, &found), found.Namespace, found.Key)
	return err
}

// StopJob stops a job of the group.
func (c JobCalls) StopJob(ctx context.Context, group string, id int64) error {
	found, err := c.own(ctx, group, id)
	if err != nil {
		return err
	}
	_, err = c.Catalog.StopJob(about(ctx, "stop-job", access.Operate, &found), found.Namespace, found.Key)
	return err
}

// TriggerJob makes a run of a job of the group.
func (c JobCalls) TriggerJob(ctx context.Context, group string, id int64, param *string, addresses []string) error {
	found, err := c.own(ctx, group, id)
	if err != nil {
		return err
	}
	_, err = c.Catalog.Trigger(about(ctx, "trigger-job", access.Operate, &found), found.Namespace, found.Key, jobs.Trigger{Param: param, Addresses: addresses})
	return err
}

// GroupID finds the id of a group by its executors, and by its jobs when it has
// none.
func (c JobCalls) GroupID(ctx context.Context, group string) (int64, error) {
	for _, e := range c.Leases.Executors() {
		if e.Group == group {
			return e.GroupID, nil
		}
	}
	jobs, err := c.Catalog.Jobs(ctx, jobrows.JobFilter{Group: group, Limit: 1})
	if err != nil || len(jobs) == 0 {
		return 0, err
	}
	return jobs[0].GroupID, nil
}

// own returns the job if it is the group's.
func (c JobCalls) own(ctx context.Context, group string, id int64) (job.Job, error) {
	found, err := c.Jobs.JobsByID(ctx, []int64{id})
	switch {
	case err != nil:
		return job.Job{}, fmt.Errorf("read job %d: %w", id, err)
	case len(found) == 0 || found[0].Group != group:
		return job.Job{}, noJob(group, id)
	}
	return found[0], nil
}

func noJob(group string, id int64) error {
	return job.Errorf(job.NotFound, "group %s has no job %d", group, id)
}
