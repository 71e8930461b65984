package alerting

import (
	"fmt"
	"time"

	words "github.com/orthd/orth/alarm"
)

// judge says whether a silence holds the messages of an alarm back, tells what was
// held back when none does any more, which it reports, and sets when to look at the
// alarm again.
func (d *desk) judge(a *Alarm, r *words.Rule) (released bool) {
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
	d.changedAlarms.add(a)
	before := a.SilencedBy
	a.SilencedBy = holder
	switch {
	case before == 0 && holder != 0:
		d.silence(a, r, until)
	case before != 0 && holder == 0:
		d.release(a, r)
		return true
	}
	return false
}

// silenced returns the silence that holds an alarm back now, 0 for none, until when,
// and when that may change; zero for never.
func (b *book) silenced(a *Alarm, r *words.Rule) (holder int64, until, turn time.Time) {
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

// silence holds the messages of an alarm back, and records that it does.
func (d *desk) silence(a *Alarm, r *words.Rule, until time.Time) {
	if a.Told {
		for _, b := range d.counting(a) {
			b.Hushed++
			d.plan(b, r)
		}
	}
	reason := fmt.Sprintf("silence %d holds it back", a.SilencedBy)
	if !until.IsZero() {
		reason += " until " + until.UTC().Format(time.RFC3339)
	}
	for _, c := range d.channels(a, r, false) {
		d.over(a, c, words.Silenced, reason)
	}
}

// release tells of an alarm that was held back and still fires.
func (d *desk) release(a *Alarm, r *words.Rule) {
	if a.Told {
		for _, b := range d.counting(a) {
			b.Hushed = max(b.Hushed-1, 0)
			d.plan(b, r)
		}
	}
	d.tell(a, r, lastItem(a), 0, a.Held)
	a.Held = 0
}

// over records a message that is not sent.
func (d *desk) over(a *Alarm, c *words.Channel, status words.Delivery, reason string) {
	m := &Outgoing{Message: words.Message{State: a.State, Severity: a.Severity, Namespace: a.Namespace, Rule: a.RuleKey, At: d.now}}
	m.ID = d.id()
	m.Key = fmt.Sprintf("a%d.%d", a.ID, m.ID)
	m.Namespace, m.RuleID, m.RuleKey, m.GroupKey, m.State = a.Namespace, a.RuleID, a.RuleKey, a.Key, a.State
	m.Alarms, m.Events, m.Title = 1, a.Count, a.Reason
	if c != nil {
		m.ChannelID, m.Channel = c.ID, c.Key
	}
	m.Status, m.Error, m.DueAt, m.CreatedAt, m.EndedAt = status, reason, d.now, d.now, d.now
	d.messages = append(d.messages, m)
}
