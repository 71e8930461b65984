package dispatcher

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
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

// resolved returns the task of an item in the form to send. The item does not change:
// values stay in memory no longer than a call.
func (l *lanes) resolved(ctx context.Context, it *waiting.HeldRun) (job.Task, error) {
	t, err := it.Job.FillTask(it.Task)
	if err != nil {
		return job.Task{}, &waiting.UnresolvedError{Err: err}
	}
	if l.d.config.Resolver == nil {
		return t, nil
	}
	if t, err = l.d.config.Resolver.Resolve(ctx, it.Job, t); err != nil {
		return job.Task{}, &waiting.UnresolvedError{Err: err}
	}
	return t, nil
}
