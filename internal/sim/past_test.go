package sim

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

// past is a run that a pruner has removed, as it was before.
type past struct {
	job.Run
	attempts []job.Attempt
}

// gone returns what pruners have removed.
func (j *judge) gone() []past {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Collect(maps.Values(j.past))
}

// attemptsOf returns the attempts of a run, also of one that was removed.
func (j *judge) attemptsOf(run int64) []job.Attempt {
	j.mu.Lock()
	gone, known := j.past[run]
	j.mu.Unlock()
	if known {
		return gone.attempts
	}
	attempts, err := j.w.store.Attempts(context.Background(), run)
	if err != nil {
		j.w.t.Fatalf("read the attempts of run %d: %v", run, err)
	}
	return attempts
}

// removing keeps what a pruner wants to remove.
func (j *judge) removing(runs []int64) {
	for _, id := range runs {
		r, err := j.w.store.RunByID(context.Background(), id)
		if err != nil {
			continue // another server was quicker
		}
		was := past{r, j.attemptsOf(id)}
		if _, err := j.w.store.RunByID(context.Background(), id); err != nil {
			continue // the same, and the attempts may have gone meanwhile
		}
		j.mu.Lock()
		j.leaving[id] = was
		j.mu.Unlock()
	}
}

// removed judges what a pruner has removed: it was over and old enough, nothing of
// it is left, and its job wants it so.
func (j *judge) removed(runs []int64) {
	now := time.Now()
	for _, id := range runs {
		_, err := j.w.store.RunByID(context.Background(), id)
		if !job.Is(err, job.NotFound) {
			continue
		}
		j.mu.Lock()
		r, mine := j.leaving[id]
		if mine {
			delete(j.leaving, id)
			j.past[id] = r
		}
		j.mu.Unlock()
		if !mine {
			continue
		}
		j.w.trace.note("run %d of job %s, %s since %s, is removed", id, r.JobKey, r.State, r.EndedAt)
		j.w.mu.Lock()
		keeps := j.w.jobs[r.JobID].Delivery
		j.w.mu.Unlock()
		switch {
		case !r.State.Final():
			j.fault("I1: run %d of job %s was %s and was removed", id, r.JobKey, r.State)
		case now.Sub(r.EndedAt) < settle:
			j.fault("I1: run %d of job %s ended at %s and was removed already", id, r.JobKey, r.EndedAt)
		case keeps.KeepRuns == 0 && (keeps.KeepFor == 0 || now.Sub(r.EndedAt) < keeps.KeepFor):
			j.fault("I1: run %d of job %s was removed, and its job keeps it", id, r.JobKey)
		case len(r.attempts) != r.Tries:
			j.fault("I6: run %d has %d attempts and says %d", id, len(r.attempts), r.Tries)
		}
		if left, err := j.w.store.Attempts(context.Background(), id); err != nil || len(left) > 0 {
			j.fault("I1: run %d was removed, and %d attempts were left: %v", id, len(left), err)
		}
	}
}
