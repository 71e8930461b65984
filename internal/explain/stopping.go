package explain

import (
	"time"

	"github.com/orthd/orth/job"
)

// stopping tells that a user ends the run, and how far that is.
func (s *story) stopping(run *job.Run) {
	s.tell(time.Time{}, KindStopping, "it is being ended{why}", "why", because(run.Reason))
	if run.Message != "" {
		s.tell(time.Time{}, KindStopping, "so far{message}", "message", because(run.Message))
	}
}

// stoppingAnswer answers for a run that a user ends.
func (s *story) stoppingAnswer(r *RunSnapshot) string {
	run := &r.Run
	values := []any{"run", run.ID, "job", jobName(run), "why", because(run.Reason), "message", because(run.Message)}
	text := "Run {run} of job {job} is being ended{why}."
	if a := current(r); a != nil {
		values = append(values, "executor", a.Address, "for", s.now.Sub(a.TriggeredAt))
		text += " It was sent to {executor} {for} ago, and is over when that says so{message}."
	}
	return s.say(text, values...)
}
