package planner

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// quicker reports the first second, at any millisecond, in which more than rate
// of the instants lie.
func quicker(starts []time.Time, rate int) (time.Time, bool) {
	starts = slices.SortedFunc(slices.Values(starts), time.Time.Compare)
	for i := rate; i < len(starts); i++ {
		if starts[i].Sub(starts[i-rate]) < time.Second {
			return starts[i-rate], true
		}
	}
	return time.Time{}, false
}

func TestPacer(t *testing.T) {
	t.Parallel()
	p := &pacer{rate: 100}
	p.forget(now)
	var starts []time.Time
	for n := range 1000 {
		at, slot := p.place(now, n)
		if slot == noSlot {
			t.Fatal("no slot")
		}
		starts = append(starts, at)
	}
	if !slices.IsSortedFunc(starts, time.Time.Compare) {
		t.Error("the starts of a job are out of order")
	}
	if at, ok := quicker(starts, 100); ok {
		t.Errorf("more than 100 starts in the second from %s", at)
	}
	if last := starts[999].Sub(now); last > 21*time.Second {
		t.Errorf("a thousand starts of a job take %s, want half of 100 a second", last)
	}
	for name, most := range map[string]time.Duration{"first": 100 * time.Millisecond, "second": 300 * time.Millisecond} {
		nth := 0
		if name == "second" {
			nth = 1
		}
		if at, _ := p.place(now, nth); at.Sub(now) > most {
			t.Errorf("the %s start of another job waits %s behind the thousand", name, at.Sub(now))
		}
	}
}

// No slot is given twice or before its time, and the rate holds, whatever is
// asked for, given back and forgotten.
func TestPacerProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := &pacer{rate: int64(rapid.SampledFrom([]int{1, 3, 7, 100, 999, 5000}).Draw(t, "rate"))}
		clock := now
		p.forget(clock)
		given := make(map[int64]time.Time)
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				clock = clock.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "pass")) * time.Millisecond)
				p.forget(clock)
			case 1:
				for slot, at := range given { // any
					if at.After(clock) {
						p.release([]int64{slot, noSlot})
						delete(given, slot)
					}
					break
				}
			default:
				earliest := clock.Add(time.Duration(rapid.IntRange(0, 10_000).Draw(t, "ahead")) * time.Millisecond)
				at, slot := p.place(earliest, rapid.IntRange(0, 20).Draw(t, "nth"))
				if at.Before(earliest) {
					t.Fatalf("a start at %s that is to be at %s or later", at, earliest)
				}
				if _, twice := given[slot]; twice {
					t.Fatalf("slot %d was given twice", slot)
				}
				given[slot] = at
			}
		}
		starts := make([]time.Time, 0, len(given))
		for _, at := range given {
			starts = append(starts, at)
		}
		if at, ok := quicker(starts, int(p.rate)); ok {
			t.Fatalf("more than %d starts in the second from %s", p.rate, at)
		}
	})
}

// What is asked for far ahead costs nothing without bound: it takes no slot.
func TestPacerIsBounded(t *testing.T) {
	t.Parallel()
	p := &pacer{rate: maxRate}
	p.forget(now)
	if at, slot := p.place(now.AddDate(1, 0, 0), 0); slot != noSlot || !at.Equal(now.AddDate(1, 0, 0)) {
		t.Errorf("a start in a year is placed at %s, slot %d", at, slot)
	}
	if _, slot := p.place(now.Add(time.Second), 0); slot == noSlot {
		t.Error("a start in a second takes no slot")
	}
	if len(p.taken) > maxPaced {
		t.Errorf("%d words are remembered", len(p.taken))
	}
	p.forget(now.Add(2 * time.Second))
	if len(p.taken) != 0 {
		t.Errorf("%d words are left of what has passed", len(p.taken))
	}
	p.forget(now) // the clock was put back
	if at, _ := p.place(now, 0); at.Before(now.Add(1900 * time.Millisecond)) {
		t.Errorf("a start at %s, in what was forgotten", at)
	}
}

func BenchmarkPacer(b *testing.B) {
	p := &pacer{rate: 100}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if n%10_000 == 0 { // one outage after the other
			p.taken = p.taken[:0]
			p.forget(now)
		}
		p.place(now, n%50)
		n++
	}
}
