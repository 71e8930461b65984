package backfill

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Store is the database of the package.
type Store interface {
	// ClaimBackfills returns running backfills and hides them from other servers until
	// the claim's lease.
	ClaimBackfills(ctx context.Context, c Claim) ([]Work, error)
	// LetGoBackfills releases those of the backfills that are running: any server may claim
	// them from now on, although a claim or a step has hidden them for longer.
	LetGoBackfills(ctx context.Context, ids []int64, now time.Time) error
	// Succeeded returns the instants for which a run of the job has succeeded; a call names
	// at most 1,000.
	Succeeded(ctx context.Context, jobID int64, planned []time.Time) ([]time.Time, error)
	// CommitStep writes a step in one transaction and reports whether it took effect: the
	// backfill must be running and at the step that was claimed. A run that already exists
	// is skipped.
	CommitStep(ctx context.Context, s Step) (bool, error)
}

// Ends reads runs whose ends other servers have recorded.
type Ends interface {
	// EndedRuns returns those of the runs that are over or do not exist, in no
	// particular order.
	EndedRuns(ctx context.Context, runs []int64) ([]int64, error)
}

// IDs assigns ids to runs.
type IDs interface {
	// NextRunID returns an id that was never assigned before.
	NextRunID(ctx context.Context) (int64, error)
}

// Claim selects the running backfills to claim.
type Claim struct {
	// IDs are claimed even if they are not due; at most [job.MaxBackfills].
	IDs []int64
	// Until and Limit select others: up to Limit that are due by Until, the earliest first.
	Until time.Time
	Limit int
	// Lease is until when they stay hidden.
	Lease time.Time
}

// Work is a claimed backfill with everything that its next step depends on.
type Work struct {
	Backfill job.Backfill
	// Step is the number that the next step must name.
	Step int64
	// Job is the current job; its NextAt and Enabled do not matter.
	Job job.Job
	// Deleted means that the job was deleted.
	Deleted bool
	// Calendars are those that the job's schedule names.
	Calendars []job.Calendar
	// Ended are the states of the runs in Backfill.Open that are final, by id.
	Ended map[int64]job.State
}

// Step is a change of a claimed backfill.
type Step struct {
	// Backfill has the new Cursor, counts, Open runs, StartedAt and State.
	Backfill job.Backfill
	Number   int64     // of the Work
	Runs     []job.Run // new ones, with ids
	// Look is when the next check is due; it does not matter once the backfill is over.
	Look time.Time
}
