// Package pace is the loop of a room that moves long work on: it works when it is
// woken or when its time has come, shares the store with others, and goes on
// after errors.
//
// It knows a function that makes one pass and says how long nothing will be to
// do. It must never know what the work is. Announcements come in; passes go out,
// one at a time.
package pace

import (
	"context"
	"sync/atomic"
	"time"
)

// Breath is the least time between two passes. Announcements that come meanwhile
// share the next one.
const Breath = 5 * time.Millisecond

// afterError is the time after an error in which nothing is tried.
const afterError = time.Second

// Cause is why a pass is made.
type Cause int

// The causes. Of two the later one in this list is told.
const (
	Due   Cause = iota // its time has come
	Woken              // somebody announced something
	// Fresh is a pass that knows nothing of what went before: the first one, that
	// after an error, and that after [Loop.TakeOver]. What somebody has claimed and not
	// done may be the loop's own, or that of one who is gone.
	Fresh
)

// Config says what a loop does.
type Config struct {
	// Pass does what is to be done by now and returns how long nothing will be.
	Pass func(ctx context.Context, now time.Time, cause Cause) (wait time.Duration, err error)
	// Failed is told each error. Defaults to nothing.
	Failed func(err error)
	// Idle reports whether no pass is to begin, because others do the work; one that is
	// under way is not stopped. It is asked before each pass, at least once a second
	// while it says yes. Defaults to never.
	Idle func() bool
	// Leave gives back what the loop has taken on, so that others need not wait until they
	// may take it. It is called whenever the loop is found idle, and when ctx has ended, with
	// a context that lasts for 2 s. Defaults to nothing.
	Leave func(ctx context.Context)
}

// leaveFor bounds a call of Leave, and how long what was begun goes on after a stop.
const leaveFor = 2 * time.Second

// Finish returns a context for what is to be finished although ctx ends: what was claimed
// and not done would be hidden from others until its lease ends. It lasts for 2 s longer
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

// whileIdle is the time between two questions whether a loop is to work again.
const whileIdle = time.Second

// Loop makes passes. Wake may be called by anybody at any time.
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

// Wake makes the loop begin a pass now, or one more when one is under way. It
// never blocks.
func (l *Loop) Wake() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// TakeOver makes the loop begin a [Fresh] pass now: a server is gone that may have
// claimed something. It never blocks.
func (l *Loop) TakeOver() {
	l.fresh.Store(true)
	l.Wake()
}

// Run makes passes until ctx ends, and then returns nil. The loop works for half
// of the time at most, so that others get to the store however much there is to
// do. An error is told and followed by a pass a second later.
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
		select { // whoever wakes it meanwhile
		case <-ctx.Done():
			return nil
		case <-time.After(rest):
		}
		timer.Reset(max(time.Until(began.Add(wait)), 0))
	}
}

// leave gives back what the loop has taken on, also when ctx has ended.
func (l *Loop) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveFor)
	defer cancel()
	l.config.Leave(ctx)
}
