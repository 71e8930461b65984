package dispatcher

import (
	"sync"
	"sync/atomic"
)

// keptIdle is the most idle goroutines of a crew.
const keptIdle = 64

// crew runs functions on goroutines that it reuses. The call stack of a request to an
// executor is so deep that a new goroutine has its stack copied on the way, which costs a
// single call more than the sending.
type crew struct {
	stop    <-chan struct{} // ends idle goroutines
	running sync.WaitGroup
	idle    atomic.Int32
	next    chan func() // taken by an idle goroutine
}

func newCrew(stop <-chan struct{}) *crew { return &crew{stop: stop, next: make(chan func())} }

// start runs fn on an idle goroutine, or on a new one.
func (c *crew) start(fn func()) {
	select {
	case c.next <- fn:
	default:
		c.running.Go(func() { c.runUntilIdle(fn) })
	}
}

// runUntilIdle runs fn and then further functions, unless enough other goroutines are idle.
func (c *crew) runUntilIdle(fn func()) {
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
