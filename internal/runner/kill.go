package runner

import (
	"context"
	"slices"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner/taskrecord"
	"github.com/orthd/orth/internal/runner/texts"
	"github.com/orthd/orth/job"
)

// dropPage is how many waiting tasks share a transaction when they are dropped.
const dropPage = 64

// Kill ends all that the job has here. The running task is cancelled, and its outcome
// follows when its handler has returned or the grace is over. The waiting ones are dropped,
// durably before Kill returns unless the store fails; then the lane drops them when it can.
// Each has an outcome in state Cancelled that starts with the reason. False means that
// there was no lane; an idle lane is ended.
func (r *Runner) Kill(ctx context.Context, jobID int64, reason string) bool {
	if !r.recovered(ctx) {
		return false
	}
	stop := &cancelled{reason: reason}
	l, waiting := r.haltJob(jobID, stop)
	if l == nil {
		return false
	}
	r.endWaiting(ctx, l, waiting, stop)
	return true
}

// CancelAttempt ends one attempt like Kill. False means that the attempt has finished, or
// is not here and is not accepted any more. An error means that this is unknown.
func (r *Runner) CancelAttempt(ctx context.Context, attempt int64, reason string) (bool, error) {
	if !r.recovered(ctx) {
		return false, job.Errorf(job.Unavailable, "the executor is not ready yet: %w", ctx.Err())
	}
	stop := &cancelled{reason: reason}
	for try := 1; ; try++ {
		l, waiting := r.haltAttempt(attempt, stop)
		if l != nil {
			r.endWaiting(ctx, l, waiting, stop)
			return true, nil
		}
		places, err := r.Standings(ctx, []int64{attempt})
		switch {
		case err != nil:
			return false, err
		case places[0] != queue.Scheduled && places[0] != queue.Processing:
			return false, nil
		case try > 1: // as one that was driven again, and that nothing has lined up
			return false, job.Errorf(job.Unavailable, "attempt %d is kept on this executor's disk for the next start", attempt)
		} // it has been accepted since
	}
}

// Return hands back the waiting tasks, because this executor stops: each gets an outcome in
// state Failed with the reason that it was not run, so that its job's retry policy can run
// it elsewhere. Drain must have been called. It returns how many there were.
func (r *Runner) Return(ctx context.Context) int {
	if !r.recovered(ctx) {
		return 0
	}
	stop := &cancelled{reason: texts.ReturnReason, kind: byReturn}
	r.mu.Lock()
	waiting := make(map[*lane][]entry)
	for _, l := range r.lanes {
		if len(l.waiting) > 0 {
			waiting[l] = r.strip(l)
		}
	}
	r.mu.Unlock()
	count := 0
	for l, entries := range waiting {
		count += len(entries)
		r.endWaiting(ctx, l, entries, stop)
	}
	return count
}

// strip takes the waiting tasks out of a lane. The lane stays until drop has processed
// them. mu is held.
func (r *Runner) strip(l *lane) []entry {
	waiting := l.waiting
	l.waiting = nil
	l.endIdle(r)
	l.pending++
	return waiting
}

// haltJob cancels the lane's running tasks and takes its waiting ones away.
func (r *Runner) haltJob(jobID int64, stop *cancelled) (*lane, []entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lanes[jobID]
	if l == nil {
		return nil, nil
	}
	for _, a := range l.running {
		r.cancelServed(l, a, stop)
	}
	l.ending = true
	return l, r.strip(l)
}

func (r *Runner) haltAttempt(key int64, stop *cancelled) (*lane, []entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.attempts[key]
	if l == nil {
		return nil, nil
	}
	l.pending++
	for _, a := range l.running {
		if a.key == key {
			r.cancelServed(l, a, stop)
			return l, nil
		}
	}
	i := slices.IndexFunc(l.waiting, func(e entry) bool { return e.key == key })
	if i < 0 { // another goroutine is ending it
		return l, nil
	}
	e := l.waiting[i]
	l.waiting = slices.Delete(l.waiting, i, i+1)
	return l, []entry{e}
}

// endWaiting ends waiting tasks. Those that the store cannot remove now are returned to the lane,
// which ends them without running them.
func (r *Runner) endWaiting(ctx context.Context, l *lane, waiting []entry, stop *cancelled) {
	for len(waiting) > 0 {
		page := waiting[:min(dropPage, len(waiting))]
		outcomes, err := r.dropPage(ctx, page, stop)
		if err != nil {
			break
		}
		for _, e := range page {
			r.forget(e.key)
		}
		for _, o := range outcomes {
			r.config.Hooks.Finished(o, 0)
		}
		waiting = waiting[len(page):]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range waiting {
		waiting[i].killed = stop
	}
	l.waiting = append(waiting, l.waiting...)
	l.pending--
	r.settle(l)
}

func (r *Runner) dropPage(ctx context.Context, page []entry, stop *cancelled) ([]job.Outcome, error) {
	var outcomes []job.Outcome
	err := r.config.Store.Update(ctx, func(tx *queue.Tx) error {
		outcomes = outcomes[:0]
		for _, e := range page {
			item, _, _, err := r.config.Tasks.Find(tx, e.key)
			if err != nil {
				return err
			}
			task, err := taskrecord.Decode(item.Body)
			if err != nil { // its outcome needs no more than the key
				task = job.Task{AttemptID: e.key}
			}
			o := r.outcome(&task, endOf(stop, texts.QueuedKilled))
			if err := r.endTask(tx, o); err != nil {
				return err
			}
			outcomes = append(outcomes, o)
		}
		return nil
	})
	return outcomes, err
}
