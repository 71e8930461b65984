package sqlstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/orthd/orth/job"
)

const (
	insertAttempt = `INSERT INTO attempts (id, run_id, job_id, number, address, state, triggered_at, check_at, open_on,
		open_job) VALUES (?, ?, ?, ?, ?, 'dispatched', ?, ?, ?, ?)`

	attemptColumns = `a.id, a.run_id, a.job_id, a.number, a.address, a.state, a.triggered_at, a.accepted_at, a.ended_at,
		a.message`

	// By attempts_run.
	listAttempts = `SELECT ` + attemptColumns + ` FROM attempts a WHERE a.run_id = ? ORDER BY a.id LIMIT ?`
)

// maxAttempts bounds the attempts of a run that are listed.
const maxAttempts = 10_000

// Attempts returns the attempts of a run, the first one first, each with its
// evidence.
func (s *Store) Attempts(ctx context.Context, run int64) ([]job.Attempt, error) {
	attempts, err := list(ctx, s.reader, attemptFields, listAttempts, run, maxAttempts)
	if err != nil || len(attempts) == 0 {
		return attempts, err
	}
	err = s.evidence(ctx, run, attempts)
	// Servers draw their ids from blocks of their own.
	slices.SortStableFunc(attempts, func(a, b job.Attempt) int { return cmp.Compare(a.Number, b.Number) })
	return attempts, err
}

func attemptFields(a *job.Attempt) []any {
	return []any{
		(*integer)(&a.ID), (*integer)(&a.RunID), (*integer)(&a.JobID), (*count)(&a.Number), (*text)(&a.Address),
		(*text)(&a.State), (*instant)(&a.TriggeredAt), (*instant)(&a.AcceptedAt), (*instant)(&a.EndedAt),
		(*text)(&a.Message),
	}
}
