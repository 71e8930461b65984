package completer

import (
	"time"

	"github.com/orthd/orth/job"
)

// stopped makes the completion that of a run which a user stops, and returns its
// end: a success that came first stays one, and says so; anything else is what
// the user wanted, in the words of the outcome.
func stopped(c *Completion, s *Snapshot) job.State {
	c.Stopped()
	if c.RunState == job.Succeeded {
		c.Reason = "it succeeded before it could be stopped"
		if s.Run.Reason != "" {
			c.Reason += ": " + s.Run.Reason
		}
	}
	return c.RunState
}

// Stopped makes the completion that of a run in state [job.Stopping]: nothing
// follows but a success. The reason of the run is the user's and stays. A store
// calls it for a run that was stopped after the completion was decided.
func (c *Completion) Stopped() {
	if c.RunState == job.Succeeded {
		return
	}
	switch c.Outcome {
	case job.Failed, job.TimedOut: // its executor cannot know why it died
		c.Outcome = job.Cancelled
	default: // lost, skipped and cancelled are the truth of the attempt
	}
	c.RunState, c.Reason = job.Cancelled, ""
	c.RetryAt, c.Avoid = time.Time{}, ""
	c.Children, c.Failures, c.StopReason = nil, StreakSame, ""
	c.Told, c.When = nil, Never
}
