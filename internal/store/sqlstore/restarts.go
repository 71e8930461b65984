package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By attempts_open: attempts without a check_at are those that run.
	listRunningOn = `SELECT ` + attemptColumns + ` FROM attempts a
		WHERE a.open_on = ? AND a.open_on > '' AND a.check_at IS NULL AND a.id > ? AND a.accepted_at < ? ORDER BY a.id LIMIT ?`
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
