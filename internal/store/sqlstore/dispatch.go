package sqlstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

const (
	// By runs_ready, in its order, which holds waiting runs only.
	listReady = `SELECT ` + runColumns + ` FROM runs r WHERE r.group_id = ? AND r.ready_at <= ?
		ORDER BY r.ready_at LIMIT ?`
	// By runs' primary key.
	hideRun = `UPDATE runs SET ready_at = ? WHERE id = ? AND ready_at = ? AND state = ? AND job_version = ?`
	// By runs_ready.
	releaseRuns = `UPDATE runs SET ready_at = due_at WHERE group_id = ? AND ready_at IS NOT NULL AND ready_at > due_at`
	// By a scan of at most Limits.Groups rows, once per start.
	listGroups = `SELECT id FROM executor_groups`
	// By attempts_open, once per start.
	recheckAttempts = `UPDATE attempts SET check_at = 0 WHERE open_on IS NOT NULL AND check_at IS NOT NULL`

	// By runs' primary key. The reason to be late stays; that of a retry is over.
	dispatchRun = `UPDATE runs SET state = 'dispatched', attempt_id = ?, tries = tries + 1, ready_at = NULL,
		reason = CASE WHEN state = 'waiting_retry' THEN '' ELSE reason END
		WHERE id = ? AND state = ? AND job_version = ?`
	// By attempts' primary key.
	acceptAttempt = `UPDATE attempts SET state = 'running', accepted_at = ?, check_at = NULL
		WHERE id = ? AND state = 'dispatched'`
	// By runs' primary key.
	acceptRun = `UPDATE runs SET state = 'running' WHERE id = ? AND state = 'dispatched' AND attempt_id = ?`
	// By attempts' primary key.
	failAttempt = `UPDATE attempts SET state = 'failed', message = ?, ended_at = ?, check_at = NULL, open_on = NULL
		WHERE id = ? AND state = 'dispatched'`
	// By runs' primary key.
	requeueDispatched = `UPDATE runs SET state = 'queued', reason = ?, ready_at = ?, due_at = ?,
		undelivered = undelivered + 1 WHERE id = ? AND state = 'dispatched' AND attempt_id = ?`
	// By runs' primary key. Exactly the runs that wait have a ready_at.
	requeueWaiting = `UPDATE runs SET state = 'queued', reason = ?, ready_at = ?, due_at = ?
		WHERE id = ? AND ready_at IS NOT NULL`
)

// ClaimRuns takes up to Limit waiting runs of the groups that are ready at or
// before Until, the earliest first, and hides them from other claims until
// Lease. ReadyAt of each is when it is due. Runs that another claim takes at the
// same moment are left out. Nothing is written when nothing is ready.
func (s *Store) ClaimRuns(ctx context.Context, c dispatcher.Claim) ([]job.Run, error) {
	candidates, err := s.candidates(ctx, &c)
	if err != nil || len(candidates) == 0 {
		return nil, err
	}
	claimed := make([]job.Run, 0, len(candidates))
	err = s.writer.update(ctx, func(t *tx) error {
		for i := range candidates {
			r := candidates[i]
			ok, err := t.one(hideRun, c.Lease.UnixMilli(), r.ID, r.ReadyAt.UnixMilli(), string(r.State), r.JobVersion)
			if err != nil {
				return err
			}
			if ok {
				r.ReadyAt = r.DueAt
				claimed = append(claimed, r)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claimed, nil
}

// candidates returns the runs that are ready, read outside of a transaction. The
// ReadyAt of one is the end of the last claim when that server did not send it.
func (s *Store) candidates(ctx context.Context, c *dispatcher.Claim) ([]job.Run, error) {
	if c.Limit <= 0 {
		return nil, nil
	}
	var all []job.Run
	for _, group := range c.Groups {
		err := each(ctx, s.reader, runFields, func(r *job.Run) { all = append(all, *r) },
			listReady, group, c.Until.UnixMilli(), c.Limit)
		if err != nil {
			return nil, err
		}
		if len(all) >= 4*c.Limit {
			all = earliest(all, c.Limit)
		}
	}
	return earliest(all, c.Limit), nil
}

// earliest returns the first n runs by the time they became ready.
func earliest(all []job.Run, n int) []job.Run {
	slices.SortFunc(all, func(a, b job.Run) int {
		return cmp.Or(a.ReadyAt.Compare(b.ReadyAt), cmp.Compare(a.ID, b.ID))
	})
	return all[:min(n, len(all))]
}

// ReleaseClaims makes every waiting run visible from its due time on, and every
// attempt without an answer due to be looked at.
func (s *Store) ReleaseClaims(ctx context.Context) error {
	groups, err := list(ctx, s.reader, func(id *int64) []any { return []any{id} }, listGroups)
	if err != nil || len(groups) == 0 {
		return err
	}
	return s.writer.update(ctx, func(t *tx) error {
		for _, group := range groups {
			if _, err := t.exec(releaseRuns, group); err != nil {
				return err
			}
		}
		_, err := t.exec(recheckAttempts)
		return err
	})
}

// MarkDispatched writes, in one transaction, the attempt of each mark and moves
// its run to dispatched, and says for each whether it took effect: the run must
// be in state From and have the mark's JobVersion. From must be a state that
// waits, else Invalid.
func (s *Store) MarkDispatched(ctx context.Context, marks []dispatcher.Mark) ([]bool, error) {
	if len(marks) == 0 {
		return nil, nil
	}
	for i := range marks {
		if !job.MayMove(marks[i].From, job.Dispatched) {
			return nil, job.Errorf(job.Invalid, "run %d cannot be dispatched: it would come from %q",
				marks[i].Attempt.RunID, marks[i].From)
		}
	}
	done := make([]bool, len(marks))
	err := s.writer.update(ctx, func(t *tx) (err error) {
		for i := range marks {
			if done[i], err = t.dispatch(&marks[i]); err != nil {
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

func (t *tx) dispatch(m *dispatcher.Mark) (bool, error) {
	a := &m.Attempt
	ok, err := t.one(dispatchRun, a.ID, a.RunID, string(m.From), m.JobVersion)
	if err != nil || !ok {
		return false, err
	}
	_, err = t.exec(insertAttempt, a.ID, a.RunID, a.JobID, a.Number, a.Address, a.TriggeredAt.UnixMilli(),
		m.CheckAt.UnixMilli(), a.Address)
	return err == nil, err
}

// MarkAccepted moves each attempt, and its run, from dispatched to running.
// Attempts that are past dispatched are left alone.
func (s *Store) MarkAccepted(ctx context.Context, accepted []dispatcher.Accepted) error {
	if len(accepted) == 0 {
		return nil
	}
	return s.writer.update(ctx, func(t *tx) error {
		for i := range accepted {
			a := &accepted[i]
			ok, err := t.one(acceptAttempt, a.At.UnixMilli(), a.AttemptID)
			if err == nil && ok {
				_, err = t.exec(acceptRun, a.RunID, a.AttemptID)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Requeue moves runs back to queued, in one transaction: dispatched runs whose
// attempt was not delivered, and runs that wait. All others are left alone.
func (s *Store) Requeue(ctx context.Context, items []dispatcher.Requeued) error {
	if len(items) == 0 {
		return nil
	}
	return s.writer.update(ctx, func(t *tx) error {
		for i := range items {
			if err := t.requeue(&items[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *tx) requeue(r *dispatcher.Requeued) error {
	reason, ready := clean(r.Reason), r.ReadyAt.UnixMilli()
	if r.AttemptID == 0 {
		_, err := t.exec(requeueWaiting, reason, ready, ready, r.RunID)
		return err
	}
	ok, err := t.one(failAttempt, reason, job.Millis(r.Now), r.AttemptID)
	if err == nil && ok {
		_, err = t.exec(requeueDispatched, reason, ready, ready, r.RunID, r.AttemptID)
	}
	return err
}
