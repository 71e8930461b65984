package dispatcher

import (
	"sync"
	"sync/atomic"
)

// keptIdle is how many goroutines of a crew wait for another function at most.
const keptIdle = 64

// crew runs functions on goroutines that it keeps for the next ones. A call to an executor is
// so deep that a new goroutine has its stack copied on the way, which costs a lone call
// more than the sending.
type crew struct {
	stop    <-chan struct{} // those that have nothing to do end
	running sync.WaitGroup
	idle    atomic.Int32
	next    chan func() // taken by a goroutine that is idle
}

func newCrew(stop <-chan struct{}) *crew { return &crew{stop: stop, next: make(chan func())} }

// run has fn run by a goroutine that is idle, or by a new one.
func (c *crew) run(fn func()) {
	select {
	case c.next <- fn:
	default:
		c.running.Go(func() { c.work(fn) })
	}
}

// work runs fn, and then what comes, unless enough others are idle.
func (c *crew) work(fn func()) {
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
