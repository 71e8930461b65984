package completer

import "github.com/orthd/orth/job"

// broadcast records what the end of the attempt means for a broadcast, if the run is a
// shard or was split into shards.
func (c *Completion) broadcast(s *Snapshot) {
	c.Split = s.Attempt.Broadcast()
	if s.Run.Cause == job.CauseShard {
		c.ShardOf = s.Run.CauseID
	}
}

// elsewhere makes the next try of a shard avoid its executor when there is another one.
func (c *Completion) elsewhere(s *Snapshot) {
	if c.ShardOf != 0 && c.RunState == job.WaitingRetry {
		c.Avoid = s.Attempt.Address
	}
}
