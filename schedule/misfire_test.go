package schedule

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func TestDecide(t *testing.T) {
	t.Parallel()
	minutely := compiled(t, Spec{Kind: KindCron, Cron: "0 * * * * ?"})
	quick := compiled(t, Spec{Kind: KindEvery, Every: 100 * time.Millisecond, Anchor: noon})
	once := compiled(t, Spec{Kind: KindOnce, At: noon})
	last := compiled(t, Spec{Kind: KindCron, Cron: "0 0 12 1 5 ? 2024-2026"})
	at := func(minutes ...int) (list []time.Time) {
		for _, m := range minutes {
			list = append(list, noon.Add(time.Duration(m)*time.Minute))
		}
		return list
	}
	late := func(policy Misfire, minutes int) Input {
		return Input{Policy: policy, Schedule: minutely, Next: noon, Now: at(minutes)[0].Add(time.Second), Limit: 10}
	}
	with := func(in Input, change func(*Input)) Input {
		change(&in)
		return in
	}
	span := func(from, to int) (list []time.Time) {
		for m := from; m <= to; m++ {
			list = append(list, at(m)...)
		}
		return list
	}
	tests := []struct {
		name string
		in   Input
		want Decision
	}{
		{
			"nothing is due",
			Input{Policy: MisfireFireAll, Schedule: minutely, Next: at(5)[0], Now: noon, Until: at(4)[0], Limit: 10},
			Decision{Next: at(5)[0]},
		},
		{
			"due now",
			Input{Policy: MisfireSkip, Schedule: minutely, Next: noon, Now: noon, Until: noon, Limit: 10},
			Decision{Fire: at(0), Next: at(1)[0]},
		},
		{
			"ahead",
			Input{Policy: MisfireSkip, Schedule: minutely, Next: noon, Now: noon, Until: at(2)[0], Limit: 10},
			Decision{Fire: at(0, 1, 2), Next: at(3)[0]},
		},
		{
			"until in the past counts as now",
			Input{Policy: MisfireSkip, Schedule: minutely, Next: noon, Now: noon, Limit: 10},
			Decision{Fire: at(0), Next: at(1)[0]},
		},
		{
			"late by just the default threshold",
			with(late(MisfireSkip, 0), func(in *Input) { in.Now = noon.Add(DefaultThreshold) }),
			Decision{Fire: at(0), Next: at(1)[0]},
		},
		{
			"later than the default threshold",
			with(late(MisfireSkip, 0), func(in *Input) { in.Now = noon.Add(DefaultThreshold + 1) }),
			Decision{Skipped: at(0), Next: at(1)[0]},
		},
		{
			"a threshold of its own",
			with(late(MisfireSkip, 2), func(in *Input) { in.Limits.Threshold = 2*time.Minute + time.Second }),
			Decision{Fire: at(0, 1, 2), Next: at(3)[0]},
		},
		{
			"skip",
			with(late(MisfireSkip, 5), func(in *Input) { in.Until = at(6)[0] }),
			Decision{Skipped: span(0, 4), Fire: at(5, 6), Next: at(7)[0]},
		},
		{
			"an unknown policy skips",
			late("?", 2),
			Decision{Skipped: at(0, 1), Fire: at(2), Next: at(3)[0]},
		},
		{
			"one hundred are told, the others summed up",
			late(MisfireSkip, 120),
			Decision{
				Older: Stretch{Count: 20, First: noon, Last: at(19)[0]}, Skipped: span(20, 119), Fire: at(120), Next: at(121)[0],
			},
		},
		{
			"fire once",
			late(MisfireFireOnce, 5),
			Decision{Skipped: at(0, 1, 2, 3), Missed: at(4), Fire: at(5), Next: at(6)[0]},
		},
		{
			"fire once knows no window",
			with(late(MisfireFireOnce, 0), func(in *Input) {
				in.Now, in.Limits.Window = at(0)[0].Add(30*time.Second), time.Second
			}),
			Decision{Missed: at(0), Next: at(1)[0]},
		},
		{
			"fire all",
			late(MisfireFireAll, 5),
			Decision{Missed: at(0, 1, 2, 3, 4), Fire: at(5), Next: at(6)[0]},
		},
		{
			"fire the newest of too many",
			with(late(MisfireFireAll, 60), func(in *Input) { in.Limits.Max = 3 }),
			Decision{Skipped: span(0, 56), Missed: at(57, 58, 59), Fire: at(60), Next: at(61)[0]},
		},
		{
			"fire a hundred by default",
			late(MisfireFireAll, 300),
			Decision{
				Older: Stretch{Count: 100, First: noon, Last: at(99)[0]}, Skipped: span(100, 199), Missed: span(200, 299),
				Fire: at(300), Next: at(301)[0],
			},
		},
		{
			"fire all of the window, whose edge is in it",
			with(late(MisfireFireAll, 60), func(in *Input) { in.Now, in.Limits.Window = at(60)[0], 3*time.Minute }),
			Decision{Skipped: span(0, 56), Missed: at(57, 58, 59), Fire: at(60), Next: at(61)[0]},
		},
		{
			"a window in which nothing was missed",
			with(late(MisfireFireAll, 3), func(in *Input) { in.Limits.Window = time.Second }),
			Decision{Skipped: at(0, 1, 2), Fire: at(3), Next: at(4)[0]},
		},
		{
			"a window over more than are told",
			with(late(MisfireFireAll, 300), func(in *Input) { in.Limits.Window = 2 * time.Minute }),
			Decision{
				Older: Stretch{Count: 199, First: noon, Last: at(198)[0]}, Skipped: span(199, 298), Missed: at(299),
				Fire: at(300), Next: at(301)[0],
			},
		},
		{
			"too many ahead: the others keep their turn",
			Input{Policy: MisfireSkip, Schedule: minutely, Next: noon, Now: noon, Until: at(60)[0], Limit: 2},
			Decision{Fire: at(0, 1), Next: at(2)[0]},
		},
		{
			"no limit counts as one",
			Input{Policy: MisfireSkip, Schedule: minutely, Next: noon, Now: noon, Until: at(60)[0]},
			Decision{Fire: at(0), Next: at(1)[0]},
		},
		{
			"a count with some left",
			with(late(MisfireSkip, 0), func(in *Input) { in.Count, in.Fired = 3, 1 }),
			Decision{Fire: at(0), Next: at(1)[0]},
		},
		{
			"a count ends it ahead",
			with(late(MisfireSkip, 0), func(in *Input) { in.Count, in.Fired, in.Until = 3, 1, at(5)[0] }),
			Decision{Fire: at(0, 1), Ended: true, Spent: true},
		},
		{
			"a count that was used up",
			with(late(MisfireFireAll, 5), func(in *Input) { in.Count, in.Fired = 3, 4 }),
			Decision{Ended: true, Spent: true},
		},
		{
			"what is skipped does not count",
			with(late(MisfireSkip, 5), func(in *Input) { in.Count = 2 }),
			Decision{Skipped: span(0, 4), Fire: at(5), Next: at(6)[0]},
		},
		{
			"what is made up for counts",
			with(late(MisfireFireAll, 5), func(in *Input) { in.Count = 2 }),
			Decision{Skipped: at(0, 1, 2), Missed: at(3, 4), Ended: true, Spent: true},
		},
		{
			"the count's last one is on time",
			with(late(MisfireFireOnce, 5), func(in *Input) { in.Count = 2 }),
			Decision{Skipped: at(0, 1, 2, 3), Missed: at(4), Fire: at(5), Ended: true, Spent: true},
		},
		{
			"a fixed delay, ahead",
			Input{Policy: MisfireSkip, Schedule: minutely, Single: true, Next: at(1)[0], Now: noon, Until: noon, Limit: 10},
			Decision{Next: at(1)[0]},
		},
		{
			"a fixed delay, on time",
			Input{Policy: MisfireSkip, Schedule: minutely, Single: true, Next: noon, Now: noon, Until: at(5)[0], Limit: 10},
			Decision{Fire: at(0)},
		},
		{
			"a fixed delay, made up for",
			with(late(MisfireFireAll, 5), func(in *Input) { in.Single = true }),
			Decision{Missed: at(0)},
		},
		{
			"a fixed delay, let go",
			with(late(MisfireSkip, 5), func(in *Input) { in.Single = true }),
			Decision{Skipped: at(0), Next: at(6)[0]},
		},
		{
			"a fixed delay, let go at its end",
			with(late(MisfireSkip, 5), func(in *Input) { in.Schedule, in.Single = never{}, true }),
			Decision{Skipped: at(0), Ended: true},
		},
		{
			"a fixed delay, the last of a count",
			with(late(MisfireFireOnce, 5), func(in *Input) { in.Single, in.Count, in.Fired = true, 4, 3 }),
			Decision{Missed: at(0), Ended: true, Spent: true},
		},
		{
			"once",
			Input{Policy: MisfireSkip, Schedule: once, Next: noon, Now: noon, Limit: 10},
			Decision{Fire: at(0), Ended: true},
		},
		{
			"once, missed",
			Input{Policy: MisfireFireOnce, Schedule: once, Next: noon, Now: at(1)[0], Limit: 10},
			Decision{Missed: at(0), Ended: true},
		},
		{
			"once, let go",
			Input{Policy: MisfireSkip, Schedule: once, Next: noon, Now: at(1)[0], Limit: 10},
			Decision{Skipped: at(0), Ended: true},
		},
		{
			"the last of a cron",
			Input{Policy: MisfireFireAll, Schedule: last, Next: noon.AddDate(-2, 0, 0), Now: noon, Limit: 10},
			Decision{Missed: []time.Time{noon.AddDate(-2, 0, 0), noon.AddDate(-1, 0, 0)}, Fire: at(0), Ended: true},
		},
		{
			"no next firing",
			Input{Policy: MisfireFireAll, Schedule: never{}, Now: noon, Limit: 10},
			Decision{Ended: true},
		},
		{
			"a next firing off the schedule counts",
			with(late(MisfireSkip, 1), func(in *Input) {
				in.Next, in.Now, in.Limits.Threshold = noon.Add(time.Second), at(1)[0], time.Hour
			}),
			Decision{Fire: []time.Time{noon.Add(time.Second), at(1)[0]}, Next: at(2)[0]},
		},
		{
			"a fixed rate off for a year",
			Input{
				Policy: MisfireFireAll, Schedule: quick, Next: noon, Now: year.Add(50 * time.Millisecond), Limit: 2,
				Limits: MisfireLimits{Threshold: 20 * time.Millisecond, Max: 2},
			},
			Decision{
				Older:   Stretch{Count: tenths - 1 - MaxSkipped, First: noon, Last: year.Add(-102 * 100 * time.Millisecond)},
				Skipped: tenth(-101, -2), Missed: tenth(-1, 0), Next: tenth(1, 1)[0],
			},
		},
		{
			"a cron off for a year",
			with(late(MisfireFireAll, 0), func(in *Input) { in.Now, in.Limits.Max = year.Add(10*time.Second), 2 }),
			Decision{
				Older: Stretch{
					Count: maxWalk + 1, First: noon, Last: year.Add(-102 * time.Minute), Truncated: true,
				},
				Skipped: minutesTo(year, -101, -2), Missed: minutesTo(year, -1, 0), Next: year.Add(time.Minute),
			},
		},
		{
			"just past the walk",
			with(late(MisfireFireAll, maxWalk+50), func(in *Input) { in.Limits.Max = 3 }),
			Decision{
				Older:   Stretch{Count: maxWalk + 50 - 103, First: noon, Last: at(maxWalk - 54)[0]},
				Skipped: span(maxWalk-53, maxWalk+46), Missed: span(maxWalk+47, maxWalk+49),
				Fire: at(maxWalk + 50), Next: at(maxWalk + 51)[0],
			},
		},
		{
			"after the end of the years",
			Input{Policy: MisfireSkip, Schedule: quick, Next: endOfYears.Add(-20 * time.Second), Now: noon.AddDate(200, 0, 0), Limit: 3},
			Decision{
				Older:   Stretch{Count: 100, First: endOfYears.Add(-20 * time.Second), Last: endOfYears.Add(-10100 * time.Millisecond)},
				Skipped: tenthsBefore(endOfYears, 100), Ended: true,
			},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, Decide(tc.in), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Decide() (-want +got):\n%s", diff)
			}
		})
	}
}

// tenths is the number of firings of a fixed rate of 100 ms in the year from
// noon to year.
const tenths = 365 * 24 * 60 * 60 * 10

var (
	year       = noon.AddDate(1, 0, 0)
	endOfYears = time.Date(MaxYear+1, 1, 1, 0, 0, 0, 0, time.UTC)
)

// tenth returns the tenths of a second around year from one number to another.
func tenth(from, to int) (list []time.Time) {
	for i := from; i <= to; i++ {
		list = append(list, year.Add(time.Duration(i)*100*time.Millisecond))
	}
	return list
}

// tenthsBefore returns the last n tenths of a second before an instant.
func tenthsBefore(end time.Time, n int) (list []time.Time) {
	for i := n; i > 0; i-- {
		list = append(list, end.Add(time.Duration(-i)*100*time.Millisecond))
	}
	return list
}

func minutesTo(end time.Time, from, to int) (list []time.Time) {
	for i := from; i <= to; i++ {
		list = append(list, end.Add(time.Duration(i)*time.Minute))
	}
	return list
}

func compiled(t *testing.T, spec Spec) Schedule {
	t.Helper()
	s, err := spec.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// naive decides by looking at each firing.
func naive(in Input) (d Decision) {
	left, keep := 1<<30, map[Misfire]int{MisfireFireOnce: 1, MisfireFireAll: in.Limits.Max}[in.Policy]
	if in.Count > 0 {
		left = in.Count - in.Fired
	}
	keep = min(keep, left)
	next := func(at time.Time) (time.Time, bool) {
		if in.Single {
			return time.Time{}, false
		}
		return in.Schedule.Next(at)
	}
	at, ok := in.Next, true
	var late []time.Time
	for ; ok && in.Now.Sub(at) > in.Limits.Threshold; at, ok = next(at) {
		late = append(late, at)
	}
	for i, l := range late {
		inWindow := in.Policy != MisfireFireAll || in.Limits.Window == 0 || in.Now.Sub(l) <= in.Limits.Window
		if i >= len(late)-keep && inWindow {
			d.Missed = append(d.Missed, l)
		} else {
			d.Skipped = append(d.Skipped, l)
		}
	}
	left -= len(d.Missed)
	for ; ok && !at.After(in.Until) && len(d.Fire) < min(in.Limit, left); at, ok = next(at) {
		d.Fire = append(d.Fire, at)
	}
	if n := len(d.Skipped) - MaxSkipped; n > 0 {
		d.Older = Stretch{Count: n, First: d.Skipped[0], Last: d.Skipped[n-1]}
		d.Skipped = d.Skipped[n:]
	}
	d.Next, d.Ended = at, !ok
	switch {
	case left == len(d.Fire):
		d.Next, d.Ended, d.Spent = time.Time{}, true, true
	case in.Single && len(d.Missed)+len(d.Fire) > 0:
		d.Next, d.Ended = time.Time{}, false
	case in.Single && len(d.Skipped) > 0:
		at, ok := in.Schedule.Next(in.Now)
		d.Next, d.Ended = at, !ok
	}
	return d
}

func TestDecideAgreesWithTheNaiveWay(t *testing.T) {
	t.Parallel()
	crons := []string{"*/10 * * * * ?", "0 */7 * * * ?", "0 0/30 9-17 ? * MON-FRI", "0 30 1 * * ? 2026", "0 0 0 LW * ?"}
	rapid.Check(t, func(t *rapid.T) {
		var s Schedule = rate{rapid.Int64Range(100, 100_000).Draw(t, "period"), noon.UnixMilli()}
		if rapid.Bool().Draw(t, "cron") {
			s = mustParse(t, rapid.SampledFrom(crons).Draw(t, "expr"), "Europe/London")
		}
		now := noon.Add(time.Duration(rapid.Int64Range(0, int64(12*time.Hour)).Draw(t, "now")))
		next, ok := s.Next(now.Add(-time.Duration(rapid.Int64Range(0, int64(10*time.Hour)).Draw(t, "behind"))))
		if !ok {
			t.Skip("nothing fires")
		}
		if rapid.Bool().Draw(t, "opaque") {
			s = opaque{s}
		}
		in := Input{
			Policy:   rapid.SampledFrom([]Misfire{MisfireSkip, MisfireFireOnce, MisfireFireAll}).Draw(t, "policy"),
			Schedule: s, Next: next, Now: now,
			Until: now.Add(time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "horizon"))),
			Limits: MisfireLimits{
				Threshold: time.Duration(rapid.Int64Range(1, int64(5*time.Minute)).Draw(t, "threshold")),
				Window:    time.Duration(max(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "window"), 0)),
				Max:       rapid.IntRange(1, 200).Draw(t, "max"),
			},
			Limit:  rapid.IntRange(1, 30).Draw(t, "limit"),
			Single: rapid.IntRange(0, 9).Draw(t, "single") == 0,
			Count:  max(rapid.IntRange(-20, 20).Draw(t, "count"), 0),
		}
		in.Fired = rapid.IntRange(0, max(in.Count-1, 0)).Draw(t, "fired")
		got, want := Decide(in), naive(in)
		if got.Older.Truncated {
			// The walk ended before the count: all else must be right.
			if got.Older.Count < maxWalk-in.Limits.Max-MaxSkipped || got.Older.Count >= want.Older.Count {
				t.Fatalf("Decide(%+v): at least %d skipped of %d", in, got.Older.Count, want.Older.Count)
			}
			got.Older.Count, got.Older.Truncated = want.Older.Count, false
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("Decide(%+v) (-naive +got):\n%s", in, diff)
		}
	})
}

// opaque hides what kind of schedule it is, as modifiers do.
type opaque struct{ Schedule }

// A job that was forgotten for decades must not hold up a planner.
func TestDecideIsBounded(t *testing.T) {
	t.Parallel()
	for _, spec := range []Spec{
		{Kind: KindCron, Cron: "* * * * * ?", Zone: "America/New_York"},
		{Kind: KindCron, Cron: "0 0 0 29 2 ?", Zone: "America/New_York"},
		{Kind: KindEvery, Every: MinEvery},
		{Kind: KindEvery, Every: MaxEvery},
	} {
		for _, s := range []Schedule{compiled(t, spec), opaque{compiled(t, spec)}} {
			counted := &counting{schedule: s}
			in := Input{Policy: MisfireFireAll, Schedule: counted, Next: time.Unix(0, 0), Now: noon.Add(time.Minute), Limit: 100}
			got := Decide(in)
			// Two hundred firings that the halving looks for, in 60 years of
			// milliseconds.
			if most := maxWalk + (DefaultMissed+MaxSkipped+2)*45; counted.asked > most {
				t.Errorf("%s: asked %d times for the next firing, allowed are %d", spec, counted.asked, most)
			}
			if len(got.Missed) > 100 || !slices.IsSortedFunc(got.Missed, time.Time.Compare) || !got.Next.After(noon) {
				t.Errorf("%s: Decide() = %d missed, sorted or not, next %s", spec, len(got.Missed), got.Next)
			}
			if n := len(got.Missed); n > 0 && !between(s, got.Missed[n-1], got.Fire, got.Next) {
				t.Errorf("%s: between %s and %s something else fires", spec, got.Missed[n-1], got.Next)
			}
		}
	}
	hopeless := Input{
		Policy: MisfireFireAll, Schedule: rate{100, 0}, Now: noon, Next: time.Unix(0, 0), Limit: 1 << 62,
		Limits: MisfireLimits{Max: 1 << 62},
	}
	if got := Decide(hopeless); len(got.Missed) != MaxMissed {
		t.Errorf("%d firings made up for, want %d", len(got.Missed), MaxMissed)
	}
}

// counting counts how often it is asked.
type counting struct {
	schedule Schedule
	asked    int
}

func (c *counting) Next(after time.Time) (time.Time, bool) {
	c.asked++
	return c.schedule.Next(after)
}

// between reports whether exactly the firings are between two others.
func between(s Schedule, after time.Time, firings []time.Time, before time.Time) bool {
	return slices.Equal(Between(s, after.Add(1), before, len(firings)+1), firings)
}

func TestMisfireLimitsValidate(t *testing.T) {
	t.Parallel()
	for _, good := range []MisfireLimits{
		{},
		{Threshold: time.Millisecond, Window: time.Second, Max: 1, Spacing: time.Millisecond},
		{Threshold: MaxThreshold, Window: MaxWindow, Max: MaxMissed, Spacing: MaxSpacing},
	} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for _, bad := range []struct {
		limits MisfireLimits
		input  string
		text   string
	}{
		{MisfireLimits{Threshold: -1}, "threshold", "the threshold -1ns is out of range; allowed are up to 24h; 0 means the default"},
		{MisfireLimits{Threshold: MaxThreshold + time.Millisecond}, "threshold", "the threshold 24h0m0.001s is out of range; allowed are up to 24h; 0 means the default"},
		{MisfireLimits{Threshold: time.Millisecond + 1}, "threshold", "the threshold 1.000001ms is not a whole number of milliseconds; round it to milliseconds"},
		{MisfireLimits{Window: -time.Hour}, "window", "the window -1h is out of range; allowed are up to 87600h; 0 means the default"},
		{MisfireLimits{Window: MaxWindow + time.Hour}, "window", "the window 87601h is out of range; allowed are up to 87600h; 0 means the default"},
		{MisfireLimits{Max: -1}, "max", "-1 firings to make up for are out of range; allowed are 1-10000; 0 means the default, 100"},
		{MisfireLimits{Max: MaxMissed + 1}, "max", "10001 firings to make up for are out of range; allowed are 1-10000; 0 means the default, 100"},
		{MisfireLimits{Spacing: MaxSpacing + time.Second}, "spacing", "the spacing 1h0m1s is out of range; allowed are up to 1h; 0 means the default"},
	} {
		err, ok := errors.AsType[*Error](bad.limits.Validate())
		if !ok || err.Input != "misfire_limits."+bad.input || err.Error() != bad.text {
			t.Errorf("%+v: %+v, want %q about %s", bad.limits, err, bad.text, bad.input)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	in := Input{
		Policy: MisfireFireOnce, Schedule: mustParse(b, "0 */5 * * * ?", "Asia/Shanghai"),
		Next: noon, Now: noon, Until: noon.Add(2 * time.Second), Limit: 100,
	}
	b.ReportAllocs()
	for b.Loop() {
		Decide(in)
	}
}
