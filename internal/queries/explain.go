package queries

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/explain"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// History finds runs by the slots that they serve.
type History interface {
	// RunsOfSlot returns the runs of a job for the slot of an instant, at most limit.
	RunsOfSlot(ctx context.Context, jobID int64, at time.Time, limit int) ([]job.Run, error)
	// FiringBefore returns the run of the latest slot before an instant that the schedule of
	// a job has filled, and false when none is known.
	FiringBefore(ctx context.Context, jobID int64, at time.Time) (job.Run, bool, error)
	// RunsAhead counts the waiting runs of the run's group that are due by now and are sent
	// before it, up to limit of each kind.
	RunsAhead(ctx context.Context, run *job.Run, now time.Time, limit int) (explain.Ahead, error)
}

// How much of the past an explanation reads.
const (
	explainedRuns = 50 // of a job, the newest
	runsOfInstant = 50
)

// ExplainRun explains why a run exists, its course and its next step, or returns NotFound.
// It reveals nothing of a parent job outside of sight.
func (c *Catalog) ExplainRun(ctx context.Context, id int64, sight access.Sight) (explain.Explanation, error) {
	run, err := c.Run(ctx, id)
	if err != nil {
		return explain.Explanation{}, err
	}
	s := explain.RunSnapshot{Run: run}
	if s.Attempts, err = c.config.RunReader.Attempts(ctx, id); err != nil {
		return explain.Explanation{}, fmt.Errorf("read the attempts of run %d: %w", id, err)
	}
	jobs, err := c.config.Reader.JobsByID(ctx, []int64{run.JobID})
	if err != nil {
		return explain.Explanation{}, fmt.Errorf("read the job of run %d: %w", id, err)
	}
	if len(jobs) > 0 {
		s.Job = &jobs[0]
		s.Executors = c.alive(s.Job.GroupID)
	} else {
		s.Executors = c.alive(run.GroupID)
	}
	if err := c.origin(ctx, &s); err != nil {
		return explain.Explanation{}, err
	}
	if err := c.hide(ctx, &s, &sight); err != nil {
		return explain.Explanation{}, err
	}
	if err := c.burial(ctx, &s); err != nil {
		return explain.Explanation{}, err
	}
	now := time.Now()
	if s.Ahead, err = c.ahead(ctx, &run, now); err != nil {
		return explain.Explanation{}, err
	}
	return explain.Run(s, now), nil
}

// ahead counts the runs that are sent before one that waits for no recorded reason.
func (c *Catalog) ahead(ctx context.Context, run *job.Run, now time.Time) (explain.Ahead, error) {
	if !run.State.Waiting() || run.Reason != "" {
		return explain.Ahead{}, nil
	}
	ahead, err := c.config.History.RunsAhead(ctx, run, now, explain.MaxAhead)
	if err != nil {
		return ahead, fmt.Errorf("count the runs before run %d: %w", run.ID, err)
	}
	return ahead, nil
}

// origin reads what caused a run, as far as it is kept, and what it was split
// into.
func (c *Catalog) origin(ctx context.Context, s *explain.RunSnapshot) error {
	if len(s.Attempts) > 0 && s.Attempts[0].Broadcast() {
		split, err := c.config.Broadcasts.Broadcast(ctx, s.Run.ID)
		if err != nil && !job.Is(err, job.NotFound) {
			return fmt.Errorf("read the broadcast of run %d: %w", s.Run.ID, err)
		}
		s.Broadcast = &split
	}
	switch s.Run.Cause {
	case job.CauseParent, job.CauseShard:
		if s.Run.CauseID == s.Run.ID { // a workflow's
			return nil
		}
		parent, err := c.Run(ctx, s.Run.CauseID)
		if err == nil {
			s.Parent = &parent
		} else if !job.Is(err, job.NotFound) {
			return fmt.Errorf("read run %d, which caused run %d: %w", s.Run.CauseID, s.Run.ID, err)
		}
	case job.CauseRedrive:
		dead, err := c.Run(ctx, s.Run.CauseID)
		if err == nil {
			s.Parent = &dead
		} else if !job.Is(err, job.NotFound) {
			return fmt.Errorf("read run %d, which run %d is in the place of: %w", s.Run.CauseID, s.Run.ID, err)
		}
	case job.CauseBackfill:
		fill, err := c.config.Backfills.Backfill(ctx, s.Run.CauseID)
		if err == nil {
			s.Backfill = &fill
		} else if !job.Is(err, job.NotFound) {
			return fmt.Errorf("read backfill %d, which caused run %d: %w", s.Run.CauseID, s.Run.ID, err)
		}
	default: // the others have no other row
	}
	return nil
}

// hide keeps back what a run of a job that is not in sight was like, which has made
// this one.
func (c *Catalog) hide(ctx context.Context, s *explain.RunSnapshot, sight *access.Sight) error {
	if s.Parent == nil || s.Parent.JobID == s.Run.JobID || sight.All {
		return nil
	}
	jobs, err := c.config.Reader.JobsByID(ctx, []int64{s.Parent.JobID})
	if err != nil {
		return fmt.Errorf("read the job of run %d: %w", s.Parent.ID, err)
	}
	if len(jobs) == 0 || !sight.Sees(access.Object{Namespace: jobs[0].Namespace, Group: jobs[0].Group}) {
		s.Parent, s.Hidden = nil, true
	}
	return nil
}

// ExplainJob explains what a job does now, and with a moment why it did, did not, or will
// run then. Kinds: NotFound; Invalid with the field "at" for a moment that no schedule
// covers.
func (c *Catalog) ExplainJob(ctx context.Context, namespace, key string, at explain.Moment) (explain.Explanation, error) {
	for _, instant := range [...]time.Time{at.At, at.Wall} {
		if err := jobrows.CheckInstant("at", instant); err != nil {
			return explain.Explanation{}, err
		}
	}
	j, err := c.Job(ctx, namespace, key)
	if err != nil {
		return explain.Explanation{}, err
	}
	s := explain.JobSnapshot{Job: j, Executors: c.alive(j.GroupID)}
	if s.Calendars, err = c.rows(ctx, &j); err != nil {
		return explain.Explanation{}, err
	}
	pauses, err := c.config.Pauses.Pauses(ctx)
	if err != nil {
		return explain.Explanation{}, fmt.Errorf("read the pauses: %w", err)
	}
	for _, p := range pauses {
		if known := (jobrows.Pause{Pause: p}); known.Holds(&j) {
			s.Pauses = append(s.Pauses, p)
		}
	}
	if at.IsZero() {
		if s.Newest, err = c.config.RunReader.Runs(ctx, jobrows.RunFilter{JobID: j.ID, Limit: explainedRuns}); err != nil {
			return explain.Explanation{}, fmt.Errorf("read the newest runs of job %s: %w", key, err)
		}
		now := time.Now()
		if oldest, n := explain.OldestDue(s.Newest, now); n > 0 {
			if s.Ahead, err = c.ahead(ctx, oldest, now); err != nil {
				return explain.Explanation{}, err
			}
		}
		return explain.Job(s, now), nil
	}
	slot := explain.NewSlot(&j, s.Calendars, at)
	if err := c.recordsOf(ctx, &s, slot); err != nil {
		return explain.Explanation{}, fmt.Errorf("read the runs of job %s around that time: %w", key, err)
	}
	return slot.Explain(s, time.Now()), nil
}

// rows returns the calendars that the schedule of a job names, as far as they
// exist.
func (c *Catalog) rows(ctx context.Context, j *job.Job) ([]job.Calendar, error) {
	var found []job.Calendar
	for _, key := range jobrows.CalendarKeys(&j.Schedule) {
		row, err := c.Calendar(ctx, j.Namespace, key)
		if job.Is(err, job.NotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the calendar %s: %w", key, err)
		}
		found = append(found, row)
	}
	return found, nil
}

// recordsOf reads the runs for the instants of a slot and, when there are none,
// those before it.
func (c *Catalog) recordsOf(ctx context.Context, s *explain.JobSnapshot, slot *explain.Slot) (err error) {
	for _, at := range slot.Instants() {
		runs, err := c.config.History.RunsOfSlot(ctx, s.Job.ID, at, runsOfInstant)
		if err != nil {
			return err
		}
		s.Planned = append(s.Planned, runs...)
	}
	if len(s.Planned) > 0 {
		return nil
	}
	before, known, err := c.config.History.FiringBefore(ctx, s.Job.ID, slot.At())
	if known {
		s.Before = &before
	}
	return err
}

// alive returns the executors of a group that are alive. One that a user entered
// is, while it answers.
func (c *Catalog) alive(group int64) []job.Executor {
	now := time.Now()
	return slices.DeleteFunc(slices.Clone(c.config.Leases.Executors()), func(e job.Executor) bool {
		return e.GroupID != group || e.Manual && e.LeaseUntil.Before(now)
	})
}

// burial reads the dead letter of a run that ended badly, if it has one.
func (c *Catalog) burial(ctx context.Context, s *explain.RunSnapshot) error {
	if !job.Dies(s.Run.Cause, s.Run.State) {
		return nil
	}
	found, err := c.config.DeadLetters.DeadLettersOf(ctx, []int64{s.Run.ID})
	if err != nil {
		return fmt.Errorf("read the dead letter of run %d: %w", s.Run.ID, err)
	}
	if len(found) > 0 {
		s.Dead = &found[0]
	}
	return nil
}
