package completer

import (
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Sent is an attempt as it was sent, with its run and its job.
type Sent struct {
	Run     job.Run
	Attempt job.Attempt
	Job     *job.Job // never changed
}

// recall returns the remembered attempt of an outcome where memory is enough: for a plain
// success of a job with no consequences. Everything else is decided by rows, which others
// may have changed.
func (c *Completer) recall(o *job.Outcome) (Snapshot, bool) {
	if o.State != job.Succeeded || o.Over != "" {
		return Snapshot{}, false
	}
	s, known := c.config.Sent(o.AttemptID)
	if !known || !plain(&s) {
		return Snapshot{}, false
	}
	j := s.Job
	return Snapshot{
		Attempt: s.Attempt, Run: s.Run, Retry: j.Retry, Logs: j.Logs, JobVersion: j.Version,
		Subject: Subject{Namespace: j.Namespace, Key: j.Key, Title: j.Title, Group: j.Group, Labels: j.Labels, Emails: j.AlarmEmails},
	}, true
}

// plain reports whether a success of the attempt has no consequence except its end.
func plain(s *Sent) bool {
	j := s.Job
	if s.Run.Cause == job.CauseTrial || s.Run.Cause == job.CauseShard { // their consequences are in rows
		return false
	}
	return j.ID == s.Run.JobID && j.GroupID == s.Run.GroupID && j.Version > 0 && !s.Attempt.Broadcast() &&
		len(j.Children) == 0 && j.StopAfter == 0 && j.Schedule.Kind != schedule.KindAfter
}
