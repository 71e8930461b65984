package completer

import (
	"context"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// Store is the database of the completer.
type Store interface {
	// Snapshots returns the snapshots of the attempts that exist, in no particular order.
	// An absent attempt certainly does not exist: a store that cannot write at this time,
	// and may have been left behind, returns Unavailable.
	Snapshots(ctx context.Context, attempts []int64) ([]Snapshot, error)
	// CommitCompletions writes the completions in one transaction and reports for each
	// whether it took effect. A completion takes effect only while its attempt is not final
	// (a Waiting one: see [Completion.Waiting]), and while the job has its JobVersion, if it has one.
	// Otherwise nothing of it is written.
	CommitCompletions(ctx context.Context, completions []Completion) ([]bool, error)
	// KeepEvidence writes outcomes that contradict recorded ends, at most job.MaxEvidence
	// for each attempt. It skips evidence that is already stored.
	KeepEvidence(ctx context.Context, evidence []job.Evidence) error
}

// Snapshot is an attempt with everything that decides its consequences.
type Snapshot struct {
	Attempt job.Attempt
	Run     job.Run
	// Deleted means that the job was deleted: nothing follows the outcome.
	Deleted  bool
	Retry    retry.Policy
	Children []Child
	// Param is the job's own parameter, or an object without values for a job with inputs.
	// It is filled only when the parameter of a child names it.
	Param string
	// After is the delay of a job whose next firing follows the end of a run
	// of its schedule; zero for other jobs.
	After time.Duration
	// StopAfter stops the job after so many failed runs in a row; zero never does. Failures
	// is the current count.
	StopAfter int
	Failures  int
	// Subject is the job of the run.
	Subject Subject
	// Logs is the log policy of the job.
	Logs job.LogPolicy
	// JobVersion is the version of the job when the snapshot comes from memory; zero when
	// it was read.
	JobVersion int64
}

// Child is a job that the end of a run may start, in its current version.
type Child struct {
	job.Child
	Version int64
	GroupID int64
}

// Completion is an outcome with its consequences.
type Completion struct {
	AttemptID int64
	RunID     int64
	// JobVersion is the version of the job for which this was decided from memory: the
	// completion takes effect only while the job has it. Zero when rows were read.
	JobVersion int64
	// Waiting means that the attempt is already over, and the run waits for a next try that
	// it will not get. The completion takes effect only while the run waits after this
	// attempt, and changes neither the attempt nor the message.
	Waiting bool
	// Cause is the run's. It decides whether a bad end makes a dead letter: shards of a run
	// make none.
	Cause job.Cause
	// JobID, StartedAt and Late are measured: the job, when the executor accepted the
	// attempt, and how long after its due time the attempt was sent.
	JobID     int64
	StartedAt time.Time
	Late      time.Duration
	// Namespace and Group label the measurements: those of the job, and of the run.
	Namespace, Group string
	// CreatedAt is when the run was created, and TriggeredAt when the attempt was sent.
	CreatedAt, TriggeredAt time.Time
	// Reported means that an executor sent the outcome: it had accepted the attempt, at the
	// latest at StartedAt.
	Reported bool
	// Outcome is the attempt's final state.
	Outcome job.State
	// RunState is the run's new state: final, or WaitingRetry with RetryAt.
	RunState job.State
	RetryAt  time.Time
	// ShardOf is the run that the run is a shard of, zero for none. Split means that the
	// run itself was split into shards.
	ShardOf int64
	Split   bool
	// Avoid is the executor that the retry should avoid; empty for none.
	Avoid    string
	Message  string // cut to job.MaxMessage
	Reason   string
	EndedAt  time.Time
	Children []job.Run // with ids and the parent run as CauseID
	// NextAt is the job's next firing, set by the end of the run; zero does not change it.
	// It takes effect only while the job is enabled and has none.
	NextAt time.Time
	// Failures is the change of the job's count of failed runs in a row.
	Failures Streak
	// StopReason stops the job with this reason; empty does not stop it.
	StopReason string
	// Log is the whole run log of the attempt, when it came with the outcome and is stored;
	// nil otherwise: then it is still to be fetched.
	Log *Log
	// Told is the event that reports the end of the run, without an id, and When is the
	// condition for it; nil when no rule asks.
	Told *alarm.Event
	When Want
}

// Streak is a change of a count of failed runs in a row.
type Streak int

// The changes of a streak.
const (
	StreakSame   Streak = iota // does not change
	StreakGrows                // grows by one
	StreakBroken               // returns to 0
)

// IDs assigns ids to runs.
type IDs interface {
	// NextRunID returns an id that was never assigned before.
	NextRunID(ctx context.Context) (int64, error)
}
