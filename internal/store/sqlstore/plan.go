package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

const (
	// By job_plans_look, in its order, and jobs' primary key. Exactly enabled
	// jobs that do not await the end of a run have a look_at.
	listDue = `SELECT ` + dueColumns + `WHERE p.look_at >= ? AND p.look_at <= ? AND (p.look_at > ? OR p.job_id > ?)
		ORDER BY p.look_at, p.job_id LIMIT ?`
	// By the primary keys of job_plans and jobs.
	readDue    = `SELECT ` + dueColumns + `WHERE p.job_id = ? AND p.look_at <= ?`
	dueColumns = `j.id, j.version, j.namespace, j.group_id, p.next_at, p.look_at, p.last_at, j.updated_at,
		j.schedule, j.misfire, j.misfire_limits, p.fired, p.held_by, j.priority, j.expire_ms
		FROM job_plans p JOIN jobs j ON j.id = p.job_id `
	// By the first entry of job_plans_look.
	readNext = `SELECT MIN(look_at) FROM job_plans`
	// By the primary keys of job_plans and jobs.
	moveJob = `UPDATE job_plans SET next_at = ?, look_at = ?, last_at = COALESCE(?, last_at), enabled = ?, awaits = ?,
		fired = ?, held_by = ?, stop_reason = ? WHERE job_id = ? AND next_at = ?
		AND (SELECT version FROM jobs WHERE id = ?) = ?`
	// By the primary keys of job_plans and jobs.
	resumeMoved = `UPDATE job_plans SET next_at = ? + (SELECT after_ms FROM jobs WHERE id = job_id),
		look_at = ? + (SELECT after_ms FROM jobs WHERE id = job_id), awaits = 0 WHERE job_id = ?`
)

// moveJobs moves many at once.
var moveJobs = batch{query: moveJob, kinds: "iiiiiittiiii", key: 8}

// DueJobs returns up to limit enabled jobs behind a cursor that are to be looked at by
// until, in the order of cursors.
func (s *Store) DueJobs(ctx context.Context, after planner.Cursor, until time.Time, limit int) ([]planner.Due, error) {
	from := job.Millis(after.Look)
	return list(ctx, s.reader, dueFields, listDue, from, until.UnixMilli(), from, after.JobID, max(limit, 0))
}

// DueJob returns the job if it is enabled and the planner is to look at it by until, and
// false else.
func (s *Store) DueJob(ctx context.Context, id int64, until time.Time) (planner.Due, bool, error) {
	return first(ctx, s.reader, dueFields, readDue, id, until.UnixMilli())
}

func dueFields(d *planner.Due) []any {
	return []any{
		(*integer)(&d.JobID), (*integer)(&d.Version), (*text)(&d.Namespace), (*integer)(&d.GroupID),
		(*instant)(&d.Next), (*instant)(&d.Look), (*instant)(&d.Last), (*instant)(&d.Since),
		document[schedule.Spec]{&d.Schedule},
		(*text)(&d.Misfire),
		document[schedule.MisfireLimits]{&d.Limits},
		(*count)(&d.Fired), (*text)(&d.HeldBy), (*rank)(&d.Priority), (*period)(&d.ExpireAfter),
	}
}

// NextDue returns the earliest instant at which an enabled job is to be looked
// at, and false when there is none.
func (s *Store) NextDue(ctx context.Context) (time.Time, bool, error) {
	fields := func(t *time.Time) []any { return []any{(*instant)(t)} }
	next, _, err := first(ctx, s.reader, fields, readNext)
	return next, !next.IsZero(), err
}

// CommitPlan carries out the moves in one transaction and reports for each whether it took
// effect: the job must be enabled, have the move's Version, and From as its next firing;
// the rules must have the move's version. A firing that exists already is left out. A job
// without a further firing is disabled under the same version: the runs just planned are to
// be sent, and runs go with their job's version. A job that waits does so for the last
// waiting run of the move; when there is none to be written, it fires again its delay after
// From.
func (s *Store) CommitPlan(ctx context.Context, moves []planner.Move) ([]bool, error) {
	if len(moves) == 0 {
		return nil, nil
	}
	done := make([]bool, len(moves))
	err := s.writer.update(ctx, func(t *tx) error {
		clear(done)
		all := make([]*planner.Move, len(moves))
		for i := range moves {
			all[i] = &moves[i]
		}
		if err := t.moveJobs(all, done); err != nil {
			return err
		}
		var moved []*planner.Move
		for i, m := range all {
			if done[i] {
				moved = append(moved, m)
			}
		}
		return s.planned(t, moved)
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// moveJobs moves jobs on to their next firings, and reports for each whether it was as its move
// describes.
func (t *tx) moveJobs(moves []*planner.Move, done []bool) error {
	var rules int64
	if _, err := t.read(readSequence, []any{sequenceRules}, []any{&rules}); err != nil {
		return err
	}
	var args [][]any
	var of []int
	for i, m := range moves {
		if m.Rules == 0 || m.Rules == rules {
			args, of = append(args, moveArgs(m)), append(of, i)
		}
	}
	took, err := t.each(&moveJobs, args)
	if err != nil {
		return err
	}
	for n, i := range of {
		done[i] = took[n]
	}
	return nil
}

// planned writes the runs of moves that took effect, and counts the firings that they
// leave out.
func (s *Store) planned(t *tx, moves []*planner.Move) error {
	var rows [][]any
	for _, m := range moves {
		for i := range m.Runs {
			rows = append(rows, runArgs(&m.Runs[i]))
		}
	}
	written, err := t.each(&s.insertRunsOnce, rows)
	if err != nil {
		return err
	}
	var told []missed
	for _, m := range moves {
		r, err := t.applyMoveEffects(m, written[:len(m.Runs)])
		if err != nil {
			return err
		}
		if r != nil && m.Missed > 0 {
			told = append(told, missed{r, m.Missed})
		}
		written = written[len(m.Runs):]
	}
	return t.writeMissedEvents(told...)
}

// applyMoveEffects applies the effects of a move. written reports for each of its runs whether it is
// new. It returns the new run that records firings that are skipped, nil for none.
func (t *tx) applyMoveEffects(m *planner.Move, written []bool) (*job.Run, error) {
	if m.Next.IsZero() && !m.Waits {
		t.altered(m.JobID, event.Stopped, nil)
	}
	open := false
	var says *job.Run
	for i := range m.Runs {
		r := &m.Runs[i]
		if written[i] {
			t.made(r)
		}
		switch {
		case !r.State.Final():
			open = written[i]
		case written[i]:
			t.countOver(r.JobID, r.State, r.EndedAt, 1)
			if r.Cause == job.CauseMisfire {
				says = r
			}
		}
	}
	if m.Waits && m.Next.IsZero() && !open {
		from := m.From.UnixMilli()
		if err := t.do(resumeMoved, from, from, m.JobID); err != nil {
			return nil, err
		}
	}
	return says, nil
}

// moveArgs returns the arguments of moveJob.
func moveArgs(m *planner.Move) []any {
	next, look, held, reason := nullable(m.Next), nullable(m.Look), m.HeldBy, ""
	var awaits int64
	switch {
	case next != nil && look == nil:
		look = next
	case next == nil && m.Waits:
		look, awaits = nil, awaited(m)
	case next == nil:
		look, held, reason = nil, "", clean(m.StopReason)
	}
	return []any{
		next, look, nullable(m.Last), bit(next != nil || m.Waits), awaits, m.Fired, held, reason,
		m.JobID, m.From.UnixMilli(), m.JobID, m.Version,
	}
}

// awaited returns the run whose end sets the next firing, 0 for none.
func awaited(m *planner.Move) int64 {
	for _, r := range slices.Backward(m.Runs) {
		if !r.State.Final() {
			return r.ID
		}
	}
	return 0
}
