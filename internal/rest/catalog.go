package rest

import (
	"context"

	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/job"
)

// Jobs is all that the API asks about jobs. Errors are of the kinds of package
// job, here and below.
type Jobs interface {
	JobKeeper
	JobSwitch
}

// Runs is all that the API asks about runs.
type Runs interface {
	RunStarter
	RunReader
}

// Executors lists the executors that are alive.
type Executors interface {
	Executors(ctx context.Context) ([]job.Executor, error)
}

// JobKeeper keeps jobs.
type JobKeeper interface {
	CreateJob(ctx context.Context, j job.Job) (job.Job, error)
	Job(ctx context.Context, namespace, key string) (job.Job, error)
	Jobs(ctx context.Context, f catalog.JobFilter) ([]job.Job, error)
}

// JobSwitch starts, stops and deletes jobs.
type JobSwitch interface {
	StartJob(ctx context.Context, namespace, key string) (job.Job, error)
	StopJob(ctx context.Context, namespace, key string) (job.Job, error)
	DeleteJob(ctx context.Context, namespace, key string) error
}

// RunStarter makes runs by hand and ends them.
type RunStarter interface {
	// Trigger makes a run of the job; a param that is not nil overrides the
	// job's.
	Trigger(ctx context.Context, namespace, key string, param *string) (job.Run, error)
	CancelRun(ctx context.Context, id int64, reason string) (job.Run, error)
}

// RunReader tells what became of runs.
type RunReader interface {
	Run(ctx context.Context, id int64) (job.Run, error)
	Runs(ctx context.Context, f catalog.RunFilter) ([]job.Run, error)
	Attempts(ctx context.Context, run int64) ([]job.Attempt, error)
	// Log returns lines of an attempt's log; attempt 0 is the last one.
	Log(ctx context.Context, run int64, attempt, fromLine int) (job.LogPage, error)
}
