package explain

import "github.com/orthd/orth/job"

// split tells what became of a run that was split into shards.
func (s *story) split(r *RunSnapshot, a *job.Attempt) {
	b := r.Broadcast
	if b == nil {
		b = &job.Broadcast{}
	}
	s.tell(a.TriggeredAt, KindSplit, "split", "it was split into {count}: 'orth run show {run}' shows what became of each",
		"count", shards(b.Shards), "run", r.Run.ID)
	if b.Shards < b.Total {
		s.tell(a.TriggeredAt, KindSplit, "split_failed_again", "of {total} shards these had failed in run {parent}; the others are not done again", "total", b.Total, "parent", r.Run.CauseID)
	}
	if !a.State.Final() {
		s.tell(s.now, KindRunning, "shards_open", "{open} of {count} are not over, {failed} failed", "open", b.Open, "count", shards(b.Shards), "failed", b.Failed)
		return
	}
	s.tell(a.EndedAt, KindAttemptEnded, "shards_ended", "the last shard ended after {lasted}{reason}", "lasted", a.EndedAt.Sub(a.TriggeredAt),
		"reason", because(a.Message))
}

// barrier answers for a run whose shards are not all over.
func (s *story) barrier(r *RunSnapshot) Sentence {
	b := r.Broadcast
	values := []any{
		"id", r.Run.ID, "job", jobName(&r.Run), "open", b.Open, "count", shards(b.Shards), "failed", b.Failed, "why", because(b.Cancel),
	}
	if b.Cancel != "" {
		return s.say("broadcast_stopping", "Run {id} of job {job} is being ended: {open} of {count} are not over{why}.", values...)
	}
	return s.say("broadcast_running", "Run {id} of job {job} is running: {open} of {count} are not over, {failed} failed.", values...)
}
