package sqlstore

import (
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/job"
)

const (
	// By the primary keys of runs and jobs.
	insertLetter = `INSERT INTO dead_letters (run_id, job_id, group_id, namespace, state, status, ended_at, closed_reason, message)
		SELECT r.id, r.job_id, r.group_id, j.namespace, r.state, 'open', r.ended_at, '', SUBSTR(r.message, 1, ?)
		FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.id = ?`
	// By dead_letters' primary key.
	removeLetter = `DELETE FROM dead_letters WHERE run_id = ?`

	letterColumns = `d.run_id, d.job_id, d.namespace, d.state, d.status, d.ended_at, d.redriven_run, d.closed_at,
		d.closed_reason, d.message, r.cause, r.planned_at, r.tries, r.reason, j.job_key, j.tombstone, g.group_key`
	fromLetters = ` FROM dead_letters d CROSS JOIN runs r ON r.id = d.run_id CROSS JOIN jobs j ON j.id = d.job_id
		CROSS JOIN executor_groups g ON g.id = d.group_id `
	letterFilter = `d.run_id > ? AND d.run_id < ? AND (? = '' OR d.state = ?) AND (? = '' OR d.namespace = ?)
		AND (? = '' OR g.group_key = ?) AND d.ended_at >= ? AND d.ended_at < ?
		AND (? = '' OR INSTR(LOWER(d.message), LOWER(?)) > 0) AND TRUE IN (%s) ORDER BY d.run_id `
	allLetters    = fromLetters + `WHERE ` + letterFilter
	lettersOf     = fromLetters + `WHERE d.status = ? AND ` + letterFilter
	jobLetters    = fromLetters + `WHERE d.job_id = ? AND (? = '' OR d.status = ?) AND ` + letterFilter
	newestLetters = `DESC LIMIT ?`
	oldestLetters = `LIMIT ?`

	// By the primary keys of dead_letters, runs, jobs and executor_groups.
	readLetters = `SELECT ` + letterColumns + fromLetters + `WHERE d.run_id IN (%s)`
	// By dead_letters' primary key, backwards and forwards, and the primary keys of the
	// others. Here and below, letters that the filter leaves out are passed over.
	listLetters    = `SELECT ` + letterColumns + allLetters + newestLetters
	listOldLetters = `SELECT ` + letterColumns + allLetters + oldestLetters
	// By dead_letters_status.
	listLettersOf    = `SELECT ` + letterColumns + lettersOf + newestLetters
	listOldLettersOf = `SELECT ` + letterColumns + lettersOf + oldestLetters
	// By dead_letters_job; those of another status are passed over.
	listJobLetters    = `SELECT ` + letterColumns + jobLetters + newestLetters
	listOldJobLetters = `SELECT ` + letterColumns + jobLetters + oldestLetters

	// By the primary keys of dead_letters, runs and jobs.
	readDead = `SELECT ` + runColumns + `, j.job_key, j.tombstone, d.redriven_run
		FROM dead_letters d JOIN runs r ON r.id = d.run_id JOIN jobs j ON j.id = d.job_id WHERE d.run_id = ?`
	// By dead_letters' primary key.
	redriveLetter = `UPDATE dead_letters SET status = 'redriven', redriven_run = ? WHERE run_id = ? AND redriven_run IS NULL`
	// By dead_letters' primary key.
	closeLetter = `UPDATE dead_letters SET status = 'closed', closed_at = ?, closed_reason = ?
		WHERE run_id = ? AND status = 'open'`
	// By dead_letters' primary key.
	readRedriven = `SELECT redriven_run FROM dead_letters WHERE run_id = ?`
)

// bury writes the dead letter of a run that has ended in the same transaction.
func (t *tx) bury(run int64) error {
	return t.do(insertLetter, job.MaxDeadMessage, run)
}

// DeadLettersOf returns the dead letters of the runs that have one, in no
// particular order.
func (s *Store) DeadLettersOf(ctx context.Context, runs []int64) ([]job.DeadLetter, error) {
	var all []job.DeadLetter
	for chunk := range slices.Chunk(runs, maxIDs) {
		args := sized(chunk)
		err := each(ctx, s.reader, letterFields, func(d *job.DeadLetter) { all = append(all, *d) },
			in(readLetters, len(args)), args...)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// DeadLetters returns the dead letters of the filter, those of the newest runs
// first, or of the oldest, at most 1,000. Letters that it leaves out are read past, so a rare one
// of a long history takes long; ctx ends it.
func (s *Store) DeadLetters(ctx context.Context, f deadletters.LetterFilter) ([]job.DeadLetter, error) {
	all, of, ofJob := listLetters, listLettersOf, listJobLetters
	if f.Oldest {
		all, of, ofJob = listOldLetters, listOldLettersOf, listOldJobLetters
	}
	query, args := lettersBy(&f, all, of, ofJob)
	return listWithin(ctx, s.reader, letterFields, query, narrowed(f.Sight, f.Namespace, f.Group), "d.namespace", "g.group_key", args, f.Limit)
}

// lettersBy returns the statement whose index serves a filter (all dead letters, those of a
// status, or those of a job), and its arguments before the places.
func lettersBy(f *deadletters.LetterFilter, all, of, ofJob string) (query string, args []any) {
	before, until := f.BeforeRun, int64(math.MaxInt64)
	if before <= 0 {
		before = math.MaxInt64
	}
	if !f.Until.IsZero() {
		until = job.Millis(f.Until)
	}
	state, status := string(f.State), string(f.Status)
	args = []any{
		f.AfterRun, before, state, state, f.Namespace, f.Namespace, f.Group, f.Group, job.Millis(f.Since), until, f.Text, f.Text,
	}
	switch {
	case f.JobID != 0:
		return ofJob, append([]any{f.JobID, status, status}, args...)
	case f.Status != "":
		return of, append([]any{status}, args...)
	}
	return all, args
}

// RedriveLetters makes the requested runs, in one transaction, under the version and group
// that their jobs have at this moment, and returns the result of each. A closed letter may
// be redriven. Kinds of a single one: NotFound when there is no dead letter or its job is
// deleted, Conflict when it was redriven already.
func (s *Store) RedriveLetters(ctx context.Context, wanted []deadletters.Redrive) ([]deadletters.Redriven, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	results := make([]deadletters.Redriven, len(wanted))
	err := s.writer.update(ctx, func(t *tx) error {
		made := make(map[string]int64, len(wanted)) // by the run that is dead
		for i := range wanted {
			r, refused, err := s.redrive(t, &wanted[i], askedBy(ctx))
			if err != nil {
				return err
			}
			results[i] = deadletters.Redriven{Dead: wanted[i].Dead, Run: r, Err: refused}
			if refused == nil {
				made[strconv.FormatInt(wanted[i].Dead, 10)] = r.ID
			}
		}
		return t.noteReport(map[string]any{"redriven": made})
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// redrive makes one run. refused is the reason why it is not made.
func (s *Store) redrive(t *tx, w *deadletters.Redrive, by string) (r job.Run, refused, err error) {
	var dead job.Run
	letter := job.DeadLetter{RunID: w.Dead}
	fields := append(namedRunFields(&dead), (*truth)(&letter.JobDeleted), (*integer)(&letter.RedrivenRun))
	found, err := t.read(readDead, []any{w.Dead}, fields)
	if err != nil {
		return job.Run{}, nil, err
	}
	if !found {
		return job.Run{}, job.NoDeadLetter(w.Dead), nil
	}
	letter.JobKey = dead.JobKey
	if letter.JobDeleted {
		return job.Run{}, letter.CheckRedrive(), nil
	}
	r = job.RedriveOf(&dead, w.ID, w.Param, w.ReadyAt, w.Now)
	r.By = by
	there, err := t.target(&r)
	if err != nil {
		return job.Run{}, nil, err
	}
	if refused := meantFor(r.Param, w.JobVersion, r.JobVersion); there && refused != nil {
		return job.Run{}, refused, nil
	}
	taken, err := t.one(redriveLetter, r.ID, w.Dead)
	switch {
	case err != nil:
		return job.Run{}, nil, err
	case !taken: // somebody was faster
		return job.Run{}, letter.CheckRedrive(), nil
	}
	if taken = there; there {
		taken, err = t.one(s.insertRunOnce, runArgs(&r)...)
	}
	if err == nil && !taken {
		err = job.Errorf(job.Internal, "the run in the place of run %d was not written: it is there, or its job is gone", w.Dead)
	}
	if err == nil {
		t.made(&r)
	}
	return r, nil, err
}

// CloseLetters closes the dead letters of the runs, in one transaction, and returns the
// result of each: nil when it is closed, also when it was before. Kinds of a single one:
// NotFound when there is no dead letter, Conflict when it was redriven.
func (s *Store) CloseLetters(ctx context.Context, runs []int64, reason string, now time.Time) ([]error, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	refused := make([]error, len(runs))
	err := s.writer.update(ctx, func(t *tx) error {
		var done []int64
		for i, run := range runs {
			closed, err := t.one(closeLetter, job.Millis(now), clean(reason), run)
			if err != nil {
				return err
			}
			refused[i] = nil
			if closed {
				done = append(done, run)
				continue
			}
			letter := job.DeadLetter{RunID: run}
			found, err := t.read(readRedriven, []any{run}, []any{(*integer)(&letter.RedrivenRun)})
			if err != nil {
				return err
			}
			if refused[i] = letter.CheckClose(); !found {
				refused[i] = job.NoDeadLetter(run)
			}
		}
		return t.noteReport(map[string]any{"closed": done})
	})
	if err != nil {
		return nil, err
	}
	return refused, nil
}

func letterFields(d *job.DeadLetter) []any {
	return []any{
		(*integer)(&d.RunID), (*integer)(&d.JobID), (*text)(&d.Namespace), (*text)(&d.State), (*text)(&d.Status),
		(*instant)(&d.EndedAt), (*integer)(&d.RedrivenRun), (*instant)(&d.ClosedAt), (*text)(&d.ClosedReason), (*text)(&d.Message),
		(*text)(&d.Cause), (*instant)(&d.PlannedAt), (*count)(&d.Tries), (*text)(&d.Reason), (*text)(&d.JobKey),
		(*truth)(&d.JobDeleted), (*text)(&d.Group),
	}
}
