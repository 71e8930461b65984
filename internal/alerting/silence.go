package alerting

import (
	"fmt"
	"time"

	words "github.com/orthd/orth/alarm"
)

// applySilences sets the silence of an alarm and when to review it. If no silence holds any
// longer, it sends the suppressed events and returns true.
func (d *evaluation) applySilences(a *Alarm, r *words.Rule) (released bool) {
	holder, until, turn := d.book.silenced(a, r)
	a.LookAt = a.LastAt.Add(silentFor)
	if a.Kind == words.KindGroupDown {
		a.LookAt = d.now.Add(silentFor)
	}
	if !turn.IsZero() && turn.Before(a.LookAt) {
		a.LookAt = turn
	}
	if !a.LookAt.After(d.now) {
		a.LookAt = d.now.Add(time.Second)
	}
	d.changedAlarms.insert(a)
	before := a.SilencedBy
	a.SilencedBy = holder
	switch {
	case before == 0 && holder != 0:
		d.suppress(a, r, until)
	case before != 0 && holder == 0:
		d.release(a, r)
		return true
	}
	return false
}

// silenced returns the silence that suppresses an alarm now, 0 for none, its end, and when
// the result may change; zero for never.
func (b *ruleSet) silenced(a *Alarm, r *words.Rule) (holder int64, until, turn time.Time) {
	for _, s := range b.silences {
		if !s.Fits(a.Namespace, r.Key, a.Kind, a.JobKey, a.Group, a.Labels) {
			continue
		}
		if s.holds && holder == 0 {
			holder, until = s.ID, s.turn
		}
		if !s.turn.IsZero() && (turn.IsZero() || s.turn.Before(turn)) {
			turn = s.turn
		}
	}
	return holder, until, turn
}

// suppress suppresses the messages of an alarm, and records that.
func (d *evaluation) suppress(a *Alarm, r *words.Rule, until time.Time) {
	if a.Told {
		for _, b := range d.groupsCounting(a) {
			b.Hushed++
			d.schedule(b, r)
		}
	}
	reason := fmt.Sprintf("silence %d holds it back", a.SilencedBy)
	if !until.IsZero() {
		reason += " until " + until.UTC().Format(time.RFC3339)
	}
	for _, c := range d.channels(a, r, false) {
		d.recordUnsent(a, c, words.Silenced, reason)
	}
}

// release notifies about an alarm that was suppressed and still fires.
func (d *evaluation) release(a *Alarm, r *words.Rule) {
	if a.Told {
		for _, b := range d.groupsCounting(a) {
			b.Hushed = max(b.Hushed-1, 0)
			d.schedule(b, r)
		}
	}
	d.notify(a, r, lastItem(a), 0, a.Held)
	a.Held = 0
}

// recordUnsent records a message that is not sent.
func (d *evaluation) recordUnsent(a *Alarm, c *words.Channel, status words.Delivery, reason string) {
	m := &Outgoing{Message: words.Message{State: a.State, Severity: a.Severity, Namespace: a.Namespace, Rule: a.RuleKey, At: d.now}}
	m.ID = d.nextID()
	m.Key = fmt.Sprintf("a%d.%d", a.ID, m.ID)
	m.Namespace, m.RuleID, m.RuleKey, m.GroupKey, m.State = a.Namespace, a.RuleID, a.RuleKey, a.Key, a.State
	m.Alarms, m.Events, m.Title = 1, a.Count, a.Reason
	if c != nil {
		m.ChannelID, m.Channel = c.ID, c.Key
	}
	m.Status, m.Error, m.DueAt, m.CreatedAt, m.EndedAt = status, reason, d.now, d.now, d.now
	d.messages = append(d.messages, m)
}
