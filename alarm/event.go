package alarm

import (
	"time"

	"github.com/orthd/orth/job"
)

// Event is something that may be worth an alarm, with all that rules ask about it.
type Event struct {
	// ID orders events; it is never given twice.
	ID int64
	At time.Time
	// Source says what happened; the fields below that belong to it are set.
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
	// Took is how long the last attempt took, zero when nobody knows. P95 is the
	// 95th percentile of the job's attempts before it, zero when there are too few.
	Took, P95 time.Duration
	Message   string // what the attempt said

	// Of SourceMissed and SourceLate: PlannedAt, RunID unless there is none.
	// Of SourceLate and SourceWaiting: Since is since when.
	Since time.Time
	// Count is how many firings were missed, or how many runs wait.
	Count int

	Reason string
}

// Source is what an Event tells.
type Source string

// The sources.
const (
	// SourceRun: a run is over.
	SourceRun Source = "run"
	// SourceMissed: firings were not carried out.
	SourceMissed Source = "missed"
	// SourceLate: a run that is due has not begun. SourceBegun: it has, or it is over.
	SourceLate  Source = "late"
	SourceBegun Source = "begun"
	// SourceWaiting: so many runs of a group wait, as they have since Since; told
	// again and again, with a Count of 0 at the end.
	SourceWaiting Source = "waiting"
	// SourceDown: a group has no executor, since Since; SourceUp: it has one again.
	SourceDown Source = "down"
	SourceUp   Source = "up"
)
