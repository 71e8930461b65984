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

// endings passes the end of an attempt to the loops, and reports it to the operator.
type endings struct {
	log  *slog.Logger
	plan func()          // wakes the planner
	fill func(run int64) // wakes the backfills
	// barrier announces that something happened to a broadcast.
	barrier func()
}

// expired is called for every run that was given up because no executor took it
// in time, or because of others of its job.
func (e endings) expired(r job.Run) {
	if r.Cause == job.CauseSchedule || r.Cause == job.CauseMisfire {
		e.plan() // a fixed delay goes on
	}
	if r.Cause == job.CauseShard {
		e.barrier()
	}
	e.fill(r.ID)
}

// buried is called for every run that has become a dead letter.
func (e endings) buried(c completer.Completion) {
	e.log.Warn("run ended badly after its last attempt", "run_id", c.RunID, "attempt_id", c.AttemptID, "job_id", c.JobID, "state", string(c.RunState),
		"message", job.Clean(c.Message, maxLogged), "reason", job.Clean(c.Reason, maxLogged))
}

// foreign is called for outcomes of attempts that are not of the caller's group.
func (e endings) foreign(caller job.Caller, attempts []int64) {
	e.log.Warn("outcomes of another group's attempts were sent: they change nothing and are kept as evidence", "group", caller.Group,
		"count", len(attempts), "first_attempt", attempts[0],
		"hint", "an executor of the group has the wrong token, or somebody else has a token of the group: 'orth group token list' shows those it has")
}

// elder is called for outcomes of attempts whose numbers were given again.
func (e endings) elder(attempts []int64) {
	e.log.Warn("outcomes of attempts came whose numbers others have now: they change nothing and are kept as evidence", "count", len(attempts),
		"first_attempt", attempts[0], "hint", "the database has gone back, to a copy or to a standby that was behind: see docs/operations.md")
}

// maxLogged is the characters of a text in the log.
const maxLogged = 300

// tell is called for every attempt that has ended.
func (e endings) tell(c completer.Completion) {
	if c.StopReason != "" {
		e.log.Warn("job stopped after failures", "run_id", c.RunID, "attempt_id", c.AttemptID, "job_id", c.JobID, "reason", c.StopReason)
	}
	if !c.NextAt.IsZero() && time.Until(c.NextAt) < soon {
		e.plan()
	}
	if c.RunState.Final() {
		e.fill(c.RunID)
		if c.ShardOf != 0 || c.Split {
			e.barrier()
		}
	}
}
