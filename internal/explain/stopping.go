package explain

import (
	"time"

	"github.com/orthd/orth/job"
)

// stopping tells that a user ends the run, and how far that is.
func (s *story) stopping(run *job.Run) {
	s.tell(time.Time{}, KindStopping, "stopping", "it is being ended{why}", "why", because(run.Reason))
	if run.Message != "" {
		s.tell(time.Time{}, KindStopping, "stopping_so_far", "so far{message}", "message", because(run.Message))
	}
}

// stoppingAnswer answers for a run that a user ends.
func (s *story) stoppingAnswer(r *RunSnapshot) []Sentence {
	run := &r.Run
	values := []any{"run", run.ID, "job", jobName(run), "why", because(run.Reason), "message", because(run.Message)}
	said := []Sentence{s.say("run_stopping", "Run {run} of job {job} is being ended{why}.", values...)}
	if a := current(r); a != nil {
		values = append(values, "executor", a.Address, "for", s.now.Sub(a.TriggeredAt))
		said = append(said, s.say("run_stopping_sent", "It was sent to {executor} {for} ago, and is over when that says so{message}.", values...))
	}
	return said
}
