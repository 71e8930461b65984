package sqlstore

import (
	"context"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

const (
	// By runs_ready.
	releaseRuns = `UPDATE runs SET ready_at = due_at WHERE group_id = ? AND ready_at > 0 AND ready_at > due_at`
	// By a scan of at most Limits.Groups rows, once per start.
	listGroups = `SELECT id FROM executor_groups`
	// By attempts_open, once per start.
	recheckAttempts = `UPDATE attempts SET check_at = 0 WHERE open_on > '' AND check_at IS NOT NULL`

	// By runs' primary key. The reason to be late stays; that of a retry is over.
	// A server that slept while another one sent the run, and got it back, counts
	// fewer tries. (MySQL assigns one after the other, so that the state comes last.)
	dispatchRun = `UPDATE runs SET reason = CASE WHEN state = 'waiting_retry' THEN '' ELSE reason END,
		state = 'dispatched', attempt_id = ?, tries = tries + 1, ready_at = NULL
		WHERE id = ? AND state = ? AND job_version = ? AND tries = ?`
	// By attempts' primary key.
	acceptAttempt = `UPDATE attempts SET state = 'running', accepted_at = ?, check_at = NULL
		WHERE id = ? AND state = 'dispatched'`
	// By runs' primary key.
	acceptRun = `UPDATE runs SET state = 'running', started_at = COALESCE(started_at, ?)
		WHERE id = ? AND state = 'dispatched' AND attempt_id = ?`
	// By attempts' primary key.
	failAttempt = `UPDATE attempts SET state = 'failed', message = ?, ended_at = ?, check_at = NULL, open_on = NULL,
		open_job = NULL WHERE id = ? AND state = 'dispatched' AND (check_at = ? OR 0 = ?)`
	// By runs' primary key.
	requeueDispatched = `UPDATE runs SET state = 'queued', reason = ?, ready_at = ?, due_at = ?,
		undelivered = undelivered + 1 WHERE id = ? AND state = 'dispatched' AND attempt_id = ?`
	// By runs' primary key. Exactly the runs that wait have a ready_at.
	requeueWaiting = `UPDATE runs SET state = 'queued', reason = ?, ready_at = ?, due_at = ?
		WHERE id = ? AND ready_at IS NOT NULL`
)

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
// be in state From and have the mark's JobVersion, and its job have room for it
// and no run that waits for room. From must be a state that waits, else Invalid.
func (s *Store) MarkDispatched(ctx context.Context, marks []dispatcher.Mark) ([]bool, error) {
	if len(marks) == 0 {
		return nil, nil
	}
	if err := checkMarks(marks); err != nil {
		return nil, err
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
	ok, err := t.takeRun(m)
	if err != nil || !ok {
		return false, err
	}
	t.moved(a.RunID, job.Dispatched, a.ID, "", "")
	_, err = t.exec(insertAttempt, a.ID, a.RunID, a.JobID, a.Number, a.Address, a.TriggeredAt.UnixMilli(),
		m.CheckAt.UnixMilli(), a.Address, countedBy(m))
	if err == nil && m.Deadline > 0 && a.Number == 1 {
		err = t.deadline(a, m.Deadline)
	}
	if err == nil && len(m.Shards) > 0 {
		err = t.split(m)
	}
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
				ok, err = t.one(acceptRun, a.At.UnixMilli(), a.RunID, a.AttemptID)
			}
			if err != nil {
				return err
			}
			if ok {
				t.moved(a.RunID, job.Running, a.AttemptID, "", "")
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
			if err := t.displaced(&items[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *tx) requeue(r *dispatcher.Requeued) error {
	reason, ready := clean(r.Reason), r.ReadyAt.UnixMilli()
	if r.AttemptID == 0 {
		ok, err := t.one(requeueWaiting, reason, ready, ready, r.RunID)
		if ok {
			t.moved(r.RunID, job.Queued, 0, r.Reason, "")
		}
		return err
	}
	ok, err := t.one(failAttempt, reason, job.Millis(r.Now), r.AttemptID, job.Millis(r.CheckAt), job.Millis(r.CheckAt))
	if err == nil && ok {
		ok, err = t.one(requeueDispatched, reason, ready, ready, r.RunID, r.AttemptID)
		switch {
		case err != nil:
		case ok:
			t.moved(r.RunID, job.Queued, r.AttemptID, r.Reason, "")
		default:
			err = t.cancelUndelivered(r)
		}
	}
	return err
}
