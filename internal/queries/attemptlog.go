package queries

import (
	"context"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// AttemptLog lists attempts, whatever run they are of.
type AttemptLog interface {
	// AttemptIDs returns the ids of up to f.Limit attempts, those of the newest runs
	// first, and of a run the last one first. Attempts of runs that were split are no
	// part of it: their shards have their own. It reads past what the filter leaves
	// out; ctx ends it.
	AttemptIDs(ctx context.Context, f AttemptFilter) ([]int64, error)
	// Tried returns the attempts of these ids that exist, in no order.
	Tried(ctx context.Context, ids []int64) ([]Tried, error)
}

// AttemptFilter selects attempts. Its Sight is required: the zero one finds nothing.
type AttemptFilter struct {
	Sight access.Sight
	// JobID and GroupID select the owner; at least one is set.
	JobID, GroupID int64
	Standing       Standing
	// Since and Until bound when the attempts were triggered; zero for no bound.
	// Until itself is not a part of it.
	Since, Until time.Time
	Limit        int
}

// Standing is how far an attempt is.
type Standing int

// The standings.
const (
	StandingAny  Standing = iota
	StandingGood          // it has succeeded
	StandingBad           // it is over and has not succeeded
	StandingOpen          // an executor has it
)

// Tried is an attempt with the run that it is of, which has its JobKey.
type Tried struct {
	Attempt job.Attempt
	Run     job.Run
}

// Attempt returns an attempt, whatever run it is of, or NotFound.
func (c *Catalog) Attempt(ctx context.Context, id int64) (job.Attempt, error) {
	found, err := c.config.Tried.Tried(ctx, []int64{id})
	if err == nil && len(found) == 0 {
		err = job.Errorf(job.NotFound, "attempt %d does not exist", id)
	}
	if err != nil {
		return job.Attempt{}, err
	}
	return c.AttemptOf(ctx, found[0].Run, found[0].Attempt.Number)
}
