package completer

import (
	"time"

	"github.com/orthd/orth/job"
)

// Stopped turns the completion into that of a run in state [job.Stopping]: the run is
// cancelled, whatever its attempt reports, and nothing follows. Some executors report a
// killed task as a success; children of a success must not start then. The end of the
// attempt keeps what was reported. The run keeps the reason that the user gave. A store
// calls Stopped for a run that was stopped after the completion was decided.
func (c *Completion) Stopped() {
	switch c.Outcome {
	case job.Failed, job.TimedOut: // its executor cannot know why it died
		c.Outcome = job.Cancelled
	default: // the others are the truth of the attempt
	}
	c.RunState, c.Reason = job.Cancelled, ""
	c.RetryAt, c.Avoid = time.Time{}, ""
	c.Children, c.Failures, c.StopReason = nil, StreakSame, ""
	c.Told, c.When = nil, Never
}
