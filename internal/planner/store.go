package planner

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Store is what the planner reads and writes.
type Store interface {
	JobStore
	RuleStore
}

// JobStore is what the planner reads and writes of jobs.
type JobStore interface {
	// DueJobs returns up to limit enabled jobs behind a cursor that are to be looked at by
	// until, in the order of cursors.
	DueJobs(ctx context.Context, after Cursor, until time.Time, limit int) ([]Due, error)
	// NextDue returns the earliest instant at which an enabled job is to be
	// looked at, and false when there is none.
	NextDue(ctx context.Context) (time.Time, bool, error)
	// CommitPlan carries out the moves in one transaction and says for each
	// whether it took effect. A move takes effect only while the job is
	// enabled, has the move's Version and still has From as its next firing,
	// and calendars and pauses have the version of Rules, unless that is 0;
	// otherwise somebody changed or planned it meanwhile and nothing of the
	// move is written. A run whose (job, planned time, cause, cause id)
	// exists already is left out.
	CommitPlan(ctx context.Context, moves []Move) ([]bool, error)
	// CountReady returns how many runs of a group are ready at now and claimed by nobody;
	// it counts up to limit.
	CountReady(ctx context.Context, group int64, now time.Time, limit int) (int, error)
}

// Cursor is a place among jobs, which are in order of when they are to be looked at, then of
// id. The zero one is before all.
type Cursor struct {
	Look  time.Time
	JobID int64
}

// Before reports whether jobs that are to be looked at then stand behind the cursor, all of
// them.
func (c Cursor) Before(look time.Time) bool { return c.Look.Before(look) }

// RuleStore is what the planner reads of calendars and pauses.
type RuleStore interface {
	// Rules returns all calendars and pauses, and nil when their version is
	// still known. 0 is never a version.
	Rules(ctx context.Context, known int64) (*Rules, error)
}

// Due is what the planner has to know of a job.
type Due struct {
	JobID     int64
	Version   int64
	Namespace string
	GroupID   int64
	Next      time.Time // the firing that is due
	// Look is when the planner was to look at the job: Next, earlier when the
	// rules that Next came from have changed, later when a pause held the job.
	Look time.Time
	// Last is the last instant planned; zero when there was none. Since is
	// when a user last changed the job: started it, for one.
	Last     time.Time
	Since    time.Time
	Schedule schedule.Spec
	Misfire  schedule.Misfire
	Limits   schedule.MisfireLimits
	Fired    int    // runs that the schedule has made: what its Count bounds
	HeldBy   string // the key of the pause that held the job; empty for none
	// Priority and ExpireAfter are what its runs have of it.
	Priority    job.Priority
	ExpireAfter time.Duration // zero is for ever
}

// Move takes a job's next firing from From to Next and writes the runs between.
type Move struct {
	JobID   int64
	Version int64
	Rules   int64 // the version of the rules that it was decided by
	From    time.Time
	// Next is the next firing not yet planned. The zero time means that
	// there is none: the job is stopped, unless it Waits.
	Next time.Time
	// Look is when the planner looks at the job again; zero means at Next.
	Look time.Time
	// Waits says that the end of a run sets the next firing: the job stays
	// enabled although Next is zero.
	Waits bool
	// Last is the last instant planned; zero leaves the job's as it is.
	Last  time.Time
	Fired int // the job's new count
	// HeldBy is the key of the pause that holds the job; empty for none.
	HeldBy string
	// StopReason says why a job without Next is stopped; empty otherwise.
	StopReason string
	// Runs have ids; a waiting one is to be sent at its DueAt, and hidden from
	// other dispatchers until its ReadyAt. At most the planner's limit per job,
	// those that the job's misfire limits allow, and some 200 records.
	Runs []job.Run
	// Missed is how many firings were let go because they came too late; their
	// records are among Runs.
	Missed int
}

// Rules are the calendars and pauses of all namespaces, at a version.
type Rules struct {
	Version   int64
	Calendars []job.Calendar
	Pauses    []Pause
}

// Pause is a pause with the ids of its groups, as far as they exist.
type Pause struct {
	job.Pause
	GroupIDs []int64
}

// IDs gives ids for runs.
type IDs interface {
	// NextRunID returns an id never given before.
	NextRunID(ctx context.Context) (int64, error)
}
