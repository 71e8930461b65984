package runner

import "time"

// baton is a task that a goroutine begins with. The zero value ends it.
type baton struct {
	lane *lane
	task *attempt
}

// workers is the goroutines that wait for work. Runner.mu guards it.
type workers struct {
	waiting []chan baton // the last one came last, and is the first to get work
	least   int          // of them since the last trim
	timer   *time.Timer  // of the next trim; nil when none waits
}

// spareFor is how often goroutines that had no work since the last time are ended.
const spareFor = 5 * time.Second

// hand gives a task to a goroutine: one that waits for work, or a new one. Those
// that have run tasks have grown their stacks already. mu is held.
func (r *Runner) hand(l *lane, a *attempt) {
	n := len(r.workers.waiting) - 1
	if n < 0 {
		r.routines.Add(1)
		go r.work(l, a)
		return
	}
	r.workers.waiting[n] <- baton{l, a}
	r.workers.waiting = r.workers.waiting[:n]
	r.workers.least = min(r.workers.least, n)
}

// work is the goroutine of a task, and of the tasks that follow it.
func (r *Runner) work(l *lane, a *attempt) {
	defer func() {
		switch {
		case a == nil: // nothing is left to do
			r.routines.Done()
		case r.lost(a): // and so is this goroutine: see watch
		default: // a handler has called runtime.Goexit, and others take over
			if next := r.leave(l, a); next != nil {
				go r.work(l, next)
				return
			}
			r.routines.Done()
		}
	}()
	var work chan baton
	for a != nil && r.attempt(l, a) {
		a.cancel(nil)
		if a = r.leave(l, a); a != nil {
			continue
		}
		if work == nil {
			work = make(chan baton, 1)
		}
		if r.rest(work) {
			b := <-work
			l, a = b.lane, b.task
		}
	}
}

// rest has a goroutine wait for work, and reports false when there will be none.
func (r *Runner) rest(work chan baton) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return false
	}
	w := &r.workers
	w.waiting = append(w.waiting, work)
	if w.timer == nil {
		w.least = 0
		w.timer = time.AfterFunc(spareFor, r.trim)
	}
	return true
}

// trim ends goroutines that had no work since the last time.
func (r *Runner) trim() {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &r.workers
	r.dismiss(w.least)
	w.least, w.timer = len(w.waiting), nil
	if len(w.waiting) > 0 {
		w.timer = time.AfterFunc(spareFor, r.trim)
	}
}

// dismiss ends the n goroutines that have waited longest. mu is held.
func (r *Runner) dismiss(n int) {
	w := &r.workers
	for _, work := range w.waiting[:n] {
		work <- baton{}
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
