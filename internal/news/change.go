package news

import (
	"context"

	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/job"
)

// The words of changes, which the store shares.
type (
	// Kind is what a change is about.
	Kind = event.Kind
	// Change is one that was committed.
	Change = event.Change
	// About is how a thing is called, and where it is.
	About = event.About
	// Named is a run with what never changes about it, and where it is and stands.
	Named = event.Named
)

// What changes are about, and what becomes of things.
const (
	Run      = event.Run
	Job      = event.Job
	Executor = event.Executor
	Alarm    = event.Alarm
	Many     = event.Many
	Created  = event.Created
	Saved    = event.Saved
	Started  = event.Started
	Stopped  = event.Stopped
	Deleted  = event.Deleted
	Came     = event.Came
	Tells    = event.Tells
	Drains   = event.Drains
	Silent   = event.Silent
	Gone     = event.Gone
	Fires    = event.Fires
	Over     = event.Over
)

// Store tells how things are called.
type Store interface {
	// NamedRuns returns the runs that there are, in no particular order.
	NamedRuns(ctx context.Context, ids []int64) ([]Named, error)
	// NamedJobs returns the jobs that there are, or were, in no particular order.
	NamedJobs(ctx context.Context, ids []int64) ([]About, error)
}

// Changes is what all servers of a database change, in one order.
type Changes interface {
	// Watch asks servers to write down what they change from now on, until Unwatch, and
	// returns the id behind which that begins.
	Watch(ctx context.Context) (after int64, err error)
	// Unwatch says that nobody here wants to know any more.
	Unwatch()
	// ChangesAfter returns so many transactions behind an id, in their order, and whether
	// none between them and the id is missing.
	ChangesAfter(ctx context.Context, id int64, limit int) (rows []event.Told, whole bool, err error)
}

// Executors tells which executors there are.
type Executors interface {
	// Executors returns those that are alive, and those that were entered by hand. The
	// caller owns the slice.
	Executors() []job.Executor
}
