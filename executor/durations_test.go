package executor

import (
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	t.Parallel()
	var d durations
	for _, took := range []time.Duration{0, time.Millisecond, 2 * time.Millisecond, 4 * time.Hour, -time.Second} {
		d.addDuration(took)
	}
	s := d.sample("task_seconds", "help")
	if s.Count != 3 || s.Buckets[0.001] != 1 || s.Buckets[0.005] != 2 || s.Buckets[10800] != 2 {
		t.Errorf("counted %d, %v", s.Count, s.Buckets)
	}
	if want := (4*time.Hour + 3*time.Millisecond).Seconds(); s.Value != want {
		t.Errorf("the sum is %v, want %v", s.Value, want)
	}
}

func TestDurationsTakeNoMemory(t *testing.T) {
	var d durations
	if allocated := testing.AllocsPerRun(100, func() { d.addDuration(time.Second) }); allocated > 0 {
		t.Errorf("counting allocates %v times", allocated)
	}
}
