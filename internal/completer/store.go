package completer

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// Store is what the completer reads and writes.
type Store interface {
	// Snapshots returns what is known of the attempts that exist, in no
	// particular order.
	Snapshots(ctx context.Context, attempts []int64) ([]Snapshot, error)
	// CommitCompletions carries out the completions in one transaction and
	// says for each whether it took effect. A completion takes effect only
	// while its attempt is not final; otherwise nothing of it is written.
	CommitCompletions(ctx context.Context, completions []Completion) ([]bool, error)
}

// Snapshot is an attempt with what decides its consequences.
type Snapshot struct {
	Attempt job.Attempt
	Run     job.Run
	// Deleted says that the job is gone: nothing follows the outcome.
	Deleted  bool
	Retry    retry.Policy
	Children []Child
	// After is the delay of a job whose next firing follows the end of a run
	// of its schedule; zero for other jobs.
	After time.Duration
	// StopAfter stops the job after so many failed runs in a row; zero never
	// does. Failures is how many there were.
	StopAfter int
	Failures  int
}

// Child is a job that a success starts.
type Child struct {
	JobID   int64
	Version int64
	GroupID int64
}

// Completion is an outcome with its consequences.
type Completion struct {
	AttemptID int64
	RunID     int64
	// Outcome is the attempt's final state.
	Outcome job.State
	// RunState is the run's new state: final, or WaitingRetry with RetryAt.
	RunState job.State
	RetryAt  time.Time
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
