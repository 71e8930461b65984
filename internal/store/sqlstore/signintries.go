package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By sign_in_tries' primary key.
	findTries = `SELECT done_at FROM sign_in_tries WHERE meter = ?`
	// By sign_in_tries' primary key.
	addTry    = `UPDATE sign_in_tries SET done_at = done_at + ? WHERE meter = ?`
	insertTry = `INSERT INTO sign_in_tries (meter, done_at) VALUES (?, ?)`
	// By sign_in_tries_done.
	deleteDoneTries = `DELETE FROM sign_in_tries WHERE done_at <= ?`
)

// TriesDone returns when all of the meters will have worked off what was counted; zero
// when nothing was.
func (s *Store) TriesDone(ctx context.Context, meters []int64) (time.Time, error) {
	var last time.Time
	for _, meter := range meters {
		at, _, err := first(ctx, s.reader, func(at *time.Time) []any { return []any{(*instant)(at)} }, findTries, meter)
		if err != nil {
			return time.Time{}, err
		}
		if at.After(last) {
			last = at
		}
	}
	return last, nil
}

// CountTry adds a step to what each of the meters has to work off from now on, and
// forgets all meters that have worked off everything.
func (s *Store) CountTry(ctx context.Context, meters []int64, now time.Time, step time.Duration) error {
	at, more := job.Millis(now), step.Milliseconds()
	return s.writer.submit(ctx, func(t *tx) error {
		if err := t.do(deleteDoneTries, at); err != nil {
			return err
		}
		for _, meter := range meters {
			known, err := t.one(addTry, more, meter)
			if err == nil && !known {
				err = t.do(insertTry, meter, at+more)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}
