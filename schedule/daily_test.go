package schedule

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseDaily(t *testing.T) {
	t.Parallel()
	const workdays = 1<<6 - 2
	tests := []struct {
		text string
		want Daily
		back string // what String writes; empty when it is the text
	}{
		{"09:00-18:00 every 5m", Daily{9 * time.Hour, 18 * time.Hour, 5 * time.Minute, everyDay}, ""},
		{"09:00-18:00 MON-FRI every 5m", Daily{9 * time.Hour, 18 * time.Hour, 5 * time.Minute, workdays}, ""},
		{"9:00 – 18:00 mon – fri EVERY 300s", Daily{9 * time.Hour, 18 * time.Hour, 5 * time.Minute, workdays}, "09:00-18:00 MON-FRI every 5m"},
		{" 22:30:15-05:00\tSat,SUN every 30s ", Daily{22*time.Hour + 30*time.Minute + 15*time.Second, 5 * time.Hour, 30 * time.Second, 1<<6 | 1}, "22:30:15-05:00 SAT,SUN every 30s"},
		{"00:00-24:00 every 24h", Daily{0, 24 * time.Hour, 24 * time.Hour, everyDay}, ""},
		{"22:00-00:00 FRI-MON every 1h", Daily{22 * time.Hour, 0, time.Hour, 1<<5 | 1<<6 | 1 | 1<<1}, "22:00-00:00 FRI-MON every 1h"},
		{"10:00-11:00 MON, WED ,FRI every 100ms", Daily{10 * time.Hour, 11 * time.Hour, 100 * time.Millisecond, 1<<1 | 1<<3 | 1<<5}, "10:00-11:00 MON,WED,FRI every 100ms"},
		{"10:00-11:00 SUN-SAT every 1m30s", Daily{10 * time.Hour, 11 * time.Hour, 90 * time.Second, everyDay}, "10:00-11:00 every 1m30s"},
		{"10:00-11:00 TUE-TUE every 1h", Daily{10 * time.Hour, 11 * time.Hour, time.Hour, 1 << 2}, "10:00-11:00 TUE every 1h"},
	}
	for _, tc := range tests {
		got, err := ParseDaily(tc.text)
		if err != nil || got != tc.want {
			t.Errorf("ParseDaily(%q) = %+v, %v; want %+v", tc.text, got, err, tc.want)
			continue
		}
		want := tc.back
		if want == "" {
			want = tc.text
		}
		if got.String() != want {
			t.Errorf("%q becomes %q, want %q", tc.text, got, want)
		}
	}
}

func TestParseDailyErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text    string
		pos     int
		message string
	}{
		{"", 1, "a time of day is expected, but there is the end of the text"},
		{"every 5m", 1, `"every"`},
		{"9-18 every 5m", 1, `"9"`},
		{"25:00-26:00 every 5m", 1, `"25:00"`},
		{"24:00-06:00 every 5m", 1, "cannot begin at 24:00"},
		{"09:60-18:00 every 5m", 1, `"09:60"`},
		{"09:00-24:00:01 every 5m", 7, `"24:00:01"`},
		{"09:00-18:0 every 5m", 7, `"18:0"`},
		{"09:00 18:00 every 5m", 7, `a hyphen and the end of the window are expected, but there is "18:00"`},
		{"09:00-", 7, "the end of the text"},
		{"09:00-09:00 every 5m", 7, "ends when it begins"},
		{"09:00-18:00every 5m", 12, `"every" is not expected here`},
		{"09:00-18:00:00:00 every 5m", 15, `":00" is not expected here`},
		{"09:00-18:00", 12, "the end of the text"},
		{"09:00-18:00 MONDAY every 5m", 13, `"MONDAY"`},
		{"09:00-18:00 1-5 every 5m", 13, `"1"`},
		{"09:00-18:00 MON-", 17, "the end of the text"},
		{"09:00-18:00 MON,, every 5m", 17, `","`},
		{"09:00-18:00 MON TUE every 5m", 17, `a comma or "every" is expected, but there is "TUE"`},
		{"09:00-18:00 星期一 every 5m", 13, `"星期一"`},
		{"09:00-18:00 every", 18, "the period is missing"},
		{"09:00-18:00 every five minutes", 19, `"five minutes" is not a period`},
		{"09:00-18:00 every 5", 19, `"5" is not a period`},
		{"09:00-18:00 every 0s", 19, "0s is too short"},
		{"09:00-18:00 every -5m", 19, "-5m0s is too short"},
		{"09:00-18:00 every 99ms", 19, "99ms is too short"},
		{"09:00-18:00 every 1.0001s", 19, "whole number of milliseconds"},
		{"09:00-18:00 every 9h1s", 19, "9h0m1s is longer than the window of 9h"},
		{"22:00-02:00 every 5h", 19, "5h is longer than the window of 4h"},
		{"09:00-18:00 every 87600h", 19, "longer than the window"},
		{"09:00-18:00 every 9999999999h", 19, "is not a period"},
		{"09:00-18:00 " + strings.Repeat("MON,", 2500) + "MON every 5m", 0, "at most 1024 are allowed"},
	}
	for _, tc := range tests {
		_, err := ParseDaily(tc.text)
		wrong, ok := errors.AsType[*Error](err)
		if !ok || wrong.Input != "daily" || wrong.Pos != tc.pos || wrong.Hint == "" || !strings.Contains(wrong.Message, tc.message) {
			t.Errorf("ParseDaily(%.60q) = %+v, want column %d and %q", tc.text, err, tc.pos, tc.message)
		}
	}
}

// slowClock is what a zone's clock shows each minute from an instant on.
type slowClock struct {
	zone  *time.Location
	at    time.Time // of the step in the middle
	from  time.Time
	walls []time.Time
}

func newSlowClock(step clockStep) *slowClock {
	c := &slowClock{zone: step.zone, at: step.at, from: step.at.Add(-140 * time.Hour)}
	for at := c.from; at.Before(step.at.Add(140 * time.Hour)); at = at.Add(time.Minute) {
		c.walls = append(c.walls, slowWall(at, step.zone))
	}
	return c
}

func (c *slowClock) minute(i int) time.Time { return c.from.Add(time.Duration(i) * time.Minute) }

// daily returns the firings around the step: a window begins at the first minute
// whose wall time has reached its begin, and ends at the last whose wall time has
// not passed its end.
func (c *slowClock) daily(d Daily, gap GapRule, from, to time.Time) (found []time.Time) {
	for day := from.Add(-48 * time.Hour).Truncate(24 * time.Hour); day.Before(to.Add(48 * time.Hour)); day = day.Add(24 * time.Hour) {
		if d.Days>>day.Weekday()&1 == 0 {
			continue
		}
		// No clock is 26 hours from UTC.
		begin := max(int(day.Add(d.From-26*time.Hour).Sub(c.from)/time.Minute), 0)
		for c.walls[begin].Before(day.Add(d.From)) {
			begin++
		}
		end := min(int(day.Add(d.From+d.length()+26*time.Hour).Sub(c.from)/time.Minute), len(c.walls)-1)
		for c.walls[end].After(day.Add(d.From + d.length())) {
			end--
		}
		switch {
		case end < begin && gap == GapAfter:
			found = append(found, c.minute(begin))
		case end < begin && gap == GapBefore:
			found = append(found, c.minute(begin).Add(-time.Second))
		}
		for at := c.minute(begin); !at.After(c.minute(end)); at = at.Add(d.Every) {
			found = append(found, at)
		}
	}
	slices.SortFunc(found, time.Time.Compare)
	found = slices.CompactFunc(found, time.Time.Equal)
	return slices.DeleteFunc(found, func(at time.Time) bool { return at.Before(from) || !at.Before(to) })
}

// check compares a window with what the clock shows.
func (c *slowClock) check(t rapid.TB, text string, gap GapRule) {
	t.Helper()
	d, err := ParseDaily(text)
	if err != nil {
		t.Fatal(err)
	}
	s := daily{d, c.zone, gap}
	from, to := c.at.Add(-40*time.Hour), c.at.Add(40*time.Hour)
	want, got := c.daily(d, gap, from, to), Between(s, from, to, maxWalk)
	if !slices.EqualFunc(want, got, time.Time.Equal) {
		t.Fatalf("%q with %q in %s around %s (-want +got):\n%s", text, gap, c.zone, c.at, cmp.Diff(texts(want, c.zone), texts(got, c.zone)))
	}
}

// Whatever the clock does, the firings are those that a look at each minute finds.
func TestDailyAgreesWithTheClock(t *testing.T) {
	t.Parallel()
	var clocks []*slowClock
	for _, step := range clockSteps(t) {
		c := newSlowClock(step)
		clocks = append(clocks, c)
		for _, text := range []string{
			"00:00-24:00 every 1h", "00:00-24:00 every 7m", "01:30-02:30 every 15m", "02:00-03:00 every 20m", "02:10-02:50 every 10m",
			"22:00-06:00 every 25m", "23:30-00:30 every 10m", "00:00-00:30 every 30m", "09:00-18:00 every 5m", "23:00-22:59 every 23h59m",
		} {
			for _, gap := range []GapRule{GapSkip, GapAfter, GapBefore} {
				c.check(t, text, gap)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		clock := func(name string) time.Duration {
			return time.Duration(rapid.IntRange(0, 24*60-1).Draw(t, name)) * time.Minute
		}
		d := Daily{From: clock("from"), To: clock("to"), Days: uint8(rapid.IntRange(1, everyDay).Draw(t, "days"))}
		if d.From == d.To {
			d.To = d.From + time.Minute
		}
		d.Every = time.Duration(rapid.IntRange(1, int(d.length()/time.Minute)).Draw(t, "every")) * time.Minute
		c := clocks[rapid.IntRange(0, len(clocks)-1).Draw(t, "step")]
		c.check(t, d.String(), rapid.SampledFrom([]GapRule{GapSkip, GapAfter, GapBefore}).Draw(t, "gap"))
	})
}

func TestDailyAtTheEndsOfTime(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "Pacific/Kiritimati", "America/New_York"} {
		s := compiledWith(t, Spec{Kind: KindDaily, Daily: "22:00-02:00 MON every 1h", Zone: zone})
		first, ok := s.Next(time.Time{})
		if wall := slowWall(first, mustZone(t, zone)); !ok || wall.Format(time.DateTime) != "1970-01-05 22:00:00" {
			t.Errorf("%s: the first firing is %s", zone, wall)
		}
		for _, after := range []time.Time{time.Unix(-1<<60, 0), time.Unix(-1<<63, 0)} {
			if at, ok := s.Next(after); !ok || !at.Equal(first) {
				t.Errorf("%s: Next(%s) = %s, %t", zone, after, at, ok)
			}
		}
		last := time.Time{}
		for at, ok := s.Next(time.Date(2126, 12, 20, 0, 0, 0, 0, time.UTC)); ok; at, ok = s.Next(at) {
			last = at
		}
		if wall := slowWall(last, mustZone(t, zone)); wall.Format(time.DateTime) != "2126-12-31 02:00:00" {
			t.Errorf("%s: the last firing is %s", zone, wall)
		}
		for _, after := range []time.Time{time.Unix(1<<33, 0), time.Unix(1<<60, 0)} {
			if at, ok := s.Next(after); ok {
				t.Errorf("%s: Next(%s) = %s", zone, after, at)
			}
		}
	}
}

func TestDailyAllocatesNothing(t *testing.T) {
	s := compiledWith(t, Spec{Kind: KindDaily, Daily: "09:00-18:00 MON-FRI every 5m", Zone: "America/New_York", Calendars: []string{"weekends"}})
	at := time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)
	if n := testing.AllocsPerRun(100, func() { at, _ = s.Next(at) }); n != 0 {
		t.Errorf("Next makes %v allocations, want 0", n)
	}
}

func FuzzParseDaily(f *testing.F) {
	for _, seed := range []string{
		"09:00-18:00 MON-FRI every 5m", "22:30:15 – 05:00 sat,SUN every 1h30m", "00:00-24:00 every 24h", "9:00-9:30 FRI-MON,WED every 100ms", "09:00-", "every",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDaily(text)
		if err != nil {
			wrong, ok := errors.AsType[*Error](err)
			if !ok || wrong.Input != "daily" || wrong.Hint == "" || wrong.Pos < 0 || wrong.Pos > len(text)+1 {
				t.Fatalf("ParseDaily(%q) = %#v", text, err)
			}
			return
		}
		if back, err := ParseDaily(d.String()); err != nil || back != d {
			t.Fatalf("%q becomes %q, which is %+v, %v", text, d, back, err)
		}
		s := daily{d, time.UTC, ""}
		at, ok := s.Next(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC))
		next, again := s.Next(at)
		if !ok || !again || !next.After(at) || next.Sub(at) > 8*24*time.Hour {
			t.Fatalf("%q fires at %s and %s", text, at, next)
		}
	})
}
