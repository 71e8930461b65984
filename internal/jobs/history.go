package jobs

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// MaxPast is the most runs that are taken over at once.
const MaxPast = 500

// PastRun is a run of another scheduler that is over.
type PastRun struct {
	// Number is its own there; the same number of a job is the same run.
	Number int64
	State  job.State
	// Planned is zero when the slot is unknown.
	Planned, Started, Ended time.Time
	Executor                string
	Param                   *string
	Message                 string
}

// PastTaken reports the import of past runs.
type PastTaken struct {
	// Added runs were written, Known ones there already; Old ones ended before the time
	// for which the job keeps its runs, and were left out.
	Added, Known, Old int
}

// AddHistory keeps up to [MaxPast] runs of another scheduler with those of a job. They have
// new numbers and no attempts, and count on the days on which they ended; nothing follows
// from them, and they go when their end is as old as that of others that go. The same
// again changes nothing. Kinds: NotFound when there is no such job, Invalid when one of
// them can be no run that is over: then none is written.
func (c *Catalog) AddHistory(ctx context.Context, namespace, key, source string, past []PastRun) (PastTaken, error) {
	j, err := c.Job(ctx, namespace, key)
	if err != nil {
		return PastTaken{}, err
	}
	if len(past) > MaxPast {
		return PastTaken{}, job.FieldErrorf("runs", "%d are more than %d", len(past), MaxPast)
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	var oldest time.Time
	if keep := cmp.Or(j.Delivery.KeepFor, c.config.KeepRuns); keep > 0 {
		oldest = now.Add(-keep)
	}
	var taken PastTaken
	runs := make([]job.Run, 0, len(past))
	for i := range past {
		p := &past[i]
		if err := p.check(now); err != nil {
			return PastTaken{}, fmt.Errorf("run %d: %w", p.Number, err)
		}
		if p.Ended.Before(oldest) {
			taken.Old++
			continue
		}
		id, err := c.config.IDs.NextRunID(ctx)
		if err != nil {
			return PastTaken{}, fmt.Errorf("draw a run id: %w", err)
		}
		reason := fmt.Sprintf("taken over from another scheduler: %s %d", source, p.Number)
		if p.Executor != "" {
			reason += ", on " + p.Executor
		}
		runs = append(runs, job.Run{
			ID: id, JobID: j.ID, JobVersion: j.Version, GroupID: j.GroupID, PlannedAt: p.Planned.UTC().Truncate(time.Millisecond),
			Cause: job.CauseAPI, CauseID: p.Number, State: p.State, Reason: reason, Param: p.Param, Priority: j.Delivery.Priority, Message: p.Message,
			CreatedAt: now, StartedAt: p.Started.UTC().Truncate(time.Millisecond), EndedAt: p.Ended.UTC().Truncate(time.Millisecond),
		})
	}
	if taken.Added, err = c.config.RunWriter.AddPastRuns(ctx, runs); err != nil {
		return PastTaken{}, fmt.Errorf("take over runs of job %s: %w", key, err)
	}
	taken.Known = len(runs) - taken.Added
	return taken, nil
}

// check refuses what can be no run that is over.
func (p *PastRun) check(now time.Time) error {
	switch {
	case !p.State.Final():
		return job.FieldErrorf("state", "%q is no end of a run", p.State)
	case p.Started.IsZero() || p.Ended.Before(p.Started):
		return job.FieldErrorf("ended_at", "%s is before %s, when it started", p.Ended, p.Started)
	case p.Ended.After(now.Add(time.Minute)):
		return job.FieldErrorf("ended_at", "%s is in the future", p.Ended)
	case p.Param != nil:
		return jobrows.CheckAnyParam(*p.Param)
	}
	return nil
}
