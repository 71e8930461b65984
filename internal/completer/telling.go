package completer

import (
	"fmt"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// Watch selects the ends to report.
type Watch interface {
	// Wants returns when to record the end in e. It is called for every end of a run, must
	// return at once, and returns Always when it cannot decide. It must not keep e.
	Wants(e *alarm.Event) Want
}

// Want is the condition under which an end is reported.
type Want int

// The conditions for reports.
const (
	Never Want = iota
	// WhileFiring: only while an alert of the job may be firing, which the end resolves.
	WhileFiring
	Always
)

// Subject is the job of a run, as alerts name it.
type Subject struct {
	Namespace, Key, Title, Group string
	Labels                       map[string]string
	Emails                       []string // from the job itself
}

// addEvent adds the event of the end of the run, if it has one that a rule asks for. Shards
// have no ends of their own, the user who starts a trial sees its end, and a stop by a user
// needs no report.
func (c *Completer) addEvent(s *Snapshot, completion *Completion) {
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

// event returns the event of a completion, and false when it has none: the run has not
// ended, or its end is not reported.
func event(s *Snapshot, c *Completion) (alarm.Event, bool) {
	e := alarm.Event{
		At: c.EndedAt, Source: alarm.SourceRun, Namespace: s.Subject.Namespace, GroupID: s.Run.GroupID, Group: s.Subject.Group,
		JobID: s.Run.JobID, JobKey: s.Subject.Key, JobTitle: s.Subject.Title, Labels: s.Subject.Labels, Emails: s.Subject.Emails,
		RunID: s.Run.ID, AttemptID: s.Attempt.ID, State: c.RunState, Cause: s.Run.Cause, Tries: s.Run.Tries, PlannedAt: s.Run.PlannedAt,
		Dead: c.Dead(), Message: c.Message, Reason: c.Reason,
	}
	if c.Waiting { // the outcome belongs to no attempt: its message is why the run stops waiting
		e.Message = lastAttempt(c.Reason, s.Run.Message)
	}
	switch c.RunState {
	case job.Succeeded, job.Failed, job.TimedOut, job.Lost:
		e.Took = c.duration()
	case job.Skipped:
		e.Source, e.Count = alarm.SourceMissed, 1
	default:
		return alarm.Event{}, false
	}
	return e, true
}

// lastAttempt joins the reason why a run stopped waiting for its next try and the message
// of its last attempt.
func lastAttempt(reason, said string) string {
	if said == "" {
		return reason
	}
	return fmt.Sprintf("%s; the last attempt: %s", reason, said)
}
