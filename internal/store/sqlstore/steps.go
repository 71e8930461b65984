package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/job"
)

const (
	// By backfills_look, in its order. Exactly the running ones have a look_at.
	listWaiting = `SELECT id, step FROM backfills WHERE look_at <= ? ORDER BY look_at LIMIT ?`
	// By backfills' primary key.
	listTheseBackfills = `SELECT id, step FROM backfills WHERE id IN (%s) AND look_at IS NOT NULL`
	// By backfills' primary key.
	letGoBackfills = `UPDATE backfills SET look_at = ? WHERE id IN (%s) AND look_at > ?`
	// By backfills' primary key.
	claimBackfill = `UPDATE backfills SET step = step + 1, look_at = ? WHERE id = ? AND step = ? AND look_at IS NOT NULL`
	// By the primary keys of backfills, jobs and executor_groups.
	listWork = `SELECT ` + backfillColumns + `, b.step, j.tombstone, ` + jobColumns + `
		FROM backfills b JOIN jobs j ON j.id = b.job_id` + joinJob + `WHERE b.id IN (%s)`
	// By job_calendars_job and the primary key of calendars.
	listJobCalendars = `SELECT ` + calendarColumns + ` FROM job_calendars u JOIN calendars c ON c.id = u.calendar_id
		WHERE u.job_id = ?`
	// By runs' primary key.
	listStates = `SELECT id, state FROM runs WHERE id IN (%s)`
	// By backfills' primary key. Exactly the running ones have a look_at.
	stepBackfill = `UPDATE backfills SET step = step + 1, look_at = ?, state = ?, reason = ?, cursor_at = ?, made = ?,
		skipped = ?, succeeded = ?, failed = ?, open_runs = ?, started_at = ?, ended_at = ?
		WHERE id = ? AND step = ? AND look_at IS NOT NULL`
)

// work is a Work with the values of its job's row.
type work struct {
	backfill.Work
	tombstone int64
}

func workFields(w *work) []any {
	fields := append(backfillFields(&w.Backfill), (*integer)(&w.Step), (*integer)(&w.tombstone))
	return append(fields, jobFields(&w.Job)...)
}

// ClaimBackfills takes running backfills and hides them from other claims until the
// lease. A claim ends the right of the one before to commit its step. Nothing is
// written when there is nothing to do.
func (s *Store) ClaimBackfills(ctx context.Context, c backfill.Claim) ([]backfill.Work, error) {
	wanted, err := s.wanted(ctx, listWaiting, listTheseBackfills, c.Until, c.Limit, c.IDs)
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	claimed := make([]int64, 0, len(wanted))
	steps := make(map[int64]int64, len(wanted))
	err = s.writer.update(ctx, func(t *tx) error {
		claimed = claimed[:0]
		for _, w := range wanted {
			ok, err := t.one(claimBackfill, job.Millis(c.Lease), w.id, w.step)
			if err != nil {
				return err
			}
			if ok {
				claimed, steps[w.id] = append(claimed, w.id), w.step+1
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.claimedWork(ctx, claimed, steps)
}

// LetGoBackfills makes those of the backfills that are running claimable from now on.
func (s *Store) LetGoBackfills(ctx context.Context, ids []int64, now time.Time) error {
	return s.makeClaimable(ctx, letGoBackfills, ids, now)
}

// makeClaimable makes the rows of long work, by their ids, be found from now on.
func (s *Store) makeClaimable(ctx context.Context, query string, ids []int64, now time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	at := job.Millis(now)
	return s.writer.update(ctx, func(t *tx) error {
		for chunk := range slices.Chunk(ids, maxIDs) {
			args := sized(chunk)
			if err := t.do(in(query, len(args)), slices.Concat([]any{at}, args, []any{at})...); err != nil {
				return err
			}
		}
		return nil
	})
}

// openStep is where long work stands that is not over.
type openStep struct{ id, step int64 }

// wanted returns the long work that a claim is for, each once: what the first query
// finds until an instant, and what the other one finds of the ids.
func (s *Store) wanted(ctx context.Context, due, these string, until time.Time, limit int, ids []int64) ([]openStep, error) {
	fields := func(w *openStep) []any { return []any{(*integer)(&w.id), (*integer)(&w.step)} }
	found, err := list(ctx, s.reader, fields, due, until.UnixMilli(), max(limit, 0))
	if err != nil {
		return nil, err
	}
	known := make(map[int64]bool, len(found))
	for _, w := range found {
		known[w.id] = true
	}
	take := func(w *openStep) {
		if !known[w.id] {
			known[w.id] = true
			found = append(found, *w)
		}
	}
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		if err := each(ctx, s.reader, fields, take, in(these, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// claimedWork reads what was claimed, in the order of ids. What another claim or
// a cancellation has taken since is left out.
func (s *Store) claimedWork(ctx context.Context, ids []int64, steps map[int64]int64) ([]backfill.Work, error) {
	found := make(map[int64]backfill.Work, len(ids))
	take := func(w *work) {
		w.Deleted, w.Backfill.JobKey, w.Backfill.Namespace = w.tombstone != 0, w.Job.Key, w.Job.Namespace
		if steps[w.Backfill.ID] == w.Step {
			found[w.Backfill.ID] = w.Work
		}
	}
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		if err := each(ctx, s.reader, workFields, take, in(listWork, len(args)), args...); err != nil {
			return nil, err
		}
	}
	var all []backfill.Work
	for _, id := range ids {
		w, ok := found[id]
		if !ok {
			continue
		}
		var err error
		if w.Calendars, err = list(ctx, s.reader, calendarFields, listJobCalendars, w.Job.ID); err != nil {
			return nil, err
		}
		if w.Ended, err = s.ended(ctx, w.Backfill.Open); err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// ended returns the states of the runs that are final, by id. A run that does
// not exist was left out when it was to be written, and counts as lost.
func (s *Store) ended(ctx context.Context, ids []int64) (map[int64]job.State, error) {
	states := make(map[int64]job.State, len(ids))
	for _, id := range ids {
		states[id] = job.Lost
	}
	fields := func(r *job.Run) []any { return []any{(*integer)(&r.ID), (*text)(&r.State)} }
	take := func(r *job.Run) {
		if r.State.Final() {
			states[r.ID] = r.State
		} else {
			delete(states, r.ID)
		}
	}
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		if err := each(ctx, s.reader, fields, take, in(listStates, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// CommitStep writes a step in one transaction and reports whether it took effect: the
// backfill must be running and be at the step that was claimed. Runs get the version and
// group of their job at this moment. A run that exists already, and all runs of a deleted
// job, are left out.
func (s *Store) CommitStep(ctx context.Context, step backfill.Step) (bool, error) {
	b := &step.Backfill
	open, err := encodeIDs(b.Open)
	if err != nil {
		return false, err
	}
	var look any
	if b.State == job.BackfillRunning {
		look = job.Millis(step.Look)
	}
	done := false
	err = s.writer.update(ctx, func(t *tx) (err error) {
		done, err = t.one(stepBackfill, look, string(b.State), clean(b.Reason), nullable(b.Cursor), b.Made,
			b.Skipped, b.Succeeded, b.Failed, open, nullable(b.StartedAt), nullable(b.EndedAt), b.ID, step.Number)
		if err != nil || !done {
			return err
		}
		for _, r := range step.Runs {
			if err := s.addOnce(t, r); err != nil {
				return err
			}
		}
		return nil
	})
	return done && err == nil, err
}
