package alerting

import (
	"fmt"
	"time"

	words "github.com/orthd/orth/alarm"
)

// AlarmGroup is a set of alarms of a rule that share the messages of a channel. It outlives
// its last alarm for the rule's interval, so that a flapping alarm sends no more messages.
type AlarmGroup struct {
	ID        int64     `json:"-"`
	Key       string    `json:"-"`
	ChannelID int64     `json:"-"`
	LookAt    time.Time `json:"-"` // next action; zero for never
	Gone      bool      `json:"-"` // to be removed

	Namespace string         `json:"namespace"`
	RuleID    int64          `json:"rule_id"`
	To        []string       `json:"to,omitempty"`
	Severity  words.Severity `json:"severity"`
	Group     string         `json:"group,omitempty"` // empty when it covers several
	// An episode lasts from the first firing alarm to the end of the last one.
	Episode  int       `json:"episode"`
	OpenedAt time.Time `json:"opened_at"`
	Alarms   int       `json:"alarms"` // of the episode
	Firing   int       `json:"firing"`
	Hushed   int       `json:"hushed,omitempty"` // firing alarms that are silenced
	// Open means that a firing message was sent, and no recovery message since.
	Open   bool      `json:"open,omitempty"`
	Seq    int       `json:"seq"` // messages made
	ToldAt time.Time `json:"told_at,omitzero"`
	Fresh  Digest    `json:"fresh,omitzero"` // since the last message
	Last   Digest    `json:"last,omitzero"`  // of the last message
	Step   int       `json:"step,omitempty"` // escalation steps done
	// Called means that the channel belongs to an escalation step.
	Called bool `json:"called,omitempty"`
}

// notify adds an item, which represents some events of an alarm, to the alarm's groups.
// event is the last of them, or 0 when there is none.
func (d *evaluation) notify(a *Alarm, r *words.Rule, item words.Item, event int64, events int) {
	first := !a.Told
	a.Told = true
	var hearing orderedSet[*AlarmGroup]
	for _, c := range d.channels(a, r, first) {
		b := d.group(a.Key, c.ID)
		if b == nil {
			b = &AlarmGroup{ID: d.nextID(), Key: a.Key, ChannelID: c.ID, Namespace: a.Namespace, RuleID: a.RuleID, Group: a.Group, To: a.To}
			d.groups[a.Key] = append(d.groups[a.Key], b)
		}
		hearing.insert(b)
	}
	for _, b := range d.groups[a.Key] {
		if b.Called && b.Firing > 0 { // an escalation is under way
			hearing.insert(b)
		}
	}
	for _, b := range hearing.list {
		if first || b.Firing == 0 {
			b.addAlarm(a, d.now)
		}
		b.Severity = a.Severity
		if a.Group != b.Group {
			b.Group = ""
		}
		if !b.seenEvent(event) {
			b.Fresh.addEvents(item, events)
		}
		d.schedule(b, r)
	}
}

// channels returns the channels of a rule. When first is true, it records an unsent message
// for each missing channel.
func (d *evaluation) channels(a *Alarm, r *words.Rule, first bool) (found []*words.Channel) {
	if r.ID == mailRuleID {
		c := d.book.mailChannels[a.Namespace]
		if c != nil {
			return []*words.Channel{c}
		}
		if first {
			d.recordUnsent(a, nil, words.GivenUp, fmt.Sprintf(
				"the job has alarm addresses, and namespace %s has no default e-mail channel: make a channel of kind email with default set", a.Namespace))
		}
		return nil
	}
	for _, key := range r.Channels {
		if c := d.book.channelsByKey[scoped{r.Namespace, key}]; c != nil {
			found = append(found, c)
		} else if first {
			d.recordUnsent(a, nil, words.GivenUp, fmt.Sprintf("rule %s names channel %s, which does not exist: make it, or correct the rule", r.Key, key))
		}
	}
	return found
}

// addAlarm counts a new alarm in the group. The first alarm starts an episode, unless the
// group still has unsent events of the previous one. Then both are one episode, so that
// short alarms are sent too.
func (b *AlarmGroup) addAlarm(a *Alarm, now time.Time) {
	if b.Firing == 0 && b.Fresh.empty() {
		b.Episode++
		b.OpenedAt, b.Alarms, b.Step, b.Open, b.Hushed, b.Group = now, 0, 0, false, 0, a.Group
	}
	b.Firing++
	b.Alarms++
}

// groupsCounting returns the groups that count an alarm.
func (d *evaluation) groupsCounting(a *Alarm) (found []*AlarmGroup) {
	for _, b := range d.groups[a.Key] {
		if b.Firing > 0 {
			found = append(found, b)
		}
	}
	return found
}

// removeFromGroups removes a resolved alarm from its groups.
func (d *evaluation) removeFromGroups(a *Alarm) {
	for _, b := range d.groupsCounting(a) {
		b.Firing--
		if a.SilencedBy != 0 {
			b.Hushed = max(b.Hushed-1, 0)
		}
		d.schedule(b, d.book.ruleFor(a.RuleID, a.Namespace))
	}
}

// schedule sets when the group needs its next action.
func (d *evaluation) schedule(b *AlarmGroup, r *words.Rule) {
	d.changedGroups.insert(b)
	if r == nil {
		b.LookAt = d.now
		return
	}
	b.LookAt = b.nextAction(r, d.now)
}

// nextAction returns when the group needs its next action, zero for never.
func (b *AlarmGroup) nextAction(r *words.Rule, now time.Time) time.Time {
	var at time.Time
	switch {
	case b.Firing > 0 && b.Hushed >= b.Firing: // until a silence ends
		return at
	case !b.Fresh.empty():
		at = laterIf(b.OpenedAt.Add(r.Wait), b.ToldAt.Add(r.Interval), b.Seq > 0)
	case b.Firing == 0 && b.Open && r.Recovered:
		at = now
	case b.Firing == 0:
		at = b.ToldAt.Add(r.Interval)
	case r.Repeat > 0:
		at = b.ToldAt.Add(r.Repeat)
	}
	if step, escalates := b.nextEscalation(r); escalates && (at.IsZero() || step.Before(at)) {
		at = step
	}
	return at
}

// nextEscalation returns when the next escalation step is due.
func (b *AlarmGroup) nextEscalation(r *words.Rule) (at time.Time, escalates bool) {
	if b.Called || b.Firing == 0 || b.Step >= len(r.Escalation) {
		return time.Time{}, false
	}
	return b.OpenedAt.Add(r.Escalation[b.Step].After), true
}

// escalate notifies the channels of the due steps, unless all firing alarms are
// acknowledged.
func (d *evaluation) escalate(b *AlarmGroup, r *words.Rule) {
	for {
		at, escalates := b.nextEscalation(r)
		if !escalates || at.After(d.now) {
			return
		}
		step := r.Escalation[b.Step]
		b.Step++
		d.changedGroups.insert(b)
		if !d.unacknowledged[b.Key] {
			continue
		}
		for _, key := range step.Channels {
			if c := d.book.channelsByKey[scoped{r.Namespace, key}]; c != nil {
				d.notifyEscalation(b, c, r)
			}
		}
	}
}

// notifyEscalation sends all reported events of a group to another channel.
func (d *evaluation) notifyEscalation(b *AlarmGroup, c *words.Channel, r *words.Rule) {
	called := d.group(b.Key, c.ID)
	if called == nil {
		called = &AlarmGroup{ID: d.nextID(), Key: b.Key, ChannelID: c.ID, Namespace: b.Namespace, RuleID: b.RuleID, Group: b.Group, Called: true}
		d.groups[b.Key] = append(d.groups[b.Key], called)
	}
	if !called.Called || called.Firing > 0 { // already notified
		return
	}
	called.Episode++
	called.Severity, called.OpenedAt, called.Alarms, called.Firing, called.Hushed = b.Severity, b.OpenedAt, b.Alarms, b.Firing, b.Hushed
	called.Open = false
	called.Fresh = b.Last
	called.Fresh.merge(&b.Fresh)
	d.schedule(called, r)
}

// laterIf returns the later of two instants, and a when the condition is false.
func laterIf(a, b time.Time, and bool) time.Time {
	if and && b.After(a) {
		return b
	}
	return a
}
