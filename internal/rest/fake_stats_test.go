package rest_test

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
)

func (f *fake) Stats(_ context.Context, q catalog.StatsQuery) ([]job.Stats, error) {
	day := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.Format(time.DateOnly)
	}
	first := job.Stats{
		Day: job.DayOf(instant), Succeeded: 6, Failed: 1, TimedOut: 1, Cancelled: 3, Lost: 0, Skipped: 4, Attempts: 9,
		Timed: 8, Took: 12 * time.Second, TookMax: 5 * time.Second, Late: 90 * time.Millisecond, LateMax: 40 * time.Millisecond,
	}
	return []job.Stats{first, {Day: first.Day.AddDate(0, 0, 1), Skipped: 1}},
		f.note("stats of %s/%q group %q from %s to %s", q.Namespace, q.Job, q.Group, day(q.From), day(q.To))
}
