package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

const (
	// By runs_expires, in its order, and jobs' primary key. Few runs were sent
	// to an executor and wait again.
	listExpiring = `SELECT ` + runColumns + `, j.expire_ms FROM runs r JOIN jobs j ON j.id = r.job_id
		WHERE r.expires_at > 0 AND r.expires_at <= ? AND r.ready_at > 0 AND r.tries = r.undelivered ORDER BY r.expires_at LIMIT ?`
	// By runs' primary key. Exactly the runs that wait have a ready_at.
	expireRun = `UPDATE runs SET state = 'skipped', reason = ?, ended_at = ?, ready_at = NULL
		WHERE id = ? AND ready_at IS NOT NULL AND tries = undelivered`
)

// Expiring returns up to limit runs that wait, no executor has taken, and are to
// be given up by now, those that are over soonest first.
func (s *Store) Expiring(ctx context.Context, now time.Time, limit int) ([]upkeep.Expiring, error) {
	fields := func(e *upkeep.Expiring) []any { return append(runFields(&e.Run), (*period)(&e.After)) }
	found, err := list(ctx, s.reader, fields, listExpiring, now.UnixMilli(), max(limit, 0))
	for i := range found {
		if found[i].Run.Cause == job.CauseTrial {
			found[i].After = job.TrialPatience
		}
	}
	return found, err
}

// ExpireRuns moves each run that waits, and that no executor has taken, to skipped with its
// Reason and EndedAt, and reports for each whether it did. A fixed delay that awaited the
// run continues from then.
func (s *Store) ExpireRuns(ctx context.Context, runs []job.Run) ([]bool, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	done := make([]bool, len(runs))
	err := s.writer.update(ctx, func(t *tx) (err error) {
		for i := range runs {
			if done[i], err = t.expire(&runs[i]); err != nil {
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

func (t *tx) expire(r *job.Run) (bool, error) {
	now := job.Millis(r.EndedAt)
	done, err := t.one(expireRun, clean(r.Reason), now, r.ID)
	if err == nil && done {
		t.moved(r.ID, job.Skipped, 0, r.Reason, "")
		err = t.endUnsent(r, job.Skipped, r.EndedAt)
	}
	if err == nil && done {
		err = t.unblocked(r.JobID, r.ID)
	}
	if err == nil && done {
		err = t.writeMissedEvents(missed{r, 1})
	}
	if err == nil && done && (r.Cause == job.CauseSchedule || r.Cause == job.CauseMisfire) {
		err = t.do(resumeAfter, now, now, r.JobID, r.ID)
	}
	return done, err
}
