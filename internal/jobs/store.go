package jobs

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
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

// Calendars keeps calendars.
type Calendars interface {
	CalendarWriter
	jobrows.CalendarReader
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

// Pauses keeps pauses.
type Pauses interface {
	PauseWriter
	jobrows.PauseReader
}

// PauseWriter writes and lifts pauses.
type PauseWriter interface {
	// SavePause writes a pause, over the one of its key when there is one. With a Version
	// it is Conflict when that one has another, or was lifted. Full when there are too
	// many. Jobs are planned again from now on.
	SavePause(ctx context.Context, p job.Pause) (job.Pause, error)
	// DeletePause lifts it: jobs that it held are looked at from now on.
	// NotFound.
	DeletePause(ctx context.Context, key string, now time.Time) error
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
	Backfills(ctx context.Context, q jobrows.BackfillQuery) ([]job.Backfill, error)
	// Succeeded returns which of the instants a run of the job has succeeded
	// for; at most 1,000 are asked at once.
	Succeeded(ctx context.Context, jobID int64, planned []time.Time) ([]time.Time, error)
}
