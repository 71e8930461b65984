package dispatcher

import (
	"context"
	"testing"
	"time"
)

// TestOverNeedsNoRow shows that an acceptance is not written of an attempt that
// is over by then, and that those of others are, in order.
func TestOverNeedsNoRow(t *testing.T) {
	t.Parallel()
	rows := &acceptor{}
	s := newSettler(&Dispatcher{config: Config{Acceptor: rows}})
	for _, id := range []int64{7, 3, 5} {
		s.note(Accepted{AttemptID: id, RunID: id, At: time.Now()})
	}
	s.over(3)
	s.over(99) // never heard of
	s.accept(t.Context())
	if len(rows.got) != 2 || rows.got[0].AttemptID != 5 || rows.got[1].AttemptID != 7 {
		t.Errorf("written: %v; want attempts 5 and 7", rows.got)
	}
	if s.pending() != 0 {
		t.Errorf("%d are still to be written", s.pending())
	}
}

// acceptor keeps what is written.
type acceptor struct{ got []Accepted }

func (*acceptor) Postpone(context.Context, []int64, time.Time) error { return nil }

func (a *acceptor) MarkAccepted(_ context.Context, accepted []Accepted) error {
	a.got = append(a.got, accepted...)
	return nil
}
