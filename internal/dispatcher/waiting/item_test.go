package waiting

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestPatience(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		waited := time.Duration(rapid.Int64Range(0, int64(24*time.Hour)).Draw(t, "waited"))
		got := Patience(waited, time.Second)
		if got < 800*time.Millisecond || got > 36*time.Second {
			t.Fatalf("patience(%s) = %s", waited, got)
		}
	})
}

// The patience of a run grows from when it was to be sent, not from when it was
// made.
func TestWaited(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	made, due := now.Add(-time.Hour), now.Add(-time.Minute)
	for _, test := range []struct {
		state job.State
		due   time.Time
		want  time.Duration
	}{
		{job.Planned, due, time.Minute},
		{job.Planned, made.Add(-time.Hour), time.Hour},
		{job.Queued, due, time.Hour}, // due says when it is sent again
		{job.WaitingRetry, due, time.Hour},
	} {
		it := &HeldRun{Run: job.Run{State: test.state, CreatedAt: made}, Due: test.due}
		if got := it.Waited(now); got != test.want {
			t.Errorf("%s, due at %s: waited %s, want %s", test.state, test.due, got, test.want)
		}
	}
}

// What is left of a sender's time is what the stricter clock says: a machine's clock may be
// set, and a process's own stands still while the machine sleeps.
func TestLeftByBothClocks(t *testing.T) {
	t.Parallel()
	now := time.Now()
	asleep := now.Add(time.Minute) // both clocks agree
	for name, c := range map[string]struct {
		window time.Time
		want   time.Duration
	}{
		"both agree":              {now.Add(15 * time.Second), 15 * time.Second},
		"the machine's was later": {now.Add(15 * time.Second).Round(0), 15 * time.Second},
		"over":                    {now.Add(-time.Second), -time.Second},
	} {
		it := HeldRun{Window: c.window}
		if got := it.LeaseLeft(now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	it := HeldRun{Window: now.Add(15 * time.Second)}
	if got := it.LeaseLeft(asleep.Round(0)); got != -45*time.Second {
		t.Errorf("after a sleep: %s", got)
	}
}
