package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// fairSeeds is how many worlds live in fair weather.
const fairSeeds = 4

// TestFairWeather has no storm, and users as always. Then nothing is lost, sent twice or late,
// and no run of a serial job overtakes another.
func TestFairWeather(t *testing.T) {
	t.Parallel()
	empty := emptyDatabase(t)
	for i := range uint64(fairSeeds) {
		t.Run(fmt.Sprint(*firstFlag+i), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{seed: *firstFlag + i, empty: empty, all: true, fair: true})
				faults := w.judged()
				for _, fault := range faults[:min(len(faults), 20)] {
					t.Error(fault)
				}
				if len(faults) > 0 {
					t.Logf("the first fault:\n%s", w.trace.story(faults[0]))
				}
			})
		})
	}
}

// prompt is how long after its slot a run begins at most when nothing stands in its way.
const prompt = 500 * time.Millisecond

// punctual judges runs of fair weather.
func (j *judge) punctual(runs []job.Run) {
	journal := j.w.journal.byAttempt()
	first := make(map[int64]time.Time) // by run: when its first attempt began
	for i := range runs {
		r := &runs[i]
		for _, a := range j.attemptsOf(r.ID) {
			if a.State == job.Lost && !strings.Contains(a.Message, "deadline") {
				j.fault("I12: attempt %d of run %d is lost in fair weather: %s", a.ID, r.ID, a.Message)
			}
			for _, e := range journal[a.ID] {
				if begun, known := first[r.ID]; !known || e.began.Before(begun) {
					first[r.ID] = e.began
				}
			}
		}
		if r.Undelivered > 0 && r.JobKey != everywhere {
			j.fault("I12: %d attempts of run %d of job %s did not arrive in fair weather: %s", r.Undelivered, r.ID, r.JobKey, r.Reason)
		}
		begun, known := first[r.ID]
		if known && r.Cause == job.CauseSchedule && r.Reason == "" && r.Tries == 1 && begun.Sub(r.PlannedAt) > prompt {
			j.fault("I12: run %d of job %s began %s late and does not say why", r.ID, r.JobKey, begun.Sub(r.PlannedAt))
		}
		if known && begun.Before(r.PlannedAt) && r.Cause == job.CauseSchedule {
			j.fault("I12: run %d of job %s began %s early", r.ID, r.JobKey, r.PlannedAt.Sub(begun))
		}
	}
	j.inOrder(runs, first)
}

// inOrder judges that the runs of a serial job begin in the order in which they were made.
func (j *judge) inOrder(runs []job.Run, first map[int64]time.Time) {
	byJob := make(map[int64][]job.Run)
	for _, r := range runs {
		made := j.w.jobs[r.JobID]
		_, begun := first[r.ID]
		if begun && made.Overlap == job.OverlapSerial && made.OverlapLimit() == 1 && r.Cause == job.CauseSchedule && made.Key != everywhere {
			byJob[r.JobID] = append(byJob[r.JobID], r)
		}
	}
	for _, all := range byJob {
		slices.SortFunc(all, func(a, b job.Run) int {
			return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), a.PlannedAt.Compare(b.PlannedAt))
		})
		for i := 1; i < len(all); i++ {
			before, after := &all[i-1], &all[i]
			if first[after.ID].Before(first[before.ID]) && before.CreatedAt.Before(after.CreatedAt) {
				j.fault("I12: run %d of serial job %s, for %s, began at %s, before run %d for %s, which began at %s",
					after.ID, after.JobKey, after.PlannedAt, first[after.ID], before.ID, before.PlannedAt, first[before.ID])
			}
		}
	}
}
