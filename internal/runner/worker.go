package runner

import "time"

// workers is the goroutines that run tasks, and their work. Runner.mu guards it.
//
// While there is work, one of them is on its way to look at it, and it sends the next one
// on its way before it calls a handler. So no task waits for the handler of another one,
// and many short ones share a goroutine that is awake.
type workers struct {
	first, last *attempt    // begun, in order: no goroutine has them yet
	ends        []ending    // to be stored
	settling    bool        // a goroutine stores others
	spare       []ending    // to be used again
	roused      bool        // a goroutine is on its way
	waiting     []chan bool // for work; the last one came last, and is the first to get some
	least       int         // of them since the last trim
	timer       *time.Timer // of the next trim; nil when none waits
}

const (
	// spareFor is how often goroutines that had no work since the last time are ended.
	spareFor = 5 * time.Second
	// settleAfter is how long the ends of tasks wait for others while tasks wait for a
	// goroutine.
	settleAfter = time.Millisecond
)

// handToWorkers gives a task to the goroutines. mu is held.
func (r *Runner) handToWorkers(a *attempt) {
	w := &r.workers
	if w.first == nil {
		w.first = a
	} else {
		w.last.behind = a
	}
	w.last = a
	r.rouse()
}

// rouse has a goroutine look at what there is to do, if there is something and none is on
// its way: one that waits for work, or a new one. Those that have run tasks have grown
// their stacks already. mu is held.
func (r *Runner) rouse() {
	w := &r.workers
	if w.roused || w.first == nil && (len(w.ends) == 0 || w.settling) {
		return
	}
	w.roused = true
	n := len(w.waiting) - 1
	if n < 0 {
		r.routines.Add(1)
		go r.serveWork(worker{call: make(chan bool, 1)})
		return
	}
	w.waiting[n] <- true
	w.waiting = w.waiting[:n]
	w.least = min(w.least, n)
}

// worker is a goroutine that runs tasks and stores their ends. Without work it waits for a
// call, or for its clock.
type worker struct {
	call  chan bool
	watch *watch // nil for one that waits for a call
}

// waitForWork returns true when there may be work, and false when there will be none.
func (r *Runner) waitForWork(me worker) bool {
	if me.watch != nil {
		return r.awaitClock(me.watch)
	}
	return <-me.call
}

// dismiss ends the wait of a worker.
func (me worker) dismiss() {
	if me.watch != nil {
		me.watch.clock.Set(time.Time{})
	} else {
		me.call <- false
	}
}

// serveWork is what a worker does. One with a clock waits first.
func (r *Runner) serveWork(me worker) {
	var a *attempt
	defer func() {
		r.close(me, a != nil)
		switch {
		case a == nil: // nothing is left to do
		case r.endedEarly(a): // and so is this goroutine: see watch
			return
		default: // a handler has called runtime.Goexit, and others take over
			r.mu.Lock()
			r.rouse()
			r.mu.Unlock()
		}
		r.routines.Done()
	}()
	if me.watch != nil && !r.waitForWork(me) {
		return
	}
	for roused := true; ; {
		var ends []ending
		a, ends = r.nextWork(me, roused)
		switch roused = false; {
		case a != nil:
			if !r.attempt(a) {
				return
			}
		case ends != nil:
			r.settleEnds(ends)
		default:
			if roused = r.waitForWork(me); !roused {
				return
			}
		}
	}
}

// close frees the clock of a worker that ends, at its work or not.
func (r *Runner) close(me worker, working bool) {
	if me.watch == nil {
		return
	}
	me.watch.clock.Close()
	if working {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.alarms.away--
	}
}

// nextWork returns what a worker does now: a task to run, or ends to store. When there is nothing to
// do, it waits.
func (r *Runner) nextWork(me worker, roused bool) (a *attempt, ends []ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &r.workers
	if roused {
		w.roused = false
	}
	switch {
	case len(w.ends) > 0 && !w.settling && (w.first == nil || w.overdue()):
		ends, w.ends, w.spare, w.settling = w.ends, w.spare, nil, true
	case w.first != nil:
		a = w.first
		w.first, a.behind = a.behind, nil
	case r.stopped:
		me.dismiss()
	case me.watch != nil:
		r.waitForClock(me.watch)
	default:
		w.waiting = append(w.waiting, me.call)
		if w.timer == nil {
			w.least = 0
			w.timer = time.AfterFunc(spareFor, r.endIdleWorkers)
		}
	}
	r.rouse()
	return a, ends
}

// overdue reports whether the first end has waited for others long enough.
func (w *workers) overdue() bool {
	return w.ends[len(w.ends)-1].outcome.EndedAt.Sub(w.ends[0].outcome.EndedAt) >= settleAfter
}

// endIdleWorkers ends goroutines that had no work since the last time.
func (r *Runner) endIdleWorkers() {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &r.workers
	r.dismiss(w.least)
	w.least, w.timer = len(w.waiting), nil
	if len(w.waiting) > 0 {
		w.timer = time.AfterFunc(spareFor, r.endIdleWorkers)
	}
}

// dismiss ends the n goroutines that have waited longest. mu is held.
func (r *Runner) dismiss(n int) {
	w := &r.workers
	for _, call := range w.waiting[:n] {
		call <- false
	}
	rest := copy(w.waiting, w.waiting[n:])
	clear(w.waiting[rest:])
	w.waiting = w.waiting[:rest]
}

// dismissAll ends all goroutines that wait. mu is held.
func (r *Runner) dismissAll() {
	if r.workers.timer != nil {
		r.workers.timer.Stop()
	}
	r.dismiss(len(r.workers.waiting))
}
