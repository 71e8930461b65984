package runner

import (
	"context"
	"fmt"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/saying"
)

// Standings returns where each of the attempts is, in their order, and 0 for one
// that is nowhere: it was never accepted, or is forgotten. One whose acceptance is
// under way is somewhere by the time of the answer, or was not accepted.
func (r *Runner) Standings(ctx context.Context, attempts []int64) ([]queue.Place, error) {
	places := make([]queue.Place, len(attempts))
	look := func(tx *queue.Tx) error {
		for i, attempt := range attempts {
			if places[i] != 0 {
				continue
			}
			_, place, _, err := r.config.Tasks.Find(tx, attempt)
			if err != nil {
				return err
			}
			places[i] = place
		}
		return nil
	}
	err := r.config.Store.View(ctx, look)
	for i := 0; err == nil && i < len(places); i++ {
		if places[i] == 0 { // once more, in line with the commits
			err = r.config.Store.Update(ctx, look)
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("look %s up: %w", saying.Count(len(attempts), "attempt"), err)
	}
	return places, nil
}
