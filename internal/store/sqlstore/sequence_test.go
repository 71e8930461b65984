package sqlstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

func newSequences(t *testing.T) *table {
	t.Helper()
	w := newTable(t)
	for _, statement := range []string{
		"CREATE TABLE sequences (name TEXT PRIMARY KEY, next INTEGER NOT NULL)",
		"INSERT INTO sequences VALUES ('runs', 1)",
	} {
		if _, err := w.db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestSequenceReservesBlocks(t *testing.T) {
	t.Parallel()
	w := newSequences(t)
	w.start(t)
	s := newSequence(w.writer, "runs", 0, func(int64) {})
	for want := range int64(2*blockSize + 1) {
		s.since = time.Time{} // each block has lasted for long
		got, err := s.draw(t.Context())
		if err != nil || got != want+1 {
			t.Fatalf("got %d, %v, want %d", got, err, want+1)
		}
	}
	got, err := newSequence(w.writer, "runs", 0, func(int64) {}).draw(t.Context()) // another process
	if err != nil || got != 3*blockSize+1 {
		t.Fatalf("got %d, %v", got, err)
	}
	w.stop()
	if len(w.commits) != 4 {
		t.Errorf("%d transactions, want 4", len(w.commits))
	}
	if _, err := s.draw(t.Context()); err != nil {
		t.Errorf("an id of a block that is there: %v", err)
	}
}

// TestOldBlocksAreLeft shows that a process that needs few ids does not give old ones after others
// have given newer ones, and that one that is alone gives all.
func TestOldBlocksAreLeft(t *testing.T) {
	t.Parallel()
	w := newSequences(t)
	w.start(t)
	slow, fast := newSequence(w.writer, "runs", 0, func(int64) {}), newSequence(w.writer, "runs", 0, func(int64) {})
	for _, step := range []struct {
		who  *sequence
		want int64
	}{
		{slow, 1},
		{slow, 2}, // nobody has reserved any since
		{fast, blockSize + 1},
		{fast, blockSize + 2},
		{slow, 2*blockSize + 1},
		{slow, 2*blockSize + 2},
	} {
		step.who.newest = step.who.newest.Add(-blockFresh)
		got, err := step.who.draw(t.Context())
		if err != nil || got != step.want {
			t.Fatalf("got %d, %v, want %d", got, err, step.want)
		}
	}
	if got, err := fast.draw(t.Context()); err != nil || got != blockSize+3 {
		t.Errorf("got %d, %v soon after others: the ids of a while are given in any order", got, err)
	}
}

func TestSequenceThatCannotReserve(t *testing.T) {
	t.Parallel()
	w := newSequences(t)
	s := newSequence(w.writer, "runs", 0, func(int64) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.draw(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	w.start(t)
	if _, err := newSequence(w.writer, "nothing", 0, func(int64) {}).draw(t.Context()); !job.Is(err, job.Internal) {
		t.Errorf("an unknown sequence: %v", err)
	}
	if got, err := s.draw(t.Context()); err != nil || got != 1 {
		t.Errorf("got %d, %v after an error", got, err)
	}
}

// TestBlocksGrow shows that a process that needs many ids asks for them seldom, and that
// one that needs few of them wastes few.
func TestBlocksGrow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		size int64
		used time.Duration
		want int64
	}{
		{0, 0, blockSize},
		{blockSize, time.Second, 2 * blockSize},
		{blockSize, soonUsed, blockSize},
		{8 * blockSize, 0, maxBlock},
		{maxBlock, 0, maxBlock},
		{maxBlock, time.Hour, 8 * blockSize},
	} {
		if got := nextBlock(test.size, test.used); got != test.want {
			t.Errorf("after %d in %v: %d, want %d", test.size, test.used, got, test.want)
		}
	}
}

// TestGrownBlocksGiveEachIDOnce shows that ids go on one after another over blocks of
// every size.
func TestGrownBlocksGiveEachIDOnce(t *testing.T) {
	t.Parallel()
	w := newSequences(t)
	w.start(t)
	s := newSequence(w.writer, "runs", 0, func(int64) {})
	for want := range int64(4 * blockSize) {
		s.since = time.Now() // each block is used up at once
		got, err := s.draw(t.Context())
		if err != nil || got != want+1 {
			t.Fatalf("got %d, %v, want %d", got, err, want+1)
		}
	}
	w.stop()
	if len(w.commits) != 3 { // of 1, 2 and 4 thousand
		t.Errorf("%d transactions, want 3", len(w.commits))
	}
}

// goBack puts the database back to a time when a sequence stood at next.
func (w *table) goBack(t *testing.T, next int64) {
	t.Helper()
	if _, err := w.db.ExecContext(t.Context(), "UPDATE sequences SET next = ? WHERE name = 'runs'", next); err != nil {
		t.Fatal(err)
	}
}

// TestNoIDComesAgain puts the database back, below what this process, a note of before, or an
// executor knows: the next id is far above all that were given.
func TestNoIDComesAgain(t *testing.T) {
	t.Parallel()
	far := func(t *testing.T, s *sequence, above int64) {
		t.Helper()
		if got, err := s.draw(t.Context()); err != nil || got < above || got > above+2*farJump {
			t.Errorf("the next id is %d, %v; %d were given", got, err, above)
		}
	}
	t.Run("what was reserved here", func(t *testing.T) {
		t.Parallel()
		w := newSequences(t)
		w.start(t)
		s := newSequence(w.writer, "runs", 0, func(int64) {})
		for range blockSize {
			if _, err := s.draw(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		w.goBack(t, 7)
		far(t, s, blockSize+farJump)
	})
	t.Run("what was reserved here, over another connection", func(t *testing.T) {
		t.Parallel()
		w := newSequences(t)
		w.start(t)
		s := newSequence(w.writer, "runs", 0, func(int64) {})
		if _, err := s.draw(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.goBack(t, 1)
		w.session.opened.Add(1)
		far(t, s, blockSize+farJump) // others may have got the rest of the block by now
	})
	t.Run("what a note says", func(t *testing.T) {
		t.Parallel()
		w := newSequences(t)
		w.start(t)
		var noted []int64
		s := newSequence(w.writer, "runs", 5000, func(next int64) { noted = append(noted, next) })
		far(t, s, 5000+farJump)
		if len(noted) != 1 || noted[0] < 5000+farJump+blockSize {
			t.Errorf("noted %v", noted)
		}
	})
}

// TestAnotherOrigin promotes a standby that is behind: whoever reserves ids first gets them far
// above all that were given, and the other servers follow.
func TestAnotherOrigin(t *testing.T) {
	t.Parallel()
	w := newSequences(t)
	for _, statement := range []string{
		"CREATE TABLE history (name TEXT NOT NULL)", "INSERT INTO history VALUES ('one')",
		"CREATE TABLE database_origin (id INTEGER PRIMARY KEY, name TEXT NOT NULL)", "INSERT INTO database_origin VALUES (1, '')",
	} {
		if _, err := w.db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	w.dialect.Origin = "SELECT name FROM history"
	w.start(t)
	given := newSequence(w.writer, "runs", 0, func(int64) {})
	if got, err := given.draw(t.Context()); err != nil || got != 1 {
		t.Fatalf("got %d, %v", got, err)
	}
	for i, origin := range []string{"two", "two", "one"} {
		w.goBack(t, 1) // the standby never heard of the block
		if _, err := w.db.ExecContext(t.Context(), "UPDATE history SET name = ?", origin); err != nil {
			t.Fatal(err)
		}
		err := w.submit(t.Context(), func(*tx) error { w.session.broken = true; return nil }) // the connection is lost
		if !job.Is(err, job.Unavailable) {
			t.Fatalf("an operation over a lost connection: %v", err)
		}
		other := newSequence(w.writer, "runs", 0, func(int64) {}) // of a server that knows nothing
		got, err := other.draw(t.Context())
		if want := i != 1; err != nil || (got > farJump) != want {
			t.Errorf("%s: got %d, %v", origin, got, err)
		}
	}
	if !strings.Contains(w.logged.String(), "was=two is=one") {
		t.Errorf("logged %s", w.logged.String())
	}
}
