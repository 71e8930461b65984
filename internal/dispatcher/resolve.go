package dispatcher

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

// Resolver replaces the references in a task by their values.
type Resolver interface {
	// Resolve returns the task of a job in the form to send; it does not change the job.
	// Kinds: Invalid when a reference cannot be resolved, with the reason, Unavailable when
	// that is unknown now.
	Resolve(ctx context.Context, j *job.Job, t job.Task) (job.Task, error)
}

// resolveFor bounds how long the references of the tasks of a call may take.
const resolveFor = 2 * time.Second

// unresolvedError is the answer of this server for a task that it did not send because of a
// reference in it.
type unresolvedError struct{ err error }

// Error returns why.
func (e *unresolvedError) Error() string { return "the task was not sent: " + e.err.Error() }

// Unwrap returns the cause.
func (e *unresolvedError) Unwrap() error { return e.err }

// final reports whether a retry soon cannot help.
func (e *unresolvedError) final() bool { return job.Is(e.err, job.Invalid) }

// resolved returns the task of an item in the form to send. The item does not change:
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
