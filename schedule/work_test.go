package schedule

import (
	"strings"
	"testing"
	"time"
)

// neverFiring are the expressions that take the longest to be found out: their
// days pass most tests, in every year and month, and fail the last.
var neverFiring = []struct{ zone, expr string }{
	{"", "0 0 0 31 2 ?"},
	{"", "* * * 31 2,4,6,9,11 ?"},
	{"", "* * * L-30 2,4,6,9,11 ?"},
	{"", "0 0 0 30W,31W,L-29W,L-30W 2 ?"},
	{"", "0 0 0 29 2 ? 2097-2103"},
	{"", "0 0 0 ? 2 2#5 1989-2015,2017-2043,2045-2071,2073-2111"}, // the years with a fifth Monday are left out
	{"", "0 0 12 * * ? 1969"},
	{"", "* * * * * ? 2127-9999"},
	{"", "0 0 30 2 *"},
	{"Africa/Casablanca", "* * * 30,31,L-29W,L-30W 2 ?"},
	{"Antarctica/Troll", "* * * 31 2,4,6,9,11 ?"},
	{"Europe/London", "0 30 1 ? 3 1L 2000-2126"},
	{"America/New_York", "* 0-59 2 ? 3 1#2 2007-2126"},
	{"Australia/Lord_Howe", "* 0-29 2 ? 10 1#1 2009-2126"},
}

// The work of an answer is bounded by counts, not by the speed of a machine. Each
// pass of Next and Prev looks at one stretch of the zone and goes on to another,
// and each search within it looks at every month at most once.
func TestThereAreFewStretches(t *testing.T) {
	t.Parallel()
	const most = 700 // two clock changes a year and a 366th day, and forty more
	inOddZones(t, func(t *testing.T, zone *time.Location, _ dice) {
		t.Helper()
		passes := 0
		for second := int64(firstSecond); ; passes++ {
			s := stretchAt(zone, second)
			if s.endless || s.end > lastSecond {
				break
			}
			if s.end <= second || passes > most {
				t.Fatalf("after %d stretches, the one at %d ends at %d", passes, second, s.end)
			}
			if back := stretchAt(zone, s.end-1); back.begin > second && back.begin != s.begin {
				t.Fatalf("the stretch of %d..%d begins at %d", second, s.end, back.begin)
			}
			second = s.end
		}
		back := 0
		for second := int64(lastSecond); ; back++ {
			s := stretchAt(zone, second)
			if s.beginless() || s.begin < firstSecond {
				break
			}
			if s.begin > second || back > most {
				t.Fatalf("after %d stretches back, the one at %d begins at %d", back, second, s.begin)
			}
			second = s.begin - 1
		}
	})
}

// What never fires is found out without memory, and is refused as a Spec with
// the field to change.
func TestWhatNeverFiresIsFoundOut(t *testing.T) {
	for _, tc := range neverFiring {
		cron, err := ParseCronWith(tc.expr, CronOptions{Zone: mustZone(t, tc.zone)})
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(10, func() {
			if at, ok := cron.Next(time.Time{}); ok {
				t.Errorf("%q in %q fires at %s", tc.expr, tc.zone, at)
			}
			if at, ok := cron.Prev(time.Unix(1<<40, 0)); ok {
				t.Errorf("%q in %q has fired at %s", tc.expr, tc.zone, at)
			}
		}); n != 0 {
			t.Errorf("%q in %q: the answer makes %v allocations, want 0", tc.expr, tc.zone, n)
		}
		if n := testing.AllocsPerRun(10, func() { _, _ = ParseCronWith(tc.expr, CronOptions{Zone: cron.zone}) }); n > 16 {
			t.Errorf("%q is parsed with %v allocations, want 16 at most", tc.expr, n)
		}
		err = Spec{Kind: KindCron, Cron: tc.expr, Zone: tc.zone}.Validate()
		if err == nil || !strings.Contains(err.Error(), "never fires") {
			t.Errorf("%q in %q: Validate() = %v", tc.expr, tc.zone, err)
		}
	}
}

// An expression that is too long is refused before it is read, so a longer one
// costs no more.
func TestLongListsAreRefused(t *testing.T) {
	allocs := func(size int) float64 {
		expr := "0 0 0 " + strings.Repeat("1,", size/2) + "2 * ?"
		spec := Spec{Kind: KindCron, Cron: expr}
		if err := spec.Validate(); err == nil || len(err.Error()) > 300 {
			t.Errorf("a list of %d bytes: Validate() = %.400v", size, err)
		}
		return testing.AllocsPerRun(10, func() {
			if _, err := ParseCron(expr, nil); err == nil {
				t.Errorf("a list of %d bytes parses", size)
			}
		})
	}
	// The race detector empties the pools of fmt at random.
	if short, long := allocs(2<<10), allocs(10<<10); long > short+2 || long > 10 {
		t.Errorf("refusing 2 kB makes %v allocations and 10 kB %v, want about the same and few", short, long)
	}
	// As long as can be, and as dear: it is read.
	expr := "* * * " + strings.TrimSuffix(strings.Repeat("L-30W,", 160), ",") + " 2 ?"
	if len(expr) > MaxExpression {
		t.Fatalf("the expression has %d bytes", len(expr))
	}
	cron, err := ParseCron(expr, nil)
	if err != nil {
		t.Fatal(err)
	}
	if at, ok := cron.Next(time.Time{}); ok {
		t.Errorf("L-30W in February fires at %s", at)
	}
}
