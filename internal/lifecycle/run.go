package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"
)

// partCall is a function of a part on a goroutine of its own.
type partCall struct {
	name string
	done chan struct{}
	err  error // written by that goroutine; others read it once done is closed
}

// live is a part that was started.
type live struct {
	Part
	run  *partCall
	stop context.CancelFunc
}

// Run starts the parts in order, without waiting for one to be ready before it
// starts the next, and returns when all have ended. It stops them when ctx ends
// or a part fails. The result joins the errors of the parts and of their
// Drains, each with the part's name; it is nil after a stop in good order. A
// part that returns the error of its own stopped context has not failed, nor
// has a Drain that returns the error of its own ended time.
//
// A part that outlives StopFor is named in the error and left behind, so that
// one stuck part cannot keep the process from ending.
func (g *Group) Run(ctx context.Context) error {
	base, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	stopping, stop := context.WithCancel(ctx)
	defer stop()
	var open atomic.Int64 // parts that have not returned
	open.Store(int64(len(g.parts)))
	returned := func(err error) {
		if last := open.Add(-1) == 0; last || err != nil {
			stop()
		}
	}

	lives := make([]*live, 0, len(g.parts))
	for _, p := range g.parts {
		own, stopOne := context.WithCancel(base)
		lives = append(lives, &live{Part: p, run: g.call(own, p.Name, p.Run, returned), stop: stopOne})
	}
	<-stopping.Done()

	slices.Reverse(lives)
	failed := []error{g.drain(base, lives)}
	for _, l := range lives {
		l.stop()
		failed = append(failed, g.wait(l.run))
	}
	return errors.Join(failed...)
}

// drain calls every Drain, each when the one before has returned. When the time
// for all is over, those that are left still get their call, with an ended
// context, so that every part stops taking.
func (g *Group) drain(base context.Context, lives []*live) error {
	ctx, cancel := context.WithTimeout(base, g.config.DrainFor)
	defer cancel()
	var failed []error
	for _, l := range lives {
		if l.Drain == nil || l.run.ended() {
			continue
		}
		d := g.call(ctx, l.Name+": drain", l.Drain, func(error) {})
		select {
		case <-d.done:
		case <-ctx.Done():
		}
		err := g.wait(d)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			g.config.Logger.Warn("the time to drain is over; what is left is stopped", "part", l.Name, "after", g.config.DrainFor, "error", err)
			continue
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// call starts fn on a goroutine of its own; after runs there with fn's error.
func (g *Group) call(ctx context.Context, name string, fn func(context.Context) error, after func(error)) *partCall {
	c := &partCall{name: name, done: make(chan struct{})}
	go func() {
		defer func() {
			close(c.done)
			after(c.err)
		}()
		c.err = g.guard(ctx, name, fn)
	}()
	return c
}

// guard calls fn, names its error and turns a panic into one. The stack goes to
// the log because an error's text may reach users.
func (g *Group) guard(ctx context.Context, name string, fn func(context.Context) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			g.config.Logger.Error("part panicked", "part", name, "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
			err = fmt.Errorf("%s: panic: %v", name, cause)
		}
	}()
	switch err := fn(ctx); {
	case err == nil, ctx.Err() != nil && errors.Is(err, context.Canceled):
		return nil
	default:
		return fmt.Errorf("%s: %w", name, err)
	}
}

// wait returns the call's error once it has returned, or says that it has not.
func (g *Group) wait(c *partCall) error {
	patience := time.NewTimer(g.config.StopFor)
	defer patience.Stop()
	select {
	case <-c.done:
		return c.err
	case <-patience.C:
		return fmt.Errorf("%s: still running %v after it was told to stop", c.name, g.config.StopFor)
	}
}

// ended reports whether the call has returned.
func (c *partCall) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}
