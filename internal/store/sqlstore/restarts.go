package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By attempts_open: attempts without a check_at are those that run.
	listRunningOn = `SELECT ` + attemptColumns + ` FROM attempts a
		WHERE a.open_on = ? AND a.open_on > '' AND a.check_at IS NULL AND a.id > ? AND a.accepted_at < ? ORDER BY a.id LIMIT ?`
	// By the primary keys of attempts and jobs.
	listTimeLimits = `SELECT a.id, j.timeout_ms FROM attempts a JOIN jobs j ON j.id = a.job_id WHERE a.id IN (%s) AND j.timeout_ms > 0`
	// By executors_address.
	countNameless = `SELECT COUNT(*) FROM executors WHERE address = ? AND lease_until > ? AND incarnation = ''`
	countNamed    = `SELECT COUNT(*) FROM executors WHERE address = ? AND lease_until > ? AND incarnation <> ''`
)

// RunningOn returns up to limit attempts with ids above after that were accepted
// on the address before an instant and are still open, by id.
func (s *Store) RunningOn(
	ctx context.Context, address string, before time.Time, after int64, limit int,
) ([]job.Attempt, error) {
	return list(ctx, s.reader, attemptFields, listRunningOn, address, after, before.UnixMilli(), max(limit, 0))
}

// TimeLimits returns the time limits of the jobs of attempts, by attempt; none for jobs
// without one.
func (s *Store) TimeLimits(ctx context.Context, attempts []int64) (map[int64]time.Duration, error) {
	type row struct {
		id    int64
		limit time.Duration
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*period)(&r.limit)} }
	limits := make(map[int64]time.Duration)
	take := func(r *row) { limits[r.id] = r.limit }
	for chunk := range slices.Chunk(attempts, maxIDs) {
		args := sized(chunk)
		if err := each(ctx, s.reader, fields, take, in(listTimeLimits, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return limits, nil
}

// NextNameless returns the first address above after, in their order, with open
// attempts and a lease at now of an executor that tells no incarnation; "" when
// there is none.
func (s *Store) NextNameless(ctx context.Context, after string, now time.Time) (string, error) {
	return s.nextHolder(ctx, countNameless, after, now)
}

// NextNamed returns the first address above after, in their order, with open attempts
// and a lease at now of an executor that tells its incarnation; "" when there is none.
func (s *Store) NextNamed(ctx context.Context, after string, now time.Time) (string, error) {
	return s.nextHolder(ctx, countNamed, after, now)
}

// nextHolder returns the first address above after with open attempts and executors
// that count counts.
func (s *Store) nextHolder(ctx context.Context, count, after string, now time.Time) (string, error) {
	column := func(a *string) []any { return []any{(*text)(a)} }
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	for {
		address, _, err := first(ctx, s.reader, column, nextAddress, after)
		if err != nil || address == "" {
			return "", err
		}
		living, _, err := first(ctx, s.reader, number, count, address, now.UnixMilli())
		if err != nil || living > 0 {
			return address, err
		}
		after = address
	}
}
