package dispatcher

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Resolver puts into a task what the references in it stand for.
type Resolver interface {
	// Resolve returns the task of a job as it is to be sent; it leaves the job alone.
	// Kinds: Invalid when something that is referred to cannot be had, with the reason
	// in words, Unavailable when that cannot be found out now.
	Resolve(ctx context.Context, j *job.Job, t job.Task) (job.Task, error)
}

// resolveFor bounds how long the references of the tasks of a call may take.
const resolveFor = 2 * time.Second

// unresolvedError is the answer of this server for a task that it did not send because
// of what the task refers to.
type unresolvedError struct{ err error }

// Error returns why.
func (e *unresolvedError) Error() string { return "the task was not sent: " + e.err.Error() }

// Unwrap returns the cause.
func (e *unresolvedError) Unwrap() error { return e.err }

// final reports whether asking again soon cannot help.
func (e *unresolvedError) final() bool { return job.Is(e.err, job.Invalid) }

// resolved returns the task of an item as it is to be sent. The item keeps what it has:
// values stay in memory no longer than a call.
func (l *lanes) resolved(ctx context.Context, it *item) (job.Task, error) {
	t, err := it.job.FillTask(it.task)
	if err != nil {
		return job.Task{}, &unresolvedError{err}
	}
	if l.d.config.Resolver == nil {
		return t, nil
	}
	if t, err = l.d.config.Resolver.Resolve(ctx, it.job, t); err != nil {
		return job.Task{}, &unresolvedError{err}
	}
	return t, nil
}
