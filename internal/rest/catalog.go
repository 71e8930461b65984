package rest

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/explain"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Jobs is all that the API asks about jobs. Errors are of the kinds of package
// job, here and below.
type Jobs interface {
	JobKeeper
	JobEditor
	JobSwitch
}

// Runs is all that the API asks about runs.
type Runs interface {
	RunStarter
	RunReader
	LogReader
	LogSearcher
}

// Executors lists the executors that are alive.
type Executors interface {
	Executors(ctx context.Context) ([]job.Executor, error)
}

// Calendars is all that the API asks about calendars.
type Calendars interface {
	CalendarKeeper
	CalendarReader
}

// Pauses is all that the API asks about pauses.
type Pauses interface {
	PauseKeeper
	PauseReader
}

// Backfills is all that the API asks about backfills.
type Backfills interface {
	BackfillMaker
	BackfillReader
}

// Firings returns the next slots of schedules: the first n after from, where zero means now
// and a default number.
type Firings interface {
	Firings(ctx context.Context, namespace, key string, from time.Time, n int) (catalog.Firings, error)
	FiringsOf(ctx context.Context, namespace string, s schedule.Spec, jobKey string, from time.Time, n int) (catalog.Firings, error)
	// Timeline returns the firings of the enabled jobs of a query, counted by minutes.
	Timeline(ctx context.Context, q catalog.TimelineQuery) (catalog.Timeline, error)
}

// Explanations explain why a run is in its state, and what a job does now or at a moment.
type Explanations interface {
	ExplainRun(ctx context.Context, id int64, sight access.Sight) (explain.Explanation, error)
	ExplainJob(ctx context.Context, namespace, key string, at explain.Moment) (explain.Explanation, error)
}

// JobKeeper keeps jobs.
type JobKeeper interface {
	CreateJob(ctx context.Context, j job.Job) (job.Job, error)
	Job(ctx context.Context, namespace, key string) (job.Job, error)
	Jobs(ctx context.Context, f catalog.JobFilter) ([]job.Job, error)
}

// JobEditor changes and copies jobs.
type JobEditor interface {
	// UpdateJob lets edit change a job that has the version, 0 for any; it may
	// be called several times.
	UpdateJob(ctx context.Context, namespace, key string, version int64, edit func(job.Job) (job.Job, error)) (job.Job, error)
	CopyJob(ctx context.Context, namespace, key string, p catalog.Copies) ([]catalog.Copied, error)
}

// JobSwitch starts, stops and deletes jobs.
type JobSwitch interface {
	StartJob(ctx context.Context, namespace, key string) (job.Job, error)
	StopJob(ctx context.Context, namespace, key string) (job.Job, error)
	DeleteJob(ctx context.Context, namespace, key string) error
}

// RunStarter makes runs by hand and ends them.
type RunStarter interface {
	Trigger(ctx context.Context, namespace, key string, t catalog.Trigger) (job.Run, error)
	CancelRun(ctx context.Context, id int64, reason string) (job.Run, error)
}

// RunReader reads runs.
type RunReader interface {
	Run(ctx context.Context, id int64) (job.Run, error)
	Runs(ctx context.Context, f catalog.RunFilter) ([]job.Run, error)
	Attempts(ctx context.Context, run int64) ([]job.Attempt, error)
}

// LogReader reads the logs of runs.
type LogReader interface {
	// Log returns lines of an attempt's log.
	Log(ctx context.Context, run int64, q catalog.LogQuery) (job.LogPage, error)
	// FollowLog shows lines to a viewer as they are written.
	FollowLog(ctx context.Context, run int64, f catalog.LogFollow, viewer catalog.LogViewer) error
}

// LogSearcher looks for lines in the logs of a run and of a job.
type LogSearcher interface {
	// SearchLog looks in the log of an attempt; attempt 0 is the last one.
	SearchLog(ctx context.Context, run int64, attempt int, q job.LogSearch) (job.LogHits, error)
	SearchJobLogs(ctx context.Context, namespace, key string, q job.JobLogSearch) (job.LogHits, error)
}

// CalendarKeeper writes and removes calendars.
type CalendarKeeper interface {
	SaveCalendar(ctx context.Context, c job.Calendar) (job.Calendar, error)
	// ImportCalendar creates the rules first, and returns the entries that it had to skip.
	ImportCalendar(ctx context.Context, c job.Calendar, from catalog.Import) (job.Calendar, []string, error)
	DeleteCalendar(ctx context.Context, namespace, key string) error
}

// CalendarReader finds calendars.
type CalendarReader interface {
	Calendar(ctx context.Context, namespace, key string) (job.Calendar, error)
	Calendars(ctx context.Context, namespace string) ([]job.Calendar, error)
	ShippedCalendars() []catalog.Shipped
}

// PauseKeeper writes and lifts pauses.
type PauseKeeper interface {
	SavePause(ctx context.Context, p job.Pause) (catalog.Pause, error)
	DeletePause(ctx context.Context, key string) error
}

// PauseReader finds pauses.
type PauseReader interface {
	Pause(ctx context.Context, key string) (catalog.Pause, error)
	Pauses(ctx context.Context) ([]catalog.Pause, error)
}

// BackfillMaker creates and ends backfills. The Slots of a new one are the most that it may
// have.
type BackfillMaker interface {
	PreviewBackfill(ctx context.Context, namespace, key string, b job.Backfill) (job.Backfill, error)
	CreateBackfill(ctx context.Context, namespace, key string, b job.Backfill) (job.Backfill, error)
	CancelBackfill(ctx context.Context, id int64, reason string) (job.Backfill, error)
}

// BackfillReader finds backfills.
type BackfillReader interface {
	Backfill(ctx context.Context, id int64) (job.Backfill, error)
	Backfills(ctx context.Context, q catalog.BackfillQuery) ([]job.Backfill, error)
}
