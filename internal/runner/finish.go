package runner

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner/texts"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// backoff is the delay before a transaction that the disk refused is tried again. It is
// never given up before the executor stops: an outcome must not be lost.
var backoff = retry.Policy{Tries: retry.MaxTries, Initial: 50 * time.Millisecond, Max: 5 * time.Second, Jitter: 0.2}

// maxMessage is the characters of an outcome's message that are kept; servers
// keep less.
const maxMessage = 50_000

func (r *Runner) outcome(t *job.Task, e end) job.Outcome {
	if e.state != job.Succeeded {
		e.message = r.config.Mask(e.message)
	}
	return job.Outcome{
		AttemptID: t.AttemptID, TriggeredAt: t.TriggeredAt, State: e.state,
		Message: job.Clean(e.message, maxMessage), EndedAt: time.Now(),
		Class: e.class, RetryAfter: e.after,
	}
}

// ending is a task that has ended and whose outcome is not stored yet.
type ending struct {
	outcome job.Outcome
	took    time.Duration
	attempt *attempt // whose slot becomes free; nil when it is
	slot    int      // of the mark; noSlot for none

	// Of settleEnds.
	lane  *lane
	next  int64 // begins when this one has ended; 0 for none
	begun bool  // it has
	err   error // why the outcome could not be stored with the others
}

const noSlot = -1

// finish queues an outcome; the next goroutine that looks for work stores it, and this one
// does so.
func (r *Runner) finish(e ending) {
	if e.attempt != nil {
		e.attempt.cancel(nil)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.workers.ends = append(r.workers.ends, e)
}

// settleEnds ends tasks that are in processing: one transaction removes them from the
// queue, puts their outcomes into the outbox, and moves the tasks that follow them in their
// lanes into processing. If none follows, the ends need not survive a power cut at once: a
// task whose end is lost was interrupted, and the outcome that a server already has stays
// valid.
func (r *Runner) settleEnds(ends []ending) {
	r.findSuccessors(ends)
	err := r.updateOf(ends)(r.disk, func(tx *queue.Tx) error {
		r.storeEnds(tx, ends)
		return nil
	})
	for i := range ends {
		if err != nil || ends[i].err != nil {
			r.settleLater(ends[i])
		} else {
			r.stored(&ends[i])
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	w := &r.workers
	roused := w.roused
	w.roused = true // this goroutine looks for work
	for i := range ends {
		if e := &ends[i]; err == nil && e.err == nil {
			r.conclude(e)
		}
	}
	w.roused, w.settling = roused, false
	clear(ends)
	if cap(ends) <= keptEnds {
		w.spare = ends[:0]
	}
	r.signalIdle()
}

// keptEnds is for how many ends the room is kept.
const keptEnds = 1 << 10

// settleLater ends one task in a goroutine.
func (r *Runner) settleLater(e ending) { r.routines.Go(func() { r.settleAlone(e) }) }

// settleAlone ends one task that the store did not accept together with others.
func (r *Runner) settleAlone(e ending) {
	ends := []ending{e}
	err := r.insistBy(r.updateOf(ends), "report an outcome", e.outcome.AttemptID, func(tx *queue.Tx) error {
		r.storeEnds(tx, ends)
		return ends[0].err
	})
	if e = ends[0]; err == nil {
		r.stored(&e)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.conclude(&e)
	} else if e.attempt != nil {
		r.leave(e.attempt)
	}
	r.signalIdle()
}

// updateOf returns how the store is changed for ends.
func (r *Runner) updateOf(ends []ending) func(context.Context, func(tx *queue.Tx) error) error {
	for i := range ends {
		if ends[i].next != 0 { // what has begun must not begin again
			return r.config.Store.Update
		}
	}
	return r.config.Store.UpdateSoon
}

// storeEnds puts ends into the store. Each of them has its own error and leaves nothing
// then.
func (r *Runner) storeEnds(tx *queue.Tx, ends []ending) {
	for i := range ends {
		e := &ends[i]
		e.err = r.endTask(tx, e.outcome)
		e.begun = e.err == nil && e.next != 0 && r.config.Tasks.Start(tx, e.next) == nil
	}
}

// stored reports that an outcome is in the outbox.
func (r *Runner) stored(e *ending) {
	failpoint.Hit("runner/finished")
	r.config.Hooks.Finished(e.outcome, e.took)
	if e.slot != noSlot {
		r.config.Starts.Free(e.slot)
	}
}

// conclude frees the slot of a task whose outcome is stored. mu is held.
func (r *Runner) conclude(e *ending) {
	if e.begun {
		r.begun(e.lane, e.next)
	}
	delete(r.attempts, e.outcome.AttemptID)
	if e.attempt != nil {
		r.leave(e.attempt)
	}
}

// findSuccessors finds the tasks that begin when others have ended, as far as that is
// certain and not the store alone has them.
func (r *Runner) findSuccessors(ends []ending) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range ends {
		ends[i].lane, ends[i].next = r.successor(ends[i].outcome.AttemptID)
	}
}

// successor returns the task that begins when an attempt has ended, as far as that is
// certain, and 0 when there is none or the store alone has it. mu is held.
func (r *Runner) successor(key int64) (*lane, int64) {
	l := r.attempts[key]
	if l == nil || len(l.waiting) == 0 || r.draining || len(r.held) > 0 || r.running > r.config.Running {
		return nil, 0
	}
	e := l.waiting[0]
	alone := l.occupied() == 1
	if e.task == nil || e.processing || e.killed != nil || !alone && (l.shape == nil || *e.shape != *l.shape) {
		return nil, 0
	}
	return l, e.key
}

// begun records that a waiting task is in processing. mu is held.
func (r *Runner) begun(l *lane, key int64) {
	for i := range l.waiting {
		if l.waiting[i].key == key {
			l.waiting[i].processing = true
			return
		}
	}
}

// endTask takes a task out of the queue, wherever it is, and puts its outcome into
// the outbox; after an error neither has happened, for what is in a place can be taken
// out. A task that has ended already keeps the outcome it has. One that the queue set aside
// because its record was damaged has its outcome all the same.
func (r *Runner) endTask(tx *queue.Tx, o job.Outcome) error {
	place, err := r.config.Tasks.Where(tx, o.AttemptID)
	here := place == queue.Processing || place == queue.Scheduled
	if err != nil || place != 0 && !here {
		return err
	}
	if err := r.config.Outbox.Put(tx, o); err != nil || !here {
		return err
	}
	if place == queue.Scheduled {
		return r.config.Tasks.Drop(tx, o.AttemptID, o.EndedAt)
	}
	return r.config.Tasks.Ack(tx, o.AttemptID, o.EndedAt)
}

// putBack returns a task that has not begun to the queue, for the next start.
func (r *Runner) putBack(key int64) {
	err := r.insist("put a task back", key, func(tx *queue.Tx) error {
		return r.config.Tasks.Defer(tx, key, time.Now(), texts.NotStartedNote)
	})
	if err == nil {
		r.forget(key)
	}
}

// buryTask gives up a task in processing that cannot be read.
func (r *Runner) buryTask(key int64, text string) {
	v := verdict{unreadable, job.Task{AttemptID: key}, text}
	r.config.Logger.Error("a task is given up", "attempt_id", key, "reason", text)
	err := r.insist("bury a task", key, func(tx *queue.Tx) error { return r.commit(tx, v) })
	if err == nil {
		r.forget(key)
	}
}

// insist repeats a transaction until the store accepts it, or until some time after the
// executor was stopped. Until then the lane waits, and so does every sender of tasks for
// it.
func (r *Runner) insist(what string, key int64, fn func(tx *queue.Tx) error) error {
	return r.insistBy(r.config.Store.Update, what, key, fn)
}

// insistBy is insist with one of the store's update methods.
func (r *Runner) insistBy(update func(context.Context, func(tx *queue.Tx) error) error, what string, key int64, fn func(tx *queue.Tx) error) error {
	for try := 1; ; try++ {
		err := update(r.disk, fn)
		if err == nil {
			if try > 1 {
				r.config.Logger.Info("the store takes transactions again", "task", what, "attempt_id", key, "tries", try)
			}
			return nil
		}
		if job.Is(err, job.NotFound) { // damaged and set aside: nothing to wait for
			r.config.Logger.Error("a stored task is gone", "task", what, "attempt_id", key, "error", err)
			r.forget(key)
			return err
		}
		if r.disk.Err() != nil {
			r.config.Logger.Error("a transaction is given up because the executor stops",
				"task", what, "attempt_id", key, "error", err)
			return err
		}
		if try == 1 {
			r.config.Logger.Error("a transaction is tried until the store takes it",
				"task", what, "attempt_id", key, "error", err)
		}
		delay, _ := backoff.Delay(min(try, backoff.Tries), rand.Float64())
		pause(r.disk, delay)
	}
}

// pause returns after d, or when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
