package runner

import (
	"context"
	"fmt"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// findFate answers for tasks whose commit failed and may have taken effect: the next
// transaction that succeeds proves that it has not. Until then the answer is
// Ambiguous, the tasks keep their places, and no other task is taken.
func (r *Runner) findFate(ctx context.Context, arrivals []arrival, cause error) {
	places := make([]queue.Place, len(arrivals))
	look := func(tx *queue.Tx) (err error) {
		for i := range arrivals {
			if places[i], err = r.config.Tasks.Where(tx, arrivals[i].item.Key); err != nil {
				return err
			}
		}
		return nil
	}
	known := r.config.Store.Update(ctx, look) == nil
	var unsettled []arrival
	for i, a := range arrivals {
		pushed := *a.answer == nil
		switch {
		case known && places[i] != 0:
			*a.answer = duplicate(a.item.Key, places[i])
		case known:
			*a.answer = job.Errorf(job.Unavailable, "%w", cause)
		case pushed || job.Is(*a.answer, job.Duplicate): // of one in the same commit
			*a.answer = cause
		}
		if pushed && !known {
			unsettled = append(unsettled, a)
		} else {
			r.release(a.place)
		}
		*a.answer = fmt.Errorf("accept attempt %d: %w", a.item.Key, *a.answer)
	}
	if len(unsettled) > 0 {
		r.findLater(unsettled)
	}
}

// findLater waits until the store has undone the commit of the tasks. At the stop it
// gives up: the next start finds those that are there all the same.
func (r *Runner) findLater(arrivals []arrival) {
	r.mu.Lock()
	stopped := r.stopped
	if !stopped {
		for _, a := range arrivals {
			r.unsettled[a.item.Key] = true
		}
		r.routines.Go(func() { r.findUnsettled(arrivals) })
	}
	r.mu.Unlock()
	if stopped {
		r.releaseAll(arrivals)
	}
}

func (r *Runner) findUnsettled(arrivals []arrival) {
	_ = r.insist("undo a commit that failed", arrivals[0].item.Key, func(*queue.Tx) error { return nil }) // logged
	r.releaseAll(arrivals)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range arrivals {
		delete(r.unsettled, a.item.Key)
	}
}

func (r *Runner) releaseAll(arrivals []arrival) {
	for _, a := range arrivals {
		r.release(a.place)
	}
}
