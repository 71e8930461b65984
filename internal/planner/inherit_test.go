package planner

import (
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// TestRunsInherit shows what runs have of their job besides its name.
func TestRunsInherit(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	s := situation{limits: limits{now: at.Add(-time.Second)}, job: &Due{JobID: 1, Priority: job.PriorityHigh}}
	var m Move
	s.planRun(&m, at, at, job.CauseSchedule, "")
	s.job.ExpireAfter = time.Minute
	s.planRun(&m, at, at.Add(5*time.Second), job.CauseMisfire, "")
	s.addRecord(&m, at, job.CauseMisfire, "too late")
	for i, want := range []time.Time{{}, at.Add(65 * time.Second), {}} {
		if r := m.Runs[i]; r.Priority != job.PriorityHigh || !r.ExpireAt.Equal(want) {
			t.Errorf("run %d has priority %q and expires at %v; want high and %v", i, r.Priority, r.ExpireAt, want)
		}
	}
}
