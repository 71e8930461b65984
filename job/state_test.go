package job

import (
	"slices"
	"testing"
)

var finals = []State{Succeeded, Failed, TimedOut, Cancelled, Lost, Skipped}

// The whole table, written out a second time: one row for each state, with the
// states that may follow.
func TestMayMove(t *testing.T) {
	t.Parallel()
	legal := map[State][]State{
		Planned:      {Queued, Dispatched, Failed, Cancelled, Skipped},
		Queued:       {Dispatched, Failed, Cancelled, Lost, Skipped},
		Dispatched:   {Queued, Running, Stopping, WaitingRetry, Succeeded, Failed, TimedOut, Cancelled, Lost, Skipped},
		Running:      {Stopping, WaitingRetry, Succeeded, Failed, TimedOut, Cancelled, Lost, Skipped},
		Stopping:     {Succeeded, Failed, TimedOut, Cancelled, Lost},
		WaitingRetry: {Queued, Dispatched, Failed, Cancelled, Lost},
	}
	for _, from := range States() {
		for _, to := range States() {
			if got, want := MayMove(from, to), slices.Contains(legal[from], to); got != want {
				t.Errorf("MayMove(%s, %s) = %t, want %t", from, to, got, want)
			}
		}
	}
	if MayMove("strange", Queued) || MayMove(Queued, "strange") || MayMove("", "") {
		t.Error("a strange state may move")
	}
}

func TestStateTableIsSound(t *testing.T) {
	t.Parallel()
	for _, s := range States() {
		if !s.Known() {
			t.Errorf("%s is not known", s)
		}
		if got, want := s.Final(), slices.Contains(finals, s); got != want {
			t.Errorf("%s.Final() = %t, want %t", s, got, want)
		}
		if MayMove(s, s) {
			t.Errorf("%s may move onto itself", s)
		}
		if s != Planned && !slices.Contains(reachable(Planned), s) {
			t.Errorf("%s cannot be reached from %s", s, Planned)
		}
		if s.Final() && len(reachable(s)) > 0 {
			t.Errorf("%s is final, but %v follow", s, reachable(s))
		}
		if !s.Final() && !slices.ContainsFunc(reachable(s), State.Final) {
			t.Errorf("%s never ends", s)
		}
		if s.Waiting() && (s.Final() || !MayMove(s, Dispatched)) {
			t.Errorf("%s waits for a dispatcher that cannot take it", s)
		}
	}
	for from, list := range moves {
		for _, to := range list {
			if !from.Known() || !to.Known() {
				t.Errorf("the move from %s to %s has an unknown end", from, to)
			}
		}
	}
}

// reachable returns the states that can follow s, now or later.
func reachable(s State) (found []State) {
	open := []State{s}
	for len(open) > 0 {
		s, open = open[0], open[1:]
		for _, to := range States() {
			if MayMove(s, to) && !slices.Contains(found, to) {
				found = append(found, to)
				open = append(open, to)
			}
		}
	}
	return found
}

func TestStatesAreWordsOfTheirOwn(t *testing.T) {
	t.Parallel()
	list := States()
	list[0] = "spoilt"
	if States()[0] != Planned {
		t.Error("States() shares its slice")
	}
	for _, s := range []State{"", "PLANNED", "done"} {
		if s.Known() || s.Final() || s.Waiting() {
			t.Errorf("%q passes for a state", s)
		}
	}
	var waiting []State
	for _, s := range States() {
		if s.Waiting() {
			waiting = append(waiting, s)
		}
	}
	if want := []State{Planned, Queued, WaitingRetry}; !slices.Equal(waiting, want) {
		t.Errorf("%v wait, want %v", waiting, want)
	}
}

func TestCauseKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []Cause{
		CauseSchedule, CauseMisfire, CauseManual, CauseAPI, CauseParent, CauseRetry, CauseBackfill, CauseRedrive,
	} {
		if !c.Known() {
			t.Errorf("%s is not known", c)
		}
	}
	for _, c := range []Cause{"", "Schedule", "chance"} {
		if c.Known() {
			t.Errorf("%q is known", c)
		}
	}
}
