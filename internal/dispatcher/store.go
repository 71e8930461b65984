package dispatcher

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

// Store is the database of the dispatcher.
type Store interface {
	// ClaimRuns claims up to Limit waiting runs of the groups that are ready at or before
	// Until, and hides them from other claims until Lease. Each group has the same share of
	// Limit, and unused shares go to the others; the groups named first get the remainder.
	// Runs are ordered by priority, then by time. They are returned unchanged: ReadyAt is
	// when each is due.
	ClaimRuns(ctx context.Context, c Claim) (Claimed, error)
	// RenewClaims changes the end of each claim, in one transaction, and reports for each
	// whether it did: not when the run no longer waits, or its claim has changed. A run
	// that is given back is queued, with the Reason.
	RenewClaims(ctx context.Context, renewals []Renewal) ([]bool, error)
	// MarkDispatched writes, in one transaction, the attempt of each mark and moves its run
	// to dispatched, and reports for each whether it took effect. A mark takes effect only
	// while the run is in state From and its JobVersion is the mark's; otherwise nothing of
	// it is written.
	MarkDispatched(ctx context.Context, marks []Mark) ([]bool, error)
	// CommitFirings applies moves that each have one run, in one transaction, together with
	// the run's first step, and returns the result of each. The rules of CommitPlan and
	// MarkDispatched hold.
	CommitFirings(ctx context.Context, firings []Firing) ([]Birth, error)
	// Requeue moves runs back to queued, in one transaction: those with an AttemptID only
	// while that attempt is the run's and has no answer, the others only while the run
	// waits. It does not change other runs.
	Requeue(ctx context.Context, items []Requeued) error
	// CancelRun moves a waiting run to cancelled. A run that is not waiting
	// is returned unchanged.
	CancelRun(ctx context.Context, id int64, reason string, now time.Time) (job.Run, error)
}

// Expirer ends runs that have waited too long.
type Expirer interface {
	// ExpireRuns moves each run that waits, and that no executor has taken, to skipped with
	// its Reason and EndedAt, and reports for each whether it did.
	ExpireRuns(ctx context.Context, runs []job.Run) ([]bool, error)
}

// Acceptor records that executors accepted attempts.
type Acceptor interface {
	// MarkAccepted moves each attempt, and its run, from dispatched to running. It does not
	// change attempts past dispatched.
	MarkAccepted(ctx context.Context, accepted []Accepted) error
	// Postpone sets when runs without an answer are checked.
	Postpone(ctx context.Context, runs []int64, at time.Time) error
}

// IDs assigns ids to attempts and runs.
type IDs interface {
	// NextAttemptID returns an id that was never assigned before, to a run neither: the
	// first attempt of a run has the run's.
	NextAttemptID(ctx context.Context) (int64, error)
	// NextRunID returns an id for a run: a shard of another one.
	NextRunID(ctx context.Context) (int64, error)
}

// Claim requests waiting runs.
type Claim struct {
	Groups []int64   // groups with a live executor
	Until  time.Time // runs ready at or before this instant
	Lease  time.Time // other claims do not see them before this instant
	Limit  int
	// PerGroup bounds the runs of one group; zero means Limit.
	PerGroup int
}

// Claimed is the result of a claim.
type Claimed struct {
	Runs []job.Run
	// Lease is when the runs become visible to others, as stored.
	Lease time.Time
	// More means that there may be further runs of the groups: the claim examined as many
	// as it could take. Others may have claimed some of those.
	More bool
}

// Mark assigns one run to one executor.
type Mark struct {
	From job.State // Planned, Queued or WaitingRetry
	// JobVersion is the run's as it was read. The task is made from this version of the job
	// or a later one.
	JobVersion int64
	Attempt    job.Attempt
	// CheckAt is when upkeep checks whether the executor ever answered.
	CheckAt time.Time
	// Deadline ends the run so long after its first attempt; zero never does.
	Deadline time.Duration
	// Limit is how many runs of the job may be active. A mark above it does not take
	// effect; Overlaps decides about it.
	Limit Limit
	// Shards, if there are any, are the runs that the run is split into: they are written
	// with it, no executor gets the attempt, and the run is running at once, with Reason.
	Shards []job.Run
	Reason string
	// Part means that the attempt does not count as one of its job: the run is a trial, or
	// a shard whose parent run is counted.
	Part bool
}

// Firing is a run that becomes a row together with the move of its job.
type Firing struct {
	Move *planner.Move
	// Mark dispatches the run; nil makes it wait, hidden until its ReadyAt. From is Planned.
	Mark *Mark
	// IfFree writes nothing at all when the job has no room for the mark, or may have a run
	// that waits.
	IfFree bool
}

// Birth is the result of a firing.
type Birth int

// The results of firings.
const (
	// BirthNone: the job or its rules were changed, or another server committed first;
	// nothing was written.
	BirthNone Birth = iota
	// BirthKnown: the job was moved on. The run of this firing already exists: another
	// planner made it.
	BirthKnown
	// BirthWaits: the job was moved on, and the run waits: there was no mark, or it did not take
	// effect because the job is busy.
	BirthWaits
	// BirthBusy: nothing was written, because IfFree was set and the job is not free.
	BirthBusy
	// BirthSent: the job was moved on, and the run is dispatched.
	BirthSent
)

// Accepted is an attempt that an executor has durably accepted.
type Accepted struct {
	AttemptID int64
	RunID     int64
	At        time.Time
}

// Requeued is a run that goes back to waiting.
type Requeued struct {
	RunID int64
	// AttemptID is the attempt that was not delivered; it is closed as
	// failed with Reason, and the run's Undelivered grows by one. Zero when
	// the run was not dispatched.
	AttemptID int64
	Reason    string
	// TakenBack means that the attempt does not count: no executor was called for it, or a
	// living one had no room. It is not kept, Undelivered does not change, and the next one
	// has its number, and its id when it was the first. They differ in TriggeredAt, the
	// attempt's, so ReadyAt must be later. Deadline is the mark's.
	TakenBack   bool
	TriggeredAt time.Time
	Deadline    time.Duration
	// CheckAt is the mark's: once upkeep owns the attempt, this server must not put it
	// back. Zero skips that check.
	CheckAt time.Time
	ReadyAt time.Time // when a dispatcher may claim it again
	// Early means that the run is not due yet: it stays planned, as if no server had
	// claimed it, and only ReadyAt is set. Users may still change it.
	Early bool
	Now   time.Time
}
