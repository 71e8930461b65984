package backfill

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store is what the room reads and writes.
type Store interface {
	// ClaimBackfills returns up to limit running backfills that are to be
	// worked on by now, the earliest first, and hides them from other servers
	// until lease.
	ClaimBackfills(ctx context.Context, now, lease time.Time, limit int) ([]Work, error)
	// Succeeded returns which of the instants a run of the job has succeeded
	// for; at most 1,000 are asked at once.
	Succeeded(ctx context.Context, jobID int64, planned []time.Time) ([]time.Time, error)
	// CommitStep writes a step in one transaction and reports whether it took
	// effect: the backfill must be running and stand at the step that was
	// claimed. A run that exists already is left out.
	CommitStep(ctx context.Context, s Step) (bool, error)
}

// IDs gives ids for runs.
type IDs interface {
	// NextRunID returns an id never given before.
	NextRunID(ctx context.Context) (int64, error)
}

// Work is a claimed backfill with what its next step depends on.
type Work struct {
	Backfill job.Backfill
	// Step is the number that the next step must name.
	Step int64
	// Job is the job as it stands; its NextAt and Enabled do not matter.
	Job job.Job
	// Deleted says that the job is gone.
	Deleted bool
	// Calendars are those that the job's schedule names.
	Calendars []job.Calendar
	// Ended are the states of the runs in Backfill.Open that are final, by id.
	Ended map[int64]job.State
}

// Step is what a claimed backfill becomes.
type Step struct {
	// Backfill has the new Cursor, counts, Open runs, StartedAt and State.
	Backfill job.Backfill
	Number   int64     // of the Work
	Runs     []job.Run // new ones, with ids
	// Look is when it is to be worked on again; it does not matter once the
	// backfill is over.
	Look time.Time
}
