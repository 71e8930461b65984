package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/queue"
)

// Standings returns the place of each attempt, in their order, and 0 for one without a
// place: it was never accepted, or is forgotten. An attempt whose acceptance is in progress
// has a place by the time of the answer, or was not accepted. An attempt without a place is
// not accepted any more from then on: the caller may record its end.
func (r *Runner) Standings(ctx context.Context, attempts []int64) ([]queue.Place, error) {
	places := make([]queue.Place, len(attempts))
	err := r.config.Store.View(ctx, func(tx *queue.Tx) error { return r.findPlaces(tx, attempts, places) })
	for i := 0; err == nil && i < len(places); i++ {
		if places[i] == 0 { // once more, in line with the commits
			err = r.fenceUnknown(ctx, attempts, places)
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("look %s up: %w", plural.Count(len(attempts), "attempt"), err)
	}
	return places, nil
}

// findPlaces finds the places that are not known yet.
func (r *Runner) findPlaces(tx *queue.Tx, attempts []int64, places []queue.Place) error {
	for i, attempt := range attempts {
		if places[i] != 0 {
			continue
		}
		place, err := r.config.Tasks.Where(tx, attempt)
		if err != nil {
			return err
		}
		places[i] = place
	}
	return nil
}

// fenceUnknown checks in order with the commits, and fences attempts without a place before
// the next task can be stored.
func (r *Runner) fenceUnknown(ctx context.Context, attempts []int64, places []queue.Place) error {
	var fenced []int64
	err := r.config.Store.Update(ctx, func(tx *queue.Tx) error {
		if err := r.findPlaces(tx, attempts, places); err != nil {
			return err
		}
		for i, attempt := range attempts {
			if places[i] != 0 {
				continue
			}
			if err := r.fence.Add(attempt, time.Now()); err != nil {
				return err
			}
			fenced = append(fenced, attempt)
		}
		return nil
	})
	if err != nil { // this caller gets no answer
		for _, attempt := range fenced {
			r.fence.Remove(attempt)
		}
	}
	return err
}

// Knows reports whether the attempt is here or was, as Standings does.
func (r *Runner) Knows(ctx context.Context, attempt int64) (bool, error) {
	places, err := r.Standings(ctx, []int64{attempt})
	return err == nil && places[0] != 0, err
}
