package jobs

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

func TestScheduleDefaults(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)
	wall, quartz := schedule.Wall(), schedule.Quartz()
	for name, test := range map[string]struct{ given, want schedule.Spec }{
		"nothing": {schedule.Spec{}, schedule.Spec{Kind: schedule.KindManual}},
		"daily": {
			schedule.Spec{Kind: schedule.KindDaily, Daily: "09:00-18:00 every 5m"},
			schedule.Spec{Kind: schedule.KindDaily, Daily: "09:00-18:00 every 5m", DST: &wall},
		},
		"after": {
			schedule.Spec{Kind: schedule.KindAfter, After: time.Minute},
			schedule.Spec{Kind: schedule.KindAfter, After: time.Minute},
		},
		"several": {
			schedule.Spec{Kind: schedule.KindSeveral, Of: []schedule.Spec{
				{Kind: schedule.KindCron, Cron: "@daily"},
				{Kind: schedule.KindCron, Cron: "@hourly", DST: &quartz},
				{Kind: schedule.KindEvery, Every: time.Minute},
				{Kind: schedule.KindOnce, At: now},
			}},
			schedule.Spec{Kind: schedule.KindSeveral, Of: []schedule.Spec{
				{Kind: schedule.KindCron, Cron: "@daily", DST: &wall},
				{Kind: schedule.KindCron, Cron: "@hourly", DST: &quartz},
				{Kind: schedule.KindEvery, Every: time.Minute, Anchor: now},
				{Kind: schedule.KindOnce, At: now},
			}},
		},
		"jitter": {
			schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute, Anchor: now, Jitter: time.Second, Seed: 7},
			schedule.Spec{Kind: schedule.KindEvery, Every: time.Minute, Anchor: now, Jitter: time.Second, Seed: schedule.Seed("team", "report")},
		},
		"a seed without jitter": {schedule.Spec{Kind: schedule.KindManual, Seed: 7}, schedule.Spec{Kind: schedule.KindManual}},
	} {
		got := test.given
		jobrows.FillSchedule(&got, "team", "report", now)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	mine := []schedule.Spec{{Kind: schedule.KindEvery, Every: time.Minute}}
	s := schedule.Spec{Kind: schedule.KindSeveral, Of: mine}
	if jobrows.FillSchedule(&s, "", "", now); !mine[0].Anchor.IsZero() {
		t.Error("the slice of the caller was written to")
	}
}

// What is wrong with a schedule names its place, also deep inside.
func TestCheckSchedule(t *testing.T) {
	t.Parallel()
	now := time.Now()
	_, c := newWorld()
	closed(t, c, "works", "2030-01-01", "2030-01-31")
	for _, test := range []struct {
		field string
		alter func(*job.Job)
	}{
		{"stop_after", func(j *job.Job) { j.StopAfter = -1 }},
		{"stop_after", func(j *job.Job) { j.StopAfter = job.MaxStopAfter + 1 }},
		{"misfire_limits.threshold", func(j *job.Job) { j.MisfireLimits.Threshold = schedule.MaxThreshold + 1 }},
		{"misfire_limits.max", func(j *job.Job) { j.MisfireLimits.Max = -1 }},
		{"schedule.at", func(j *job.Job) {
			j.Schedule = schedule.Spec{Kind: schedule.KindOnce, At: now.Add(time.Hour), Delay: time.Minute}
		}},
		{"schedule.after", func(j *job.Job) { j.Schedule = schedule.Spec{Kind: schedule.KindAfter} }},
		{"schedule.calendars", func(j *job.Job) { j.Schedule.Calendars = []string{"works", "unknown"} }},
		{"schedule.of[1].cron", func(j *job.Job) {
			j.Schedule = schedule.Spec{Kind: schedule.KindSeveral, Of: []schedule.Spec{
				{Kind: schedule.KindEvery, Every: time.Minute}, {Kind: schedule.KindCron, Cron: "61 * * * * ?"},
			}}
		}},
	} {
		j := jobstest.GoodJob()
		test.alter(&j)
		_, err := c.CreateJob(t.Context(), j)
		jobstest.WantField(t, err, test.field)
	}
	j := jobstest.GoodJob()
	j.Schedule.Calendars = []string{"works"}
	if got := create(t, c, j); !cmp.Equal(got.Schedule.Calendars, []string{"works"}) {
		t.Errorf("created %+v", got.Schedule)
	}
}

// A calendar of another namespace is not the job's.
func TestCalendarsAreOfTheNamespace(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	closed(t, c, "works", "2030-01-01", "2030-01-31")
	j := jobstest.GoodJob()
	j.Namespace, j.Schedule.Calendars = "team", []string{"works"}
	_, err := c.CreateJob(t.Context(), j)
	jobstest.WantField(t, err, "schedule.calendars")
	spoilt := w.CalendarsByKey["default/works"]
	spoilt.Rules.Yearly = []calendar.Yearly{{Rule: "never"}}
	w.CalendarsByKey["default/works"] = spoilt
	j.Namespace = ""
	_, err = c.CreateJob(t.Context(), j)
	jobstest.WantField(t, err, "schedule.calendars")
}

func TestEnable(t *testing.T) {
	t.Parallel()
	// A Friday, in the evening in Shanghai.
	now := time.Date(2030, 5, 31, 12, 0, 0, 0, time.UTC)
	weekend, err := calendar.Rules{Ranges: []calendar.Range{{From: jobstest.Day(t, "2030-06-01"), To: jobstest.Day(t, "2030-06-02")}}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	today, err := calendar.Rules{Dates: []calendar.Day{{Date: jobstest.Day(t, "2030-05-31")}}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	known := jobrows.Calendars{"weekend": weekend, "today": today}
	after := schedule.Spec{Kind: schedule.KindAfter, After: time.Hour}
	with := func(s schedule.Spec, alter func(*schedule.Spec)) schedule.Spec {
		alter(&s)
		return s
	}
	for name, test := range map[string]struct {
		spec schedule.Spec
		want time.Time // zero: it cannot be started
	}{
		"manual": {schedule.Spec{Kind: schedule.KindManual}, time.Time{}},
		"after":  {after, now},
		"after, later": {
			with(after, func(s *schedule.Spec) { s.Start = now.Add(time.Minute) }), now.Add(time.Minute),
		},
		"after, too late": {with(after, func(s *schedule.Spec) { s.End = now }), time.Time{}},
		"after, on an allowed day": {
			with(after, func(s *schedule.Spec) { s.Calendars = []string{"weekend"} }), now,
		},
		"after, on closed days": {
			with(after, func(s *schedule.Spec) { s.Calendars, s.Zone = []string{"weekend", "today"}, "Asia/Shanghai" }),
			time.Date(2030, 6, 2, 16, 0, 0, 0, time.UTC), // Monday begins
		},
		"after, closed to the end": {
			with(after, func(s *schedule.Spec) { s.Calendars, s.End = []string{"today"}, now.Add(time.Hour) }), time.Time{},
		},
		"every": {
			schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour, Anchor: now}, now.Add(time.Hour),
		},
		"once, passed":  {schedule.Spec{Kind: schedule.KindOnce, At: now.Add(-time.Second)}, time.Time{}},
		"once, delayed": {schedule.Spec{Kind: schedule.KindOnce, Delay: time.Hour}, now.Add(time.Hour)},
		"once, delayed again": {
			schedule.Spec{Kind: schedule.KindOnce, Delay: time.Hour, At: now.Add(-time.Hour)}, now.Add(time.Hour),
		},
		"daily, over": {
			schedule.Spec{Kind: schedule.KindDaily, Daily: "09:00-18:00 every 5m", End: now.Add(-time.Hour)}, time.Time{},
		},
	} {
		j := job.Job{Schedule: test.spec}
		err := enable(&j, now, known)
		if test.want.IsZero() {
			if !job.Is(err, job.Invalid) || j.Enabled {
				t.Errorf("%s: enabled %t, %v", name, j.Enabled, err)
			}
			continue
		}
		if err != nil || !j.Enabled || !j.NextAt.Equal(test.want) {
			t.Errorf("%s: enabled %t, next firing %s, want %s; %v", name, j.Enabled, j.NextAt, test.want, err)
		}
	}
}

// A delay counts from each start; a job that stopped by itself counts its runs
// anew, one that a user stopped goes on counting.
func TestStartJobBeginsAnew(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := jobstest.GoodJob()
	j.Schedule = schedule.Spec{Kind: schedule.KindOnce, Delay: time.Hour}
	create(t, c, j)
	started, err := c.StartJob(t.Context(), "", "report")
	if err != nil || started.Schedule.At.IsZero() || !started.NextAt.Equal(started.Schedule.At) || started.Schedule.Delay != time.Hour {
		t.Fatalf("started %+v, %v", started, err)
	}
	stop := func(fired, failures int, reason string) {
		j := w.JobsByKey["report"]
		j.Enabled, j.NextAt, j.Fired, j.Failures, j.StopReason, j.HeldBy = false, time.Time{}, fired, failures, reason, "all"
		j.Schedule.At = time.Unix(1, 0)
		w.JobsByKey["report"] = j
	}
	stop(1, 3, "its schedule has no further firing")
	again, err := c.StartJob(t.Context(), "", "report")
	if err != nil || time.Until(again.NextAt) < 59*time.Minute || again.Fired != 0 || again.Failures != 0 || again.StopReason != "" || again.HeldBy != "" {
		t.Errorf("started again: %+v, %v", again, err)
	}
	stop(1, 3, "")
	if again, err = c.StartJob(t.Context(), "", "report"); err != nil || again.Fired != 1 || again.Failures != 0 {
		t.Errorf("started after a user stopped it: %+v, %v", again, err)
	}
}
