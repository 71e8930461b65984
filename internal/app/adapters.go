package app

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/holidays"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// recorder writes what upkeep found.
type recorder struct {
	store dispatcher.Acceptor
	*completer.Completer
}

// Accepted records that an executor has the attempt.
func (r recorder) Accepted(ctx context.Context, a job.Attempt) error {
	return r.store.MarkAccepted(ctx, []dispatcher.Accepted{{AttemptID: a.ID, RunID: a.RunID, At: time.Now()}})
}

// calendars reads calendars that others made.
type calendars struct{}

// ReadICS reads an iCalendar text.
func (calendars) ReadICS(text string, weekends bool) (calendar.Rules, []string, error) {
	return holidays.ParseICS([]byte(text), holidays.Options{Weekends: weekends})
}

// ReadCSV reads lines of days.
func (calendars) ReadCSV(text string, weekends bool) (calendar.Rules, []string, error) {
	return holidays.ParseCSV([]byte(text), holidays.Options{Weekends: weekends})
}

// Load returns shipped holiday data.
func (calendars) Load(key string, weekends bool) (calendar.Rules, bool) {
	return holidays.Load(key, weekends)
}

// Shipped lists shipped holiday data.
func (calendars) Shipped() []jobs.Shipped {
	infos := holidays.Shipped()
	list := make([]jobs.Shipped, len(infos))
	for i, info := range infos {
		list[i] = jobs.Shipped{
			Key: info.Key, Title: info.Title, FirstYear: info.FirstYear, LastYear: info.LastYear, Source: info.Source,
		}
	}
	return list
}
