package runner

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/job"
)

// lane is the queue of one job's tasks. Runner.mu guards all of it, except what life points
// to.
type lane struct {
	job int64

	waiting []entry    // accepted, in order, not started
	pending int        // being written to the store
	running []*attempt // what goroutines serve
	single  [1]*attempt
	stuck   int // handlers that are no longer waited for and still run

	// shape is that of the tasks that run, or ran last. A task of another shape starts only
	// when they have ended.
	shape *shape
	life  *life // the handler of that shape; nil before the first task

	queued bool // it stands in Runner.held
	ending bool // killed: end when there is no work, do not idle
	// alarm is when the clock looks at the lane; zero when it does not.
	alarm time.Time

	idleSince      time.Time // zero while there is work
	before, behind *lane     // in Runner.idlers
}

func newLane(jobID int64) *lane {
	l := &lane{job: jobID}
	l.running = l.single[:0]
	return l
}

// shape is what the tasks that run concurrently in a lane have in common.
type shape struct {
	code  code
	width int
}

// code identifies one handler, or one version of a script.
type code struct {
	kind    job.HandlerKind
	name    string
	version int64
}

func codeOf(h job.Handler) code {
	return code{kind: h.Kind, name: h.Name, version: job.Millis(h.SourceAt)}
}

// entry is a waiting task.
type entry struct {
	key        int64
	shape      *shape
	task       *job.Task  // nil when the store alone has it
	processing bool       // it is there already, and has its task
	startAt    time.Time  // it must not begin before; zero is at once
	killed     *cancelled // set when it must end without being run
}

// A waiting task is kept in memory when its record is small and there are few of them; the
// others are read when they start. Each kept one had fewer than keptTasks others when it
// came, so there are never more.
const (
	keptBytes = 1 << 10
	keptTasks = 8 << 10
)

// attempt is a task that a goroutine serves.
type attempt struct {
	entry
	lane   *lane
	behind *attempt // in workers; guarded by Runner.mu
	life   *life
	ctx    context.Context
	cancel context.CancelCauseFunc
	// watched is what runs, when only stop ends its context.
	watched atomic.Pointer[execution]
	run     execution

	returned  bool          // guarded by Runner.mu: its handler has returned
	abandoned bool          // guarded by Runner.mu: its handler is no longer waited for
	left      chan struct{} // guarded by Runner.mu: closed when it returns; nil without a waiter
}

func (l *lane) isBusy() bool {
	return len(l.running) > 0 || len(l.waiting) > 0 || l.pending > 0 || l.stuck > 0
}

// idles reports whether the lane waits for its end.
func (l *lane) idles() bool { return !l.idleSince.IsZero() }

// occupied is the slots that are in use.
func (l *lane) occupied() int { return len(l.running) + l.stuck }

// blocked reports whether handlers that cannot be stopped have all slots.
func (l *lane) blocked() bool { return l.stuck > 0 && l.shape != nil && l.stuck >= l.shape.width }

// mayStart reports whether the task may start alongside the running ones.
func (l *lane) mayStart(e *entry) bool {
	switch occupied := l.occupied(); {
	case e.killed != nil, l.shape == nil:
		return len(l.running) == 0
	case occupied == 0:
		return true
	case *e.shape != *l.shape:
		return false
	default:
		return occupied < l.shape.width
	}
}

// direct reports whether a task of the shape could begin as soon as it is
// durable.
func (l *lane) direct(s *shape) bool {
	used := l.occupied() + l.pending
	return len(l.waiting) == 0 && (used == 0 || l.shape != nil && *l.shape == *s && used < s.width)
}

// internShape returns the shape, as one value for all of a lane's tasks that have it.
func (l *lane) internShape(s shape) *shape {
	if n := len(l.waiting); n > 0 && *l.waiting[n-1].shape == s {
		return l.waiting[n-1].shape
	}
	if l.shape != nil && *l.shape == s {
		return l.shape
	}
	made := s // s itself stays where it is when none is made
	return &made
}

// laneOf returns the job's lane, a new one if need be. mu is held.
func (r *Runner) laneOf(jobID int64) (*lane, error) {
	if l := r.lanes[jobID]; l != nil {
		return l, nil
	}
	if len(r.lanes) >= r.config.Lanes && !r.makeRoom() {
		return nil, job.Errorf(job.Full,
			"%d jobs have work on this executor, the most it takes", r.config.Lanes)
	}
	l := newLane(jobID)
	r.lanes[jobID] = l
	return l, nil
}

// makeRoom ends one idle lane, and reports false when there is none. mu is held.
func (r *Runner) makeRoom() bool {
	if r.idlers.first == nil {
		return false
	}
	r.retire(r.idlers.first)
	return true
}

// settle starts the tasks of a lane that may start, and makes one without work idle. mu is
// held.
func (r *Runner) settle(l *lane) {
	for a := r.startNext(l); a != nil; a = r.startNext(l) {
		r.handToWorkers(a)
	}
	switch {
	case l.isBusy() || l.idles() || r.stopped:
	case l.ending:
		r.retire(l)
	default:
		r.beginIdle(l)
	}
}

// enter adds a waiting task. It goes before tasks that are not due yet, unless its own time
// is later.
func (l *lane) enter(e entry, now time.Time) {
	i := len(l.waiting)
	for i > 0 && l.waiting[i-1].startAt.After(now) && l.waiting[i-1].startAt.After(e.startAt) {
		i--
	}
	l.waiting = slices.Insert(l.waiting, i, e)
}

// startNext starts the lane's next task, and returns nil when none may start now. mu is held.
func (r *Runner) startNext(l *lane) *attempt {
	if len(l.waiting) == 0 || !r.mayBegin(l, &l.waiting[0]) {
		return nil
	}
	e := l.waiting[0]
	l.waiting = l.waiting[1:]
	if len(l.waiting) == 0 {
		l.waiting = nil // an idle lane keeps no memory
	}
	return r.start(l, e)
}

// mayBegin reports whether the first task of a lane may start now. mu is held.
func (r *Runner) mayBegin(l *lane, first *entry) bool {
	if r.stopped || r.keeps(first) || !l.mayStart(first) || r.early(l, first) {
		return false
	}
	if r.running < r.config.Running {
		return true
	}
	if !l.queued {
		l.queued = true
		r.held = append(r.held, l)
	}
	return false
}

// start starts a task that is ready. mu is held.
func (r *Runner) start(l *lane, e entry) *attempt {
	a := &attempt{entry: e, lane: l}
	a.ctx, a.cancel = context.WithCancelCause(context.Background())
	if a.killed != nil {
		a.cancel(a.killed)
	} else {
		r.reshape(l, a.shape)
	}
	a.life = l.life
	l.endIdle(r)
	l.running = append(l.running, a)
	r.running++
	return a
}

// reshape makes the lane's handler that of the shape. mu is held.
func (r *Runner) reshape(l *lane, s *shape) {
	if l.shape == nil || l.shape.code != s.code {
		if l.life != nil {
			r.finishLife(l.life)
		}
		l.life = newLife(l.job)
	}
	l.shape = s
}

// leave removes an ended task from its lane, and starts others. mu is held.
func (r *Runner) leave(a *attempt) {
	r.vacate(a.lane, a)
	r.settle(a.lane)
}

// vacate frees the slot of a task. mu is held.
func (r *Runner) vacate(l *lane, a *attempt) {
	if i := slices.Index(l.running, a); i >= 0 {
		l.running = slices.Delete(l.running, i, i+1)
	}
	if len(l.running) == 0 {
		l.running = l.single[:0]
	}
	r.running--
	for len(r.held) > 0 && r.running < r.config.Running && !r.stopped {
		first := r.held[0]
		r.held = r.held[1:]
		first.queued = false
		r.settle(first)
	}
}

// keeps reports whether the task stays in the store for the next start. mu is
// held.
func (r *Runner) keeps(e *entry) bool { return r.draining && !e.processing && e.killed == nil }

// retire takes a lane without work away and destroys its handler. mu is held.
func (r *Runner) retire(l *lane) {
	l.endIdle(r)
	delete(r.lanes, l.job)
	if l.life != nil {
		r.finishLife(l.life)
	}
}

// forget ends what is known of an attempt.
func (r *Runner) forget(key int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.attempts, key)
	r.signalIdle()
}
