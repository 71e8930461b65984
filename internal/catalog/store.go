package catalog

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// JobWriter changes jobs.
type JobWriter interface {
	// CreateJob writes a new job and returns it with ID, GroupID, Version 1.
	// The group is made when it does not exist. A taken key is job.Conflict.
	CreateJob(ctx context.Context, j job.Job) (job.Job, error)
	// SaveJob writes a changed job over the version it was read at, adds one to Version,
	// and makes open runs use the new version. When the job is no longer enabled its
	// planned runs are cancelled with reason. Another version in the store is job.Conflict,
	// and so is an enabled job that has had its last firing since; a missing job is
	// job.NotFound. Disabling the job or changing its schedule is ErrFiringsDue while
	// firings are due at UpdatedAt that are not planned.
	SaveJob(ctx context.Context, j job.Job, reason string) (job.Job, error)
	// DeleteJob hides the job, frees its key and cancels its waiting runs
	// with reason. UpdatedAt is when. Kinds as for SaveJob.
	DeleteJob(ctx context.Context, j job.Job, reason string) error
}

// JobReader finds jobs.
type JobReader interface {
	// Job returns the job, or job.NotFound.
	Job(ctx context.Context, namespace, key string) (job.Job, error)
	// Jobs returns the jobs of the filter in order of key.
	Jobs(ctx context.Context, f JobFilter) ([]job.Job, error)
	// JobsByID returns the jobs that exist, in no particular order.
	JobsByID(ctx context.Context, ids []int64) ([]job.Job, error)
}

// RunWriter makes and cancels runs.
type RunWriter interface {
	// AddRun writes a run whose id the caller has drawn.
	AddRun(ctx context.Context, r job.Run) error
	// AddPastRuns writes runs that are over and that there are not yet, and returns how
	// many.
	AddPastRuns(ctx context.Context, runs []job.Run) (int, error)
	// CancelRun moves a waiting run to cancelled. A run that is not waiting
	// is returned unchanged, so that the caller can see its state.
	CancelRun(ctx context.Context, id int64, reason string, now time.Time) (job.Run, error)
}

// RunReader finds runs.
type RunReader interface {
	// RunByID returns the run with JobKey, or job.NotFound.
	RunByID(ctx context.Context, id int64) (job.Run, error)
	// Runs returns the runs of the filter, the newest first.
	Runs(ctx context.Context, f RunFilter) ([]job.Run, error)
	// Attempts returns the attempts of a run, the first one first.
	Attempts(ctx context.Context, run int64) ([]job.Attempt, error)
}

// Calendars keeps calendars.
type Calendars interface {
	CalendarWriter
	CalendarReader
}

// CalendarWriter changes calendars.
type CalendarWriter interface {
	// SaveCalendar writes a calendar: a new one when its Version is 0, which is Conflict
	// when the key is taken and Full when there are too many; else over the version it was
	// read at, which is Conflict when it has another one by now. All jobs that refer to it
	// are planned again from now on.
	SaveCalendar(ctx context.Context, c job.Calendar) (job.Calendar, error)
	// DeleteCalendar removes it. Conflict when jobs name it, with some of
	// their keys; NotFound.
	DeleteCalendar(ctx context.Context, namespace, key string) error
}

// CalendarReader finds calendars.
type CalendarReader interface {
	// Calendar returns the calendar, or NotFound.
	Calendar(ctx context.Context, namespace, key string) (job.Calendar, error)
	// Calendars returns the calendars of a namespace, [access.All] for all, in order of
	// namespace and key.
	Calendars(ctx context.Context, namespace string) ([]job.Calendar, error)
}

// Pauses keeps pauses.
type Pauses interface {
	// SavePause writes a pause, over the one of its key when there is one. With a Version
	// it is Conflict when that one has another, or was lifted. Full when there are too
	// many. Jobs are planned again from now on.
	SavePause(ctx context.Context, p job.Pause) (job.Pause, error)
	// DeletePause lifts it: jobs that it held are looked at from now on.
	// NotFound.
	DeletePause(ctx context.Context, key string, now time.Time) error
	// Pauses returns all pauses in order of key.
	Pauses(ctx context.Context) ([]job.Pause, error)
}

// Backfills keeps backfills.
type Backfills interface {
	BackfillWriter
	BackfillReader
}

// BackfillWriter makes and cancels backfills.
type BackfillWriter interface {
	// AddBackfill writes a new backfill, running, and returns it with its ID.
	// NotFound when the job does not exist, Full when there are too many.
	AddBackfill(ctx context.Context, b job.Backfill) (job.Backfill, error)
	// CancelBackfill ends a running backfill and cancels its runs that wait;
	// one that is over is returned unchanged. NotFound.
	CancelBackfill(ctx context.Context, id int64, reason string, now time.Time) (job.Backfill, error)
}

// BackfillReader finds backfills.
type BackfillReader interface {
	// Backfill returns the backfill with JobKey, or NotFound.
	Backfill(ctx context.Context, id int64) (job.Backfill, error)
	// Backfills returns those of a job, or of all jobs when it is 0, the newest
	// first: ids below before when that is not 0, at most limit.
	Backfills(ctx context.Context, q BackfillQuery) ([]job.Backfill, error)
	// Succeeded returns which of the instants a run of the job has succeeded
	// for; at most 1,000 are asked at once.
	Succeeded(ctx context.Context, jobID int64, planned []time.Time) ([]time.Time, error)
}

// IDs gives ids for runs.
type IDs interface {
	// NextRunID returns an id never given before.
	NextRunID(ctx context.Context) (int64, error)
}

// JobFilter selects jobs. The zero filter selects all of the namespace.
type JobFilter struct {
	Namespace string
	Group     string // a group's key; empty means all
	AfterKey  string // keys after this one, for the next page
	Limit     int    // at most 1,000
}

// RunFilter selects runs. The zero filter selects all.
type RunFilter struct {
	JobID    int64     // zero means all
	State    job.State // empty means all
	BeforeID int64     // ids below this one, for the next page; zero means all
	Shards   bool      // shards too, which are left out else
	Limit    int       // at most 1,000
}
