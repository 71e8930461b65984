package alerting

import (
	"slices"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

const (
	// maxReason bounds the reason of an alarm and of an entry, in characters.
	maxReason = 1000
	// silentFor is how long an alarm fires without news, unless its end is always
	// told.
	silentFor = 24 * time.Hour
)

// fire adds an event to the alarm of a rule about the event's subject, and raises it
// when there is none.
func (d *desk) fire(r *words.Rule, kind words.Kind, e *words.Event, reason string) {
	at := place{r.ID, kind, subjectOf(kind, e.JobID, e.GroupID)}
	a := d.alarms[at]
	if a != nil && d.seen(a.ID, e.ID) {
		return
	}
	if a == nil {
		a = &Alarm{Key: bunchKey(r, kind, e)}
		a.ID, a.Namespace, a.RuleID, a.RuleKey, a.Kind, a.State = d.id(), e.Namespace, r.ID, r.Key, kind, words.Firing
		a.FirstAt = e.At
		if r.ID == mailRuleID {
			a.To = e.Emails
		}
		d.alarms[at] = a
		d.seen(a.ID, e.ID)
	}
	a.Severity, a.GroupID, a.Group, a.Labels = r.Severity, e.GroupID, e.Group, e.Labels
	if !kind.OfGroup() {
		a.JobID, a.JobKey = e.JobID, e.JobKey
	}
	a.Reason, a.LastAt, a.LastRunID = job.Clean(reason, maxReason), e.At, e.RunID
	a.Count++
	d.entries = append(d.entries, words.Entry{
		AlarmID: a.ID, EventID: e.ID, At: e.At, RunID: e.RunID, JobKey: e.JobKey, State: e.State, Reason: a.Reason,
	})
	d.changedAlarms.add(a)
	a.Held++ // until it is told
	if released := d.judge(a, r); released || a.SilencedBy != 0 {
		return
	}
	a.Held = 0
	d.tell(a, r, itemOf(a, e), e.ID, 1)
}

// refresh brings up to date what an alarm says that lasts, without another event.
func (d *desk) refresh(a *Alarm, at time.Time, reason string) {
	a.LastAt, a.Reason = at, job.Clean(reason, maxReason)
	d.changedAlarms.add(a)
}

// resolve ends an alarm, if there is one.
func (d *desk) resolve(at place, when time.Time) {
	a := d.alarms[at]
	if a == nil {
		return
	}
	delete(d.alarms, at)
	if a.Told {
		d.withdraw(a)
	}
	a.State, a.EndedAt, a.LookAt, a.SilencedBy, a.Held = words.Resolved, when, time.Time{}, 0, 0
	d.changedAlarms.add(a)
}

// review looks at an alarm whose time has come: its rule may be gone, a silence may
// have begun or ended, or there was no news of it for too long.
func (d *desk) review(a *Alarm) {
	at := place{a.RuleID, a.Kind, a.Subject()}
	if d.alarms[at] != a { // it ended in this pass
		return
	}
	r := d.book.rule(a.RuleID, a.Namespace)
	switch {
	case r == nil || !slices.Contains(r.Kinds, a.Kind) || !r.Scope.Fits(a.JobKey, a.Group, a.Labels):
		d.resolve(at, d.now)
	case a.Kind != words.KindGroupDown && !d.now.Before(a.LastAt.Add(silentFor)):
		d.resolve(at, d.now)
	default:
		d.judge(a, r)
	}
}

// itemOf returns what a message shows of an event.
func itemOf(a *Alarm, e *words.Event) words.Item {
	item := words.Item{
		At: e.At, Kind: a.Kind, Namespace: a.Namespace, Job: e.JobKey, JobKey: e.JobKey, Group: e.Group, AlarmID: a.ID, RunID: e.RunID,
		State: e.State, Tries: e.Tries, Reason: job.Clean(a.Reason, maxTold),
	}
	if e.JobTitle != "" {
		item.Job = e.JobTitle
	}
	return item
}

// lastItem returns what a message shows of the last event of an alarm.
func lastItem(a *Alarm) words.Item {
	return words.Item{
		At: a.LastAt, Kind: a.Kind, Namespace: a.Namespace, Job: a.JobKey, JobKey: a.JobKey, Group: a.Group, AlarmID: a.ID, RunID: a.LastRunID,
		Reason: job.Clean(a.Reason, maxTold),
	}
}
