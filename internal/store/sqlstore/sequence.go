package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// The sequences.
const (
	sequenceGroups = "groups"
	sequenceJobs   = "jobs"
	// sequenceRuns gives the ids of attempts too: a first attempt has that of its run, and no
	// attempt has that of another run.
	sequenceRuns = "runs"

	sequenceCalendars = "calendars"
	sequencePauses    = "pauses"
	sequenceBackfills = "backfills"
	sequencePacks     = "log_packs"
	// sequenceRules gives no ids: it is the version of calendars and pauses.
	sequenceRules = "rules"
)

// blockSize is the number of ids reserved at once, and maxBlock what it becomes while
// blocks are used up sooner than soonUsed after they were reserved. Those that were not given
// when the process ends are never given.
const (
	blockSize = 1000
	maxBlock  = 16 * blockSize
	soonUsed  = 2 * time.Second
	// Whether others have reserved ids since is looked up this long after it was last known: of a
	// block that is no longer the newest the rest is thrown away. So ids grow with time over
	// all servers, give or take half of [drift], as lists of a span of time have it.
	blockFresh = drift / 2
)

// sequence gives ids out of a block that it has reserved.
type sequence struct {
	writer *writer
	name   string
	turn   chan struct{} // holds one token: its holder owns the fields below
	next   int64
	end    int64
	size   int64     // of the block
	since  time.Time // when it was reserved
	newest time.Time // when it was known to be the newest last
	opened int64     // the connection over which that was known
	// floor is above all ids that are known to have been given, by any server. A database
	// with a lower value has gone back.
	floor    int64
	reserved func(next int64) // is called for each block before its first id is given
}

func newSequence(w *writer, name string, floor int64, reserved func(next int64)) *sequence {
	s := &sequence{writer: w, name: name, turn: make(chan struct{}, 1), floor: floor, reserved: reserved}
	s.turn <- struct{}{}
	return s
}

// draw returns an id never given before. Callers wait for the one that reserves
// a block.
func (s *sequence) draw(ctx context.Context) (int64, error) {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	now := time.Now()
	stale := now.Sub(s.newest) >= blockFresh || s.opened != s.writer.session.opened.Load()
	if s.next < s.end && stale {
		if err := s.look(ctx, now); err != nil {
			return 0, err
		}
	}
	if s.next == s.end {
		size := nextBlock(s.size, now.Sub(s.since))
		from, err := s.reserve(ctx, now, size)
		if err != nil {
			return 0, err
		}
		s.next, s.end, s.size, s.since = from, from+size, size, now
		s.reserved(s.end)
	}
	s.next++
	return s.next - 1, nil
}

// look drops what is left of a block that is not the newest any more.
func (s *sequence) look(ctx context.Context, now time.Time) error {
	next, err := s.reserve(ctx, now, 0)
	if err == nil && next != s.end {
		s.next = s.end
	}
	return err
}

// reserve takes ids of the database that are at the floor or above it, and returns the first.
func (s *sequence) reserve(ctx context.Context, now time.Time, n int64) (from int64, err error) {
	var was, opened int64
	err = s.writer.submit(ctx, func(t *tx) (err error) { // no change that anybody wants
		opened = s.writer.session.opened.Load()
		from, was, err = t.reserveAbove(s.name, n, s.floor)
		return err
	})
	if err != nil {
		return 0, err
	}
	if was < from {
		s.writer.logger.Warn("the database has gone back: it would give numbers again, which skip ahead instead",
			"of", s.name, "next", was, "known", s.floor, "from", from)
	}
	s.floor, s.newest, s.opened = from+n, now, opened
	return from, nil
}

// nextBlock returns the size of the block after one of a size that was used up within a
// time. Size 0 is that before the first one.
func nextBlock(size int64, used time.Duration) int64 {
	if size > 0 && used < soonUsed {
		return min(2*size, maxBlock)
	}
	return max(size/2, blockSize)
}

// NextRunID returns an id for a run, never given before.
func (s *Store) NextRunID(ctx context.Context) (int64, error) { return s.runs.draw(ctx) }

// NextAttemptID returns an id for an attempt that is not the first of its run, never given
// before, to a run neither.
func (s *Store) NextAttemptID(ctx context.Context) (int64, error) { return s.runs.draw(ctx) }

const (
	// By sequences' primary key.
	advanceSequence = `UPDATE sequences SET next = next + ? WHERE name = ?`
	// By sequences' primary key.
	readSequence = `SELECT next FROM sequences WHERE name = ?`
)

// reserveAbove takes n ids of the sequence that are at the floor or above it, and returns the
// first one. When the sequence was below the floor all sequences skip ahead; was is where it
// stood, and the first one otherwise.
func (t *tx) reserveAbove(name string, n, floor int64) (from, was int64, err error) {
	if was, err = t.reserve(name, 0); err != nil {
		return 0, 0, err
	}
	if was >= floor {
		from, err = t.reserve(name, n)
		return from, from, err
	}
	if err := t.skipAhead(); err != nil {
		return 0, 0, err
	}
	if err := t.do(raiseSequence, floor+farJump, name, floor+farJump); err != nil {
		return 0, 0, err
	}
	from, err = t.reserve(name, n)
	return from, was, err
}

// reserve takes n ids of the sequence and returns the first one.
func (t *tx) reserve(name string, n int64) (int64, error) {
	if err := t.do(advanceSequence, n, name); err != nil {
		return 0, err
	}
	var next int64
	found, err := t.read(readSequence, []any{name}, []any{&next})
	if err == nil && !found {
		err = job.Errorf(job.Internal, "the sequence %s does not exist", name)
	}
	return next - n, err
}
