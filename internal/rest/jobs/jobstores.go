package jobs

import (
	"context"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// Jobs is all that the API asks about jobs. Errors are of the kinds of package
// job, here and below.
type Jobs interface {
	JobKeeper
	JobEditor
	JobSwitch
}

// JobKeeper keeps jobs.
type JobKeeper interface {
	CreateJob(ctx context.Context, j job.Job) (job.Job, error)
	Job(ctx context.Context, namespace, key string) (job.Job, error)
	Jobs(ctx context.Context, f jobrows.JobFilter) ([]job.Job, error)
}

// JobEditor changes and copies jobs.
type JobEditor interface {
	// UpdateJob lets edit change a job that has the version, 0 for any; it may
	// be called several times.
	UpdateJob(ctx context.Context, namespace, key string, version int64, edit func(job.Job) (job.Job, error)) (job.Job, error)
	CopyJob(ctx context.Context, namespace, key string, p jobs.Copies) ([]jobs.Copied, error)
}

// JobSwitch starts, stops and deletes jobs.
type JobSwitch interface {
	StartJob(ctx context.Context, namespace, key string) (job.Job, error)
	StopJob(ctx context.Context, namespace, key string) (job.Job, error)
	DeleteJob(ctx context.Context, namespace, key string) error
}
