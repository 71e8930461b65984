package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/orthd/orth/internal/almanac"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// executors reaches executors for the rooms that need to: each room sees the
// few methods that it declares.
type executors struct{ *xxl.ExecutorClient }

// Send brings a task to an executor.
func (e executors) Send(ctx context.Context, address string, t job.Task) error {
	return e.Run(ctx, address, t)
}

// Holds asks whether the executor has the attempt, or had it. A log of the
// attempt is proof that it has; an idle job without one is proof that it never
// had. A busy job without a log may have the attempt in its queue, or may be
// busy with others: that is an Unavailable error, and the question is asked
// again.
func (e executors) Holds(ctx context.Context, address string, a job.Attempt) (bool, error) {
	page, err := e.ReadLog(ctx, address, a.ID, a.TriggeredAt, 1)
	if err != nil {
		return false, fmt.Errorf("ask for the log of attempt %d: %w", a.ID, err)
	}
	if page.To >= 1 {
		return true, nil
	}
	busy, err := e.IdleBeat(ctx, address, a.JobID)
	switch {
	case err != nil:
		return false, fmt.Errorf("ask whether job %d is busy: %w", a.JobID, err)
	case busy:
		return false, job.Errorf(job.Unavailable, "executor %s is busy with job %d and has no log of attempt %d yet",
			address, a.JobID, a.ID)
	}
	return false, nil
}

// Busy asks whether the job runs on the executor, or waits there.
func (e executors) Busy(ctx context.Context, address string, jobID int64) (bool, error) {
	return e.IdleBeat(ctx, address, jobID)
}

// LastLine asks for the number of the last line of an attempt's log.
func (e executors) LastLine(ctx context.Context, address string, a job.Attempt, from int) (int, error) {
	page, err := e.ReadLog(ctx, address, a.ID, a.TriggeredAt, from)
	return page.To, err
}

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
	return almanac.ParseICS([]byte(text), almanac.Options{Weekends: weekends})
}

// ReadCSV reads lines of days.
func (calendars) ReadCSV(text string, weekends bool) (calendar.Rules, []string, error) {
	return almanac.ParseCSV([]byte(text), almanac.Options{Weekends: weekends})
}

// Load returns shipped holiday data.
func (calendars) Load(key string, weekends bool) (calendar.Rules, bool) {
	return almanac.Load(key, weekends)
}

// Shipped lists shipped holiday data.
func (calendars) Shipped() []catalog.Shipped {
	infos := almanac.Shipped()
	list := make([]catalog.Shipped, len(infos))
	for i, info := range infos {
		list[i] = catalog.Shipped{
			Key: info.Key, Title: info.Title, FirstYear: info.FirstYear, LastYear: info.LastYear, Source: info.Source,
		}
	}
	return list
}

// front sends requests to the door that knows them. The wire's own paths may
// stand behind the context path of the old admins.
type front struct {
	api     http.Handler
	wire    http.Handler
	version string
}

// ServeHTTP implements http.Handler.
func (f front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/v1/"), r.URL.Path == "/healthz":
		f.api.ServeHTTP(w, r)
	case r.URL.Path == "/" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = fmt.Fprintf(w, "Orth %s\n\nThe API is at /api/v1 (description: /api/v1/openapi.json).\nThe command line: orth job list, orth run list.\n", f.version)
	default:
		f.wire.ServeHTTP(w, r)
	}
}
