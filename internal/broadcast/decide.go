package broadcast

import (
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// nextAction is the next action for a broadcast.
type nextAction int

const (
	rest   nextAction = iota // nothing, until something happens to it
	settle                   // all shards are over, and the run is not: it ends
	stop                     // open shards are no longer needed
)

// decide returns the next action for a broadcast, and the reason to stop shards. It is
// pure.
func decide(w *Work) (next nextAction, reason string) {
	b, over := &w.Broadcast, w.Run.State.Final()
	switch {
	case b.Open == 0 && over:
		return rest, ""
	case b.Open == 0:
		return settle, ""
	case over:
		return stop, fmt.Sprintf("run %d, which this is a shard of, is over already: its state is %s", w.Run.ID, w.Run.State)
	case b.Cancel != "":
		return stop, b.Cancel
	}
	return rest, ""
}

// outcome returns the end of a run whose shards are all over; shards has as many as
// possible of those that did not succeed. The run is cancelled when a user stopped it, a
// success when all shards succeeded, and otherwise a failure. It is not retried: its shards
// were. It is pure.
func outcome(w *Work, shards []job.ShardRun, now time.Time) job.Outcome {
	b := &w.Broadcast
	o := job.Outcome{AttemptID: b.AttemptID, State: job.Succeeded, EndedAt: now, Message: succeeded(b.Shards)}
	var failed []job.Run
	for i := range shards {
		if shards[i].State != job.Succeeded {
			failed = append(failed, shards[i].Run)
		}
	}
	switch {
	case b.Cancel != "":
		o.State, o.Over = job.Cancelled, b.Cancel
		o.Message = fmt.Sprintf("%d of %s had succeeded", b.Shards-b.Failed, plural.Count(b.Shards, "shard"))
	case b.Failed > 0:
		o.State = job.Failed
		o.Message = job.ShardsFailed(failed, b.Shards)
		o.Over = fmt.Sprintf("%d of %s failed; 'orth run retry-shards %d' does those again", b.Failed, plural.Count(b.Shards, "shard"), w.Run.ID)
	}
	return o
}

func succeeded(shards int) string {
	if shards == 1 {
		return "the only shard succeeded"
	}
	return fmt.Sprintf("all %d shards succeeded", shards)
}
