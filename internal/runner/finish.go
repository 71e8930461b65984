package runner

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// backoff is how soon a transaction that the disk refused is tried again. It is
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

// finish ends a task that is in processing: one transaction takes it out of the
// queue, puts its outcome into the outbox, and moves the task that follows it in
// its lane into processing. If none follows, the end need not outlive a power cut at once:
// a task whose end is lost was interrupted, and what its outcome said to a server holds.
func (r *Runner) finish(o job.Outcome, took time.Duration) {
	l, next := r.successor(o.AttemptID)
	started := false
	update := r.config.Store.UpdateSoon
	if next != 0 { // what has begun must not begin again
		update = r.config.Store.Update
	}
	err := r.insistBy(update, "report an outcome", o.AttemptID, func(tx *queue.Tx) error {
		started = next != 0 && r.config.Tasks.Start(tx, next) == nil
		return r.end(tx, o)
	})
	if err != nil {
		return
	}
	failpoint.Hit("runner/finished")
	if started {
		r.begun(l, next)
	}
	r.forget(o.AttemptID)
	r.config.Hooks.Finished(o, took)
}

// successor returns the task that begins when an attempt has ended, as far as that is
// certain, and 0 when there is none or the store alone has it.
func (r *Runner) successor(key int64) (*lane, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
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

// begun notes that a waiting task is in processing.
func (r *Runner) begun(l *lane, key int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range l.waiting {
		if l.waiting[i].key == key {
			l.waiting[i].processing = true
			return
		}
	}
}

// end takes a task out of the queue, wherever it is, and puts its outcome into
// the outbox. A task that has ended already keeps the outcome it has. One that
// the queue set aside because its record was damaged has its outcome all the
// same.
func (r *Runner) end(tx *queue.Tx, o job.Outcome) error {
	place, err := r.config.Tasks.Where(tx, o.AttemptID)
	switch {
	case err != nil:
		return err
	case place == queue.Processing:
		err = r.config.Tasks.Ack(tx, o.AttemptID, o.EndedAt)
	case place == queue.Scheduled:
		err = r.config.Tasks.Drop(tx, o.AttemptID, o.EndedAt)
	case place != 0:
		return nil
	}
	if err != nil {
		return err
	}
	return r.config.Outbox.Put(tx, o)
}

// putBack returns a task that has not begun to the queue, for the next start.
func (r *Runner) putBack(key int64) {
	err := r.insist("put a task back", key, func(tx *queue.Tx) error {
		return r.config.Tasks.Defer(tx, key, time.Now(), notStartedNote)
	})
	if err == nil {
		r.forget(key)
	}
}

// bury gives up a task in processing that cannot be read.
func (r *Runner) bury(key int64, text string) {
	v := verdict{unreadable, job.Task{AttemptID: key}, text}
	r.config.Logger.Error("a task is given up", "attempt_id", key, "reason", text)
	err := r.insist("bury a task", key, func(tx *queue.Tx) error { return r.commit(tx, v) })
	if err == nil {
		r.forget(key)
	}
}

// insist repeats a transaction until the store takes it, or until some time
// after the executor was told to stop. Meanwhile the lane waits, and so does
// everybody who sends it tasks.
func (r *Runner) insist(what string, key int64, fn func(tx *queue.Tx) error) error {
	return r.insistBy(r.config.Store.Update, what, key, fn)
}

// insistBy is insist with one of the store's ways to change it.
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
