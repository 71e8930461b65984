package sim

import (
	"context"

	"github.com/orthd/orth/job"
)

// everywhere is the job whose runs are split over all executors of a group.
const everywhere = "everywhere"

// shards returns the runs into which one of a job that is split was.
func (j *judge) shards(r *job.Run) []job.Run {
	if r.JobKey != everywhere {
		return nil
	}
	found, err := j.w.store.Shards(context.Background(), r.ID)
	if err != nil {
		j.w.t.Fatalf("read the shards of run %d: %v", r.ID, err)
	}
	var all []job.Run
	for i := range found {
		all = append(all, found[i].Run)
	}
	return all
}

// split judges the shards of runs: each try of a run has a shard at most once, and a
// run that succeeded has one of each that did.
func (j *judge) split(runs []job.Run) {
	type part struct {
		run   int64
		index int
	}
	made, good := make(map[part]int), make(map[part]bool)
	for i := range runs {
		r := &runs[i]
		if r.Cause == job.CauseShard {
			p := part{r.CauseID, r.Shard.Index}
			made[p]++
			good[p] = good[p] || r.State == job.Succeeded
		}
	}
	for i := range runs {
		r := &runs[i]
		if r.JobKey != everywhere || r.Cause == job.CauseShard {
			continue
		}
		parts := 0
		for p, n := range made {
			if p.run != r.ID {
				continue
			}
			parts++
			if n > r.Tries {
				j.fault("I2: run %d had %d tries, and shard %d has %d runs", r.ID, r.Tries, p.index, n)
			}
			if r.State == job.Succeeded && !good[p] {
				j.fault("I5: run %d succeeded, and shard %d of it never did", r.ID, p.index)
			}
		}
		if r.State == job.Succeeded && parts == 0 {
			j.fault("I5: run %d succeeded, and has no shards", r.ID)
		}
	}
}
