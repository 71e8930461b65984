package backup

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/schedule"
)

// every returns a late job with a period and its first slot, and its schedule.
func every(t interface{ Fatal(args ...any) }, period time.Duration, next time.Time) (*Late, schedule.Schedule) {
	l := &Late{JobID: 1, Next: next, Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: period, Anchor: next}}
	s, err := l.Schedule.CompileWith(nil)
	if err != nil {
		t.Fatal(err)
	}
	return l, s
}

// However long the time and the period are, no slot up to now is left, none behind it
// is taken, and each is counted once.
func TestPassAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		period := time.Duration(rapid.Int64Range(100, 5_000_000).Draw(t, "period")) * time.Millisecond
		gone := time.Duration(rapid.Int64Range(0, 90_000_000).Draw(t, "gone")) * time.Millisecond
		l, s := every(t, period, taken)
		now := taken.Add(gone)
		m, p := passSlots(l, s, now)
		if want := int(gone/period) + 1; p.Count != want {
			t.Fatalf("%d slots, want %d", p.Count, want)
		}
		if !m.Next.After(now) || m.Next.Sub(now) > period || p.Last.After(now) || !p.First.Equal(taken) || m.Next.Sub(p.Last) != period {
			t.Fatalf("now %s: last %s, next %s", now, p.Last, m.Next)
		}
	})
}

func TestPass(t *testing.T) {
	t.Parallel()
	now := taken.Add(time.Hour)
	once := &Late{JobID: 1, Next: taken, Schedule: schedule.Spec{Kind: schedule.KindOnce, At: taken}}
	s, err := once.Schedule.CompileWith(nil)
	if err != nil {
		t.Fatal(err)
	}
	if m, p := passSlots(once, s, now); p.Count != 1 || !m.Next.IsZero() || m.StopReason == "" {
		t.Errorf("once: %+v, %+v", m, p)
	}
	after := &Late{JobID: 1, Next: taken, Schedule: schedule.Spec{Kind: schedule.KindAfter, After: time.Minute}}
	if s, err = after.Schedule.CompileWith(nil); err != nil {
		t.Fatal(err)
	}
	if m, p := passSlots(after, s, now); p.Count != 1 || !m.Next.After(now) {
		t.Errorf("a fixed delay: %+v, %+v", m, p)
	}
	l, s := every(t, time.Minute, taken)
	l.Schedule.Count, l.Fired = 3, 3
	if _, p := passSlots(l, s, now); p.Count != 0 {
		t.Errorf("a count that is used up: %+v", p)
	}
}

func TestJump(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		g    Given
		lost time.Duration
		want int64
	}{
		{"nothing was given", Given{}, time.Hour, MinJump},
		{"little", Given{Count: 5000, Over: time.Hour}, time.Hour, MinJump},
		{"much", Given{Count: 300_000, Over: time.Hour}, time.Hour, 3_000_000},
		{"what is known is shorter", Given{Count: 300_000, Over: time.Hour}, 10 * time.Hour, 30_000_000},
		{"bounded", Given{Count: 1 << 50, Over: time.Hour}, time.Hour, maxJump},
	} {
		if got := sequenceJump(c.g, c.lost); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
