package queries

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// Ranks finds jobs and runs in other orders than that of keys and ids.
type Ranks interface {
	// RunRanks returns runs of the query in its order.
	RunRanks(ctx context.Context, q RunQuery) (RankedRuns, error)
	// JobRanks returns jobs of the query in its order, at most its limit. Kinds: Invalid
	// when there are more jobs than are sorted.
	JobRanks(ctx context.Context, q JobQuery) ([]RankedJob, error)
}

const (
	// MaxRankedJobs is how many jobs of a namespace, or of a group, are sorted.
	MaxRankedJobs = 20_000
)

// JobMark is where a job stands in an order: the next page begins behind it.
type JobMark struct {
	Value int64  // what it is sorted by, if that is a number
	Text  string // the same, if it is a text
	// Namespace is that of the job when jobs of all are sorted, and empty else.
	Namespace string
	Key       string
}

// RankedJob is a job with where it stands.
type RankedJob struct {
	Job  job.Job
	Mark JobMark
}

// RunMark is where a run stands in an order: the next page begins behind it. Top and
// Floor are the ids that all pages lie between: from Floor on, below Top.
type RunMark struct {
	Value, ID  int64
	Top, Floor int64
}

// RankedRuns is a page of runs with where each stands.
type RankedRuns struct {
	Runs  []FoundRun
	Marks []RunMark
	// More is set when others follow.
	More bool
	// Since is when the oldest run was made that was sorted; zero when all were.
	Since time.Time
}

// JobStatus is what a schedule does.
type JobStatus string

// What schedules do. The empty one is any.
const (
	JobStarted JobStatus = "started"
	JobStopped JobStatus = "stopped"
	JobGaveUp  JobStatus = "gave_up" // it stopped by itself
	JobHeld    JobStatus = "held"    // a pause holds it back
)

// MaxLabels is how many labels a list of jobs is narrowed by.
const MaxLabels = 8

// JobStatuses returns all of them.
func JobStatuses() []JobStatus { return []JobStatus{JobStarted, JobStopped, JobGaveUp, JobHeld} }

func (s JobStatus) known() bool { return s == "" || slices.Contains(JobStatuses(), s) }

// RankRuns returns runs of the query in its order. Of a long history only the newest
// are sorted. Kinds: Invalid with the field at fault, NotFound when the job does not
// exist.
func (c *Catalog) RankRuns(ctx context.Context, q RunQuery) (RankedRuns, error) {
	if by := []string{jobrows.ByPlanned, jobrows.ByStarted, jobrows.ByEnded, jobrows.ByDuration, jobrows.ByTries}; !slices.Contains(by, q.Order.By) {
		return RankedRuns{}, job.FieldErrorf("sort", "%q is no order of runs; use one of %v", q.Order.By, by)
	}
	if err := c.completeRuns(ctx, &q); err != nil {
		return RankedRuns{}, err
	}
	found, err := c.config.Lists.RunRanks(ctx, q)
	if err != nil {
		return RankedRuns{}, fmt.Errorf("sort runs: %w", err)
	}
	return found, nil
}

// RankJobs returns jobs of the query in its order. Kinds: Invalid with the field at
// fault, also when there are more than [MaxRankedJobs].
func (c *Catalog) RankJobs(ctx context.Context, q JobQuery) ([]RankedJob, error) {
	if by := []string{jobrows.ByKey, jobrows.ByTitle, jobrows.ByNext, jobrows.ByUpdated, jobrows.ByLastEnded}; !slices.Contains(by, q.Order.By) {
		return nil, job.FieldErrorf("sort", "%q is no order of jobs; use one of %v", q.Order.By, by)
	}
	if err := q.complete(); err != nil {
		return nil, err
	}
	found, err := c.config.Lists.JobRanks(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("sort jobs: %w", err)
	}
	return found, nil
}
