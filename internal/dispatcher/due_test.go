package dispatcher

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// A run that is handed over is sent when it is due, whatever slot it serves.
func TestTakenRunsAreSentWhenDue(t *testing.T) {
	t.Parallel()
	const soon = 1500 * time.Millisecond
	tests := []struct {
		name         string
		planned, due time.Duration // from now; zero means none
		want         time.Duration
	}{
		{"a firing", soon, soon, soon},
		{"one of before due times", soon, 0, soon},
		{"a missed firing", -time.Hour, soon, soon},
		{"a missed firing that is due at once", -time.Hour, -time.Millisecond, 0},
		{"a slot of the future", time.Hour, soon, soon},
		{"no slot", 0, soon, soon},
		{"neither slot nor due time", 0, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var late []time.Duration
				w, d, _ := start(t, Config{Hooks: Hooks{Sent: func(by time.Duration, _ error) {
					mu.Lock()
					defer mu.Unlock()
					late = append(late, by)
				}}})
				begun := time.Now()
				r := w.add(begun.Add(soon), 15*time.Second)
				r.PlannedAt, r.DueAt = after(begun, test.planned), after(begun, test.due)
				d.Take([]job.Run{r})
				pass(5 * time.Second)
				sent := w.sent()
				if len(sent) != 1 || sent[0].at.Sub(begun) != test.want {
					t.Fatalf("sent %+v, want one task after %s", sent, test.want)
				}
				if !sent[0].task.PlannedAt.Equal(r.PlannedAt) {
					t.Errorf("the task is for %s, want %s", sent[0].task.PlannedAt, r.PlannedAt)
				}
				mu.Lock()
				defer mu.Unlock()
				if len(late) != 1 || late[0] > time.Millisecond {
					t.Errorf("late by %v", late)
				}
			})
		})
	}
}

func after(now time.Time, d time.Duration) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return now.Add(d)
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
		it := &item{run: job.Run{State: test.state, CreatedAt: made}, due: test.due}
		if got := it.waited(now); got != test.want {
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
		it := item{window: c.window}
		if got := it.leaseLeft(now); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	it := item{window: now.Add(15 * time.Second)}
	if got := it.leaseLeft(asleep.Round(0)); got != -45*time.Second {
		t.Errorf("after a sleep: %s", got)
	}
}
