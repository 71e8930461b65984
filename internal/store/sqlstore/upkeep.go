package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

const (
	// By one entry of runs_open, which holds open attempts only.
	nextAddress = `SELECT MIN(open_on) FROM runs WHERE open_on > ? AND open_on > ''`
	// By executors_address.
	countLiving = `SELECT COUNT(*) FROM executors WHERE address = ? AND lease_until > ?`
	// By runs_open.
	listOpen = `SELECT ` + lastColumns + `, r.check_at FROM runs r WHERE r.open_on = ? AND r.open_on > ''
		AND (r.check_at IS NULL OR r.check_at <= ?) LIMIT ?`
	// By runs_open and the primary keys of jobs and executor_groups.
	listUnanswered = `SELECT ` + lastColumns + `, ` + runColumns + `, ` + jobColumns + `, r.check_at
		FROM runs r JOIN jobs j ON j.id = r.job_id` + joinJob + `
		WHERE r.open_on = ? AND r.open_on > '' AND r.check_at <= ? ORDER BY r.check_at LIMIT ?`
	// By runs' primary key.
	claimUnanswered = `UPDATE runs SET check_at = ? WHERE id = ? AND attempt_id = ? AND check_at = ?`
	// By runs' primary key. Exactly the attempts that are dispatched have a check_at.
	postpone = `UPDATE runs SET check_at = ? WHERE id = ? AND check_at IS NOT NULL`
)

// Unanswered returns up to limit attempts that were dispatched, have no answer
// and are to be looked at by now, with their runs and jobs, deleted jobs too.
func (s *Store) Unanswered(ctx context.Context, now time.Time, limit int) ([]upkeep.Open, error) {
	limit = max(limit, 0)
	fields := func(o *upkeep.Open) []any {
		fields := append(append(attemptFields(&o.Attempt), runFields(&o.Run)...), jobFields(&o.Job)...)
		return append(fields, (*instant)(&o.CheckAt))
	}
	var all []upkeep.Open
	err := s.addresses(ctx, func(address string) (bool, error) {
		found, err := list(ctx, s.reader, fields, listUnanswered, address, now.UnixMilli(), limit-len(all))
		all = append(all, found...)
		return len(all) < limit, err
	})
	return all, err
}

// ClaimUnanswered claims attempts until an instant, in one transaction, and reports for
// each whether it did: it must be unanswered and due at the instant that was read.
func (s *Store) ClaimUnanswered(ctx context.Context, open []upkeep.Open, until time.Time) ([]bool, error) {
	taken := make([]bool, len(open))
	err := s.writer.update(ctx, func(t *tx) (err error) {
		for i := range open {
			o := &open[i]
			if taken[i], err = t.one(claimUnanswered, until.UnixMilli(), o.Attempt.RunID, o.Attempt.ID, job.Millis(o.CheckAt)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return taken, nil
}

// Orphans returns up to limit open attempts on addresses whose lease has ended by now, or
// that have none. While the server that sends an attempt may still put it back, it is no
// orphan.
func (s *Store) Orphans(ctx context.Context, now time.Time, limit int) ([]upkeep.Open, error) {
	limit = max(limit, 0)
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	var all []upkeep.Open
	fields := func(o *upkeep.Open) []any { return append(attemptFields(&o.Attempt), (*instant)(&o.CheckAt)) }
	err := s.addresses(ctx, func(address string) (bool, error) {
		living, _, err := first(ctx, s.reader, number, countLiving, address, now.UnixMilli())
		if err != nil || living > 0 {
			return true, err
		}
		found, err := list(ctx, s.reader, fields, listOpen, address, now.UnixMilli(), limit-len(all))
		for i := range found {
			found[i].Run.ID = found[i].Attempt.RunID
		}
		all = append(all, found...)
		return len(all) < limit, err
	})
	return all, err
}

// addresses calls visit for each address with open attempts until it returns false.
func (s *Store) addresses(ctx context.Context, visit func(address string) (more bool, err error)) error {
	column := func(a *string) []any { return []any{(*text)(a)} }
	address := ""
	for {
		next, _, err := first(ctx, s.reader, column, nextAddress, address)
		if err != nil || next == "" {
			return err
		}
		if more, err := visit(next); err != nil || !more {
			return err
		}
		address = next
	}
}

// Postpone sets when unanswered runs are looked at again.
func (s *Store) Postpone(ctx context.Context, runs []int64, at time.Time) error {
	if len(runs) == 0 {
		return nil
	}
	return s.writer.update(ctx, func(t *tx) error {
		for _, run := range runs {
			if err := t.do(postpone, at.UnixMilli(), run); err != nil {
				return err
			}
		}
		return nil
	})
}
