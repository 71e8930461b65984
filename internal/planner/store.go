package planner

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Store is the database of the planner.
type Store interface {
	JobStore
	RuleStore
}

// JobStore reads due jobs and writes plans.
type JobStore interface {
	// DueJobs returns up to limit enabled jobs after a cursor that are due for the planner
	// by until, in the order of cursors.
	DueJobs(ctx context.Context, after Cursor, until time.Time, limit int) ([]Due, error)
	// NextDue returns the earliest instant at which an enabled job is due for the planner,
	// and false when there is none.
	NextDue(ctx context.Context) (time.Time, bool, error)
	// CommitPlan applies the moves in one transaction and reports for each whether it took
	// effect. A move takes effect only while the job is enabled, has the move's Version and
	// still has From as its next firing, and calendars and pauses have the version of
	// Rules, unless that is 0. Otherwise another writer has changed or planned the job, and
	// nothing of the move is written. A run whose (job, planned time, cause, cause id)
	// already exists is skipped.
	CommitPlan(ctx context.Context, moves []Move) ([]bool, error)
	// CountReady returns how many runs of a group are ready at now and unclaimed; it stops
	// counting at limit.
	CountReady(ctx context.Context, group int64, now time.Time, limit int) (int, error)
}

// Cursor is a position among jobs, which are ordered by when they are due for the planner,
// then by id. The zero one is before all.
type Cursor struct {
	Look  time.Time
	JobID int64
}

// Before reports whether all jobs due at look come after the cursor.
func (c Cursor) Before(look time.Time) bool { return c.Look.Before(look) }

// RuleStore reads calendars and pauses.
type RuleStore interface {
	// Rules returns all calendars and pauses, or nil when their version is still known. 0
	// is never a version.
	Rules(ctx context.Context, known int64) (*Rules, error)
}

// Due is a job with the fields that the planner needs.
type Due struct {
	JobID     int64
	Version   int64
	Namespace string
	GroupID   int64
	Next      time.Time // the firing that is due
	// Look is when the job was due for the planner: Next, earlier when the rules behind
	// Next have changed, later when a pause held the job.
	Look time.Time
	// Last is the last planned instant; zero for none. Since is when a user last changed
	// the job, for example enabled it.
	Last     time.Time
	Since    time.Time
	Schedule schedule.Spec
	Misfire  schedule.Misfire
	Limits   schedule.MisfireLimits
	Fired    int    // runs made by the schedule, which its Count limits
	HeldBy   string // the key of the pause that held the job; empty for none
	// Priority and ExpireAfter are copied to its runs.
	Priority    job.Priority
	ExpireAfter time.Duration // zero for no limit
}

// Move advances a job's next firing from From to Next and writes the runs between.
type Move struct {
	JobID   int64
	Version int64
	Rules   int64 // the version of the rules of the decision
	From    time.Time
	// Next is the next unplanned firing. The zero time means that there is none: the job is
	// stopped, unless it Waits.
	Next time.Time
	// Look is when the job is due for the planner again; zero means at Next.
	Look time.Time
	// Waits means that the end of a run sets the next firing: the job stays enabled
	// although Next is zero.
	Waits bool
	// Last is the last planned instant; zero does not change the job's.
	Last  time.Time
	Fired int // the job's new count
	// HeldBy is the key of the pause that holds the job; empty for none.
	HeldBy string
	// StopReason is why a job without Next is stopped; empty otherwise.
	StopReason string
	// Runs have ids. A waiting one is sent at its DueAt, and hidden from other dispatchers
	// until its ReadyAt. There are at most the planner's limit per job, those that the
	// job's misfire limits allow, and some 200 records.
	Runs []job.Run
	// Missed is how many firings were dropped because they came too late; their records are
	// among Runs.
	Missed int
}

// Rules are the calendars and pauses of all namespaces, at a version.
type Rules struct {
	Version   int64
	Calendars []job.Calendar
	Pauses    []Pause
}

// Pause is a pause with the ids of its groups, if they exist.
type Pause struct {
	job.Pause
	GroupIDs []int64
}

// IDs assigns ids to runs.
type IDs interface {
	// NextRunID returns an id that was never assigned before.
	NextRunID(ctx context.Context) (int64, error)
}
