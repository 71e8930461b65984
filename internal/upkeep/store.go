package upkeep

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store finds what fell through.
type Store interface {
	// Unanswered returns up to limit attempts that were dispatched, have no
	// answer, and are to be looked at by now, with their runs and jobs.
	Unanswered(ctx context.Context, now time.Time, limit int) ([]Open, error)
	// ClaimUnanswered takes unanswered attempts over until an instant, and says for
	// each whether it did: one that was looked at, answered or put back since it
	// was read is somebody else's. Whoever sent it cannot put it back any more.
	ClaimUnanswered(ctx context.Context, open []Open, until time.Time) ([]bool, error)
	// Orphans returns up to limit open attempts on addresses whose lease has ended
	// by now, or that have none, without their jobs, and of their runs the ids alone. Left out are those that
	// their sender may still put back.
	Orphans(ctx context.Context, now time.Time, limit int) ([]Open, error)
	// Postpone sets when unanswered runs are looked at again.
	Postpone(ctx context.Context, runs []int64, at time.Time) error
}

// Open is an attempt that somebody waits for.
type Open struct {
	Attempt job.Attempt
	Run     job.Run
	Job     job.Job
	// CheckAt is when it was to be looked at.
	CheckAt time.Time
}
