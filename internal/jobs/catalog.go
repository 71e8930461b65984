package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// Executors reaches executors on behalf of a user.
type Executors interface {
	// KillAttempt ends the attempt of the job; an executor that cannot identify attempts
	// ends all that it has of the job. nil means that the executor accepted the request,
	// and the outcome follows; NotFound that it has no such attempt.
	KillAttempt(ctx context.Context, address string, jobID, attempt int64) error
}

// Outcomes records the end of an attempt.
type Outcomes interface {
	// Complete records outcomes; the first one of an attempt wins.
	Complete(ctx context.Context, outcomes []job.Outcome) error
}

// DuePlanner plans the firings of a job that are due.
type DuePlanner interface {
	// PlanDue plans the firings of a job that are due at an instant, by its schedule and
	// its misfire policy, and reports whether it has changed the job.
	PlanDue(ctx context.Context, jobID int64, at time.Time) (bool, error)
}

// Config configures a catalog.
type Config struct {
	Writer    JobWriter
	Reader    jobrows.JobReader
	RunWriter RunWriter
	RunReader jobrows.RunReader
	Stopper   Stopper
	Calendars Calendars
	Almanac   Almanac
	Pauses    Pauses
	Backfills Backfills
	IDs       jobrows.IDs
	// Now is the time of changes: that of the database, because it divides the firings of
	// a job and servers' clocks differ. Defaults to the clock of this machine.
	Now func() time.Time
	// Due plans what is due of a job before the job is stopped, deleted or given
	// another schedule. Defaults to nothing.
	Due       DuePlanner
	Executors Executors
	Outcomes  Outcomes
	Leases    jobrows.Leases
	Hooks     Hooks
	// Secrets are those that jobs may refer to. Defaults to none.
	Secrets Secrets
	// KeepRuns is how long runs are kept after their end, unless the job overrides it.
	// Older runs of other schedulers are not imported. Defaults to for ever.
	KeepRuns time.Duration

	Broadcasts Broadcasts
	Groups     Groups
	Trials     Trials
}

// Hooks must return at once.
type Hooks struct {
	// Scheduled announces that jobs may be due sooner than known.
	Scheduled func()
	// Ready announces that a run waits for a dispatcher.
	Ready func(at time.Time)
	// Backfill announces that there is a new backfill.
	Backfill func()
	// Broadcast announces that a broadcast was cancelled, or a shard has ended
	// without any attempt.
	Broadcast func()
	// Ended announces that a run has ended without any attempt.
	Ended func(run int64)
	// Withdraw takes back an attempt that was not sent yet and reports
	// whether it never will be. Defaults to false: it may have been sent.
	Withdraw func(attempt int64) bool
}

// Catalog carries out commands on jobs. It has no loop of its own.
type Catalog struct {
	jobrows.Finder

	config Config
}

// New returns a catalog.
func New(c Config) *Catalog {
	if c.Hooks.Scheduled == nil {
		c.Hooks.Scheduled = func() {}
	}
	if c.Hooks.Ready == nil {
		c.Hooks.Ready = func(time.Time) {}
	}
	if c.Hooks.Backfill == nil {
		c.Hooks.Backfill = func() {}
	}
	if c.Hooks.Broadcast == nil {
		c.Hooks.Broadcast = func() {}
	}
	if c.Hooks.Ended == nil {
		c.Hooks.Ended = func(int64) {}
	}
	if c.Hooks.Withdraw == nil {
		c.Hooks.Withdraw = func(int64) bool { return false }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Due == nil {
		c.Due = nothingDue{}
	}
	if c.Secrets == nil {
		c.Secrets = noSecrets{}
	}
	sources := jobrows.Sources{Jobs: c.Reader, Runs: c.RunReader, Calendars: c.Calendars, Pauses: c.Pauses, Leases: c.Leases}
	return &Catalog{Finder: jobrows.NewFinder(sources), config: c}
}

// nothingDue plans nothing.
type nothingDue struct{}

func (nothingDue) PlanDue(context.Context, int64, time.Time) (bool, error) { return false, nil }

// CreateJob checks the job, fills its defaults and writes it. ID, Version and
// times are given by the server. Kinds: Invalid with the field at fault,
// Conflict when the key is taken.
func (c *Catalog) CreateJob(ctx context.Context, j job.Job) (job.Job, error) {
	return c.create(ctx, j, nil)
}

// create writes a new job; from is the job that it is a copy of, nil for none.
func (c *Catalog) create(ctx context.Context, j job.Job, from *job.Job) (job.Job, error) {
	j, err := c.prepare(ctx, j, from, time.Now().UTC().Truncate(time.Millisecond))
	if err != nil {
		return job.Job{}, err
	}
	created, err := c.config.Writer.CreateJob(ctx, j)
	if err != nil {
		return job.Job{}, fmt.Errorf("create job %s: %w", j.Key, err)
	}
	if created.Enabled {
		c.config.Hooks.Scheduled()
	}
	return created, nil
}

// prepare checks a new job and fills its defaults.
func (c *Catalog) prepare(ctx context.Context, j job.Job, from *job.Job, now time.Time) (job.Job, error) {
	j.ID, j.GroupID, j.Version, j.NextAt, j.LastAt = 0, 0, 0, time.Time{}, time.Time{}
	j.Fired, j.Failures, j.HeldBy, j.StopReason = 0, 0, "", ""
	if err := jobrows.CheckNewOnce(&j.Schedule); err != nil {
		return job.Job{}, err
	}
	if err := c.inherit(ctx, &j, from); err != nil {
		return job.Job{}, err
	}
	defaults(&j, now)
	if err := check(&j); err != nil {
		return job.Job{}, err
	}
	if err := cmp.Or(c.checkCycle(ctx, &j), c.config.Secrets.CheckJob(ctx, &j, nil)); err != nil {
		return job.Job{}, err
	}
	known, err := c.CalendarsOf(ctx, j.Namespace, &j.Schedule)
	if err != nil {
		return job.Job{}, err
	}
	if err := cmp.Or(jobrows.CheckSchedule(&j.Schedule, known), jobrows.CheckMisfireLimits(j.MisfireLimits)); err != nil {
		return job.Job{}, err
	}
	if j.Enabled {
		if err := enable(&j, now, known); err != nil {
			return job.Job{}, err
		}
	}
	j.CreatedAt, j.UpdatedAt = now, now
	return j, nil
}

// StartJob enables the job. Enabling an enabled job changes nothing. A job that was
// disabled automatically starts to count its runs again. Invalid when its schedule has no
// further firing.
func (c *Catalog) StartJob(ctx context.Context, namespace, key string) (job.Job, error) {
	j, err := c.change(ctx, namespace, key, func(j *job.Job, now time.Time) (string, error) {
		if j.Enabled {
			return "", errUnchanged
		}
		known, err := c.CalendarsOf(ctx, j.Namespace, &j.Schedule)
		if err != nil {
			return "", err
		}
		return "", enable(j, now, known)
	})
	if err == nil {
		c.config.Hooks.Scheduled()
	}
	return j, err
}

// StopJob lets the job fire no more. Firings whose time has not come are withdrawn; those
// that are made up for later are cancelled. What is due or sent already goes on, also what
// the planner is late with. It stays stopped until StartJob.
func (c *Catalog) StopJob(ctx context.Context, namespace, key string) (job.Job, error) {
	return c.change(ctx, namespace, key, func(j *job.Job, now time.Time) (string, error) {
		if !j.Enabled && !j.LastAt.After(now) { // the last firing may be planned, and still to come
			return "", errUnchanged
		}
		j.Enabled, j.NextAt, j.StopReason = false, time.Time{}, ""
		return "the job was stopped before the firing was made up for", nil
	})
}

// DeleteJob removes the job and cancels its waiting runs, due ones too. Its history stays
// readable by run id. Conflict while other jobs run its code.
func (c *Catalog) DeleteJob(ctx context.Context, namespace, key string) error {
	for range writeTries {
		j, err := c.Job(ctx, namespace, key)
		if err != nil {
			return err
		}
		j.UpdatedAt = c.now()
		ended, err := c.planDue(ctx, &j, j.UpdatedAt)
		if err != nil {
			return err
		}
		if ended {
			continue
		}
		err = c.config.Writer.DeleteJob(ctx, j, "the job was deleted")
		if err == nil {
			return nil
		}
		if !c.again(ctx, err, &j) {
			return fmt.Errorf("delete job %s: %w", key, err)
		}
	}
	return job.Errorf(job.Conflict, "job %s is changed by others all the time; try again", key)
}

// writeTries is how often a change is retried after a concurrent change of the job.
const writeTries = 5

// errUnchanged ends a change that is none.
var errUnchanged = errors.New("unchanged")

// change reads the job, lets fn alter it, and writes it back if there was no concurrent
// change; else it starts again. fn returns the reason for runs that the change cancels. A
// change that affects firings affects only later ones: those that are due are planned
// first.
func (c *Catalog) change(ctx context.Context, namespace, key string, fn func(*job.Job, time.Time) (string, error)) (job.Job, error) {
	for range writeTries {
		j, err := c.Job(ctx, namespace, key)
		if err != nil {
			return job.Job{}, err
		}
		now, read := c.now(), j
		reason, err := fn(&j, now)
		if errors.Is(err, errUnchanged) {
			return j, nil
		}
		if err != nil {
			return job.Job{}, err
		}
		j.UpdatedAt = now
		if !j.Enabled || !sameText(j.Schedule, read.Schedule) {
			ended, err := c.planDue(ctx, &read, now)
			if err != nil {
				return job.Job{}, err
			}
			if ended {
				continue
			}
		}
		saved, err := c.config.Writer.SaveJob(ctx, j, reason)
		if c.again(ctx, err, &read) {
			continue
		}
		if err != nil {
			return job.Job{}, fmt.Errorf("change job %s: %w", key, err)
		}
		return saved, nil
	}
	return job.Job{}, job.Errorf(job.Conflict, "job %s is changed by others all the time; try again", key)
}

// now returns the time of a change.
func (c *Catalog) now() time.Time { return c.config.Now().UTC().Truncate(time.Millisecond) }

// planDue plans the firings of an enabled job that are due at an instant, and reports
// whether the job is not what it was after that: its last firing may be among them.
func (c *Catalog) planDue(ctx context.Context, read *job.Job, at time.Time) (ended bool, err error) {
	if !read.Enabled || read.NextAt.IsZero() || read.NextAt.After(at) {
		return false, nil
	}
	planned, err := c.config.Due.PlanDue(ctx, read.ID, at)
	if err != nil {
		return false, fmt.Errorf("plan the due firings of job %s: %w", read.Key, err)
	}
	return planned && c.changed(ctx, read), nil
}

// again reports whether a write may succeed when the job is read again.
func (c *Catalog) again(ctx context.Context, err error, read *job.Job) bool {
	return errors.Is(err, jobrows.ErrFiringsDue) || job.Is(err, job.Conflict) && c.changed(ctx, read)
}

// changed reports whether the job has another version than it was read with, has
// ended, or is gone: then a conflict came from that, else from something that stays.
func (c *Catalog) changed(ctx context.Context, read *job.Job) bool {
	now, err := c.Job(ctx, read.Namespace, read.Key)
	return err != nil || now.ID != read.ID || now.Version != read.Version || now.Enabled != read.Enabled
}
