// Package pace is the loop of a package that advances long work. It works when it is woken
// or due, shares the store with others, and continues after errors.
//
// It knows a function that makes one pass and returns the time until the next one. It must
// never know what the work is. Wake-ups come in; passes go out, one at a time.
package pace

import (
	"context"
	"sync/atomic"
	"time"
)

// Breath is the least time between two passes. Wake-ups in that time share the next one.
const Breath = 5 * time.Millisecond

// afterError is the pause after an error.
const afterError = time.Second

// Cause is why a pass is made.
type Cause int

// The causes. Of two the later one in this list is passed.
const (
	Due   Cause = iota // its time has come
	Woken              // Wake was called
	// Fresh is a pass without knowledge of earlier ones: the first one, the one after an
	// error, and the one after [Loop.TakeOver]. Work that is claimed and not done may be
	// the loop's own, or that of a failed server.
	Fresh
)

// Config configures a Loop.
type Config struct {
	// Pass does the work that is due by now and returns the time until the next work is
	// due.
	Pass func(ctx context.Context, now time.Time, cause Cause) (wait time.Duration, err error)
	// Failed is called with each error. Defaults to a no-op.
	Failed func(err error)
	// Idle reports whether no pass may start, because others do the work; it does not stop
	// a pass. It is called before each pass, and at least once a second while it returns
	// true. Defaults to never.
	Idle func() bool
	// Leave releases the claimed work of the loop, so that others need not wait until they
	// may claim it. It is called whenever the loop is found idle, and when ctx has ended,
	// with a context that lasts for 2 s. Defaults to a no-op.
	Leave func(ctx context.Context)
}

// leaveFor bounds a call of Leave, and how long started work continues after a stop.
const leaveFor = 2 * time.Second

// Finish returns a context for work that must finish although ctx ends: claimed work that
// is not done would be hidden from others until its lease ends. It lasts for 2 s longer
// than ctx. The caller cancels it when all is done.
func Finish(ctx context.Context) (context.Context, context.CancelFunc) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(leaveFor):
			cancel()
		case <-work.Done():
		}
	})
	return work, func() {
		stop()
		cancel()
	}
}

// whileIdle is the time between two calls of Idle of an idle loop.
const whileIdle = time.Second

// Loop makes passes. Any goroutine may call Wake at any time.
type Loop struct {
	config Config
	wake   chan struct{}
	fresh  atomic.Bool // the next pass is to be Fresh
}

// New returns a loop that does nothing until Run.
func New(c Config) *Loop {
	if c.Failed == nil {
		c.Failed = func(error) {}
	}
	if c.Idle == nil {
		c.Idle = func() bool { return false }
	}
	if c.Leave == nil {
		c.Leave = func(context.Context) {}
	}
	return &Loop{config: c, wake: make(chan struct{}, 1)}
}

// Wake starts a pass now, or one more after the current one. It never blocks.
func (l *Loop) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// TakeOver starts a [Fresh] pass now: a server that may have claimed work has failed. It
// never blocks.
func (l *Loop) TakeOver() {
	l.fresh.Store(true)
	l.Wake()
}

// Run makes passes until ctx ends, and then returns nil. The loop works for half of the
// time at most, so that others get to the store however much work there is. It reports an
// error, and makes the next pass a second later.
func (l *Loop) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	defer l.leave(ctx)
	cause := Fresh
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-l.wake:
			cause = max(cause, Woken)
		}
		if l.config.Idle() {
			l.leave(ctx)
			timer.Reset(whileIdle)
			continue
		}
		if l.fresh.Swap(false) {
			cause = Fresh
		}
		began := time.Now()
		wait, err := l.config.Pass(ctx, began, cause)
		rest := max(time.Since(began), Breath)
		cause = Due
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			l.config.Failed(err)
			wait, rest, cause = 0, afterError, Fresh
		}
		select { // callers of Wake during the pause
		case <-ctx.Done():
			return nil
		case <-time.After(rest):
		}
		timer.Reset(max(time.Until(began.Add(wait)), 0))
	}
}

// leave releases the claimed work of the loop, also when ctx has ended.
func (l *Loop) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveFor)
	defer cancel()
	l.config.Leave(ctx)
}
