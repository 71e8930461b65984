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
