package resttest

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// SaveCalendar implements CalendarKeeper.
func (f *Fake) SaveCalendar(_ context.Context, c job.Calendar) (job.Calendar, error) {
	err := f.Note("save calendar %s/%s %q with %d yearly rules over %d", c.Namespace, c.Key, c.Title, len(c.Rules.Yearly), c.Version)
	return aCalendar(), err
}

// ImportCalendar implements CalendarKeeper.
func (f *Fake) ImportCalendar(_ context.Context, c job.Calendar, from jobs.Import) (job.Calendar, []string, error) {
	err := f.Note("import calendar %s/%s %q from %+v", c.Namespace, c.Key, c.Title, from)
	return aCalendar(), []string{"line 2 was left out"}, err
}

// DeleteCalendar implements CalendarKeeper.
func (f *Fake) DeleteCalendar(_ context.Context, namespace, key string) error {
	return f.Note("delete calendar %s/%s", namespace, key)
}

// Calendar implements CalendarReader.
func (f *Fake) Calendar(_ context.Context, namespace, key string) (job.Calendar, error) {
	return aCalendar(), f.Note("calendar %s/%s", namespace, key)
}

// Calendars implements CalendarReader.
func (f *Fake) Calendars(_ context.Context, namespace string) ([]job.Calendar, error) {
	return []job.Calendar{aCalendar()}, f.Note("calendars %s", namespace)
}

// ShippedCalendars implements CalendarReader.
func (f *Fake) ShippedCalendars() []jobs.Shipped {
	return []jobs.Shipped{{Key: "cn", Title: "China", FirstYear: 2020, LastYear: 2030, Source: "a package"}}
}

// SavePause implements PauseKeeper.
func (f *Fake) SavePause(_ context.Context, p job.Pause) (jobrows.Pause, error) {
	err := f.Note("pause %s of version %d %q of %q %v from %s until %s", p.Key, p.Version, p.Reason, p.Namespace, p.Groups,
		p.From.Format(time.RFC3339), p.Until.Format(time.RFC3339))
	p.Version++
	return jobrows.Pause{Pause: p, Active: true, EndsAt: Instant}, err
}

// DeletePause implements PauseKeeper.
func (f *Fake) DeletePause(_ context.Context, key string) error { return f.Note("lift %s", key) }

// Pause implements PauseReader.
func (f *Fake) Pause(_ context.Context, key string) (jobrows.Pause, error) {
	return aPause(), f.Note("pause %s", key)
}

// Pauses implements PauseReader.
func (f *Fake) Pauses(context.Context) ([]jobrows.Pause, error) {
	return []jobrows.Pause{aPause()}, f.Note("pauses")
}

// Firings implements Firings.
func (f *Fake) Firings(_ context.Context, namespace, key string, from time.Time, n int) (queries.Firings, error) {
	return someFirings(), f.Note("firings %s/%s from %s, %d", namespace, key, from.Format(time.RFC3339), n)
}

// FiringsOf implements Firings.
func (f *Fake) FiringsOf(_ context.Context, namespace string, s schedule.Spec, jobKey string, from time.Time, n int) (queries.Firings, error) {
	return someFirings(), f.Note("firings of %s in %s as %q from %s, %d", s, namespace, jobKey, from.Format(time.RFC3339), n)
}

// Timeline implements Firings.
func (f *Fake) Timeline(_ context.Context, q queries.TimelineQuery) (queries.Timeline, error) {
	line := queries.Timeline{From: q.From, Until: q.Until, Next: "report", Jobs: []queries.JobTimes{
		{Job: job.Job{Key: "busy", Title: "Busy", Group: "g", Schedule: schedule.Spec{Zone: "Asia/Shanghai"}}, Minutes: []int{0, 90}, Counts: []int{1, 6}, Partly: true},
		{Job: job.Job{Key: "report", Group: "g"}, Problem: "no such calendar"},
	}}
	return line, f.Note("timeline of %s/%s from %s until %s after %q, %d", q.Namespace, q.Group,
		q.From.Format(time.RFC3339), q.Until.Format(time.RFC3339), q.After, q.Limit)
}

// PreviewBackfill implements BackfillMaker.
func (f *Fake) PreviewBackfill(_ context.Context, namespace, key string, b job.Backfill) (job.Backfill, error) {
	return StoredBackfill(0), f.Note("preview backfill %s/%s from %s to %s, %d", namespace, key, b.From.Format(time.RFC3339), b.To.Format(time.RFC3339), b.Slots)
}

// CreateBackfill implements BackfillMaker.
func (f *Fake) CreateBackfill(_ context.Context, namespace, key string, b job.Backfill) (job.Backfill, error) {
	return StoredBackfill(5), f.Note("backfill %s/%s %d at once, %s apart, skip %t", namespace, key, b.Parallel, b.Spacing, b.SkipSucceeded)
}

// CancelBackfill implements BackfillMaker.
func (f *Fake) CancelBackfill(_ context.Context, id int64, reason string) (job.Backfill, error) {
	return StoredBackfill(id), f.Note("cancel backfill %d because %q", id, reason)
}

// Backfill implements BackfillReader.
func (f *Fake) Backfill(_ context.Context, id int64) (job.Backfill, error) {
	return StoredBackfill(id), f.Note("backfill %d", id)
}

// Backfills implements BackfillReader.
func (f *Fake) Backfills(_ context.Context, q jobrows.BackfillQuery) ([]job.Backfill, error) {
	return f.Fills, f.Note("backfills %+v", q)
}

func aCalendar() job.Calendar {
	may := calendar.Date{Year: 2030, Month: time.May, Day: 1}
	return job.Calendar{
		Namespace: "default", Key: "works", Version: 2, CreatedAt: Instant, UpdatedAt: Instant,
		Rules: calendar.Rules{
			Weekdays: []calendar.Weekday{calendar.Weekday(time.Sunday)}, Dates: []calendar.Day{{Date: may, Name: "Labour Day"}},
			Yearly: []calendar.Yearly{{Rule: "12-25"}}, KnownUntil: may, Source: "a package",
		},
	}
}

func aPause() jobrows.Pause {
	return jobrows.Pause{
		Pause: job.Pause{
			Key: "nights", Version: 2, Reason: "backups", From: Instant, CreatedAt: Instant,
			Window: &job.Window{Cron: "0 0 2 * * ?", Zone: "Asia/Shanghai", For: 3 * time.Hour},
		},
		BeginsAt: Instant.Add(time.Hour),
	}
}

func someFirings() queries.Firings {
	zone := time.FixedZone("UTC+8", 8*3600)
	return queries.Firings{
		Spec: schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour}, Zone: zone, More: true, Warnings: []string{"mind the gap"},
		Slots: []schedule.Slot{
			{At: Instant, Named: Instant},
			{At: Instant.Add(1500 * time.Millisecond), Named: Instant.Add(time.Second)},
			{At: Instant.Add(time.Hour), Named: Instant.Add(time.Hour), Dropped: true, Calendar: "works", Day: "Labour Day"},
		},
	}
}

// StoredBackfill returns a backfill with an id.
func StoredBackfill(id int64) job.Backfill {
	return job.Backfill{
		ID: id, JobID: 7, JobKey: "report", Namespace: "default", From: Instant, To: Instant.Add(time.Hour), Slots: 2, First: Instant,
		Last: Instant.Add(30 * time.Minute), Parallel: 1, State: job.BackfillRunning, CreatedAt: Instant,
	}
}
