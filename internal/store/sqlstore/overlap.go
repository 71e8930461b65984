package sqlstore

import (
	"context"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

const (
	// By runs' primary key, runs_busy and blocked's primary key. Two servers
	// that write at the same time would both find room: a database that lets them
	// must lock the row of the job before this, and in Meet.
	dispatchFree = dispatchRun + ` AND (SELECT o.id FROM runs o WHERE o.open_job = ? AND o.open_job > 0 LIMIT 1 OFFSET ?) IS NULL
		AND NOT EXISTS (SELECT 1 FROM blocked WHERE job_id = ?)`
	// By runs_busy, in its order.
	nextOpen = `SELECT id, created_at FROM runs WHERE open_job = ? AND open_job > 0 AND id > ? ORDER BY id LIMIT 1`
	// By runs' primary key. A run is fresh until an executor has taken it.
	readMarked = `SELECT created_at, cause, tries = undelivered FROM runs
		WHERE id = ? AND state = ? AND job_version = ? AND tries = ?`
	// By runs' primary key.
	blockRun = `UPDATE runs SET state = 'queued', reason = ?, ready_at = ? WHERE id = ? AND ready_at IS NOT NULL`
	// By runs' primary key. It is as late as if it had not waited.
	unblockRun = `UPDATE runs SET ready_at = due_at WHERE id = ? AND ready_at IS NOT NULL`
	// By the primary keys of blocked and runs.
	unblockAll = `UPDATE runs SET ready_at = due_at WHERE ready_at IS NOT NULL
		AND id IN (SELECT run_id FROM blocked WHERE job_id = ?)`
	// By runs' primary key.
	readPlace = `SELECT job_id, created_at, ready_at IS NOT NULL FROM runs WHERE id = ?`
	// By jobs' primary key.
	readOverlap = `SELECT overlap, overlap_scope, concurrency FROM jobs WHERE id = ?`

	insertBlocked = `INSERT INTO blocked (job_id, made_at, run_id) VALUES (?, ?, ?)`

	// The next five by blocked's primary key.
	dropBlocked  = `DELETE FROM blocked WHERE job_id = ? AND made_at = ? AND run_id = ?`
	keepBlocked  = `UPDATE blocked SET let_go = ? WHERE job_id = ? AND made_at = ? AND run_id = ?`
	clearBlocked = `DELETE FROM blocked WHERE job_id = ?`
	countBlocked = `SELECT COUNT(*) FROM blocked WHERE job_id = ?`
	anyBlocked   = `SELECT MIN(job_id) FROM blocked WHERE job_id > ?`
	// By blocked's primary key, in its order, and runs'.
	nextBlocked = `SELECT b.made_at, b.run_id, b.let_go, r.ready_at IS NOT NULL FROM blocked b
		LEFT JOIN runs r ON r.id = b.run_id WHERE b.job_id = ? AND b.made_at >= ? AND (b.made_at > ? OR b.run_id > ?)
		ORDER BY b.made_at, b.run_id LIMIT 1`
	blockedBefore = ` FROM blocked b JOIN runs r ON r.id = b.run_id WHERE b.job_id = ?
		AND b.made_at <= ? AND (b.made_at < ? OR b.run_id < ?) AND r.ready_at IS NOT NULL`
	// By blocked's primary key, in its order, and runs': those that still wait.
	nthBefore   = `SELECT r.id` + blockedBefore + ` LIMIT 1 OFFSET ?`
	freshBefore = `SELECT r.id, b.made_at, r.cause` + blockedBefore + ` AND r.tries = r.undelivered ORDER BY b.made_at, b.run_id LIMIT 1`
	freshAfter  = `SELECT r.id FROM blocked b JOIN runs r ON r.id = b.run_id WHERE b.job_id = ?
		AND b.made_at >= ? AND (b.made_at > ? OR b.run_id > ?) AND r.ready_at IS NOT NULL AND r.tries = r.undelivered
		ORDER BY b.made_at, b.run_id LIMIT 1`
)

// maxCovered bounds the runs that are skipped, or passed over, for one.
const maxCovered = 1000

// takeRuns moves the runs of marks to dispatched, those that are as their mark describes
// and for which the limit of their job has room, and reports for each whether it did.
func (t *tx) takeRuns(marks []dispatcher.Mark, done []bool) error {
	var free, limited [][]any
	var freeOf, limitedOf []int
	for i := range marks {
		m := &marks[i]
		a := &m.Attempt
		row := append(sentArgs(m), a.RunID, string(m.From), m.JobVersion, a.Number-1)
		if m.Limit.Runs <= 0 {
			free, freeOf = append(free, row), append(freeOf, i)
			continue
		}
		limited, limitedOf = append(limited, append(row, a.JobID, m.Limit.Runs-1, a.JobID)), append(limitedOf, i)
	}
	for _, part := range []struct {
		how  *batch
		rows [][]any
		of   []int
	}{{&dispatchRuns, free, freeOf}, {&dispatchFrees, limited, limitedOf}} {
		took, err := t.each(part.how, part.rows)
		if err != nil {
			return err
		}
		for n, i := range part.of {
			done[i] = took[n]
		}
	}
	return nil
}

// checkMarks refuses marks of runs that do not wait, and attempts that would not be found by
// their ids.
func checkMarks(marks []dispatcher.Mark) error {
	for i := range marks {
		if !job.MayMove(marks[i].From, job.Dispatched) {
			return job.Errorf(job.Invalid, "run %d cannot be dispatched: it would come from %q",
				marks[i].Attempt.RunID, marks[i].From)
		}
		if a := &marks[i].Attempt; (a.Number == 1) != (a.ID == a.RunID) {
			return job.Errorf(job.Invalid, "attempt %d cannot be number %d of run %d: the first one, and no other, has the id of its run",
				a.ID, a.Number, a.RunID)
		}
	}
	return nil
}

// Meet carries out marks that MarkDispatched has not, in one transaction and in order, and
// returns the result of each: a run whose job has room is dispatched, unless others of it
// came first; any other waits, or is skipped, as the rule of its Limit defines. One that an
// executor has taken before always waits. From must be a state that waits, else Invalid.
func (s *Store) Meet(ctx context.Context, marks []dispatcher.Mark) ([]dispatcher.Meeting, error) {
	if err := checkMarks(marks); err != nil || len(marks) == 0 {
		return nil, err
	}
	met := make([]dispatcher.Meeting, len(marks))
	err := s.writer.update(ctx, func(t *tx) (err error) {
		e := encounter{tx: t, waiting: make(map[int64]int)}
		for i := range marks {
			if met[i], err = e.meet(&marks[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return met, nil
}

// encounter is runs that meet busy jobs, within one transaction.
type encounter struct {
	*tx
	waiting map[int64]int // how many runs of a job wait, where that is known
}

// seen is a run as it stands. Runs of a job come in the order of made, then of id.
type seen struct {
	id, made int64
	cause    job.Cause
	fresh    bool // no executor has taken it yet
}

// after reports whether the run was made after the other one.
func (r *seen) after(o *seen) bool { return r.made > o.made || r.made == o.made && r.id > o.id }

func (e *encounter) meet(m *dispatcher.Mark) (dispatcher.Meeting, error) {
	a := &m.Attempt
	own := seen{id: a.RunID}
	found, err := e.read(readMarked, []any{a.RunID, string(m.From), m.JobVersion, a.Number - 1},
		[]any{&own.made, (*text)(&own.cause), (*truth)(&own.fresh)})
	if err != nil || !found {
		return dispatcher.Meeting{}, err
	}
	open, err := e.openRuns(a.JobID, max(m.Limit.Runs, 1))
	if err != nil {
		return dispatcher.Meeting{}, err
	}
	if room := m.Limit.Runs - len(open); room > 0 || m.Limit.Runs <= 0 {
		return e.dispatchOrWait(m, &own, room)
	}
	switch {
	case m.Limit.Rule == job.OverlapDiscard && own.fresh:
		return e.skip(m, &own, job.DiscardedReason(open[0].id))
	case m.Limit.Rule == job.OverlapCover && own.fresh:
		return e.coverOpenRuns(m, &own, open)
	}
	return e.block(m, &own, job.BusyReason(m.Limit.Rule, m.Limit.Runs, open[0].id))
}

// openRuns returns runs of the job that are under way, the first ones, up to n.
func (t *tx) openRuns(jobID int64, n int) ([]seen, error) {
	var open []seen
	var r seen
	for len(open) < n {
		found, err := t.read(nextOpen, []any{jobID, r.id}, []any{&r.id, &r.made})
		if err != nil || !found {
			return open, err
		}
		open = append(open, r)
	}
	return open, nil
}

// dispatchOrWait dispatches a run whose job has room, unless enough runs that came first wait: it
// releases those.
func (e *encounter) dispatchOrWait(m *dispatcher.Mark, own *seen, room int) (dispatcher.Meeting, error) {
	a := &m.Attempt
	if room > 0 {
		var before int64
		crowded, err := e.read(nthBefore, []any{a.JobID, own.made, own.made, own.id, room - 1}, []any{&before})
		if err != nil {
			return dispatcher.Meeting{}, err
		}
		if crowded {
			delete(e.waiting, a.JobID)
			if err := e.releaseWaiting(a.JobID); err != nil {
				return dispatcher.Meeting{}, err
			}
			return e.block(m, own, job.BehindReason(m.Limit.Rule))
		}
	}
	free := *m
	free.Limit = dispatcher.Limit{}
	done := make([]bool, 1)
	if err := e.dispatchApart([]dispatcher.Mark{free}, done); err != nil || !done[0] {
		return dispatcher.Meeting{}, err
	}
	return dispatcher.Meeting{Fate: dispatcher.FateMarked}, e.forget(a.JobID, own)
}

// forget takes the run out of those that wait for others, if it is one of them.
func (e *encounter) forget(jobID int64, r *seen) error {
	there, err := e.one(dropBlocked, jobID, r.made, r.id)
	if n, known := e.waiting[jobID]; known && there {
		e.waiting[jobID] = n - 1
	}
	return err
}

// block makes the run wait for others of its job. A fresh one for which there is
// no place is given up.
func (e *encounter) block(m *dispatcher.Mark, own *seen, reason string) (dispatcher.Meeting, error) {
	jobID := m.Attempt.JobID
	n, known := e.waiting[jobID]
	if !known {
		if _, err := e.read(countBlocked, []any{jobID}, []any{&n}); err != nil {
			return dispatcher.Meeting{}, err
		}
		e.waiting[jobID] = n
	}
	added, err := e.one(e.dialect.KeepFirst(insertBlocked, blockedKey()...), jobID, own.made, own.id)
	if err != nil {
		return dispatcher.Meeting{}, err
	}
	switch {
	case !added:
		err = e.do(keepBlocked, 0, jobID, own.made, own.id)
	case own.fresh && n >= m.Limit.Queue:
		e.waiting[jobID] = n + 1
		return e.skip(m, own, job.CrowdedReason(m.Limit.Queue))
	default:
		e.waiting[jobID] = n + 1
	}
	if err != nil {
		return dispatcher.Meeting{}, err
	}
	blocked, err := e.one(blockRun, clean(reason), job.Millis(m.Limit.Again), own.id)
	if blocked {
		e.moved(own.id, job.Queued, 0, reason, "")
	}
	return dispatcher.Meeting{Fate: dispatcher.FateBlocked}, err
}

// blockedKey is the columns that make two rows of blocked the same.
func blockedKey() []string { return []string{"job_id", "made_at", "run_id"} }

// skip gives up a fresh run.
func (e *encounter) skip(m *dispatcher.Mark, own *seen, reason string) (dispatcher.Meeting, error) {
	met := dispatcher.Meeting{Fate: dispatcher.FateSkipped}
	err := e.giveUp(&met, m, own, reason)
	return met, err
}

// giveUp skips a fresh run for the sake of the mark, and notes it in the meeting.
func (e *encounter) giveUp(met *dispatcher.Meeting, m *dispatcher.Mark, r *seen, reason string) error {
	if err := e.forget(m.Attempt.JobID, r); err != nil {
		return err
	}
	over := job.Run{
		ID: r.id, JobID: m.Attempt.JobID, Cause: r.cause, State: job.Skipped, Reason: reason, EndedAt: m.Limit.Now,
	}
	done, err := e.expire(&over)
	if err == nil && done {
		met.Skipped = append(met.Skipped, over)
	}
	return err
}

// coverOpenRuns makes a fresh run wait for the end of those that it replaces; the fresh ones that
// wait and were made before are skipped. When one that was made after it runs or waits, the
// run itself is skipped.
func (e *encounter) coverOpenRuns(m *dispatcher.Mark, own *seen, open []seen) (dispatcher.Meeting, error) {
	jobID := m.Attempt.JobID
	for i := range open {
		if open[i].after(own) {
			return e.skip(m, own, job.CoveredReason(open[i].id))
		}
	}
	var later int64
	found, err := e.read(freshAfter, []any{jobID, own.made, own.made, own.id}, []any{&later})
	if err != nil {
		return dispatcher.Meeting{}, err
	}
	if found {
		return e.skip(m, own, job.CoveredReason(later))
	}
	var skipped dispatcher.Meeting
	for range maxCovered {
		var r seen
		found, err := e.read(freshBefore, []any{jobID, own.made, own.made, own.id}, []any{&r.id, &r.made, (*text)(&r.cause)})
		if err != nil {
			return skipped, err
		}
		if !found {
			break
		}
		if err := e.giveUp(&skipped, m, &r, job.CoveredReason(own.id)); err != nil {
			return skipped, err
		}
	}
	met, err := e.block(m, own, job.BusyReason(m.Limit.Rule, m.Limit.Runs, open[0].id))
	met.Skipped = append(skipped.Skipped, met.Skipped...)
	if met.Fate == dispatcher.FateBlocked {
		for i := range open {
			met.Covered = append(met.Covered, open[i].id)
		}
	}
	return met, err
}
