package planner

import (
	"testing"

	"github.com/orthd/orth/job"
)

func TestPlannedCountsWhatWasMade(t *testing.T) {
	t.Parallel()
	var p Planned
	p.countRuns([]job.Run{
		{State: job.Planned, Cause: job.CauseSchedule},
		{State: job.Planned, Cause: job.CauseMisfire},
		{State: job.Skipped, Cause: job.CauseMisfire},
	})
	p.countRuns(nil)
	if want := (Planned{Jobs: 2, Runs: 2, Misfired: 1, Skipped: 1}); p != want {
		t.Errorf("counted %+v, want %+v", p, want)
	}
}
