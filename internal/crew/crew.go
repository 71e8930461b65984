// Package crew runs functions on goroutines that it reuses.
//
// It knows how many goroutines may be idle. It must never know what the functions do.
package crew

import (
	"sync"
	"sync/atomic"
)

// keptIdle is the most idle goroutines of a crew.
const keptIdle = 64

// Crew runs functions on goroutines that it reuses. The call stack of a request to an
// executor is so deep that a new goroutine has its stack copied on the way, which costs a
// single call more than the sending.
type Crew struct {
	stop    <-chan struct{} // ends idle goroutines
	Running sync.WaitGroup
	idle    atomic.Int32
	next    chan func() // taken by an idle goroutine
}

// New returns a crew whose idle goroutines end when stop is closed.
func New(stop <-chan struct{}) *Crew { return &Crew{stop: stop, next: make(chan func())} }

// Start runs fn on an idle goroutine, or on a new one.
func (c *Crew) Start(fn func()) {
	select {
	case c.next <- fn:
	default:
		c.Running.Go(func() { c.runUntilIdle(fn) })
	}
}

// runUntilIdle runs fn and then further functions, unless enough other goroutines are idle.
func (c *Crew) runUntilIdle(fn func()) {
	for {
		fn()
		if c.idle.Add(1) > keptIdle {
			c.idle.Add(-1)
			return
		}
		select {
		case fn = <-c.next:
			c.idle.Add(-1)
		case <-c.stop:
			return
		}
	}
}
