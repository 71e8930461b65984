package upkeep

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store finds attempts that need recovery.
type Store interface {
	// Unanswered returns up to limit attempts that were dispatched, have no answer, and are
	// due for a check by now, with their runs and jobs.
	Unanswered(ctx context.Context, now time.Time, limit int) ([]Open, error)
	// ClaimUnanswered claims unanswered attempts until an instant, and reports for each
	// whether it did. It does not claim an attempt that was checked, answered or put back
	// since it was read. The server that sent a claimed attempt cannot put it back any
	// more.
	ClaimUnanswered(ctx context.Context, open []Open, until time.Time) ([]bool, error)
	// Orphans returns up to limit open attempts on addresses whose lease has ended by now,
	// or that have none, without their jobs, and of their runs the ids alone. It omits
	// those that their sender may still put back.
	Orphans(ctx context.Context, now time.Time, limit int) ([]Open, error)
	// Postpone sets when unanswered runs are checked again.
	Postpone(ctx context.Context, runs []int64, at time.Time) error
}

// Open is an attempt without an end.
type Open struct {
	Attempt job.Attempt
	Run     job.Run
	Job     job.Job
	// CheckAt is when its check was due.
	CheckAt time.Time
}
