package handler

import (
	"context"
	"errors"
)

// Handler is code that an executor runs. Handle is called by one goroutine per
// run; runs of several jobs may share a Handler and then overlap.
//
// A nil error makes the attempt succeed, any other makes it fail with the
// error's text. A panic makes it fail too; its stack goes to the run log.
type Handler interface {
	Handle(ctx context.Context, t *Task) error
}

// Func is a function as a [Handler].
type Func func(ctx context.Context, t *Task) error

// Handle calls f.
func (f Func) Handle(ctx context.Context, t *Task) error { return f(ctx, t) }

// Initer is a [Handler] that prepares itself. Init is called once before the
// first run of a job, and again only after Destroy. An error fails that run;
// the next run tries again. Jobs that share a Handler each call it.
type Initer interface {
	Init(ctx context.Context) error
}

// Destroyer is a [Handler] that cleans up. Destroy is called once when its job
// has been idle for long, when the job changes to another handler and when the
// executor stops; never while the job runs, unless a run has ignored its
// cancelled context for longer than the grace.
type Destroyer interface {
	Destroy()
}

// TimedOut returns an error with the text that makes the attempt timed out, not
// failed: for a handler that keeps a limit of its own.
func TimedOut(text string) error { return &timedOutError{text} }

// IsTimedOut reports whether err, or what it wraps, was made by [TimedOut].
func IsTimedOut(err error) bool {
	_, ok := errors.AsType[*timedOutError](err)
	return ok
}

type timedOutError struct{ text string }

func (t *timedOutError) Error() string { return t.text }
