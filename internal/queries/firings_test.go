package queries

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// hours are the slots at so many hours after midnight.
func hours(slots []schedule.Slot) []int {
	var at []int
	for _, s := range slots {
		at = append(at, int(s.At.Sub(jobstest.Midnight)/time.Hour))
	}
	return at
}

func TestFirings(t *testing.T) {
	t.Parallel()
	_, c := newRoom()
	c.hourly(t)
	f, err := c.Firings(t.Context(), "", "report", jobstest.Midnight, 3)
	if err != nil || !f.More || f.Zone != time.UTC || f.Spec.Kind != schedule.KindEvery {
		t.Fatalf("firings %+v, %v", f, err)
	}
	if diff := cmp.Diff([]int{1, 2, 3}, hours(f.Slots)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"the job is stopped: it fires nothing before it is started"}, f.Warnings); diff != "" {
		t.Error(diff)
	}
	for asked, want := range map[int]int{0: DefaultFirings, 7: 7, MaxFirings + 1: MaxFirings} {
		f, err := c.Firings(t.Context(), "", "report", time.Time{}, asked)
		if err != nil || len(f.Slots) != want || !f.Slots[0].At.After(time.Now().Add(-time.Minute)) {
			t.Errorf("asked for %d: got %d, %v", asked, len(f.Slots), err)
		}
	}
	if _, err := c.Firings(t.Context(), "", "unknown", jobstest.Midnight, 3); !job.Is(err, job.NotFound) {
		t.Errorf("an unknown job: %v", err)
	}
	_, err = c.Firings(t.Context(), "", "report", time.Date(1066, 1, 1, 0, 0, 0, 0, time.UTC), 3)
	jobstest.WantField(t, err, "from")
}

// The Count of a job's schedule ends the list, with what it has made so far.
func TestFiringsEndWithTheCount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		alter func(*job.Job)
		want  []int
		more  bool
	}{
		{"none made", func(*job.Job) {}, []int{1, 2, 3, 4}, false},
		{"some made", func(j *job.Job) { j.Fired = 2 }, []int{1, 2}, false},
		{"one of them lies ahead", func(j *job.Job) { j.Fired, j.LastAt = 2, jobstest.Midnight.Add(time.Hour) }, []int{1, 2, 3}, false},
		{"all made", func(j *job.Job) { j.Fired = 4 }, nil, false},
		{"begins anew", func(j *job.Job) { j.Fired, j.StopReason = 4, "its schedule has made its 4 runs" }, []int{1, 2, 3, 4}, false},
		{"more than asked for", func(j *job.Job) { j.Schedule.Count = 6 }, []int{1, 2, 3, 4, 5}, true},
		{"as many as asked for", func(j *job.Job) { j.Schedule.Count = 5 }, []int{1, 2, 3, 4, 5}, false},
	} {
		w, c := newRoom()
		j := jobstest.GoodJob()
		j.Schedule = schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour, Anchor: jobstest.Midnight, Count: 4}
		j = c.create(t, j)
		test.alter(&j)
		w.JobsByKey["report"] = j
		f, err := c.Firings(t.Context(), "", "report", jobstest.Midnight, 5)
		if diff := cmp.Diff(test.want, hours(f.Slots)); err != nil || diff != "" || f.More != test.more {
			t.Errorf("%s: more is %t, %v %s", test.name, f.More, err, diff)
		}
	}
}

func TestFiringsTellOfCalendars(t *testing.T) {
	t.Parallel()
	_, c := newRoom()
	_, err := c.commands.SaveCalendar(t.Context(), job.Calendar{Key: "works", Rules: calendar.Rules{
		Dates: []calendar.Day{{Date: jobstest.Day(t, "2026-01-06"), Name: "Stocktaking"}}, KnownUntil: jobstest.Day(t, "2026-01-06"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := schedule.Spec{Kind: schedule.KindEvery, Every: 24 * time.Hour, Anchor: jobstest.Midnight, Calendars: []string{"works"}}
	f, err := c.FiringsOf(t.Context(), "", s, "", jobstest.Midnight.Add(-1), 3)
	if err != nil {
		t.Fatal(err)
	}
	tuesday, wednesday := jobstest.Midnight.Add(24*time.Hour), jobstest.Midnight.Add(48*time.Hour)
	want := []schedule.Slot{
		{At: jobstest.Midnight, Named: jobstest.Midnight},
		{At: tuesday, Named: tuesday, Dropped: true, Calendar: "works", Day: "Stocktaking"},
		{At: wednesday, Named: wednesday},
	}
	if diff := cmp.Diff(want, f.Slots); diff != "" {
		t.Errorf("slots (-want +got):\n%s", diff)
	}
	if len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "works knows no single days after 2026-01-06") {
		t.Errorf("warnings %q", f.Warnings)
	}
	if f, err = c.FiringsOf(t.Context(), "", s, "", jobstest.Midnight.Add(-1), 2); err != nil || len(f.Warnings) != 0 {
		t.Errorf("warnings within the days that are known: %q, %v", f.Warnings, err)
	}
	s.Calendars = []string{"unknown"}
	_, err = c.FiringsOf(t.Context(), "", s, "", jobstest.Midnight, 3)
	jobstest.WantField(t, err, "schedule.calendars")
}

// A calendar that came to forbid every firing of a job shows them all as dropped,
// and one that is gone is an error.
func TestFiringsThatFallAway(t *testing.T) {
	t.Parallel()
	_, c := newRoom()
	c.closed(t, "works", "2026-01-01", "2026-01-02")
	j := jobstest.GoodJob()
	j.Schedule = schedule.Spec{
		Kind: schedule.KindEvery, Every: time.Hour, Anchor: jobstest.Midnight, End: jobstest.Midnight.Add(5 * time.Hour), Calendars: []string{"works"},
	}
	c.create(t, j)
	c.closed(t, "works", "2026-01-01", "2026-12-31")
	f, err := c.Firings(t.Context(), "", "report", jobstest.Midnight, 3)
	if err != nil || !cmp.Equal(hours(f.Slots), []int{1, 2, 3}) || f.More {
		t.Fatalf("%+v, %v", f, err)
	}
	for _, slot := range f.Slots {
		if !slot.Dropped || slot.Calendar != "works" || slot.Day != "Works" {
			t.Errorf("%+v is not dropped by the calendar", slot)
		}
	}
	if err := c.commands.DeleteCalendar(t.Context(), "", "works"); err != nil {
		t.Fatal(err)
	}
	_, err = c.Firings(t.Context(), "", "report", jobstest.Midnight, 3)
	jobstest.WantField(t, err, "schedule.calendars")
}

// A schedule of no job gets the defaults that a new job's would.
func TestFiringsOf(t *testing.T) {
	t.Parallel()
	_, c := newRoom()
	ctx := t.Context()
	f, err := c.FiringsOf(ctx, "", schedule.Spec{Kind: schedule.KindCron, Cron: "0 30 2 * * ?", Zone: "Europe/Berlin"},
		"", time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC), 1)
	// Clocks go forward in that night: the firing comes at three.
	if want := time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC); err != nil || !f.Slots[0].At.Equal(want) || f.Zone.String() != "Europe/Berlin" {
		t.Errorf("%+v, %v", f, err)
	}
	jittered := schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour, Anchor: jobstest.Midnight, Jitter: 10 * time.Minute}
	if f, err = c.FiringsOf(ctx, "", jittered, "report", jobstest.Midnight, 1); err != nil || f.Spec.Seed != schedule.Seed("default", "report") || len(f.Warnings) != 0 {
		t.Errorf("jitter of a job: %+v, %v", f, err)
	}
	if f, err = c.FiringsOf(ctx, "", jittered, "", jobstest.Midnight, 1); err != nil || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "key of the job") {
		t.Errorf("jitter of no job: %+v, %v", f, err)
	}
	f, err = c.FiringsOf(ctx, "", schedule.Spec{Kind: schedule.KindOnce, Delay: time.Hour}, "", jobstest.Midnight, 3)
	if err != nil || !cmp.Equal(hours(f.Slots), []int{1}) || f.More || len(f.Warnings) != 1 {
		t.Errorf("once after an hour: %+v, %v", f, err)
	}
	if f, err = c.FiringsOf(ctx, "", schedule.Spec{}, "", jobstest.Midnight, 3); err != nil || len(f.Slots) != 0 || f.More {
		t.Errorf("manual: %+v, %v", f, err)
	}
	for field, s := range map[string]schedule.Spec{
		"schedule.cron": {Kind: schedule.KindCron, Cron: "x"}, "schedule.kind": {Kind: "moon"},
		"schedule.at": {Kind: schedule.KindOnce, At: jobstest.Midnight, Delay: time.Hour},
	} {
		_, err := c.FiringsOf(ctx, "", s, "", jobstest.Midnight, 3)
		jobstest.WantField(t, err, field)
	}
	_, err = c.FiringsOf(ctx, "", schedule.Spec{}, "No", jobstest.Midnight, 3)
	jobstest.WantField(t, err, "job_key")
	_, err = c.FiringsOf(ctx, "No", schedule.Spec{}, "", jobstest.Midnight, 3)
	jobstest.WantField(t, err, "namespace")
}

// Of a fixed delay only the next firing is known, and none while a run is open.
func TestFiringsOfAFixedDelay(t *testing.T) {
	t.Parallel()
	w, c := newRoom()
	j := jobstest.GoodJob()
	j.Schedule = schedule.Spec{Kind: schedule.KindAfter, After: time.Hour}
	c.create(t, j)
	f, err := c.Firings(t.Context(), "", "report", jobstest.Midnight, 3)
	if err != nil || !cmp.Equal(hours(f.Slots), []int{0}) || !f.More || len(f.Warnings) != 2 {
		t.Errorf("stopped: %+v, %v", f, err)
	}
	j = w.JobsByKey["report"]
	j.Enabled, j.NextAt = true, jobstest.Midnight.Add(5*time.Hour)
	w.JobsByKey["report"] = j
	if f, err = c.Firings(t.Context(), "", "report", jobstest.Midnight, 3); err != nil || !cmp.Equal(hours(f.Slots), []int{5}) || !f.More {
		t.Errorf("started: %+v, %v", f, err)
	}
	j.NextAt = time.Time{}
	w.JobsByKey["report"] = j
	if f, err = c.Firings(t.Context(), "", "report", jobstest.Midnight, 3); err != nil || len(f.Slots) != 0 || !f.More {
		t.Errorf("while a run is open: %+v, %v", f, err)
	}
}

func TestFiringsTellOfPauses(t *testing.T) {
	t.Parallel()
	w, c := newRoom()
	j := c.hourly(t)
	j.Enabled = true
	w.JobsByKey["report"] = j
	now := time.Now()
	for key, p := range map[string]job.Pause{
		"here": {Groups: []string{"g"}, Until: now.Add(time.Hour)}, "open": {Namespace: "default"},
		"elsewhere": {Namespace: "team"}, "others": {Groups: []string{"other"}}, "later": {From: now.Add(time.Hour)},
	} {
		p.Key = key
		if _, err := c.commands.SavePause(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	f, err := c.Firings(t.Context(), "", "report", time.Time{}, 1)
	if err != nil || len(f.Warnings) != 2 || !strings.Contains(f.Warnings[0], "the pause here holds the job back until 20") ||
		!strings.Contains(f.Warnings[1], "the pause open holds the job back until it is lifted") {
		t.Errorf("warnings %q, %v", f.Warnings, err)
	}
}
