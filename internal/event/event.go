// Package event has the types of changes in a store: the run, job or alarm that changed,
// and its new state.
//
// It knows states and names. It must never depend on rows, or on the readers of changes.
// The store makes a [Change] of each commit; package news publishes it.
package event

import (
	"time"

	"github.com/orthd/orth/job"
)

// Kind is what a change is about.
type Kind string

// The kinds of changes, as readers know them.
const (
	Run      Kind = "run"
	Job      Kind = "job"
	Executor Kind = "executor"
	Alarm    Kind = "alarm"
	// Many is a change of more objects than are published one by one: readers learn that
	// they have missed some.
	Many Kind = "many"
)

// The changes of objects, as readers see them. A change of a run, other than its creation,
// is its new state.
const (
	Created = "created" // a run

	Saved   = "saved" // a job
	Started = "started"
	Stopped = "stopped"
	Deleted = "deleted"

	Came   = "came"  // an executor: it takes tasks
	Tells  = "facts" // it told about itself
	Drains = "drains"
	Silent = "silent"
	Gone   = "gone"

	Fires = "fires" // an alarm
	Over  = "over"
)

// Change is one committed change.
type Change struct {
	Kind Kind `json:"kind"`
	// Became is the change; empty for the new state of a run.
	Became string `json:"became,omitempty"`
	// ID is that of the run, the job or the alarm.
	ID int64 `json:"id"`
	// State is the present state of the run. Attempt is the attempt of the change, 0 for
	// none; Reason and Message are the change's, if it has any.
	State   job.State `json:"state,omitempty"`
	Attempt int64     `json:"attempt,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
	// About names the job or the alarm; nil when the writer of the change does not know it.
	About *About `json:"about,omitempty"`
}

// Told has the recorded changes of one transaction of any server.
type Told struct {
	// ID is that of the transaction: they grow in the order of commits.
	ID      int64
	At      time.Time
	Changes []Change
}

// About is how a thing is called, and where it is.
type About struct {
	Namespace string `json:"namespace,omitempty"`
	Group     string `json:"group,omitempty"`
	JobID     int64  `json:"job_id,omitempty"` // 0 for none
	JobKey    string `json:"job_key,omitempty"`
	// Of an alarm.
	Rule     string `json:"rule,omitempty"`
	Severity string `json:"severity,omitempty"`
}

// Named is a run with what never changes about it, and where it is and stands.
type Named struct {
	Run int64
	About
	Cause     job.Cause
	PlannedAt time.Time
	Shard     job.Shard
	// Attempt is the current or last one, 0 for none, and Executor where that is.
	Attempt  int64
	Executor string
	// StartedAt is when an executor first took the run, EndedAt when it was over; zero
	// before.
	StartedAt, EndedAt time.Time
}
