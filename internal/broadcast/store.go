package broadcast

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store is the database of the package.
type Store interface {
	// ClaimBroadcasts returns up to limit broadcasts that are due by now, the earliest
	// first, and hides them from other servers until lease.
	ClaimBroadcasts(ctx context.Context, now, lease time.Time, limit int) ([]Work, error)
	// Shards returns the shards of a run, in order of index.
	Shards(ctx context.Context, run int64) ([]job.ShardRun, error)
	// PutOff sets when a claimed broadcast is checked again; the zero time means not before
	// something happens to it. It does nothing when something has happened since the claim.
	PutOff(ctx context.Context, w Work, at time.Time) error
}

// Completer records the end of a run that was split.
type Completer interface {
	Complete(ctx context.Context, outcomes []job.Outcome) error
}

// Canceller cancels shards. One that is over is a Conflict.
type Canceller interface {
	CancelRun(ctx context.Context, id int64, reason string) (job.Run, error)
}

// Work is a claimed broadcast.
type Work struct {
	Broadcast job.Broadcast
	// Run is the current state of the run that was split.
	Run job.Run
	// Lease is that of the claim.
	Lease time.Time
}
