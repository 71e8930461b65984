package explain

import (
	"time"

	"github.com/orthd/orth/job"
)

// stopping reports that a user cancels the run, and the progress of that.
func (s *story) stopping(run *job.Run) {
	s.addFact(time.Time{}, KindStopping, "stopping", "it is being ended{why}", "why", because(run.Reason))
	if run.Message != "" {
		s.addFact(time.Time{}, KindStopping, "stopping_so_far", "so far{message}", "message", because(run.Message))
	}
}

// stoppingAnswer answers for a run that a user cancels.
func (s *story) stoppingAnswer(r *RunSnapshot) []Sentence {
	run := &r.Run
	values := []any{"run", run.ID, "job", jobName(run), "why", because(run.Reason), "message", because(run.Message)}
	answer := []Sentence{s.sentence("run_stopping", "Run {run} of job {job} is being ended{why}.", values...)}
	if a := current(r); a != nil {
		values = append(values, "executor", a.Address, "for", s.now.Sub(a.TriggeredAt))
		answer = append(answer, s.sentence("run_stopping_sent", "It was sent to {executor} {for} ago, and is over when that says so{message}.", values...))
	}
	return answer
}
