package queries

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// gauge is a store of figures that keeps what it was asked.
type gauge struct {
	slots   []Slot
	jobs    []job.Job
	fail    error
	asked   []SlotFilter
	failing []FailingJob
}

func (g *gauge) Slots(_ context.Context, f *SlotFilter) ([]Slot, error) {
	g.asked = append(g.asked, *f)
	return g.slots, g.fail
}

func (g *gauge) Late(_ context.Context, f *SlotFilter) (s job.Spread, most time.Duration, err error) {
	g.asked = append(g.asked, *f)
	s.Count(time.Second)
	return s, time.Second, nil
}

func (g *gauge) Failing(_ context.Context, f *SlotFilter) ([]FailingJob, bool, error) {
	g.asked = append(g.asked, *f)
	return g.failing, true, nil
}

func (g *gauge) Backlog(_ context.Context, f *SlotFilter) ([]GroupBacklog, error) {
	g.asked = append(g.asked, *f)
	return []GroupBacklog{{Group: "g", Waiting: 3}}, nil
}

func (g *gauge) Upcoming(_ context.Context, f *SlotFilter, limit int) ([]job.Job, error) {
	g.asked = append(g.asked, *f)
	return g.jobs[:min(limit, len(g.jobs))], nil
}

func dashboards(g *gauge) *Dashboards {
	w, c := newRoom()
	w.Alive = []job.Executor{
		{Namespace: job.DefaultNamespace, Group: "g", Address: "http://1", LeaseUntil: time.Now().Add(time.Hour)},
		{Namespace: job.DefaultNamespace, Group: "g", Address: "http://2", LeaseUntil: time.Now().Add(time.Hour), Draining: true},
		{Namespace: job.DefaultNamespace, Group: "a", Address: "http://3", Unreachable: "no"},
	}
	return NewDashboards(g, c.Catalog)
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().UTC() // midnight
		at := func(d time.Duration) Slot {
			return Slot{From: now.Add(d), Stats: job.Stats{Succeeded: 1, Attempts: 1, Timed: 1, Took: time.Second, TookMax: time.Second}, Spread: job.Spread{10: 1}}
		}
		g := &gauge{slots: []Slot{at(-23*time.Hour - 30*time.Minute), at(-time.Hour), at(-30 * time.Minute), at(0)}, failing: []FailingJob{{JobKey: "j", Runs: 2}}}
		d := dashboards(g)
		got, err := d.Dashboard(t.Context(), &DashboardQuery{Sight: everywhere(), Group: "g", Range: "24h"})
		if err != nil {
			t.Fatal(err)
		}
		var counted []int64
		for i, b := range got.Buckets {
			if b.To.Sub(b.From) != SlotLength || i > 0 && !b.From.Equal(got.Buckets[i-1].To) {
				t.Errorf("bucket %d is from %s to %s", i, b.From, b.To)
			}
			counted = append(counted, b.Succeeded)
		}
		want := make([]int64, 48)
		want[0], want[45], want[46], want[47] = 1, 1, 1, 1
		if diff := cmp.Diff(want, counted); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if got.Total.Succeeded != 4 || got.Total.Spread.Total() != 4 || !got.Total.To.Equal(now.Add(30*time.Minute)) || got.Zone != "UTC" ||
			!got.Partly || len(got.Failing) != 1 || len(got.Backlog) != 1 || got.LateMax != time.Second || got.Late.Total() != 1 {
			t.Errorf("told %+v", got)
		}
		if diff := cmp.Diff([]GroupStanding{{"g", ExecutorFigures{Alive: 1, Draining: 1}}}, got.Groups); diff != "" || got.Executors.Alive != 1 || got.Executors.Unreachable != 0 {
			t.Errorf("executors %+v (-want +got)\n%s", got.Executors, diff)
		}
		spans := make([][2]time.Duration, len(g.asked))
		for i, f := range g.asked {
			spans[i] = [2]time.Duration{f.From.Sub(now), f.To.Sub(now)}
			if f.Group != "g" || !f.Sight.All || f.Short {
				t.Errorf("asked %+v", f)
			}
		}
		day := -24*time.Hour + 30*time.Minute
		wantSpans := [][2]time.Duration{{day, 30 * time.Minute}, {-time.Hour, time.Minute}, {day, 30 * time.Minute}, {day, 0}, {day, time.Hour}}
		if diff := cmp.Diff(wantSpans, spans); diff != "" {
			t.Errorf("asked about (-want +got)\n%s", diff)
		}
		if _, err := d.Dashboard(t.Context(), &DashboardQuery{Sight: everywhere(), Group: "g", Range: "24h"}); err != nil || len(g.asked) != 5 {
			t.Errorf("the same was counted twice within a second: %v", err)
		}
		g.fail = errors.New("away")
		if _, err := d.Dashboard(t.Context(), &DashboardQuery{Sight: everywhere(), Range: "1h"}); !errors.Is(err, g.fail) {
			t.Errorf("figures that cannot be read: %v", err)
		}
	})
}

// Who sees a part is told of its executors alone.
func TestDashboardIsNarrowed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		q    DashboardQuery
		want int
	}{
		{DashboardQuery{Sight: everywhere()}, 2},
		{DashboardQuery{Sight: everywhere(), Namespace: job.DefaultNamespace}, 2},
		{DashboardQuery{Sight: everywhere(), Namespace: "team"}, 0},
		{DashboardQuery{Sight: in(access.Place{Namespace: job.DefaultNamespace, Group: "a"})}, 1},
		{DashboardQuery{Sight: in(access.Place{Namespace: "team", Group: "a"})}, 0},
		{DashboardQuery{}, 0},
	} {
		c.q.Range = "7d"
		got, err := dashboards(&gauge{}).Dashboard(t.Context(), &c.q)
		if err != nil || len(got.Groups) != c.want {
			t.Errorf("%+v: %+v, %v", c.q, got.Groups, err)
		}
	}
}

func TestDashboardQuestions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ of, zone, field string }{
		{"", "", "range"}, {"2h", "", "range"}, {"1h", "Nowhere/City", "zone"}, {"1h", "Local", "zone"}, {"1h", "../../etc/passwd", "zone"},
	} {
		_, err := dashboards(&gauge{}).Dashboard(t.Context(), &DashboardQuery{Sight: everywhere(), Range: c.of, Zone: c.zone})
		wrong, is := errors.AsType[*job.Error](err)
		if !is || wrong.Kind != job.Invalid || wrong.Field != c.field {
			t.Errorf("%q in %q: %v", c.of, c.zone, err)
		}
	}
}

// The firings to come are those of all jobs, in order, the next one of each as the
// planner has it.
func TestUpcoming(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now().UTC()
		every := func(id int64, key string, every, next time.Duration) job.Job {
			return job.Job{
				ID: id, Key: key, Namespace: "n", Group: "g", Enabled: true, NextAt: now.Add(next), CreatedAt: now,
				Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: every, Anchor: now.Add(next)},
			}
		}
		after := job.Job{
			ID: 3, Key: "after", Namespace: "n", Group: "g", Enabled: true, NextAt: now.Add(11 * time.Minute),
			Schedule: schedule.Spec{Kind: schedule.KindAfter, After: time.Minute},
		}
		broken := job.Job{ID: 4, Key: "broken", Enabled: true, NextAt: now.Add(12 * time.Minute), Schedule: schedule.Spec{Kind: "nonsense"}}
		g := &gauge{jobs: []job.Job{every(1, "a", 20*time.Minute, 10*time.Minute), after, broken, every(2, "b", time.Hour, 25*time.Minute)}}
		got, err := dashboards(g).Dashboard(t.Context(), &DashboardQuery{Sight: everywhere(), Range: "1h"})
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, f := range got.Firings {
			told = append(told, f.JobKey+" "+f.At.Sub(now).String())
		}
		want := []string{"a 10m0s", "after 11m0s", "broken 12m0s", "b 25m0s", "a 30m0s", "a 50m0s"}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		g.jobs = []job.Job{every(1, "a", time.Second, 0)}
		got, err = dashboards(g).Dashboard(t.Context(), &DashboardQuery{Sight: everywhere(), Range: "1h"})
		if err != nil || len(got.Firings) != maxUpcoming {
			t.Errorf("%d firings, %v", len(got.Firings), err)
		}
	})
}

// Whatever the zone and the instant: buckets follow each other without a gap, now lies
// in the last one, and days and their quarters begin where clocks say so.
func TestBuckets(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "America/New_York"}
	rapid.Check(t, func(r *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(r, "zone"))
		if err != nil {
			r.Fatal(err)
		}
		now := time.Unix(rapid.Int64Range(1_700_000_000, 1_900_000_000).Draw(r, "now"), 0)
		of := rapid.SampledFrom(Ranges()[:4]).Draw(r, "range")
		buckets, short := cut(of, zone, now)
		n := map[string]int{"1h": 60, "24h": 48, "7d": 28, "30d": 30}[of]
		if len(buckets) != n || short != (of == "1h") {
			r.Fatalf("%d buckets of %s", len(buckets), of)
		}
		if last := buckets[n-1]; now.Before(last.From) || !now.Before(last.To) {
			r.Fatalf("%s is not from %s to %s", now.In(zone), last.From.In(zone), last.To.In(zone))
		}
		for i, b := range buckets {
			if !b.To.After(b.From) || i > 0 && !b.From.Equal(buckets[i-1].To) {
				r.Fatalf("bucket %d is from %s to %s", i, b.From.In(zone), b.To.In(zone))
			}
			hours := map[string]int{"7d": 6, "30d": 24}[of]
			if h, m, s := b.From.In(zone).Clock(); hours > 0 && (h%hours > 1 || m%30 != 0 || s != 0) {
				r.Fatalf("bucket %d of %s begins at %s", i, of, b.From.In(zone))
			}
		}
	})
}

// Whatever the zone and the instant: the day, the week and the month of now hold it,
// the one before ends where it begins, and both are whole.
func TestCalendarBuckets(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/New_York", "Asia/Shanghai"}
	rapid.Check(t, func(r *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(r, "zone"))
		if err != nil {
			r.Fatal(err)
		}
		now := time.Unix(rapid.Int64Range(1_700_000_000, 1_900_000_000).Draw(r, "now"), 0)
		at := rapid.SampledFrom([]int{4, 6, 8}).Draw(r, "range")
		this, short := cut(Ranges()[at], zone, now)
		before, _ := cut(Ranges()[at+1], zone, now)
		first, last, end := this[0].From, this[len(this)-1].To, before[len(before)-1].To
		if short || now.Before(first) || !now.Before(last) || !end.Equal(first) {
			r.Fatalf("%s is from %s to %s, and the one before ends at %s", now.In(zone), first.In(zone), last.In(zone), end.In(zone))
		}
		for _, buckets := range [][]Bucket{this, before} {
			from, to := buckets[0].From.In(zone), buckets[len(buckets)-1].To.In(zone)
			days := map[int]int{4: 1, 6: 7, 8: from.AddDate(0, 1, -from.Day()).Day()}[at]
			if h, m, s := from.Clock(); h+m+s != 0 || !from.AddDate(0, 0, days).Equal(to) {
				r.Fatalf("%s is from %s to %s, which is not %d days", Ranges()[at], from, to, days)
			}
			if at == 6 && from.Weekday() != time.Monday || at == 8 && from.Day() != 1 {
				r.Fatalf("%s begins at %s", Ranges()[at], from)
			}
			for i := 1; i < len(buckets); i++ {
				if !buckets[i].From.Equal(buckets[i-1].To) || !buckets[i].To.After(buckets[i].From) {
					r.Fatalf("bucket %d is from %s to %s", i, buckets[i].From, buckets[i].To)
				}
			}
		}
	})
}

func TestDaysWithAnotherClock(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	buckets, _ := cut("30d", zone, time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC))
	at := slices.IndexFunc(buckets, func(b Bucket) bool { return b.To.Sub(b.From) == 23*time.Hour })
	if at != 27 || !buckets[at].From.Equal(time.Date(2026, 3, 28, 23, 0, 0, 0, time.UTC)) {
		t.Errorf("the short day is bucket %d", at)
	}
}
