package sqlstore

import (
	"context"
	"errors"
	"testing"

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
	s := newSequence(w.writer, "runs")
	for want := range int64(2*blockSize + 1) {
		got, err := s.draw(t.Context())
		if err != nil || got != want+1 {
			t.Fatalf("got %d, %v, want %d", got, err, want+1)
		}
	}
	got, err := newSequence(w.writer, "runs").draw(t.Context()) // another process
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

func TestSequenceThatCannotReserve(t *testing.T) {
	t.Parallel()
	w := newSequences(t)
	s := newSequence(w.writer, "runs")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.draw(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	w.start(t)
	if _, err := newSequence(w.writer, "nothing").draw(t.Context()); !job.Is(err, job.Internal) {
		t.Errorf("an unknown sequence: %v", err)
	}
	if got, err := s.draw(t.Context()); err != nil || got != 1 {
		t.Errorf("got %d, %v after an error", got, err)
	}
}
