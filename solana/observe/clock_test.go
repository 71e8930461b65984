package observe

import (
	"math"
	"testing"
	"time"
)

// start is an instant.
func start() time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) }

func TestClockTakes(t *testing.T) {
	t.Parallel()
	now := start()
	var c chainClock
	for _, step := range []struct {
		name string
		wait time.Duration
		tick ClockUpdate
		want ticked
		unix int64 // afterwards
	}{
		{"the first", 0, ClockUpdate{Slot: 1000, UnixTimestamp: 50}, tickTaken, 50},
		{"the same second", 400 * time.Millisecond, ClockUpdate{Slot: 1001, UnixTimestamp: 50}, tickTaken, 50},
		{"the same second, which was first seen a second ago", 600 * time.Millisecond, ClockUpdate{Slot: 1002, UnixTimestamp: 50}, tickTaken, 51},
		{"the next second", 10 * time.Millisecond, ClockUpdate{Slot: 1003, UnixTimestamp: 51}, tickTaken, 51},
		{"the same again", 0, ClockUpdate{Slot: 1003, UnixTimestamp: 51}, tickOld, 51},
		{"one from a little behind", 0, ClockUpdate{Slot: 1003 - 64, UnixTimestamp: 20}, tickOld, 51},
		{"one from far behind", 0, ClockUpdate{Slot: 1003 - 65, UnixTimestamp: 20}, tickFar, 51},
		{"one from far behind, as long as others may come", 29 * time.Second, ClockUpdate{Slot: 10, UnixTimestamp: 20}, tickFar, 53},
		{"one from far behind, when there are no others", time.Second, ClockUpdate{Slot: 11, UnixTimestamp: 20}, tickAnew, 20},
		{"time may go back", 400 * time.Millisecond, ClockUpdate{Slot: 12, UnixTimestamp: 19}, tickTaken, 19},
	} {
		now = now.Add(step.wait)
		if got := c.applyTick(step.tick, now); got != step.want || c.estimateAt(now) != step.unix {
			t.Errorf("%s: %d at %d, want %d at %d", step.name, got, c.estimateAt(now), step.want, step.unix)
		}
	}
}

// Between two ticks it goes on, for two seconds at most; an instant is where it gets to a time.
func TestClockGoesOn(t *testing.T) {
	t.Parallel()
	now := start()
	var c chainClock
	if _, known := c.instant(1); known {
		t.Error("a clock that has not ticked knows an instant")
	}
	c.applyTick(ClockUpdate{Slot: 1, UnixTimestamp: 100}, now)
	for after, want := range map[time.Duration]int64{0: 100, 999 * time.Millisecond: 100, time.Second: 101, 2 * time.Second: 102, time.Hour: 102, -time.Second: 100} {
		if got := c.estimateAt(now.Add(after)); got != want {
			t.Errorf("after %v it is %d, want %d", after, got, want)
		}
	}
	for unix, want := range map[int64]time.Duration{100: 0, 101: time.Second, 102: 2 * time.Second, 50: 0, math.MinInt64: 0} {
		if at, known := c.instant(unix); !known || at.Sub(now) != want {
			t.Errorf("it is %d after %v, %v, want %v", unix, at.Sub(now), known, want)
		}
	}
	if _, known := c.instant(103); known {
		t.Error("an instant is told that the next tick decides")
	}
	c.applyTick(ClockUpdate{Slot: 2, UnixTimestamp: math.MaxInt64}, now)
	if got := c.estimateAt(now.Add(time.Hour)); got != math.MaxInt64 {
		t.Errorf("behind the last second is %d", got)
	}
}
