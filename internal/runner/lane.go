package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// lane is the row of one job's tasks. While it has work, one goroutine serves
// it; otherwise it is only this value and a timer.
type lane struct {
	job int64

	// Guarded by Runner.mu.
	waiting []entry     // accepted, in order, not begun
	pending int         // on their way into the store
	running *attempt    // what the goroutine serves
	active  bool        // the goroutine lives
	ending  bool        // killed: end when there is no work, do not idle
	timer   *time.Timer // ends the idle lane; nil while there is work
	turn    int         // counts the idle times, to tell old timers

	// Of the lane's goroutine, and of who ends the lane after it.
	handler handler.Handler
	code    code // what handler was found by
}

// entry is a task that waits. Its body stays in the store, since it may be
// large and many may wait.
type entry struct {
	key    int64
	task   *job.Task  // set when the task is in processing already
	killed *cancelled // set when it must end without being run
}

// attempt is the task that a lane serves.
type attempt struct {
	entry
	ctx       context.Context
	cancel    context.CancelCauseFunc
	abandoned bool // guarded by Runner.mu: its handler is no longer waited for
}

// code tells one handler from another.
type code struct {
	kind job.HandlerKind
	name string
}

// cancelled is why a run is ended before its time: somebody cancelled it, or
// the executor stops.
type cancelled struct {
	reason   string
	shutdown bool
}

// Error returns the reason.
func (c *cancelled) Error() string { return c.reason }

// state returns what the run becomes. One that the executor's stop ended is
// failed, so that its job's retry policy applies.
func (c *cancelled) state() job.State {
	if c.shutdown {
		return job.Failed
	}
	return job.Cancelled
}

func (l *lane) busy() bool { return l.active || len(l.waiting) > 0 || l.pending > 0 }

// wake ends a lane's idle time. Runner.mu is held.
func (l *lane) wake(r *Runner) {
	if l.timer == nil {
		return
	}
	l.timer.Stop()
	l.timer = nil
	l.turn++
	r.idle--
}

// lane returns the job's lane, a new one if need be. mu is held.
func (r *Runner) lane(jobID int64) (*lane, error) {
	if l := r.lanes[jobID]; l != nil {
		return l, nil
	}
	if len(r.lanes) >= r.config.Lanes && !r.makeRoom() {
		return nil, job.Errorf(job.Full,
			"%d jobs have work on this executor, the most it takes", r.config.Lanes)
	}
	l := &lane{job: jobID}
	r.lanes[jobID] = l
	return l, nil
}

// makeRoom ends one idle lane, and reports false when there is none. mu is held.
func (r *Runner) makeRoom() bool {
	if r.idle == 0 {
		return false
	}
	for _, l := range r.lanes {
		if l.timer != nil {
			r.retire(l)
			return true
		}
	}
	return false
}

// settle gives a lane with work a goroutine, and one without an end. mu is held.
func (r *Runner) settle(l *lane) {
	switch {
	case l.active || r.stopped:
	case len(l.waiting) > 0 && r.keeps(l.waiting[0]):
	case len(l.waiting) > 0:
		l.wake(r)
		l.active = true
		r.atWork++
		r.routines.Go(func() { r.serve(l) })
	case l.pending > 0 || l.timer != nil:
	case l.ending:
		r.retire(l)
	default:
		r.idle++
		turn := l.turn
		l.timer = time.AfterFunc(r.config.IdleAfter, func() { r.expire(l, turn) })
	}
}

// keeps reports whether the task stays in the store for the next start. mu is
// held.
func (r *Runner) keeps(e entry) bool { return r.draining && e.task == nil && e.killed == nil }

// expire ends a lane whose idle time is over, unless it has woken meanwhile.
func (r *Runner) expire(l *lane, turn int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.timer != nil && l.turn == turn {
		r.retire(l)
	}
}

// retire takes a lane without work away and destroys its handler. mu is held.
func (r *Runner) retire(l *lane) {
	l.wake(r)
	delete(r.lanes, l.job)
	r.routines.Go(func() { r.destroy(l) })
}

// destroy lets the lane's handler clean up. The caller is the only one that
// uses the lane.
func (r *Runner) destroy(l *lane) {
	d, ok := l.handler.(handler.Destroyer)
	l.handler = nil
	if !ok {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			r.config.Logger.Error("a handler panicked while it was destroyed",
				"job_id", l.job, "panic", fmt.Sprint(v))
		}
	}()
	d.Destroy()
}

// serve is the lane's goroutine.
func (r *Runner) serve(l *lane) {
	for {
		a := r.next(l)
		if a == nil {
			return
		}
		r.attempt(l, a)
		a.cancel(nil)
	}
}

// next begins the lane's next task, and returns nil when the goroutine must end.
func (r *Runner) next(l *lane) *attempt {
	r.mu.Lock()
	defer r.mu.Unlock()
	l.running = nil
	if len(l.waiting) == 0 || r.stopped || r.keeps(l.waiting[0]) {
		l.active = false
		r.atWork--
		r.settle(l)
		r.hush()
		return nil
	}
	a := &attempt{entry: l.waiting[0]}
	l.waiting = l.waiting[1:]
	if len(l.waiting) == 0 {
		l.waiting = nil // an idle lane keeps no memory
	}
	a.ctx, a.cancel = context.WithCancelCause(context.Background())
	if a.killed != nil {
		a.cancel(a.killed)
	}
	l.running = a
	return a
}

// forget ends what is known of an attempt.
func (r *Runner) forget(key int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.attempts, key)
	r.hush()
}
