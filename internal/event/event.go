// Package event has the words for what a store has changed: of which run, job or alarm,
// and what became of it.
//
// It knows states and names. It must never know rows, or who is told. The store makes a
// [Change] of what it has committed; package news tells it.
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
	// Many is a change of more things than are told one by one: readers are told that
	// they have missed some.
	Many Kind = "many"
)

// What becomes of things, as readers are told. A run that is not made becomes its new
// state.
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

// Change is one that was committed.
type Change struct {
	Kind Kind `json:"kind"`
	// Became is what became of it; empty for the new state of a run.
	Became string `json:"became,omitempty"`
	// ID is that of the run, the job or the alarm.
	ID int64 `json:"id"`
	// State is that of the run now. Attempt is the one that the change is about, 0 for
	// none; Reason and Message are what it says, as far as it says anything.
	State   job.State `json:"state,omitempty"`
	Attempt int64     `json:"attempt,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Message string    `json:"message,omitempty"`
	// About names the job or the alarm; nil when whoever has changed it does not know.
	About *About `json:"about,omitempty"`
}

// Told is what a transaction of any server has changed, as it was written down.
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
