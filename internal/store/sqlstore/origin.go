package sqlstore

import (
	"fmt"
)

// A database can go back: a standby without the last transactions takes over, a copy is put
// in its place, or a file loses its log. Then its sequences are behind, and would give numbers
// again that executors know. They skip ahead instead, as soon as anything shows that: the
// database names another history than the one that its numbers belong to, or somebody knows
// a number that it has not given.

const (
	// farJump is how far runs, attempts and files of logs skip ahead: more than can have been
	// given in the time that was lost. nearJump is for the others: what people make, and the
	// versions of what servers remember.
	farJump  = 1_000_000
	nearJump = 10_000
)

const (
	// By database_origin's primary key.
	readOrigin = `SELECT name FROM database_origin WHERE id = 1`
	// By database_origin's primary key.
	noteOrigin = `UPDATE database_origin SET name = ? WHERE id = 1`
	// By a scan of all sequences, of which there are some twenty, when the database has gone back.
	advanceAll = `UPDATE sequences SET next = next + ?`
)

// skipAhead takes all sequences past what was given in a time that the database has lost.
func (t *tx) skipAhead() error {
	if err := t.do(advanceAll, nearJump); err != nil {
		return err
	}
	for _, name := range []string{sequenceRuns, sequencePacks} {
		if err := t.do(advanceSequence, farJump, name); err != nil {
			return err
		}
	}
	return nil
}

// settle looks, in the first transaction of a connection, whether it leads to the database
// that the numbers belong to.
func (w *writer) settle() error {
	s := w.session
	if s.settled || w.dialect.Origin == "" {
		return nil
	}
	var here, known string
	if _, err := s.read(w.dialect.Origin, nil, []any{(*text)(&here)}); err != nil {
		return fmt.Errorf("ask the database for its history: %w", err)
	}
	if _, err := s.read(readOrigin, nil, []any{(*text)(&known)}); err != nil || here == known {
		return err
	}
	if err := s.do(noteOrigin, here); err != nil {
		return err
	}
	if known == "" { // no server has looked before
		return nil
	}
	w.logger.Warn("the database is another one than before, and may lack what was written last: numbers skip ahead",
		"was", known, "is", here, "by", farJump)
	return s.skipAhead()
}
