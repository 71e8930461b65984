package planner

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Store is what the planner reads and writes.
type Store interface {
	// DueJobs returns up to limit enabled jobs whose next firing is at or
	// before until, the earliest first.
	DueJobs(ctx context.Context, until time.Time, limit int) ([]Due, error)
	// NextDue returns the earliest next firing of all enabled jobs, and
	// false when there is none.
	NextDue(ctx context.Context) (time.Time, bool, error)
	// CommitPlan carries out the moves in one transaction and says for each
	// whether it took effect. A move takes effect only while the job is
	// enabled, has the move's Version and still has From as its next firing;
	// otherwise somebody changed or planned it meanwhile and nothing of the
	// move is written. A run whose (job, planned time, cause, cause id)
	// exists already is left out.
	CommitPlan(ctx context.Context, moves []Move) ([]bool, error)
}

// Due is what the planner has to know of a job.
type Due struct {
	JobID    int64
	Version  int64
	GroupID  int64
	Next     time.Time // the firing that is due
	Schedule schedule.Spec
	Misfire  schedule.Misfire
}

// Move takes a job's next firing from From to Next and writes the runs between.
type Move struct {
	JobID   int64
	Version int64
	From    time.Time
	// Next is the next firing not yet planned. The zero time means that
	// there is none: the job is stopped.
	Next time.Time
	// Last is the last instant planned; zero leaves the job's as it is.
	Last time.Time
	Runs []job.Run // with ids; at most the planner's limit per job
}

// IDs gives ids for runs.
type IDs interface {
	// NextRunID returns an id never given before.
	NextRunID(ctx context.Context) (int64, error)
}
