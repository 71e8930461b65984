package completer

// measure fills in what is counted of the attempt. An outcome may come before
// the server has noted that the executor took the attempt: then it was taken as
// soon as it was sent.
func (c *Completion) measure(s *Snapshot) {
	c.JobID, c.StartedAt = s.Run.JobID, s.Attempt.AcceptedAt
	if c.StartedAt.IsZero() {
		c.StartedAt = s.Attempt.TriggeredAt
	}
	if due := s.Run.DueAt; !due.IsZero() {
		c.Late = max(s.Attempt.TriggeredAt.Sub(due), 0)
	}
}
