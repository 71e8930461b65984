package runlog

import (
	"testing"
	"time"
)

// TestClosedLogsArmNoTimer: after a sweep the timer waits for logs that are written still, and
// for those that were closed not at all.
func TestClosedLogsArmNoTimer(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]int{"none is open": -1, "the first one": 0, "one in the middle": 1, "the last one": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := reopen(t, t.TempDir(), Config{SpillAfter: time.Hour})
			for i := range 3 {
				w := create(t, l, int64(i+1))
				write(t, w, textOf(i+1))
				if i != open {
					closeLog(t, w)
				}
			}
			s := &l.sweeper
			want := time.Time{}
			if open >= 0 {
				want = s.young[open].due
			}
			if _, packed, old, ok := s.takeDue(); !packed || len(old) > 0 || !ok {
				t.Fatalf("packed %t, %d old, %t", packed, len(old), ok)
			}
			if got := s.next; got.Sub(want).Abs() > time.Minute {
				t.Errorf("the timer is set for %s, want %s", got, want)
			}
		})
	}
}
