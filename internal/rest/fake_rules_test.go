package rest_test

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

func (f *fake) SaveCalendar(_ context.Context, c job.Calendar) (job.Calendar, error) {
	err := f.note("save calendar %s/%s %q with %d yearly rules over %d", c.Namespace, c.Key, c.Title, len(c.Rules.Yearly), c.Version)
	return aCalendar(), err
}

func (f *fake) ImportCalendar(_ context.Context, c job.Calendar, from catalog.Import) (job.Calendar, []string, error) {
	err := f.note("import calendar %s/%s %q from %+v", c.Namespace, c.Key, c.Title, from)
	return aCalendar(), []string{"line 2 was left out"}, err
}

func (f *fake) DeleteCalendar(_ context.Context, namespace, key string) error {
	return f.note("delete calendar %s/%s", namespace, key)
}

func (f *fake) Calendar(_ context.Context, namespace, key string) (job.Calendar, error) {
	return aCalendar(), f.note("calendar %s/%s", namespace, key)
}

func (f *fake) Calendars(_ context.Context, namespace string) ([]job.Calendar, error) {
	return []job.Calendar{aCalendar()}, f.note("calendars %s", namespace)
}

func (f *fake) ShippedCalendars() []catalog.Shipped {
	return []catalog.Shipped{{Key: "cn", Title: "China", FirstYear: 2020, LastYear: 2030, Source: "a package"}}
}

func (f *fake) SavePause(_ context.Context, p job.Pause) (catalog.Pause, error) {
	err := f.note("pause %s of version %d %q of %q %v from %s until %s", p.Key, p.Version, p.Reason, p.Namespace, p.Groups,
		p.From.Format(time.RFC3339), p.Until.Format(time.RFC3339))
	p.Version++
	return catalog.Pause{Pause: p, Active: true, EndsAt: instant}, err
}

func (f *fake) DeletePause(_ context.Context, key string) error { return f.note("lift %s", key) }

func (f *fake) Pause(_ context.Context, key string) (catalog.Pause, error) {
	return aPause(), f.note("pause %s", key)
}

func (f *fake) Pauses(context.Context) ([]catalog.Pause, error) {
	return []catalog.Pause{aPause()}, f.note("pauses")
}

func (f *fake) Firings(_ context.Context, namespace, key string, from time.Time, n int) (catalog.Firings, error) {
	return someFirings(), f.note("firings %s/%s from %s, %d", namespace, key, from.Format(time.RFC3339), n)
}

func (f *fake) FiringsOf(_ context.Context, namespace string, s schedule.Spec, jobKey string, from time.Time, n int) (catalog.Firings, error) {
	return someFirings(), f.note("firings of %s in %s as %q from %s, %d", s, namespace, jobKey, from.Format(time.RFC3339), n)
}

func (f *fake) Timeline(_ context.Context, q catalog.TimelineQuery) (catalog.Timeline, error) {
	line := catalog.Timeline{From: q.From, Until: q.Until, Next: "report", Jobs: []catalog.JobTimes{
		{Job: job.Job{Key: "busy", Title: "Busy", Group: "g", Schedule: schedule.Spec{Zone: "Asia/Shanghai"}}, Minutes: []int{0, 90}, Counts: []int{1, 6}, Partly: true},
		{Job: job.Job{Key: "report", Group: "g"}, Problem: "no such calendar"},
	}}
	return line, f.note("timeline of %s/%s from %s until %s after %q, %d", q.Namespace, q.Group,
		q.From.Format(time.RFC3339), q.Until.Format(time.RFC3339), q.After, q.Limit)
}

func (f *fake) PreviewBackfill(_ context.Context, namespace, key string, b job.Backfill) (job.Backfill, error) {
	return aBackfill(0), f.note("preview backfill %s/%s from %s to %s, %d", namespace, key, b.From.Format(time.RFC3339), b.To.Format(time.RFC3339), b.Slots)
}

func (f *fake) CreateBackfill(_ context.Context, namespace, key string, b job.Backfill) (job.Backfill, error) {
	return aBackfill(5), f.note("backfill %s/%s %d at once, %s apart, skip %t", namespace, key, b.Parallel, b.Spacing, b.SkipSucceeded)
}

func (f *fake) CancelBackfill(_ context.Context, id int64, reason string) (job.Backfill, error) {
	return aBackfill(id), f.note("cancel backfill %d because %q", id, reason)
}

func (f *fake) Backfill(_ context.Context, id int64) (job.Backfill, error) {
	return aBackfill(id), f.note("backfill %d", id)
}

func (f *fake) Backfills(_ context.Context, q catalog.BackfillQuery) ([]job.Backfill, error) {
	return f.fills, f.note("backfills %+v", q)
}

func aCalendar() job.Calendar {
	may := calendar.Date{Year: 2030, Month: time.May, Day: 1}
	return job.Calendar{
		Namespace: "default", Key: "works", Version: 2, CreatedAt: instant, UpdatedAt: instant,
		Rules: calendar.Rules{
			Weekdays: []calendar.Weekday{calendar.Weekday(time.Sunday)}, Dates: []calendar.Day{{Date: may, Name: "Labour Day"}},
			Yearly: []calendar.Yearly{{Rule: "12-25"}}, KnownUntil: may, Source: "a package",
		},
	}
}

func aPause() catalog.Pause {
	return catalog.Pause{
		Pause: job.Pause{
			Key: "nights", Version: 2, Reason: "backups", From: instant, CreatedAt: instant,
			Window: &job.Window{Cron: "0 0 2 * * ?", Zone: "Asia/Shanghai", For: 3 * time.Hour},
		},
		BeginsAt: instant.Add(time.Hour),
	}
}

func someFirings() catalog.Firings {
	zone := time.FixedZone("UTC+8", 8*3600)
	return catalog.Firings{
		Spec: schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour}, Zone: zone, More: true, Warnings: []string{"mind the gap"},
		Slots: []schedule.Slot{
			{At: instant, Named: instant},
			{At: instant.Add(1500 * time.Millisecond), Named: instant.Add(time.Second)},
			{At: instant.Add(time.Hour), Named: instant.Add(time.Hour), Dropped: true, Calendar: "works", Day: "Labour Day"},
		},
	}
}

func aBackfill(id int64) job.Backfill {
	return job.Backfill{
		ID: id, JobID: 7, JobKey: "report", Namespace: "default", From: instant, To: instant.Add(time.Hour), Slots: 2, First: instant,
		Last: instant.Add(30 * time.Minute), Parallel: 1, State: job.BackfillRunning, CreatedAt: instant,
	}
}
