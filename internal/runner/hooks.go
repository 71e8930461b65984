package runner

import (
	"context"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// Hooks are called as things happen, by many goroutines at the same time. They
// must return at once and must not call the Runner. A nil one is skipped.
type Hooks struct {
	// Accepted: the task is durable. It may have started by now.
	Accepted func(t job.Task)
	// Started: the task's handler is called now.
	Started func(t job.Task)
	// Handling is called right before a handler, in its goroutine. It returns the context
	// for the handler, and a function that is called with the handler's error after any
	// kind of end. It may change the Trace of the view. It must keep the values and the end
	// of the context.
	Handling func(ctx context.Context, view *handler.Task) (context.Context, func(err error))
	// Finished: the outcome is in the outbox, took after the handler was
	// called; took is zero when it never was.
	Finished func(o job.Outcome, took time.Duration)
	// Stuck: the number of handlers that ignore their cancellation.
	Stuck func(handlers int)
	// Recovered: what the start found in the store.
	Recovered func(r Recovery)
}

// Recovery is what a [Runner] found in the store when it began.
type Recovery struct {
	// Waiting is the tasks that had not started, and run now.
	Waiting int
	// Interrupted is the tasks that had started and are reported as failed.
	Interrupted int
	// Rerun is the tasks that had started and run again; they are part of
	// Waiting too.
	Rerun int
	// Buried is the tasks given up: run again too often, or unreadable.
	Buried int
}

func (h *Hooks) setDefaults() {
	if h.Accepted == nil {
		h.Accepted = func(job.Task) {}
	}
	if h.Started == nil {
		h.Started = func(job.Task) {}
	}
	if h.Handling == nil {
		h.Handling = func(ctx context.Context, _ *handler.Task) (context.Context, func(error)) {
			return ctx, func(error) {}
		}
	}
	if h.Finished == nil {
		h.Finished = func(job.Outcome, time.Duration) {}
	}
	if h.Stuck == nil {
		h.Stuck = func(int) {}
	}
	if h.Recovered == nil {
		h.Recovered = func(Recovery) {}
	}
}
