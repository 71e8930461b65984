package sqlstore

import (
	"context"
	"slices"

	"github.com/orthd/orth/job"
)

const (
	// By evidence's primary key.
	addEvidence = `INSERT INTO evidence (attempt_id, number, came_at, state, message, note)
		SELECT ?, COUNT(*), ?, ?, ?, ? FROM evidence WHERE attempt_id = ?
		HAVING COUNT(*) < ? AND COUNT(CASE WHEN state = ? AND message = ? THEN 1 END) = 0`
	// By evidence's primary key, in its order.
	listEvidence = `SELECT e.attempt_id, e.came_at, e.state, e.message, e.note FROM evidence e
		WHERE e.attempt_id IN (%s) ORDER BY e.attempt_id, e.number`
)

// KeepEvidence stores outcomes that came too late, in order of arrival, up to
// job.MaxEvidence for each attempt. Duplicates are left out.
func (s *Store) KeepEvidence(ctx context.Context, evidence []job.Evidence) error {
	if len(evidence) == 0 {
		return nil
	}
	return s.writer.update(ctx, func(t *tx) error {
		for i := range evidence {
			e := &evidence[i]
			state, message := string(e.State), job.Clean(e.Message, job.MaxEvidenceMessage)
			err := t.do(addEvidence, e.AttemptID, job.Millis(e.At), state, message, clean(e.Note),
				e.AttemptID, job.MaxEvidence, state, message)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// evidence fills in what contradicts the ends of attempts.
func (s *Store) evidence(ctx context.Context, attempts []job.Attempt) error {
	byID, ids := make(map[int64]*job.Attempt, len(attempts)), make([]int64, len(attempts))
	for i := range attempts {
		byID[attempts[i].ID], ids[i] = &attempts[i], attempts[i].ID
	}
	fields := func(e *job.Evidence) []any {
		return []any{
			(*integer)(&e.AttemptID), (*instant)(&e.At), (*text)(&e.State), (*text)(&e.Message), (*text)(&e.Note),
		}
	}
	take := func(e *job.Evidence) {
		if a := byID[e.AttemptID]; a != nil {
			a.Evidence = append(a.Evidence, *e)
		}
	}
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		if err := each(ctx, s.reader, fields, take, in(listEvidence, len(args)), args...); err != nil {
			return err
		}
	}
	return nil
}
