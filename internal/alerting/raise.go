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
	// silentFor is how long an alarm fires without events. Alarms of groups have no such
	// limit.
	silentFor = 24 * time.Hour
)

// addToAlarm adds an event to the alarm of a rule for the event's subject. It raises the alarm
// when there is none.
func (d *evaluation) addToAlarm(r *words.Rule, kind words.Kind, e *words.Event, reason string) {
	at := alarmKey{r.ID, kind, subjectOf(kind, e.JobID, e.GroupID)}
	a := d.alarms[at]
	if a != nil && d.seenEntry(a.ID, e.ID) {
		return
	}
	if a == nil {
		a = &Alarm{Key: groupKey(r, kind, e)}
		a.ID, a.Namespace, a.RuleID, a.RuleKey, a.Kind, a.State = d.nextID(), e.Namespace, r.ID, r.Key, kind, words.Firing
		a.FirstAt = e.At
		if r.ID == mailRuleID {
			a.To = e.Emails
		}
		d.alarms[at] = a
		d.seenEntry(a.ID, e.ID)
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
	d.changedAlarms.insert(a)
	a.Held++ // until it is notified
	if released := d.applySilences(a, r); released || a.SilencedBy != 0 {
		return
	}
	a.Held = 0
	d.notify(a, r, itemOf(a, e), e.ID, 1)
}

// refresh updates a lasting alarm without another entry.
func (d *evaluation) refresh(a *Alarm, at time.Time, reason string) {
	a.LastAt, a.Reason = at, job.Clean(reason, maxReason)
	d.changedAlarms.insert(a)
}

// resolve resolves an alarm, if there is one.
func (d *evaluation) resolve(at alarmKey, when time.Time) {
	a := d.alarms[at]
	if a == nil {
		return
	}
	delete(d.alarms, at)
	if a.Told {
		d.removeFromGroups(a)
	}
	a.State, a.EndedAt, a.LookAt, a.SilencedBy, a.Held = words.Resolved, when, time.Time{}, 0, 0
	d.changedAlarms.insert(a)
}

// review checks a due alarm. Its rule may have been deleted, a silence may have started or
// ended, or it may have had no events for too long.
func (d *evaluation) review(a *Alarm) {
	at := alarmKey{a.RuleID, a.Kind, a.Subject()}
	if d.alarms[at] != a { // it ended in this pass
		return
	}
	r := d.book.ruleFor(a.RuleID, a.Namespace)
	switch {
	case r == nil || !slices.Contains(r.Kinds, a.Kind) || !r.Scope.Fits(a.JobKey, a.Group, a.Labels):
		d.resolve(at, d.now)
	case a.Kind != words.KindGroupDown && !d.now.Before(a.LastAt.Add(silentFor)):
		d.resolve(at, d.now)
	default:
		d.applySilences(a, r)
	}
}

// itemOf returns the item of a message for an event.
func itemOf(a *Alarm, e *words.Event) words.Item {
	item := words.Item{
		At: e.At, Kind: a.Kind, Namespace: a.Namespace, Job: e.JobKey, JobKey: e.JobKey, Group: e.Group, AlarmID: a.ID, RunID: e.RunID,
		State: e.State, Tries: e.Tries, Reason: job.Clean(a.Reason, maxShownReason),
	}
	if e.JobTitle != "" {
		item.Job = e.JobTitle
	}
	return item
}

// lastItem returns the item of a message for the last event of an alarm.
func lastItem(a *Alarm) words.Item {
	return words.Item{
		At: a.LastAt, Kind: a.Kind, Namespace: a.Namespace, Job: a.JobKey, JobKey: a.JobKey, Group: a.Group, AlarmID: a.ID, RunID: a.LastRunID,
		Reason: job.Clean(a.Reason, maxShownReason),
	}
}
