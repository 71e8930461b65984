package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// By runs_firing, backwards.
const listPlanned = `SELECT ` + runColumns + `, j.job_key` + fromRuns +
	`WHERE r.job_id = ? AND r.planned_at >= ? AND r.planned_at < ? AND r.shard_total = 0 ORDER BY r.planned_at DESC LIMIT ?`

// RunsPlanned returns the runs of a job for slots from an instant, which is
// included, to another, which is not: the latest slots first, at most limit and
// at most 1,000. Runs that serve no slot, and shards,
// are not among them.
func (s *Store) RunsPlanned(ctx context.Context, jobID int64, from, to time.Time, limit int) ([]job.Run, error) {
	// A run without a slot has 0, the instant of a slot that nobody asks about.
	first := max(job.Millis(from), 1)
	return list(ctx, s.reader, namedRunFields, listPlanned, jobID, first, job.Millis(to), page(limit))
}
