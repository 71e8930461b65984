package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// Accept takes a task. Nil means that the task is durable and will come to an
// outcome, whatever happens to this process. Otherwise nothing was written,
// unless the kind is Unavailable and the disk failed in the commit itself.
//
// Kinds: Invalid; Refused, no handler for it; Duplicate, this attempt was
// accepted before; Full, too much waits already; Unavailable, the executor
// stops or its disk fails. Before Run has recovered the store, Accept waits for
// it.
func (r *Runner) Accept(ctx context.Context, t job.Task) error {
	if t.AttemptID < 1 || t.JobID < 0 {
		return job.Errorf(job.Invalid, "attempt %d of job %d: ids must be positive", t.AttemptID, t.JobID)
	}
	if !r.recovered(ctx) {
		return job.Errorf(job.Unavailable, "the executor is not ready yet: %w", ctx.Err())
	}
	if _, err := r.config.Handlers.Handler(t.Handler); err != nil {
		return err
	}
	body, err := encode(t)
	if err != nil {
		return job.Errorf(job.Invalid, "store attempt %d: %w", t.AttemptID, err)
	}
	place, err := r.reserve(t)
	if err != nil {
		return err
	}
	now := time.Now()
	item := queue.Item{Key: t.AttemptID, Due: now, AddedAt: now, Body: body}
	err = r.config.Store.Update(ctx, func(tx *queue.Tx) error {
		push := r.config.Tasks.Push
		if place.entry.task != nil {
			push = r.config.Tasks.PushStarted
		}
		if err := push(tx, item); err != nil {
			return err
		}
		tx.OnCommit(func() { r.admit(place) })
		return nil
	})
	if err != nil {
		r.release(place)
		return fmt.Errorf("accept attempt %d: %w", t.AttemptID, err)
	}
	r.config.Hooks.Accepted(t)
	return nil
}

// recovered waits for recovery, and reports false when ctx ends first.
func (r *Runner) recovered(ctx context.Context) bool {
	select {
	case <-r.ready:
		return true
	case <-ctx.Done():
		return false
	}
}

// reservation is a task's place in a lane while the task is on its way into the
// store.
type reservation struct {
	lane  *lane
	entry entry
}

// reserve finds the lane of a task. A task for a lane without any other goes
// straight into processing; its entry holds the task.
func (r *Runner) reserve(t job.Task) (reservation, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.draining:
		return reservation{}, job.Errorf(job.Unavailable, "the executor is stopping")
	case r.attempts[t.AttemptID] != nil:
		return reservation{}, job.Errorf(job.Duplicate, "attempt %d was accepted before", t.AttemptID)
	}
	l, err := r.lane(t.JobID)
	if err != nil {
		return reservation{}, err
	}
	if len(l.waiting)+l.pending >= r.config.LaneQueue {
		r.settle(l)
		return reservation{}, job.Errorf(job.Full,
			"job %d has %d tasks that wait on this executor, the most it takes", t.JobID, r.config.LaneQueue)
	}
	place := reservation{lane: l, entry: entry{key: t.AttemptID}}
	if !l.busy() {
		place.entry.task = &t
	}
	l.wake(r)
	l.pending++
	r.pending++
	return place, nil
}

// admit puts a task that is durable into its lane. It is called in the order of
// the commits, so the lane has the order of the store.
func (r *Runner) admit(place reservation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := place.lane
	l.pending--
	r.pending--
	l.ending = false
	l.waiting = append(l.waiting, place.entry)
	r.attempts[place.entry.key] = l
	r.settle(l)
}

// release gives up the place of a task that was not stored.
func (r *Runner) release(place reservation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	place.lane.pending--
	r.pending--
	r.settle(place.lane)
	r.hush()
}
