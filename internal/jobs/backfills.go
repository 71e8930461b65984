package jobs

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// maxBackfillSpacing bounds the time between the runs of a backfill.
const maxBackfillSpacing = 24 * time.Hour

// PreviewBackfill checks a backfill of a job and counts its slots, without creating it. Its
// Slots are the most that it may have, the oldest ones: 0 takes all, and refuses more than
// [job.DefaultSlots]. Kinds: NotFound, Invalid with the field at fault.
//
// SkipSucceeded is ignored here: slots are skipped when their turn comes. A run that was
// removed since does not count: its slot is run again.
func (c *Catalog) PreviewBackfill(ctx context.Context, namespace, key string, b job.Backfill) (job.Backfill, error) {
	j, err := c.Job(ctx, namespace, key)
	if err != nil {
		return job.Backfill{}, err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	limit := b.Slots
	b = job.Backfill{
		JobID: j.ID, JobKey: j.Key, Namespace: j.Namespace, From: b.From.UTC().Truncate(time.Millisecond), To: b.To.UTC().Truncate(time.Millisecond),
		Parallel: max(b.Parallel, 1), Spacing: b.Spacing, SkipSucceeded: b.SkipSucceeded, Param: b.Param, JobVersion: b.JobVersion,
		State: job.BackfillRunning, CreatedAt: now,
	}
	if err := checkBackfill(&j, &b, limit, now); err != nil {
		return job.Backfill{}, err
	}
	known, err := c.CalendarsOf(ctx, j.Namespace, &j.Schedule)
	if err != nil {
		return job.Backfill{}, err
	}
	s, err := slotsOf(&j.Schedule, known)
	if err != nil {
		return job.Backfill{}, err
	}
	if err := countSlots(ctx, &b, s, limit); err != nil {
		return job.Backfill{}, err
	}
	return b, nil
}

// CreateBackfill runs a job for the slots of a past time; see PreviewBackfill.
// Full when there are too many backfills under way.
func (c *Catalog) CreateBackfill(ctx context.Context, namespace, key string, b job.Backfill) (job.Backfill, error) {
	b, err := c.PreviewBackfill(ctx, namespace, key, b)
	if err != nil {
		return job.Backfill{}, err
	}
	made, err := c.config.Backfills.AddBackfill(ctx, b)
	if err != nil {
		return job.Backfill{}, fmt.Errorf("backfill job %s: %w", key, err)
	}
	c.config.Hooks.Backfill()
	return made, nil
}

// CancelBackfill ends a backfill and cancels its runs that wait. Runs that were
// sent go on: cancel them one by one. A backfill that is over stays as it is.
func (c *Catalog) CancelBackfill(ctx context.Context, id int64, reason string) (job.Backfill, error) {
	if reason == "" {
		reason = "cancelled by a user"
	}
	reason = job.Clean(reason, job.MaxMessage)
	b, err := c.config.Backfills.CancelBackfill(ctx, id, reason, time.Now().UTC().Truncate(time.Millisecond))
	if err != nil {
		return job.Backfill{}, fmt.Errorf("cancel backfill %d: %w", id, err)
	}
	return b, nil
}

// Backfill returns a backfill, or NotFound.
func (c *Catalog) Backfill(ctx context.Context, id int64) (job.Backfill, error) {
	return c.config.Backfills.Backfill(ctx, id)
}

// Backfills returns the backfills of the query, the newest first, at most 1,000.
// Kinds: NotFound when the job does not exist.
func (c *Catalog) Backfills(ctx context.Context, q jobrows.BackfillQuery) ([]job.Backfill, error) {
	if q.Job != "" {
		j, err := c.Seen(ctx, &q.Sight, q.Namespace, q.Job)
		if err != nil {
			return nil, err
		}
		q.JobID = j.ID
	}
	q.Limit = jobrows.Page(q.Limit)
	return c.config.Backfills.Backfills(ctx, q)
}

// checkBackfill reports the first thing wrong with a backfill, naming its field.
func checkBackfill(j *job.Job, b *job.Backfill, limit int, now time.Time) error {
	switch {
	case b.From.IsZero():
		return job.FieldErrorf("from", "is missing: name the first instant of the time to be made up for")
	case b.To.IsZero():
		return job.FieldErrorf("to", "is missing: name the end of the time to be made up for")
	case b.To.After(now):
		return job.FieldErrorf("to", "%s is in the future: a backfill is for slots that have passed, the schedule makes the others",
			b.To.Format(time.RFC3339))
	case !b.From.Before(b.To):
		return job.FieldErrorf("to", "%s is not after from, %s", b.To.Format(time.RFC3339), b.From.Format(time.RFC3339))
	case limit < 0 || limit > job.MaxSlots:
		return job.FieldErrorf("max", "%d is not between 0 and %d", limit, job.MaxSlots)
	case b.Parallel > job.MaxParallel:
		return job.FieldErrorf("parallel", "%d is not between 1 and %d", b.Parallel, job.MaxParallel)
	case b.Spacing < 0 || b.Spacing > maxBackfillSpacing || b.Spacing%time.Millisecond != 0:
		return job.FieldErrorf("spacing", "%s is not between 0 and %s in whole milliseconds", b.Spacing, maxBackfillSpacing)
	}
	return cmp.Or(checkRunParam(j, b.Param), jobrows.CheckInstant("from", b.From))
}

// slotsOf returns the schedule whose firings are the slots, and refuses one that
// names none beforehand.
func slotsOf(s *schedule.Spec, known jobrows.Calendars) (schedule.Schedule, error) {
	switch s.Kind {
	case schedule.KindManual, schedule.KindAfter:
		return nil, job.FieldErrorf("schedule", "the job has no slots: its schedule is %s; trigger it instead, with planned_at for each slot", s)
	default:
	}
	compiled, err := s.CompileWith(known.Find)
	if err != nil {
		return nil, jobrows.ScheduleError("schedule.", err)
	}
	return compiled, nil
}

// countSlots fills in how many slots there are, and the ones at the ends: at most
// limit when that is not 0.
func countSlots(ctx context.Context, b *job.Backfill, s schedule.Schedule, limit int) error {
	bound := job.MaxSlots + 1
	if limit > 0 {
		bound = limit
	}
	for at := b.From.Add(-1); b.Slots < bound; b.Slots++ {
		next, ok := s.Next(at)
		if !ok || !next.Before(b.To) {
			break
		}
		if b.Slots == 0 {
			b.First = next
		}
		b.Last, at = next, next
		if b.Slots%1000 == 0 && ctx.Err() != nil {
			return job.Errorf(job.Unavailable, "count the slots from %s: %w", b.From.Format(time.RFC3339), context.Cause(ctx))
		}
	}
	between := b.From.Format(time.RFC3339) + " to " + b.To.Format(time.RFC3339)
	switch {
	case b.Slots == 0:
		return job.FieldErrorf("from", "the schedule names no slot from %s: name another time, and look at the job's calendars", between)
	case limit > 0:
		return nil
	case b.Slots > job.MaxSlots:
		return job.FieldErrorf("max", "there are more than %d slots from %s: name a shorter time, or say how many at most", job.MaxSlots, between)
	case b.Slots > job.DefaultSlots:
		return job.FieldErrorf("max", "there are %d slots from %s, more than %d: name a shorter time, or say with max that so many are meant",
			b.Slots, between, job.DefaultSlots)
	}
	return nil
}
