package sqlstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

// The last attempt of a run is columns of the run's row; those before it are rows of the
// table attempts, which are written once, when the run is to be tried again. The id of the first
// attempt is that of the run, so an attempt is found by the primary key of runs, by runs_again
// if it is a later one and the last, and else by the primary key of attempts.

const (
	// Executors know the runs of a trial as those of another job: see [job.Run.TaskJobID].
	attemptJob = `CASE WHEN r.cause = 'trial' THEN 2146435072 + CAST(r.id & 1048575 AS BIGINT) ELSE r.job_id END`
	// An attempt that is open has not the state of its run, which may be stopping, nor its message.
	attemptState = `CASE WHEN r.open_on IS NULL THEN COALESCE(r.attempt_state, r.state) WHEN r.check_at IS NULL THEN 'running'
		ELSE 'dispatched' END`
	attemptMessage = `CASE WHEN r.open_on IS NULL THEN r.message ELSE '' END`

	// lastColumns are those of the attempt in the row of a run.
	lastColumns = `r.attempt_id, r.id, ` + attemptJob + `, r.tries, r.address, ` + attemptState + `, r.triggered_at, r.accepted_at,
		r.ended_at, ` + attemptMessage
	// pastColumns are those of an earlier attempt, whose run is r.
	pastColumns = `a.id, a.run_id, ` + attemptJob + `, a.number, a.address, a.state, a.triggered_at, a.accepted_at, a.ended_at,
		a.message`

	// newestColumns are those of the last attempt of a run wherever it is: a is that of the table
	// attempts, if there is one.
	newestColumns = `r.attempt_id, r.id, ` + attemptJob + `, r.tries, r.address, COALESCE(a.state, ` + attemptState + `),
		COALESCE(a.triggered_at, r.triggered_at), COALESCE(a.accepted_at, r.accepted_at), COALESCE(a.ended_at, r.ended_at),
		COALESCE(a.message, ` + attemptMessage + `)`

	// These find attempts by their ids: the last one of a run if it is the first one too, a
	// later one, and an earlier one, whose run is r.
	ifFirst = `r.id IN (%s) AND r.attempt_id = r.id AND r.triggered_at IS NOT NULL`
	ifAgain = `r.attempt_id IN (%s) AND r.tries > 1 AND r.triggered_at IS NOT NULL`
	ifPast  = `a.id IN (%s)`
	// fromPast is what pastColumns are of.
	fromPast = ` FROM attempts a CROSS JOIN runs r ON r.id = a.run_id`

	// By runs' primary key, and attempts_run.
	listAttempts = `SELECT ` + lastColumns + ` FROM runs r WHERE r.id = ? AND r.triggered_at IS NOT NULL
		UNION ALL SELECT ` + pastColumns + fromPast + ` WHERE a.run_id = ? LIMIT ?`

	// closeAttempt is what an attempt that has ended is not any more.
	closeAttempt = `check_at = NULL, open_on = NULL, open_job = NULL`
	// The next two by runs' primary key, after an update that has ended an attempt and not its run.
	// (The run comes first, as what the row is found by.)
	keepAttempt = `INSERT INTO attempts (run_id, id, job_id, number, address, state, triggered_at, accepted_at, ended_at, message)
		SELECT r.id, r.attempt_id, r.job_id, r.tries, r.address, ?, r.triggered_at, r.accepted_at, ?, ?
		FROM runs r WHERE r.id = ? AND r.attempt_id = ?`
	clearAttempt = `UPDATE runs SET triggered_at = NULL, accepted_at = NULL WHERE id = ? AND attempt_id = ?`
)

// The statements that are carried out for many at once.
var (
	keepAttempts  = batch{query: keepAttempt, kinds: "titii", key: 3}
	clearAttempts = batch{query: clearAttempt, kinds: "ii"}
)

// maxAttempts bounds the attempts of a run that are listed.
const maxAttempts = 10_000

// Attempts returns the attempts of a run, the first one first, each with its
// evidence.
func (s *Store) Attempts(ctx context.Context, run int64) ([]job.Attempt, error) {
	attempts, err := list(ctx, s.reader, attemptFields, listAttempts, run, run, maxAttempts)
	if err != nil || len(attempts) == 0 {
		return attempts, err
	}
	err = s.evidence(ctx, attempts)
	// Servers draw their ids from blocks of their own.
	slices.SortStableFunc(attempts, func(a, b job.Attempt) int { return cmp.Compare(a.Number, b.Number) })
	return attempts, err
}

// again moves attempts that have just ended from the rows of their runs, which go on, to the
// table attempts. Each of the rows has the attempt's state, end and message, its run and its id.
func (t *tx) again(ended [][]any) error {
	if err := t.doAll(&keepAttempts, ended); err != nil {
		return err
	}
	for i, row := range ended {
		ended[i] = row[3:]
	}
	return t.doAll(&clearAttempts, ended)
}

// sentArgs returns the columns of a run that is sent, in the order in which dispatchRun sets
// them: attempt_id, address, triggered_at, check_at, open_on and open_job. An insert of a run
// that is sent at once has the same, and 1 as its tries.
func sentArgs(m *dispatcher.Mark) []any {
	a := &m.Attempt
	return []any{a.ID, a.Address, a.TriggeredAt.UnixMilli(), m.CheckAt.UnixMilli(), a.Address, countedBy(m)}
}

// lookup is the statements that find the same of attempts by their ids, of which each has a
// list: those that are the first and the last of their runs, later ones that are the last, and
// earlier ones.
type lookup [3]string

// ofAttempts returns a row for each of the attempts that exist, in no order. size is how many
// ids are asked for at once. What is found nowhere was not there when the first statement ran:
// an attempt goes from the row of its run to the table attempts, and never back.
func ofAttempts[T any](
	ctx context.Context, r *reader, by *lookup, fields func(*T) []any, id func(*T) int64, attempts []int64, size int,
) ([]T, error) {
	all := make([]T, 0, len(attempts))
	for _, query := range by {
		before := len(all)
		for chunk := range slices.Chunk(attempts, size) {
			args := sized(chunk)
			if err := each(ctx, r, fields, func(row *T) { all = append(all, *row) }, in(query, len(args)), args...); err != nil {
				return nil, err
			}
		}
		if attempts = missing(attempts, all[before:], id); len(attempts) == 0 {
			break
		}
	}
	return all, nil
}

// missing returns the attempts that are not among the rows.
func missing[T any](attempts []int64, rows []T, id func(*T) int64) []int64 {
	if len(rows) == 0 {
		return attempts
	}
	found := make(map[int64]bool, len(rows))
	for i := range rows {
		found[id(&rows[i])] = true
	}
	left := make([]int64, 0, max(len(attempts)-len(rows), 0))
	for _, a := range attempts {
		if !found[a] {
			left = append(left, a)
		}
	}
	return left
}

func attemptFields(a *job.Attempt) []any {
	return []any{
		(*integer)(&a.ID), (*integer)(&a.RunID), (*integer)(&a.JobID), (*count)(&a.Number), (*text)(&a.Address),
		(*text)(&a.State), (*instant)(&a.TriggeredAt), (*instant)(&a.AcceptedAt), (*instant)(&a.EndedAt),
		(*text)(&a.Message),
	}
}
