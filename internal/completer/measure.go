package completer

import (
	"time"

	"github.com/orthd/orth/job"
)

// measure fills in the measurements of the attempt. An outcome may arrive before the server
// has recorded that the executor accepted the attempt: then the attempt counts as accepted
// when it was sent.
func (c *Completion) measure(s *Snapshot) {
	c.JobID, c.StartedAt = s.Run.JobID, s.Attempt.AcceptedAt
	c.CreatedAt, c.TriggeredAt = s.Run.CreatedAt, s.Attempt.TriggeredAt
	c.Namespace, c.Group = s.Subject.Namespace, s.Subject.Group
	if c.StartedAt.IsZero() {
		c.StartedAt = s.Attempt.TriggeredAt
	}
	if due := s.Run.DueAt; !due.IsZero() {
		c.Late = max(s.Attempt.TriggeredAt.Sub(due), 0)
	}
}

// duration returns how long the attempt took; zero when its end does not show that, or when it
// was over before.
func (c *Completion) duration() time.Duration {
	switch {
	case c.Waiting, c.StartedAt.IsZero():
		return 0
	case c.Outcome == job.Succeeded, c.Outcome == job.Failed, c.Outcome == job.TimedOut:
		return max(c.EndedAt.Sub(c.StartedAt), 0)
	}
	return 0
}
