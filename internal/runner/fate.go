package runner

import (
	"context"
	"fmt"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// findFate answers for tasks whose commit failed and may have taken effect: what
// the store shows next is true. While it shows nothing, the answer is Ambiguous,
// the tasks keep their places, and no other task is taken.
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
		case known && places[i] != 0 && pushed:
			r.admit(a.place)
			continue
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

// findLater asks the store until it shows what became of the tasks: those that are
// there run. At the stop it gives up, and the next start finds them.
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
		for _, a := range arrivals {
			r.release(a.place)
		}
	}
}

func (r *Runner) findUnsettled(arrivals []arrival) {
	there := make([]bool, len(arrivals))
	err := r.insist("find tasks whose commit failed", arrivals[0].item.Key, func(tx *queue.Tx) error {
		for i, a := range arrivals {
			place, err := r.config.Tasks.Where(tx, a.item.Key)
			if err != nil {
				return err
			}
			there[i] = place != 0
		}
		return nil
	})
	for i, a := range arrivals {
		if err == nil && there[i] {
			r.admit(a.place)
		} else {
			r.release(a.place)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range arrivals {
		delete(r.unsettled, a.item.Key)
	}
}
