package jobs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// Trigger has the options of a manual run. The zero Trigger makes a plain one, at once.
type Trigger struct {
	// Param, when it is not nil, takes the place of the job's own. The run is made only
	// while the job has JobVersion, the one that Param was given for; zero is any.
	Param      *string
	JobVersion int64
	// PlannedAt is the slot that the run serves; zero means none.
	PlannedAt time.Time
	// Delay is how long the run waits, up to 30 days.
	Delay time.Duration
	// Addresses are the executors of the job's group that the run may go to, at
	// most [job.MaxAddresses]; none means all. One that is not known is Invalid.
	Addresses []string
	// By is the user who requests the run; empty when there is none, or when the store gets
	// it from the context.
	By string
}

// Trigger makes a run of the job, started or not.
func (c *Catalog) Trigger(ctx context.Context, namespace, key string, t Trigger) (job.Run, error) {
	j, err := c.Job(ctx, namespace, key)
	if err != nil {
		return job.Run{}, err
	}
	if err := t.check(&j); err != nil {
		return job.Run{}, err
	}
	addresses, err := c.addressesOf(&j, t.Addresses)
	if err != nil {
		return job.Run{}, err
	}
	id, err := c.config.IDs.NextRunID(ctx)
	if err != nil {
		return job.Run{}, fmt.Errorf("draw a run id: %w", err)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	due := now.Add(t.Delay.Truncate(time.Millisecond))
	r := job.Run{
		ID: id, JobID: j.ID, JobKey: j.Key, JobVersion: t.JobVersion, GroupID: j.GroupID,
		PlannedAt: t.PlannedAt.UTC().Truncate(time.Millisecond), ReadyAt: due, DueAt: due, CreatedAt: now,
		Cause: job.CauseManual, CauseID: id, State: job.Planned, Param: t.Param,
		Addresses: addresses, By: t.By,
	}
	switch {
	case t.Delay > 0:
		r.Reason = fmt.Sprintf("starts at %s, %s after it was asked for", due.Format(time.RFC3339), t.Delay)
	case !slices.ContainsFunc(c.config.Leases.Executors(), func(e job.Executor) bool { return e.GroupID == j.GroupID }):
		r.Reason = fmt.Sprintf("no executor of group %s is alive", j.Group)
	}
	if err := c.config.RunWriter.AddRun(ctx, r); err != nil {
		return job.Run{}, fmt.Errorf("trigger job %s: %w", key, err)
	}
	c.config.Hooks.Ready(due)
	return r, nil
}

func (t *Trigger) check(j *job.Job) error {
	if err := checkRunParam(j, t.Param); err != nil {
		return err
	}
	if t.Delay < 0 || t.Delay > jobrows.MaxDelay {
		return job.FieldErrorf("delay", "%s is not between 0 and %s", t.Delay, jobrows.MaxDelay)
	}
	return jobrows.CheckInstant("planned_at", t.PlannedAt)
}

// CancelRun ends a run. One that waits is cancelled at once. One that was sent is
// stopping from now on, whatever becomes of this server: it is not tried again, and
// it is over when its executor has reported the end. CancelRun tells the executor,
// waits two seconds for that, and returns the run as it stands then; an executor
// that cannot be told is told again by upkeep. The reason of a run whose executor
// can only end all that it has of the job names the others. A run that is stopping
// already is returned as it is, one that is over is Conflict, unless it was
// cancelled.
func (c *Catalog) CancelRun(ctx context.Context, id int64, reason string) (job.Run, error) {
	if reason == "" {
		reason = "cancelled by a user"
	}
	reason = job.Clean(reason, job.MaxMessage)
	if r, is, err := c.cancelBroadcast(ctx, id, reason); is || err != nil {
		return r, err
	}
	for try := range writeTries {
		r, err := c.config.RunWriter.CancelRun(ctx, id, reason, time.Now())
		if err != nil {
			return job.Run{}, err
		}
		switch {
		case r.State == job.Cancelled:
			c.cancelled(r)
			return c.Run(ctx, id)
		case r.State.Final() && try == 0:
			return r, job.Errorf(job.Conflict, "run %d is over already: its state is %s", id, r.State)
		case r.State.Final(): // it ended in between
			return c.Run(ctx, id)
		}
		if r.State == job.Stopping {
			c.ended(ctx, id)
			return c.Run(ctx, id)
		}
		stopped, err := c.stop(ctx, r, reason)
		if err != nil {
			return job.Run{}, err
		}
		if stopped {
			return c.Run(ctx, id)
		}
		// It came back undelivered, or has ended, in between.
	}
	return job.Run{}, job.Errorf(job.Conflict, "run %d changes all the time; try again", id)
}

// cancelled announces what the end of a run that waited means to others: a
// backfill may go on, and a fixed delay has a next firing.
func (c *Catalog) cancelled(r job.Run) {
	c.config.Hooks.Ended(r.ID)
	if r.Cause == job.CauseShard {
		c.config.Hooks.Broadcast()
	}
	if r.Cause == job.CauseSchedule || r.Cause == job.CauseMisfire {
		c.config.Hooks.Scheduled()
	}
}
