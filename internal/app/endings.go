package app

import (
	"log/slog"
	"time"

	"github.com/orthd/orth/internal/completer"
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
