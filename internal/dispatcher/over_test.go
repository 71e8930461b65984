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
		s.noteAccepted(Accepted{AttemptID: id, RunID: id, At: time.Now()})
	}
	s.forgetAccepted(3)
	s.forgetAccepted(99) // never heard of
	s.accept(t.Context(), time.Time{})
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

// TestYoungAcceptancesWait shows that only those are written that have waited for half of
// their time, and that the others are written when the first of them has waited for all of
// it: most are over by then.
func TestYoungAcceptancesWait(t *testing.T) {
	t.Parallel()
	rows := &acceptor{}
	s := newSettler(&Dispatcher{config: Config{Acceptor: rows, Settle: 200 * time.Millisecond}})
	now := time.Now()
	for id, age := range map[int64]int{1: 200, 2: 100, 3: 99, 4: 1} {
		s.noteAccepted(Accepted{AttemptID: id, RunID: id, At: now.Add(-time.Duration(age) * time.Millisecond)})
	}
	s.accept(t.Context(), now)
	if len(rows.got) != 2 || rows.got[0].AttemptID != 1 || rows.got[1].AttemptID != 2 {
		t.Errorf("written: %v; want attempts 1 and 2", rows.got)
	}
	if want := now.Add(101 * time.Millisecond); !s.writeAt.Equal(want) || s.pending() != 2 {
		t.Errorf("the %d others are written at %v, want 2 at %v", s.pending(), s.writeAt, want)
	}
	s.forgetAccepted(3)
	s.accept(t.Context(), now.Add(101*time.Millisecond))
	if len(rows.got) != 3 || rows.got[2].AttemptID != 4 || s.pending() != 0 {
		t.Errorf("written: %v; want attempt 4 as well", rows.got)
	}
}
