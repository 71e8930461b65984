package dispatcher

import (
	"context"
	"fmt"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Trials reads the trials behind runs.
type Trials interface {
	// Trials returns the trials of those runs that are trials, in no particular order.
	Trials(ctx context.Context, runs []int64) ([]job.Trial, error)
}

// trials sets the trial's version of the job on the items that are trials. An item whose
// trial is unknown has no job any more.
func (d *Dispatcher) trials(ctx context.Context, items []*item) error {
	var runs []int64
	for _, it := range items {
		if it.run.Cause == job.CauseTrial {
			runs = append(runs, it.run.ID)
		}
	}
	if len(runs) == 0 {
		return nil
	}
	found, err := d.config.Trials.Trials(ctx, runs)
	if err != nil {
		return fmt.Errorf("read what %s try: %w", plural.Count(len(runs), "trial"), err)
	}
	tried := make(map[int64]*job.Trial, len(found))
	for i := range found {
		tried[found[i].RunID] = &found[i]
	}
	for _, it := range items {
		if it.run.Cause != job.CauseTrial || it.job == nil {
			continue
		}
		trial := tried[it.run.ID]
		if trial == nil {
			it.job = nil
			continue
		}
		own := trial.Job(it.job)
		it.job = &own
	}
	return nil
}
