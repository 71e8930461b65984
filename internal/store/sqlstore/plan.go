package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/schedule"
)

const (
	// By jobs_next, in its order. Exactly enabled jobs have a next_at.
	listDue = `SELECT id, version, group_id, next_at, schedule, misfire FROM jobs WHERE next_at <= ?
		ORDER BY next_at LIMIT ?`
	// By the first entry of jobs_next.
	readNext = `SELECT MIN(next_at) FROM jobs`
	// By jobs' primary key.
	moveJob = `UPDATE jobs SET next_at = ?, last_at = COALESCE(?, last_at), enabled = ?
		WHERE id = ? AND version = ? AND next_at = ?`
)

// DueJobs returns up to limit enabled jobs whose next firing is at or before
// until, the earliest first.
func (s *Store) DueJobs(ctx context.Context, until time.Time, limit int) ([]planner.Due, error) {
	fields := func(d *planner.Due) []any {
		return []any{
			(*integer)(&d.JobID), (*integer)(&d.Version), (*integer)(&d.GroupID), (*instant)(&d.Next),
			document[schedule.Spec]{&d.Schedule},
			(*text)(&d.Misfire),
		}
	}
	return list(ctx, s.reader, fields, listDue, until.UnixMilli(), max(limit, 0))
}

// NextDue returns the earliest next firing of all enabled jobs, and false when
// there is none.
func (s *Store) NextDue(ctx context.Context) (time.Time, bool, error) {
	fields := func(t *time.Time) []any { return []any{(*instant)(t)} }
	next, _, err := first(ctx, s.reader, fields, readNext)
	return next, !next.IsZero(), err
}

// CommitPlan carries out the moves in one transaction and says for each whether
// it took effect: the job must be enabled, have the move's Version, and From as
// its next firing. A firing that exists already is left out. A job without a
// further firing is disabled under the same version: the runs just planned are
// to be sent, and runs go with their job's version.
func (s *Store) CommitPlan(ctx context.Context, moves []planner.Move) ([]bool, error) {
	if len(moves) == 0 {
		return nil, nil
	}
	done := make([]bool, len(moves))
	err := s.writer.update(ctx, func(t *tx) (err error) {
		for i := range moves {
			if done[i], err = s.move(t, &moves[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func (s *Store) move(t *tx, m *planner.Move) (bool, error) {
	moved, err := t.one(moveJob, nullable(m.Next), nullable(m.Last), bit(!m.Next.IsZero()),
		m.JobID, m.Version, m.From.UnixMilli())
	if err != nil || !moved {
		return false, err
	}
	for i := range m.Runs {
		r := &m.Runs[i]
		if _, err := t.exec(s.insertRunOnce, runArgs(r, r.PlannedAt)...); err != nil {
			return false, err
		}
	}
	return true, nil
}
