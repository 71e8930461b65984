package registry

import (
	"context"
	"fmt"

	"github.com/orthd/orth/job"
)

// Offer returns what the living executors of a group can run, from the rows: an executor
// that registered with another server counts. A group without executors offers nothing.
// Kinds: Unavailable.
func (r *Registry) Offer(ctx context.Context, group string) (job.Offer, error) {
	executors, err := r.config.Facts.Announced(ctx, group, r.config.Now())
	if err != nil {
		return job.Offer{}, fmt.Errorf("read the handlers of the executors of group %s: %w", group, err)
	}
	return job.OfferOf(executors), nil
}
