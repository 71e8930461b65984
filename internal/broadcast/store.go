package broadcast

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store is what the room reads and writes.
type Store interface {
	// ClaimBroadcasts returns up to limit broadcasts that something is to be
	// done about by now, the earliest first, and hides them from other servers
	// until lease.
	ClaimBroadcasts(ctx context.Context, now, lease time.Time, limit int) ([]Work, error)
	// Shards returns the shards of a run, in order of index.
	Shards(ctx context.Context, run int64) ([]job.ShardRun, error)
	// PutOff says when a claimed broadcast is looked at again; the zero time
	// means not before something happens to it. It does nothing when something
	// has happened since the claim.
	PutOff(ctx context.Context, w Work, at time.Time) error
}

// Completer records the end of a run that was split.
type Completer interface {
	Complete(ctx context.Context, outcomes []job.Outcome) error
}

// Canceller ends shards. One that is over is a Conflict.
type Canceller interface {
	CancelRun(ctx context.Context, id int64, reason string) (job.Run, error)
}

// Work is a claimed broadcast.
type Work struct {
	Broadcast job.Broadcast
	// Run is the run that was split, as it stands.
	Run job.Run
	// Lease is that of the claim.
	Lease time.Time
}
