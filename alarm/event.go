package alarm

import (
	"time"

	"github.com/orthd/orth/job"
)

// Event is an occurrence that may raise an alarm, with everything that rules match on.
type Event struct {
	// ID orders events. It is never reused.
	ID int64
	At time.Time
	// Source is the type of the event. The fields below that belong to it are set.
	Source Source

	Namespace string
	GroupID   int64
	Group     string // key
	JobID     int64  // zero for events of a group
	JobKey    string
	JobTitle  string
	Labels    map[string]string // of the job
	// Emails are the addresses that the job names itself.
	Emails []string

	// Of SourceRun.
	RunID     int64
	AttemptID int64
	State     job.State // final
	Cause     job.Cause
	Tries     int
	PlannedAt time.Time
	Dead      bool // it has become a dead letter
	// Took is the duration of the last attempt, zero when unknown. P95 is the 95th
	// percentile of the job's earlier attempts, zero when there are too few.
	Took, P95 time.Duration
	Message   string // the attempt's result message

	// Of SourceMissed and SourceLate: PlannedAt, and RunID if there is a run. Of SourceLate
	// and SourceWaiting: Since is the start of the condition.
	Since time.Time
	// Count is the number of missed firings, or of waiting runs.
	Count int

	Reason string
}

// Source is the type of an Event.
type Source string

// The sources.
const (
	// SourceRun: a run has finished.
	SourceRun Source = "run"
	// SourceMissed: firings were skipped.
	SourceMissed Source = "missed"
	// SourceLate: a due run has not started. SourceBegun: it has started, or it is
	// finished.
	SourceLate  Source = "late"
	SourceBegun Source = "begun"
	// SourceWaiting: Count runs of a group wait, since Since. The event is repeated. A
	// Count of 0 ends the condition.
	SourceWaiting Source = "waiting"
	// SourceDown: a group has had no executor since Since. SourceUp: it has one again.
	SourceDown Source = "down"
	SourceUp   Source = "up"
)
