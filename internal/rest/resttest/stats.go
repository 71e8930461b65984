package resttest

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

// Stats implements Stats.
func (f *Fake) Stats(_ context.Context, q queries.StatsQuery) ([]job.Stats, error) {
	day := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.Format(time.DateOnly)
	}
	first := job.Stats{
		Day: job.DayOf(Instant), Succeeded: 6, Failed: 1, TimedOut: 1, Cancelled: 3, Lost: 0, Skipped: 4, Attempts: 9,
		Timed: 8, Took: 12 * time.Second, TookMax: 5 * time.Second, Late: 90 * time.Millisecond, LateMax: 40 * time.Millisecond,
	}
	return []job.Stats{first, {Day: first.Day.AddDate(0, 0, 1), Skipped: 1}},
		f.Note("stats of %s/%q group %q from %s to %s", q.Namespace, q.Job, q.Group, day(q.From), day(q.To))
}

// Namespaces implements Spaces.
func (f *Fake) Namespaces(_ context.Context, sight access.Sight, besides []string) ([]queries.NamespaceFigures, error) {
	return []queries.NamespaceFigures{{Name: "team", Jobs: 1, Groups: 2, Workflows: 3, Calendars: 4}}, f.Note("namespaces %+v and %q", sight, besides)
}

// Summary implements Overview.
func (f *Fake) Summary(_ context.Context, q *queries.SummaryQuery) (queries.Summary, error) {
	return queries.Summary{
		At:     Instant,
		Counts: queries.Counts{Waiting: 1, Retrying: 2, Late: 3, Running: 4, Scheduled: 5, Soon: 6, DeadLetters: 7, Alarms: 8},
		Jobs:   9, Today: job.Stats{Day: job.DayOf(Instant), Succeeded: 3, Attempts: 4}, Yesterday: job.Stats{Day: job.DayOf(Instant).AddDate(0, 0, -1), Lost: 1},
		Executors: queries.ExecutorFigures{Alive: 10, Draining: 11, Unreachable: 12, Silent: 13},
		Zone:      q.Zone,
	}, f.Note("summary %+v", *q)
}
