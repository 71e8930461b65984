package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/explain"
	"github.com/orthd/orth/job"
)

const (
	// By runs_firing.
	listOfSlot = `SELECT ` + runColumns + `, j.job_key` + fromRuns +
		`WHERE r.planned_at = ? AND r.job_id = ? AND r.shard_total = 0 LIMIT ?`
	// By runs_job: the newest runs below an id, and the oldest from it on.
	listSlotsBelow = `SELECT id, planned_at, cause FROM runs WHERE job_id = ? AND id < ? ORDER BY id DESC LIMIT ?`
	listSlotsFrom  = `SELECT id, planned_at, cause FROM runs WHERE job_id = ? AND id >= ? ORDER BY id LIMIT ?`
	// By runs_ready: waiting runs of a group that are due, of the ranks above one, and of a
	// rank those that were due before an instant.
	countHigherDue = `SELECT COUNT(*) FROM (SELECT 1 FROM runs WHERE group_id = ? AND priority IN (0, 1, 2) AND priority < ?
		AND ready_at > 0 AND ready_at <= ? AND due_at <= ? LIMIT ?) w`
	countEarlierDue = `SELECT COUNT(*) FROM (SELECT 1 FROM runs WHERE group_id = ? AND priority = ?
		AND ready_at > 0 AND ready_at <= ? AND due_at < ? LIMIT ?) w`
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
	if job.Is(err, job.NotFound) { // it was removed since
		return job.Run{}, false, nil
	}
	return run, err == nil, err
}

// RunsAhead counts the waiting runs of the run's group that are due by now and are sent before
// it: those of a higher priority, and those of its own that were due earlier. It counts up to
// limit of each. Runs that wait until long after now for others of their jobs do not count.
func (s *Store) RunsAhead(ctx context.Context, run *job.Run, now time.Time, limit int) (explain.Ahead, error) {
	var ahead explain.Ahead
	number := func(n *int) []any { return []any{(*count)(n)} }
	rank, soon, due := run.Priority.Rank(), job.Millis(now.Add(soonReady)), run.DueAt
	if due.IsZero() {
		due = run.ReadyAt
	}
	higher, _, err := first(ctx, s.reader, number, countHigherDue, run.GroupID, rank, soon, job.Millis(now), max(limit, 0))
	if err != nil {
		return ahead, err
	}
	earlier, _, err := first(ctx, s.reader, number, countEarlierDue, run.GroupID, rank, soon, job.Millis(due), max(limit, 0))
	if err != nil {
		return ahead, err
	}
	return explain.Ahead{Higher: higher, Earlier: earlier}, nil
}
