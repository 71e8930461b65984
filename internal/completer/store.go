package completer

import (
	"context"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// Store is what the completer reads and writes.
type Store interface {
	// Snapshots returns what is known of the attempts that exist, in no
	// particular order. That one does not exist is certain: a store that cannot
	// write at this time, and may have been left behind, is Unavailable then.
	Snapshots(ctx context.Context, attempts []int64) ([]Snapshot, error)
	// CommitCompletions carries out the completions in one transaction and
	// says for each whether it took effect. A completion takes effect only
	// while its attempt is not final, or as it says itself when it is Waiting, and
	// while the job has its JobVersion, if it has one; otherwise nothing of it is written.
	CommitCompletions(ctx context.Context, completions []Completion) ([]bool, error)
	// KeepEvidence writes what contradicts recorded ends, at most
	// job.MaxEvidence for each attempt. What is kept already is left out.
	KeepEvidence(ctx context.Context, evidence []job.Evidence) error
}

// Snapshot is an attempt with what decides its consequences.
type Snapshot struct {
	Attempt job.Attempt
	Run     job.Run
	// Deleted says that the job is gone: nothing follows the outcome.
	Deleted  bool
	Retry    retry.Policy
	Children []Child
	// Param is the job's own parameter, or an object without values for a job with
	// inputs, filled only when the parameter of a child names it.
	Param string
	// After is the delay of a job whose next firing follows the end of a run
	// of its schedule; zero for other jobs.
	After time.Duration
	// StopAfter stops the job after so many failed runs in a row; zero never
	// does. Failures is how many there were.
	StopAfter int
	Failures  int
	// Subject is the job of the run.
	Subject Subject
	// Logs says what the job keeps of its logs.
	Logs job.LogPolicy
	// JobVersion is that of the job when the snapshot is remembered; zero when it was read.
	JobVersion int64
}

// Child is a job that the end of a run may start, as it stands.
type Child struct {
	job.Child
	Version int64
	GroupID int64
}

// Completion is an outcome with its consequences.
type Completion struct {
	AttemptID int64
	RunID     int64
	// JobVersion is the version of the job by which this was decided from memory: it takes
	// effect only while the job has it. Zero when rows were read.
	JobVersion int64
	// Waiting says that the attempt is over already and the run waits for its
	// next try, which it does not get. It takes effect only while the run waits
	// after this attempt, and leaves the attempt and the message alone.
	Waiting bool
	// Cause is the run's. It says whether a bad end makes a dead letter: the
	// parts of a run become none.
	Cause job.Cause
	// JobID, StartedAt and Late are what is counted of the attempt: whose it
	// was, when its executor took it, and how long after it was due it was sent.
	JobID     int64
	StartedAt time.Time
	Late      time.Duration
	// Namespace and Group are where it is counted: those of the job, and of the run.
	Namespace, Group string
	// CreatedAt is when the run was made, and TriggeredAt when the attempt was sent.
	CreatedAt, TriggeredAt time.Time
	// Reported says that an executor has sent the outcome: so it had taken the attempt,
	// at StartedAt at the latest that is known.
	Reported bool
	// Outcome is the attempt's final state.
	Outcome job.State
	// RunState is the run's new state: final, or WaitingRetry with RetryAt.
	RunState job.State
	RetryAt  time.Time
	// ShardOf is the run that the run is a shard of, zero for none. Split says
	// that the run itself was split into shards.
	ShardOf int64
	Split   bool
	// Avoid is the executor that the retry is better not sent to; empty for
	// none.
	Avoid    string
	Message  string // cut to job.MaxMessage
	Reason   string
	EndedAt  time.Time
	Children []job.Run // with ids and the parent run as CauseID
	// NextAt is the job's next firing, which the end of the run sets; zero
	// leaves it as it is. It takes effect only while the job is enabled and
	// has none.
	NextAt time.Time
	// Failures says how the job's count of failed runs in a row changes.
	Failures Streak
	// StopReason stops the job and says why; empty leaves it running.
	StopReason string
	// Log is the whole run log of the attempt, when it came with the outcome and is kept;
	// nil otherwise: then it is owed.
	Log *Log
	// Told is what is to be told of the end of the run, without an id, and When that
	// is to be done; nil when nobody wants to hear of it.
	Told *alarm.Event
	When Want
}

// Streak is a change of a count of failed runs in a row.
type Streak int

// The changes.
const (
	StreakSame   Streak = iota // the count is left alone
	StreakGrows                // by one
	StreakBroken               // it is 0 again
)

// IDs gives ids for runs.
type IDs interface {
	// NextRunID returns an id never given before.
	NextRunID(ctx context.Context) (int64, error)
}
