package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By runs_firing.
	listOfSlot = `SELECT ` + runColumns + `, j.job_key` + fromRuns +
		`WHERE r.planned_at = ? AND r.job_id = ? AND r.shard_total = 0 LIMIT ?`
	// By runs_job: the newest runs below an id, and the oldest from it on.
	listSlotsBelow = `SELECT id, planned_at, cause FROM runs WHERE job_id = ? AND id < ? ORDER BY id DESC LIMIT ?`
	listSlotsFrom  = `SELECT id, planned_at, cause FROM runs WHERE job_id = ? AND id >= ? ORDER BY id LIMIT ?`
)

// slotsSeen is how many runs FiringBefore looks at in each direction.
const slotsSeen = 1000

// RunsOfSlot returns the runs of a job for the slot of an instant in no order, at most limit
// and at most 1,000. Shards are not among them, and no run serves the zero instant.
func (s *Store) RunsOfSlot(ctx context.Context, jobID int64, at time.Time, limit int) ([]job.Run, error) {
	if at.IsZero() {
		return nil, nil
	}
	return list(ctx, s.reader, namedRunFields, listOfSlot, at.UnixMilli(), jobID, page(limit))
}

// FiringBefore returns the run of the latest slot before an instant that the schedule of a job
// has filled, in time or after a misfire, and false when there is none. It looks at the 1,000
// runs of the job that were made last before the instant, and at the 1,000 after them.
func (s *Store) FiringBefore(ctx context.Context, jobID int64, at time.Time) (job.Run, bool, error) {
	type firing struct {
		id    int64
		at    time.Time
		cause job.Cause
	}
	fields := func(f *firing) []any { return []any{&f.id, (*instant)(&f.at), &f.cause} }
	bound, err := s.idAt(ctx, at.Add(drift))
	if err != nil {
		return job.Run{}, false, err
	}
	var latest firing
	for _, query := range [...]string{listSlotsBelow, listSlotsFrom} {
		seen, err := list(ctx, s.reader, fields, query, jobID, bound, slotsSeen)
		if err != nil {
			return job.Run{}, false, err
		}
		for _, f := range seen {
			scheduled := f.cause == job.CauseSchedule || f.cause == job.CauseMisfire
			if scheduled && f.at.Before(at) && f.at.After(latest.at) {
				latest = f
			}
		}
	}
	if latest.id == 0 {
		return job.Run{}, false, nil
	}
	run, err := s.RunByID(ctx, latest.id)
	if job.Is(err, job.NotFound) { // it was removed meanwhile
		return job.Run{}, false, nil
	}
	return run, err == nil, err
}
