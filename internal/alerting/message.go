package alerting

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	words "github.com/orthd/orth/alarm"
)

// sendGroup creates the message of one group.
func (d *evaluation) sendGroup(c *words.Channel, t dueGroup) {
	b := t.group
	m := d.message(b, t.rule, t.state)
	m.Channel = c.Key
	d.messages = append(d.messages, m)
	d.markSent(t)
}

// sendCombined creates one message for many groups. Its state is firing when that of any
// group is.
func (d *evaluation) sendCombined(c *words.Channel, queue []dueGroup) {
	first := queue[0]
	m := d.message(first.group, first.rule, first.state)
	m.Key, m.Line, m.Dedup = fmt.Sprintf("%s.%d", combinedKey(c.ID), m.ID), combinedKey(c.ID), combinedKey(c.ID)
	m.Channel, m.GroupKey = c.Key, ""
	said := &m.Message
	var all Digest
	said.Alarms = 0
	for _, t := range queue {
		b := t.group
		said.Alarms += b.Alarms
		if t.state == words.Firing {
			said.State = words.Firing
		}
		if worse(b.Severity, said.Severity) {
			said.Severity = b.Severity
		}
		if b.Group != said.Group {
			said.Group = ""
		}
		if b.RuleID != m.RuleID {
			m.RuleKey, said.Rule = "", ""
		}
		all.merge(b.digest())
	}
	if m.RuleKey == "" {
		m.RuleID = 0
	}
	all.copyInto(said)
	m.State, m.Alarms, m.Events = said.State, said.Alarms, said.Events
	d.messages = append(d.messages, m)
	for _, t := range queue {
		d.markSent(t)
	}
}

// message returns a message of a group, due now.
func (d *evaluation) message(b *AlarmGroup, r *words.Rule, state words.State) *Outgoing {
	m := &Outgoing{Key: b.messageKey(), Line: b.queueKey(), Dedup: b.dedupKey(), LookAt: d.now}
	m.ID = d.nextID()
	m.Namespace, m.RuleID, m.ChannelID, m.GroupKey = b.Namespace, b.RuleID, b.ChannelID, b.Key
	m.To = strings.Join(b.To, ", ")
	m.Status, m.State, m.DueAt, m.CreatedAt = words.Pending, state, d.now, d.now
	said := &m.Message
	said.State, said.Severity, said.To, said.Namespace, said.Group = state, b.Severity, b.To, b.Namespace, b.Group
	said.At, said.Alarms = d.now, b.Alarms
	if r != nil {
		m.RuleKey = r.Key
		said.Rule = cmp.Or(r.Title, r.Key)
	}
	b.digest().copyInto(said)
	m.Alarms, m.Events = said.Alarms, said.Events
	return m
}

// digest is the content of the group's message: the new events, otherwise the last ones
// sent.
func (b *AlarmGroup) digest() *Digest {
	if b.Fresh.empty() {
		return &b.Last
	}
	return &b.Fresh
}

// markSent records that a message of the group was created.
func (d *evaluation) markSent(t dueGroup) {
	b := t.group
	b.Open = t.state == words.Firing
	if !b.Fresh.empty() {
		b.Last, b.Fresh = b.Fresh, Digest{}
	}
	b.Seq++
	b.ToldAt = d.now
	d.schedule(b, t.rule)
}

// worse reports whether a is more severe than b.
func worse(a, b words.Severity) bool {
	order := words.Severities()
	return slices.Index(order, a) > slices.Index(order, b)
}
