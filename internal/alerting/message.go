package alerting

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	words "github.com/orthd/orth/alarm"
)

// send makes the message of one bunch.
func (d *desk) send(c *words.Channel, t turn) {
	b := t.bunch
	m := d.message(b, t.rule, t.state)
	m.Channel = c.Key
	d.messages = append(d.messages, m)
	d.told(t)
}

// collect makes one message for many bunches. It says that something fires as long
// as anything of it does.
func (d *desk) collect(c *words.Channel, queue []turn) {
	first := queue[0]
	m := d.message(first.bunch, first.rule, first.state)
	m.Key, m.Line, m.Dedup = fmt.Sprintf("%s.%d", collected(c.ID), m.ID), collected(c.ID), collected(c.ID)
	m.Channel, m.GroupKey = c.Key, ""
	said := &m.Message
	var all Digest
	said.Alarms = 0
	for _, t := range queue {
		b := t.bunch
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
	all.show(said)
	m.State, m.Alarms, m.Events = said.State, said.Alarms, said.Events
	d.messages = append(d.messages, m)
	for _, t := range queue {
		d.told(t)
	}
}

// message returns a message of a bunch that is due now.
func (d *desk) message(b *Bunch, r *words.Rule, state words.State) *Outgoing {
	m := &Outgoing{Key: b.messageKey(), Line: b.line(), Dedup: b.dedup(), LookAt: d.now}
	m.ID = d.id()
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
	b.digest().show(said)
	m.Alarms, m.Events = said.Alarms, said.Events
	return m
}

// digest is what a message of the bunch shows: what is new, or what was told last.
func (b *Bunch) digest() *Digest {
	if b.Fresh.empty() {
		return &b.Last
	}
	return &b.Fresh
}

// told writes down that a message of the bunch was made.
func (d *desk) told(t turn) {
	b := t.bunch
	b.Open = t.state == words.Firing
	if !b.Fresh.empty() {
		b.Last, b.Fresh = b.Fresh, Digest{}
	}
	b.Seq++
	b.ToldAt = d.now
	d.plan(b, t.rule)
}

// worse reports whether a severity is above another.
func worse(a, b words.Severity) bool {
	order := words.Severities()
	return slices.Index(order, a) > slices.Index(order, b)
}
