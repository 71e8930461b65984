package explain

import "github.com/orthd/orth/job"

// split describes a run that was split into shards.
func (s *story) split(r *RunSnapshot, a *job.Attempt) {
	b := r.Broadcast
	if b == nil {
		b = &job.Broadcast{}
	}
	s.addFact(a.TriggeredAt, KindSplit, "split", "it was split into {count}: 'orth run show {run}' shows what became of each",
		"count", shards(b.Shards), "run", r.Run.ID)
	if b.Shards < b.Total {
		s.addFact(a.TriggeredAt, KindSplit, "split_failed_again", "of {total} shards these had failed in run {parent}; the others are not done again", "total", b.Total, "parent", r.Run.CauseID)
	}
	if !a.State.Final() {
		s.addFact(s.now, KindRunning, "shards_open", "{open} of {count} are not over, {failed} failed", "open", b.Open, "count", shards(b.Shards), "failed", b.Failed)
		return
	}
	s.addFact(a.EndedAt, KindAttemptEnded, "shards_ended", "the last shard ended after {lasted}{reason}", "lasted", a.EndedAt.Sub(a.TriggeredAt),
		"reason", because(a.Message))
}

// barrier answers for a run whose shards have not all ended.
func (s *story) barrier(r *RunSnapshot) Sentence {
	b := r.Broadcast
	values := []any{
		"id", r.Run.ID, "job", jobName(&r.Run), "open", b.Open, "count", shards(b.Shards), "failed", b.Failed, "why", because(b.Cancel),
	}
	if b.Cancel != "" {
		return s.sentence("broadcast_stopping", "Run {id} of job {job} is being ended: {open} of {count} are not over{why}.", values...)
	}
	return s.sentence("broadcast_running", "Run {id} of job {job} is running: {open} of {count} are not over, {failed} failed.", values...)
}
