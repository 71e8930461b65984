package completer

import (
	"fmt"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// Watch says which ends somebody wants to hear of.
type Watch interface {
	// Wants says when the end that e tells is to be written down. It is asked for
	// every end of a run, must return at once, and says Always when it cannot tell. It
	// must not keep e.
	Wants(e *alarm.Event) Want
}

// Want says when an end is to be told.
type Want int

// When an end is to be told.
const (
	Never Want = iota
	// WhileFiring: only as long as an alarm of the job may fire, which it ends.
	WhileFiring
	Always
)

// Subject is the job of a run, as alarms name it.
type Subject struct {
	Namespace, Key, Title, Group string
	Labels                       map[string]string
	Emails                       []string // that the job names itself
}

// tell notes that the end of the run is to be told, if it is one and somebody
// wants to hear of it. Shards have no ends of their own, who tries a job sees how it
// ends, and what a user ended is no news to him.
func (c *Completer) tell(s *Snapshot, completion *Completion) {
	if c.config.Watch == nil || s.Deleted || completion.ShardOf != 0 || s.Run.Cause == job.CauseTrial {
		return
	}
	e, worth := event(s, completion)
	if !worth {
		return
	}
	if completion.When = c.config.Watch.Wants(&e); completion.When != Never {
		completion.Told = &e
	}
}

// event returns what the completion tells, and false when it tells nothing: it is
// no end, or nobody's matter.
func event(s *Snapshot, c *Completion) (alarm.Event, bool) {
	e := alarm.Event{
		At: c.EndedAt, Source: alarm.SourceRun, Namespace: s.Subject.Namespace, GroupID: s.Run.GroupID, Group: s.Subject.Group,
		JobID: s.Run.JobID, JobKey: s.Subject.Key, JobTitle: s.Subject.Title, Labels: s.Subject.Labels, Emails: s.Subject.Emails,
		RunID: s.Run.ID, AttemptID: s.Attempt.ID, State: c.RunState, Cause: s.Run.Cause, Tries: s.Run.Tries, PlannedAt: s.Run.PlannedAt,
		Dead: c.Dead(), Message: c.Message, Reason: c.Reason,
	}
	if c.Waiting { // the outcome is not of an attempt: its message says why the run waits no more
		e.Message = lastAttempt(c.Reason, s.Run.Message)
	}
	switch c.RunState {
	case job.Succeeded, job.Failed, job.TimedOut, job.Lost:
		e.Took = c.took()
	case job.Skipped:
		e.Source, e.Count = alarm.SourceMissed, 1
	default:
		return alarm.Event{}, false
	}
	return e, true
}

// lastAttempt says why a run ended that waited for its next try, and what its last
// attempt said.
func lastAttempt(reason, said string) string {
	if said == "" {
		return reason
	}
	return fmt.Sprintf("%s; the last attempt: %s", reason, said)
}
