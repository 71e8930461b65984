package sqlstore

import (
	"context"
	"slices"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

const (
	// By runs_ready.
	releaseRuns = `UPDATE runs SET ready_at = due_at WHERE group_id = ? AND ready_at > 0 AND ready_at > due_at`
	// By a scan of at most Limits.Groups rows, once per start.
	listGroups = `SELECT id FROM executor_groups`
	// By runs_open, once per start.
	recheckAttempts = `UPDATE runs SET check_at = COALESCE(triggered_at, 0) WHERE open_on > '' AND check_at IS NOT NULL`

	// By runs' primary key. The reason to be late stays; that of a retry is over.
	// A server that slept while another one sent the run, and got it back, counts
	// fewer tries. (MySQL assigns one after the other, so that the state comes last.)
	dispatchRun = `UPDATE runs SET reason = CASE WHEN state = 'waiting_retry' THEN '' ELSE reason END,
		state = 'dispatched', attempt_id = ?, address = ?, triggered_at = ?, check_at = ?, open_on = ?, open_job = ?,
		tries = tries + 1, ready_at = NULL WHERE id = ? AND state = ? AND job_version = ? AND tries = ?`
	// By runs' primary key.
	acceptRun = `UPDATE runs SET state = 'running', check_at = NULL, accepted_at = ?, started_at = COALESCE(started_at, ?)
		WHERE id = ? AND attempt_id = ? AND state = 'dispatched'`
	// By runs' primary key. A run that is to be stopped remains so.
	acceptStopping = `UPDATE runs SET check_at = NULL, accepted_at = ?
		WHERE id = ? AND attempt_id = ? AND state = 'stopping' AND check_at IS NOT NULL`
	// By runs' primary key.
	requeueDispatched = `UPDATE runs SET state = 'queued', reason = ?, ready_at = ?, due_at = ?,
		undelivered = undelivered + 1, ` + closeAttempt + `
		WHERE id = ? AND attempt_id = ? AND state = 'dispatched' AND (check_at = ? OR 0 = ?)`
	// By runs' primary key, and attempts_run. The attempt before is the last one again. (MySQL
	// assigns one after the other, so that the tries come last.)
	takeBackRun = `UPDATE runs SET state = 'queued', reason = ?, ready_at = ?, due_at = ?, triggered_at = NULL, ` + closeAttempt + `,
		attempt_id = COALESCE((SELECT a.id FROM attempts a WHERE a.run_id = runs.id AND a.number = runs.tries - 1), 0),
		address = COALESCE((SELECT b.address FROM attempts b WHERE b.run_id = runs.id AND b.number = runs.tries - 1), ''),
		tries = tries - 1 WHERE id = ? AND attempt_id = ? AND state = 'dispatched' AND (check_at = ? OR 0 = ?) AND triggered_at = ?`
	// By runs' primary key. Exactly the runs that wait have a ready_at.
	requeueWaiting = `UPDATE runs SET state = 'queued', reason = ?, ready_at = ?, due_at = ?
		WHERE id = ? AND ready_at IS NOT NULL`
	// By runs' primary key.
	showWaiting = `UPDATE runs SET ready_at = ? WHERE id = ? AND ready_at IS NOT NULL`
)

// The statements that are carried out for many at once.
var (
	acceptRuns    = batch{query: acceptRun, kinds: "iiii", key: 2}
	acceptStops   = batch{query: acceptStopping, kinds: threeNumbers, key: 1}
	dispatchRuns  = batch{query: dispatchRun, kinds: "itiitiitii", key: 6}
	dispatchFrees = batch{query: dispatchFree, kinds: "itiitiitiiiii", key: 6}
	requeueRuns   = batch{query: requeueDispatched, kinds: "tiiiiii", key: 3}
	takeBackRuns  = batch{query: takeBackRun, kinds: "tiiiiiii", key: 3}
	requeueWaits  = batch{query: requeueWaiting, kinds: "tiii", key: 3}
	showWaits     = batch{query: showWaiting, kinds: "ii", key: 1}
)

// ReleaseClaims makes every waiting run visible from its due time on, and every
// attempt without an answer due to be looked at, those that were marked ahead from their time on.
func (s *Store) ReleaseClaims(ctx context.Context) error {
	groups, err := list(ctx, s.reader, func(id *int64) []any { return []any{id} }, listGroups)
	if err != nil || len(groups) == 0 {
		return err
	}
	return s.writer.update(ctx, func(t *tx) error {
		for _, group := range groups {
			if err := t.do(releaseRuns, group); err != nil {
				return err
			}
		}
		return t.do(recheckAttempts)
	})
}

// MarkDispatched writes, in one transaction, the attempt of each mark and moves its run to
// dispatched, and reports for each whether it took effect: the run must be in state From
// and have the mark's JobVersion, and its job have room for it and no run that waits for
// room. From must be a state that waits, else Invalid.
func (s *Store) MarkDispatched(ctx context.Context, marks []dispatcher.Mark) ([]bool, error) {
	if len(marks) == 0 {
		return nil, nil
	}
	if err := checkMarks(marks); err != nil {
		return nil, err
	}
	done := make([]bool, len(marks))
	err := s.writer.update(ctx, func(t *tx) error { return t.dispatchAll(marks, done) })
	if err != nil {
		return nil, err
	}
	return done, nil
}

// dispatchAll carries out the marks in order, and reports for each whether it took effect.
func (t *tx) dispatchAll(marks []dispatcher.Mark, done []bool) error {
	for from := 0; from < len(marks); {
		to := from + countApart(marks[from:])
		if err := t.dispatchApart(marks[from:to], done[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// countApart returns how many marks, from the first on, can be carried out at once: no
// attempt of one counts for the limit of another.
func countApart(marks []dispatcher.Mark) int {
	limited := make(map[int64]bool, len(marks)) // by job, of those that were seen
	for i := range marks {
		m := &marks[i]
		before, seen := limited[m.Attempt.JobID]
		if seen && (before || m.Limit.Runs > 0) {
			return i
		}
		limited[m.Attempt.JobID] = m.Limit.Runs > 0
	}
	return len(marks)
}

// dispatchApart carries out marks that have nothing to do with each other.
func (t *tx) dispatchApart(marks []dispatcher.Mark, done []bool) error {
	if err := t.takeRuns(marks, done); err != nil {
		return err
	}
	var took []*dispatcher.Mark
	for i := range marks {
		if done[i] {
			took = append(took, &marks[i])
		}
	}
	return t.attempted(took)
}

// attempted does what follows from marks whose runs are dispatched.
func (t *tx) attempted(marks []*dispatcher.Mark) error {
	for _, m := range marks {
		var err error
		t.moved(m.Attempt.RunID, job.Dispatched, m.Attempt.ID, "", "")
		if m.Deadline > 0 && m.Attempt.Number == 1 {
			err = t.deadline(&m.Attempt, m.Deadline)
		}
		if err == nil && len(m.Shards) > 0 {
			err = t.split(m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// MarkAccepted moves each attempt, and its run, from dispatched to running.
// Attempts that are past dispatched are left alone.
func (s *Store) MarkAccepted(ctx context.Context, accepted []dispatcher.Accepted) error {
	if len(accepted) == 0 {
		return nil
	}
	return s.writer.updatePatiently(ctx, func(t *tx) error {
		rows := make([][]any, len(accepted))
		for i := range accepted {
			a := &accepted[i]
			at := a.At.UnixMilli()
			rows[i] = []any{at, at, a.RunID, a.AttemptID}
		}
		begun, err := t.each(&acceptRuns, rows)
		if err != nil {
			return err
		}
		rest := rows[:0] // most of them have ended
		for i, row := range rows {
			if begun[i] {
				t.moved(accepted[i].RunID, job.Running, accepted[i].AttemptID, "", "")
			} else {
				rest = append(rest, row[1:])
			}
		}
		return t.doAll(&acceptStops, rest)
	})
}

// Requeue moves runs back to queued, in one transaction: dispatched runs whose attempt was
// not delivered, and runs that wait. It changes no others.
func (s *Store) Requeue(ctx context.Context, items []dispatcher.Requeued) error {
	if len(items) == 0 {
		return nil
	}
	return s.writer.update(ctx, func(t *tx) error {
		if err := t.requeue(items); err != nil {
			return err
		}
		return t.displaced(items)
	})
}

// requeue moves runs back: first those that were sent and not delivered, then those that
// wait.
func (t *tx) requeue(items []dispatcher.Requeued) error {
	var sent, waiting []*dispatcher.Requeued
	var early [][]any
	for i := range items {
		switch r := &items[i]; {
		case r.AttemptID != 0:
			sent = append(sent, r)
		case r.Early:
			early = append(early, []any{r.ReadyAt.UnixMilli(), r.RunID})
		default:
			waiting = append(waiting, r)
		}
	}
	if err := t.doAll(&showWaits, early); err != nil {
		return err
	}
	if err := t.requeueSent(sent); err != nil {
		return err
	}
	rows := make([][]any, len(waiting))
	for i, r := range waiting {
		ready := r.ReadyAt.UnixMilli()
		rows[i] = []any{clean(r.Reason), ready, ready, r.RunID}
	}
	put, err := t.each(&requeueWaits, rows)
	if err != nil {
		return err
	}
	for i, r := range waiting {
		if put[i] {
			t.moved(r.RunID, job.Queued, 0, r.Reason, "")
		}
	}
	return nil
}

// requeueSent ends attempts that were not delivered, and puts their runs back.
func (t *tx) requeueSent(sent []*dispatcher.Requeued) error {
	back := func(r *dispatcher.Requeued) bool { return r.TakenBack }
	if slices.ContainsFunc(sent, back) {
		var taken []*dispatcher.Requeued
		for _, r := range sent {
			if back(r) {
				taken = append(taken, r)
			}
		}
		if err := t.takeBack(taken); err != nil {
			return err
		}
		sent = slices.DeleteFunc(sent, back)
	}
	put, err := t.each(&requeueRuns, sentRows(sent))
	if err != nil {
		return err
	}
	var failed [][]any
	for i, r := range sent {
		if put[i] {
			failed = append(failed, []any{string(job.Failed), job.Millis(r.Now), clean(r.Reason), r.RunID, r.AttemptID})
			t.moved(r.RunID, job.Queued, r.AttemptID, r.Reason, "")
		} else if err := t.cancelUndelivered(r); err != nil {
			return err
		}
	}
	return t.again(failed)
}

// sentRows returns what puts back runs that were sent: see requeueDispatched and takeBackRun.
func sentRows(sent []*dispatcher.Requeued) [][]any {
	rows := make([][]any, len(sent))
	for i, r := range sent {
		ready, check := r.ReadyAt.UnixMilli(), job.Millis(r.CheckAt)
		rows[i] = []any{clean(r.Reason), ready, ready, r.RunID, r.AttemptID, check, check}
	}
	return rows
}

// takeBack puts runs back as if they had not been sent. It may be asked for once more after another
// server has sent one of them, under the same id.
func (t *tx) takeBack(sent []*dispatcher.Requeued) error {
	rows := sentRows(sent)
	for i, r := range sent {
		rows[i] = append(rows[i], job.Millis(r.TriggeredAt))
	}
	put, err := t.each(&takeBackRuns, rows)
	if err != nil {
		return err
	}
	for i, r := range sent {
		switch {
		case !put[i]:
			err = t.cancelUndelivered(r)
		case r.Deadline > 0: // there is one when it was the first attempt
			err = t.do(dropDeadline, job.Millis(r.TriggeredAt.Add(r.Deadline)), r.RunID)
		}
		if err != nil {
			return err
		}
		if put[i] {
			t.moved(r.RunID, job.Queued, 0, r.Reason, "")
		}
	}
	return nil
}
