package app

import (
	"log/slog"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/job"
)

// soon is how near a firing must be that the end of a run has set for the
// planner to be woken: it finds later ones by itself.
const soon = 5 * time.Second

// endings tells the loops and the operator what the end of an attempt means to
// them.
type endings struct {
	log  *slog.Logger
	plan func()          // wakes the planner
	fill func(run int64) // tells the backfills
}

// expired is called for every run that was given up because no executor took it
// in time.
func (e endings) expired(r job.Run) {
	if r.Cause == job.CauseSchedule || r.Cause == job.CauseMisfire {
		e.plan() // a fixed delay goes on
	}
	e.fill(r.ID)
}

// tell is called for every attempt that has ended.
func (e endings) tell(c completer.Completion) {
	if c.StopReason != "" {
		e.log.Warn("job stopped after failures", "run_id", c.RunID, "reason", c.StopReason)
	}
	if !c.NextAt.IsZero() && time.Until(c.NextAt) < soon {
		e.plan()
	}
	if c.RunState.Final() {
		e.fill(c.RunID)
	}
}
