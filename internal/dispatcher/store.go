package dispatcher

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

// Store is what the dispatcher reads and writes.
type Store interface {
	// ClaimRuns takes up to Limit waiting runs of the groups that are ready
	// at or before Until, and hides them from other claims until Lease. Each
	// group has the same share of Limit, and what one does not need goes to the
	// others; the groups named first get what cannot be shared. Those of a
	// higher priority come first, then the earliest. The runs come back as they
	// were: ReadyAt is when each is due.
	ClaimRuns(ctx context.Context, c Claim) (Claimed, error)
	// RenewClaims moves the end of each claim, in one transaction, and says for each
	// whether it did: not when the run waits no more, or its claim is not as it was. A run
	// that is given back is queued, with the Reason.
	RenewClaims(ctx context.Context, renewals []Renewal) ([]bool, error)
	// MarkDispatched writes, in one transaction, the attempt of each mark and
	// moves its run to dispatched, and says for each whether it took effect.
	// A mark takes effect only while the run is in state From and its
	// JobVersion is the mark's; otherwise nothing of it is written.
	MarkDispatched(ctx context.Context, marks []Mark) ([]bool, error)
	// CommitFirings carries out moves that each have one run, in one transaction, with what
	// becomes of the run at once, and says of each what came of it. The rules of CommitPlan and
	// MarkDispatched hold.
	CommitFirings(ctx context.Context, firings []Firing) ([]Birth, error)
	// Requeue moves runs back to queued, in one transaction: those with an
	// AttemptID only while that attempt is the run's and has no answer, the
	// others only while the run waits. All other runs are left alone.
	Requeue(ctx context.Context, items []Requeued) error
	// CancelRun moves a waiting run to cancelled. A run that is not waiting
	// is returned unchanged.
	CancelRun(ctx context.Context, id int64, reason string, now time.Time) (job.Run, error)
}

// Expirer gives up runs that have waited too long.
type Expirer interface {
	// ExpireRuns moves each run that waits, and that no executor has taken, to
	// skipped with its Reason and EndedAt, and says for each whether it did.
	ExpireRuns(ctx context.Context, runs []job.Run) ([]bool, error)
}

// Acceptor records that executors accepted attempts.
type Acceptor interface {
	// MarkAccepted moves each attempt, and its run, from dispatched to
	// running. Attempts that are past dispatched are left alone.
	MarkAccepted(ctx context.Context, accepted []Accepted) error
	// Postpone sets when somebody must look at runs without an answer.
	Postpone(ctx context.Context, runs []int64, at time.Time) error
}

// Jobs finds the jobs of runs.
type Jobs interface {
	// JobsByID returns the jobs that exist and are not deleted, in no
	// particular order, with Group filled.
	JobsByID(ctx context.Context, ids []int64) ([]job.Job, error)
}

// IDs gives ids for attempts and runs.
type IDs interface {
	// NextAttemptID returns an id never given before, to a run neither: the first attempt of a
	// run has the run's.
	NextAttemptID(ctx context.Context) (int64, error)
	// NextRunID returns an id for a run: a shard of another one.
	NextRunID(ctx context.Context) (int64, error)
}

// Claim asks for waiting runs.
type Claim struct {
	Groups []int64   // groups with a live executor
	Until  time.Time // runs ready at or before this instant
	Lease  time.Time // nobody else sees them before this instant
	Limit  int
	// PerGroup bounds the runs of one group; zero means Limit.
	PerGroup int
}

// Claimed is what a claim has taken.
type Claimed struct {
	Runs []job.Run
	// Lease is when the runs become visible to others, as it is stored.
	Lease time.Time
	// More says that there may be further runs of the groups: as many were looked at as
	// the claim could take. Others may have taken some of those.
	More bool
}

// Mark is one run on its way to one executor.
type Mark struct {
	From job.State // Planned, Queued or WaitingRetry
	// JobVersion is the run's as it was read. The task is made from this
	// version of the job or a later one.
	JobVersion int64
	Attempt    job.Attempt
	// CheckAt is when somebody must look whether the executor ever answered.
	CheckAt time.Time
	// Deadline ends the run so long after its first attempt; zero never does.
	Deadline time.Duration
	// Limit is how many runs of the job may be under way. A mark of one that is
	// too many does not take effect; Overlaps says what becomes of it.
	Limit Limit
	// Shards, when there are some, are the runs that the run is split into: they
	// are written with it, no executor gets the attempt, and the run is running
	// at once, with Reason.
	Shards []job.Run
	Reason string
	// Part says that the attempt is not counted as one of its job: the run is a shard,
	// and that of the run it belongs to is counted, or a trial.
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

// Birth is what came of a firing.
type Birth int

// The births.
const (
	// BirthNone: the job or its rules were changed, or another server was quicker; nothing
	// was written.
	BirthNone Birth = iota
	// BirthKnown: the job was moved on. The run of this firing is there already:
	// another planner made it.
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
	// TakenBack says that the attempt is none: no executor was called for it, or a living one
	// had no room. It is not kept, Undelivered stays, and the next one has its number, and its id
	// when it was the first. What tells them apart is TriggeredAt, the attempt's, so ReadyAt
	// must be later. Deadline is the mark's.
	TakenBack   bool
	TriggeredAt time.Time
	Deadline    time.Duration
	// CheckAt is the mark's: once upkeep has taken the attempt over it is not
	// this server's to put back. Zero asks nothing.
	CheckAt time.Time
	ReadyAt time.Time // when a dispatcher may take it again
	// Early says that the time of the run has not come: it stays planned, as if no server
	// had taken it, and only ReadyAt is set. Users may still decide otherwise about it.
	Early bool
	Now   time.Time
}
