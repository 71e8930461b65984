package completer

import (
	"testing"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// The end of a shard is nobody's but its broadcast's: it starts no children, sets
// no firing and stops no job; but it is tried again, elsewhere.
func TestDecideOnAShard(t *testing.T) {
	t.Parallel()
	shard := open(1, 0)
	shard.Run.Cause, shard.Run.CauseID, shard.Run.Shard = job.CauseShard, 5, job.Shard{Index: 1, Total: 3}
	shard.Attempt.Address = "http://10.0.0.1"
	shard.Children = []Child{{Child: job.Child{JobID: 9, On: job.ChildOnAlways}}}
	shard.After, shard.StopAfter = time.Minute, 1
	for _, end := range []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost, job.Skipped} {
		c := decide(shard, job.Outcome{AttemptID: 70, State: end}, now, 0)
		if c.ShardOf != 5 || c.Split || c.RunState != end || len(c.Children) != 0 || !c.NextAt.IsZero() || c.StopReason != "" || c.Failures != StreakSame {
			t.Errorf("%s: %+v", end, c)
		}
	}
	shard.Retry = retry.Policy{Tries: 1, Initial: time.Second}
	c := decide(shard, job.Outcome{AttemptID: 70, State: job.Failed}, now, 0)
	if c.RunState != job.WaitingRetry || c.Avoid != "http://10.0.0.1" {
		t.Errorf("with a policy: %+v", c)
	}
}

// A run that was split is not tried again, whatever the policy: its shards were.
// What else follows from the end of a run follows once, from this one.
func TestDecideOnASplitRun(t *testing.T) {
	t.Parallel()
	split := open(1, 0)
	split.Attempt.Address = ""
	split.Retry = retry.Policy{Tries: 5, Initial: time.Second}
	split.Children = []Child{{Child: job.Child{JobID: 9, On: job.ChildOnAlways}}}
	split.After, split.StopAfter = time.Minute, 1
	for over, reason := range map[string]string{"": "attempt 1 ended without a message", "2 of 3 shards failed": "2 of 3 shards failed"} {
		c := decide(split, job.Outcome{AttemptID: 70, State: job.Failed, Over: over}, now, 0)
		if !c.Split || c.ShardOf != 0 || c.RunState != job.Failed || c.Reason != reason || len(c.Children) != 1 || c.StopReason == "" {
			t.Errorf("%q: %+v", over, c)
		}
	}
	if c := decide(split, job.Outcome{AttemptID: 70, State: job.Succeeded}, now, 0); c.NextAt.IsZero() {
		t.Error("the end of a split run sets no next firing")
	}
}
