package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By runs_open, in its order: attempts without a check_at are those that run.
	listRunningOn = `SELECT ` + lastColumns + ` FROM runs r
		WHERE r.open_on = ? AND r.open_on > '' AND r.check_at IS NULL AND r.attempt_id > ? AND r.accepted_at < ?
		ORDER BY r.attempt_id LIMIT ?`
	// By the primary key of runs, by runs_again, and by the primary keys of attempts and runs, and that
	// of jobs. Trials have the limit of no job.
	limitsFirst = `SELECT r.id, j.timeout_ms FROM runs r` + limited + ` AND r.id IN (%s) AND r.tries > 0`
	limitsAgain = `SELECT r.attempt_id, j.timeout_ms FROM runs r` + limited + ` AND ` + ifAgain
	limitsPast  = `SELECT a.id, j.timeout_ms` + fromPast + limited + ` AND ` + ifPast
	limited     = ` JOIN jobs j ON j.id = r.job_id WHERE r.cause <> 'trial' AND j.timeout_ms > 0`
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
	by := &lookup{limitsFirst, limitsAgain, limitsPast}
	rows, err := ofAttempts(ctx, s.reader, by, fields, func(r *row) int64 { return r.id }, attempts, maxIDs)
	limits := make(map[int64]time.Duration, len(rows))
	for _, r := range rows {
		limits[r.id] = r.limit
	}
	return limits, err
}

// NextNameless returns the first address above after, in their order, with open attempts
// and a lease at now of an executor that reports no incarnation; "" when there is none.
func (s *Store) NextNameless(ctx context.Context, after string, now time.Time) (string, error) {
	return s.nextHolder(ctx, countNameless, after, now)
}

// NextNamed returns the first address above after, in their order, with open attempts and a
// lease at now of an executor that reports its incarnation; "" when there is none.
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
