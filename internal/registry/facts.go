package registry

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/job"
)

// TakeFacts stores what the executor that registers with address reports about itself.
// Kinds: Invalid; NotFound, it has no lease here; Full, it sent a report just now;
// Unavailable.
func (r *Registry) TakeFacts(ctx context.Context, group, address string, f job.Facts) error {
	if err := job.CheckGroup("group", group); err != nil {
		return err
	}
	if err := f.Check(); err != nil {
		return err
	}
	reached, err := r.rewrite(ctx, group, address)
	if err == nil {
		f.At = r.config.Now()
		err = r.config.Facts.PutFacts(ctx, group, reached, f)
	}
	if err != nil {
		return fmt.Errorf("store the facts of %s in group %s: %w", address, group, err)
	}
	if shown, known := r.Executor(group, reached); !known || shown.Kind != f.Kind {
		r.requestRead() // lists may be filtered by its kind
	}
	return nil
}

// Facts returns what the executor of a group at an address has reported about itself.
// Kinds: NotFound, Unavailable.
func (r *Registry) Facts(ctx context.Context, group, address string) (job.Facts, error) {
	f, err := r.config.Facts.Facts(ctx, group, address)
	if err != nil {
		return job.Facts{}, fmt.Errorf("read the facts of %s in group %s: %w", address, group, err)
	}
	return f, nil
}

// noFacts stores nothing.
type noFacts struct{}

// PutFacts implements Facts.
func (noFacts) PutFacts(context.Context, string, string, job.Facts) error { return errNoFacts }

// Facts implements Facts.
func (noFacts) Facts(context.Context, string, string) (job.Facts, error) {
	return job.Facts{}, errNoFacts
}

// Announced implements Facts.
func (noFacts) Announced(context.Context, string, time.Time) ([]job.Executor, error) {
	return nil, errNoFacts
}

var errNoFacts = job.Errorf(job.Unavailable, "this server keeps nothing of what executors tell about themselves")
