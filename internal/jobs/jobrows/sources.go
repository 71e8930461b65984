package jobrows

import (
	"context"
	"errors"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// ErrFiringsDue is the Conflict of a change that would drop firings which are due and not
// planned yet.
var ErrFiringsDue = errors.New("firings are due that are not planned yet")

// JobReader finds jobs.
type JobReader interface {
	// Job returns the job, or job.NotFound.
	Job(ctx context.Context, namespace, key string) (job.Job, error)
	// Jobs returns the jobs of the filter in order of key.
	Jobs(ctx context.Context, f JobFilter) ([]job.Job, error)
	// JobsByID returns the jobs that exist, in no particular order.
	JobsByID(ctx context.Context, ids []int64) ([]job.Job, error)
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

// CalendarReader finds calendars.
type CalendarReader interface {
	// Calendar returns the calendar, or NotFound.
	Calendar(ctx context.Context, namespace, key string) (job.Calendar, error)
	// Calendars returns the calendars of a namespace, [access.All] for all, in order of
	// namespace and key.
	Calendars(ctx context.Context, namespace string) ([]job.Calendar, error)
}

// PauseReader finds pauses.
type PauseReader interface {
	// Pauses returns all pauses in order of key.
	Pauses(ctx context.Context) ([]job.Pause, error)
}

// Leases lists executors.
type Leases interface {
	Executors() []job.Executor
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

// BackfillQuery selects backfills. Its Sight is required: the zero one finds nothing.
type BackfillQuery struct {
	Sight access.Sight
	// Namespace may be empty for all. With Job, the key of one of its jobs, it defaults to
	// the default one.
	Namespace, Job string
	BeforeID       int64 // ids below this one, for the next page; zero means all
	Limit          int   // at most 1,000
	// JobID is set by Backfills from Namespace and Job; zero means all.
	JobID int64
}

// RevisionQuery selects revisions of a job.
type RevisionQuery struct {
	JobID   int64
	Before  int64 // numbers below this one, for the next page; zero means all
	Recoded bool  // only those whose code is another one than before
	Limit   int   // at most 1,000
}
