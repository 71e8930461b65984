package schedule

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
			"late within the tolerance",
			Input{
				Policy: MisfireSkip, Schedule: minutely, Next: noon, Now: at(2)[0], Until: at(2)[0],
				Tolerance: 2 * time.Minute, Limit: 10,
			},
			Decision{Fire: at(0, 1, 2), Next: at(3)[0]},
		},
		{
			"skip",
			Input{
				Policy: MisfireSkip, Schedule: minutely, Next: noon, Now: at(5)[0].Add(time.Second), Until: at(6)[0],
				Tolerance: 30 * time.Second, Limit: 10,
			},
			Decision{Skipped: 5, FirstSkipped: noon, Fire: at(5, 6), Next: at(7)[0]},
		},
		{
			"an unknown policy skips",
			Input{Policy: "?", Schedule: minutely, Next: noon, Now: at(2)[0], Limit: 10},
			Decision{Skipped: 2, FirstSkipped: noon, Fire: at(2), Next: at(3)[0]},
		},
		{
			"fire once",
			Input{
				Policy: MisfireFireOnce, Schedule: minutely, Next: noon, Now: at(5)[0].Add(time.Second), Until: at(5)[0],
				Tolerance: 30 * time.Second, Limit: 10,
			},
			Decision{Missed: at(4), Skipped: 4, FirstSkipped: noon, Fire: at(5), Next: at(6)[0]},
		},
		{
			"fire all",
			Input{Policy: MisfireFireAll, Schedule: minutely, Next: noon, Now: at(4)[0].Add(1), Limit: 5},
			Decision{Missed: at(0, 1, 2, 3, 4), Next: at(5)[0]},
		},
		{
			"fire the newest of too many",
			Input{Policy: MisfireFireAll, Schedule: minutely, Next: noon, Now: at(60)[0].Add(1), Limit: 3},
			Decision{Missed: at(58, 59, 60), Skipped: 58, FirstSkipped: noon, Next: at(61)[0]},
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
			Decision{Skipped: 1, FirstSkipped: noon, Ended: true},
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
			Input{Policy: MisfireSkip, Schedule: minutely, Next: noon.Add(time.Second), Now: at(1)[0], Tolerance: time.Hour, Limit: 10},
			Decision{Fire: []time.Time{noon.Add(time.Second), at(1)[0]}, Next: at(2)[0]},
		},
		{
			"a fixed rate off for a year",
			Input{
				Policy: MisfireFireAll, Schedule: quick, Next: noon, Now: noon.AddDate(1, 0, 0).Add(50 * time.Millisecond),
				Tolerance: 20 * time.Millisecond, Limit: 2,
			},
			Decision{
				Missed:  []time.Time{noon.AddDate(1, 0, 0).Add(-100 * time.Millisecond), noon.AddDate(1, 0, 0)},
				Skipped: 365*24*60*60*10 - 1, FirstSkipped: noon, Next: noon.AddDate(1, 0, 0).Add(100 * time.Millisecond),
			},
		},
		{
			"a fixed rate off for a year, let go",
			Input{Policy: MisfireSkip, Schedule: quick, Next: noon, Now: noon.AddDate(1, 0, 0), Limit: 2},
			Decision{
				Skipped: 365 * 24 * 60 * 60 * 10, FirstSkipped: noon, Fire: []time.Time{noon.AddDate(1, 0, 0)},
				Next: noon.AddDate(1, 0, 0).Add(100 * time.Millisecond),
			},
		},
		{
			"a cron off for a year",
			Input{Policy: MisfireFireAll, Schedule: minutely, Next: noon, Now: noon.AddDate(1, 0, 0).Add(1), Limit: 2},
			Decision{
				Missed:  []time.Time{noon.AddDate(1, 0, 0).Add(-time.Minute), noon.AddDate(1, 0, 0)},
				Skipped: maxWalk, FirstSkipped: noon, Truncated: true, Next: noon.AddDate(1, 0, 0).Add(time.Minute),
			},
		},
		{
			"a cron off for a year, let go",
			Input{Policy: MisfireSkip, Schedule: minutely, Next: noon, Now: noon.AddDate(1, 0, 0), Limit: 2},
			Decision{
				Skipped: maxWalk, FirstSkipped: noon, Truncated: true, Fire: []time.Time{noon.AddDate(1, 0, 0)},
				Next: noon.AddDate(1, 0, 0).Add(time.Minute),
			},
		},
		{
			"just past the walk",
			Input{Policy: MisfireFireAll, Schedule: minutely, Next: noon, Now: at(maxWalk + 1)[0], Limit: 3},
			Decision{
				Missed: at(maxWalk-2, maxWalk-1, maxWalk), Skipped: maxWalk - 2, FirstSkipped: noon,
				Fire: at(maxWalk + 1), Next: at(maxWalk + 2)[0],
			},
		},
		{
			"after the end of the years",
			Input{Policy: MisfireSkip, Schedule: quick, Next: time.Date(2126, 12, 31, 23, 59, 59, 0, time.UTC), Now: noon.AddDate(200, 0, 0), Limit: 3},
			Decision{Skipped: 10, FirstSkipped: time.Date(2126, 12, 31, 23, 59, 59, 0, time.UTC), Ended: true},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, Decide(tc.in)); diff != "" {
				t.Errorf("Decide() (-want +got):\n%s", diff)
			}
		})
	}
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
	var late []time.Time
	at, ok := in.Next, true
	for ; ok && !at.After(in.Until); at, ok = in.Schedule.Next(at) {
		if in.Now.Sub(at) > in.Tolerance {
			late = append(late, at)
			continue
		}
		if len(d.Fire) >= in.Limit {
			break
		}
		d.Fire = append(d.Fire, at)
	}
	keep := map[Misfire]int{MisfireSkip: 0, MisfireFireOnce: 1, MisfireFireAll: in.Limit}[in.Policy]
	d.Skipped = max(len(late)-keep, 0)
	d.Missed = late[d.Skipped:]
	if d.Skipped > 0 {
		d.FirstSkipped = late[0]
	}
	d.Next, d.Ended = at, !ok
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
		in := Input{
			Policy:   rapid.SampledFrom([]Misfire{MisfireSkip, MisfireFireOnce, MisfireFireAll}).Draw(t, "policy"),
			Schedule: s, Next: next, Now: now,
			Until:     now.Add(time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(t, "horizon"))),
			Tolerance: time.Duration(rapid.Int64Range(0, int64(5*time.Minute)).Draw(t, "tolerance")),
			Limit:     rapid.IntRange(1, 30).Draw(t, "limit"),
		}
		got, want := Decide(in), naive(in)
		if got.Truncated {
			// The walk ended before the count: all else must be right.
			if got.Skipped < maxWalk-in.Limit || got.Skipped >= want.Skipped {
				t.Fatalf("Decide(%+v): at least %d skipped of %d", in, got.Skipped, want.Skipped)
			}
			got.Skipped, got.Truncated = want.Skipped, false
		}
		if !slices.Equal(got.Missed, want.Missed) {
			t.Fatalf("Decide(%+v) makes up for %v, want %v", in, got.Missed, want.Missed)
		}
		got.Missed, want.Missed = nil, nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("Decide(%+v) (-naive +got):\n%s", in, diff)
		}
	})
}

// A job that was forgotten for decades must not hold up a planner.
func TestDecideIsBounded(t *testing.T) {
	t.Parallel()
	for _, spec := range []Spec{
		{Kind: KindCron, Cron: "* * * * * ?", Zone: "America/New_York"},
		{Kind: KindCron, Cron: "0 0 0 29 2 ?", Zone: "America/New_York"},
		{Kind: KindEvery, Every: MinEvery},
		{Kind: KindEvery, Every: MaxEvery},
	} {
		in := Input{Policy: MisfireFireAll, Schedule: compiled(t, spec), Next: time.Unix(0, 0), Now: noon.Add(1), Limit: 100}
		var got Decision
		if took := quickest(func() { got = Decide(in) }); took > 200*time.Millisecond {
			t.Errorf("%s: took %s", spec, took)
		}
		if len(got.Missed) > in.Limit || !slices.IsSortedFunc(got.Missed, time.Time.Compare) || !got.Next.After(noon) {
			t.Errorf("%s: Decide() = %d missed, sorted or not, next %s", spec, len(got.Missed), got.Next)
		}
		if n := len(got.Missed); n > 0 && !got.Next.Equal(firings(in.Schedule, got.Missed[n-1], 1)[0]) {
			t.Errorf("%s: between %s and %s something fires", spec, got.Missed[n-1], got.Next)
		}
	}
	hopeless := Input{Policy: MisfireFireAll, Schedule: rate{100, 0}, Now: noon, Limit: 1 << 62, Next: time.Unix(0, 0)}
	if got := Decide(hopeless); len(got.Missed) != maxWalk {
		t.Errorf("%d firings made up for, want %d", len(got.Missed), maxWalk)
	}
}

func BenchmarkDecide(b *testing.B) {
	in := Input{
		Policy: MisfireFireOnce, Schedule: mustParse(b, "0 */5 * * * ?", "Asia/Shanghai"),
		Next: noon, Now: noon, Until: noon.Add(2 * time.Second), Tolerance: time.Minute, Limit: 100,
	}
	b.ReportAllocs()
	for b.Loop() {
		Decide(in)
	}
}
