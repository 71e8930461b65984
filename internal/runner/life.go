package runner

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// life is a handler between its Init and its Destroy: that of one lane and one
// version of its code.
type life struct {
	job int64
	// turn is held by the goroutine that prepares or destroys the handler. The first task
	// prepares it, and the others wait.
	turn    chan struct{}
	handler handler.Handler                 // guarded by turn; nil before it is prepared
	ready   atomic.Pointer[handler.Handler] // to it, once it is prepared
}

func newLife(jobID int64) *life { return &life{job: jobID, turn: make(chan struct{}, 1)} }

// begin returns the prepared handler. After an error the next task tries again.
func (f *life) begin(ctx context.Context, find func() (handler.Handler, error)) (handler.Handler, error) {
	if ready := f.ready.Load(); ready != nil && ctx.Err() == nil {
		return *ready, nil
	}
	select {
	case f.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-f.turn }()
	if f.handler != nil {
		return f.handler, nil
	}
	found, err := find()
	if err != nil {
		return nil, err
	}
	if i, ok := found.(handler.Initer); ok {
		if err := i.Init(ctx); err != nil {
			return nil, fmt.Errorf("prepare the handler: %w", err)
		}
	}
	f.handler = found
	f.ready.Store(&found)
	return found, nil
}

// finishLife lets a handler that no task uses any more clean up, in a goroutine of
// its own. mu is held.
func (r *Runner) finishLife(f *life) {
	r.routines.Go(func() { r.destroy(f) })
}

// destroy lets a handler that no task uses any more clean up.
func (r *Runner) destroy(f *life) {
	f.turn <- struct{}{}
	d, ok := f.handler.(handler.Destroyer)
	f.handler = nil
	f.ready.Store(nil)
	<-f.turn
	if !ok {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			r.config.Logger.Error("a handler panicked while it was destroyed",
				"job_id", f.job, "panic", fmt.Sprint(v))
		}
	}()
	d.Destroy()
}

// findHandler looks the code of a task up.
func (r *Runner) findHandler(h job.Handler) func() (handler.Handler, error) {
	return func() (handler.Handler, error) { return r.config.Handlers.Handler(h) }
}
