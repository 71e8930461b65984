package waiting

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

// SetTrials sets the trial's version of the job on the items that are trials. An item whose
// trial is unknown has no job any more.
func SetTrials(ctx context.Context, source Trials, items []*HeldRun) error {
	var runs []int64
	for _, it := range items {
		if it.Run.Cause == job.CauseTrial {
			runs = append(runs, it.Run.ID)
		}
	}
	if len(runs) == 0 {
		return nil
	}
	found, err := source.Trials(ctx, runs)
	if err != nil {
		return fmt.Errorf("read what %s try: %w", plural.Count(len(runs), "trial"), err)
	}
	tried := make(map[int64]*job.Trial, len(found))
	for i := range found {
		tried[found[i].RunID] = &found[i]
	}
	for _, it := range items {
		if it.Run.Cause != job.CauseTrial || it.Job == nil {
			continue
		}
		trial := tried[it.Run.ID]
		if trial == nil {
			it.Job = nil
			continue
		}
		own := trial.Job(it.Job)
		it.Job = &own
	}
	return nil
}
