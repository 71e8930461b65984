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
	// SaveJob writes a changed job over the version it was read at, adds one
	// to Version, and makes open runs use the new version. When the job is
	// no longer enabled its planned runs are cancelled with reason. Another
	// version in the store is job.Conflict, a missing job job.NotFound.
	SaveJob(ctx context.Context, j job.Job, reason string) (job.Job, error)
	// DeleteJob hides the job, frees its key and cancels its waiting runs
	// with reason. Kinds as for SaveJob.
	DeleteJob(ctx context.Context, j job.Job, reason string) error
}

// JobReader finds jobs.
type JobReader interface {
	// Job returns the job, or job.NotFound.
	Job(ctx context.Context, namespace, key string) (job.Job, error)
	// Jobs returns the jobs of the filter in order of key.
	Jobs(ctx context.Context, f JobFilter) ([]job.Job, error)
}

// RunWriter makes and cancels runs.
type RunWriter interface {
	// AddRun writes a run whose id the caller has drawn.
	AddRun(ctx context.Context, r job.Run) error
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
	Limit    int       // at most 1,000
}
