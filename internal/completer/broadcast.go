package completer

import "github.com/orthd/orth/job"

// broadcast says what the end of the attempt is to a broadcast, if anything: that
// of a shard, or of the run that was split.
func (c *Completion) broadcast(s *Snapshot) {
	c.Split = s.Attempt.Broadcast()
	if s.Run.Cause == job.CauseShard {
		c.ShardOf = s.Run.CauseID
	}
}

// elsewhere makes the next try of a shard go to another executor when there is
// one.
func (c *Completion) elsewhere(s *Snapshot) {
	if c.ShardOf != 0 && c.RunState == job.WaitingRetry {
		c.Avoid = s.Attempt.Address
	}
}
