package alerting

import (
	"fmt"
	"time"

	words "github.com/orthd/orth/alarm"
)

// Bunch is alarms of a rule that share the messages of a channel. It outlives its
// last alarm for the rule's interval, so that one that comes and goes is told no
// more often.
type Bunch struct {
	ID        int64     `json:"-"`
	Key       string    `json:"-"`
	ChannelID int64     `json:"-"`
	LookAt    time.Time `json:"-"` // when there is something to do; zero for never
	Gone      bool      `json:"-"` // it has no use any more

	Namespace string         `json:"namespace"`
	RuleID    int64          `json:"rule_id"`
	To        []string       `json:"to,omitempty"`
	Severity  words.Severity `json:"severity"`
	Group     string         `json:"group,omitempty"` // empty when several are concerned
	// An episode goes from the first alarm that fires to the end of the last one.
	Episode  int       `json:"episode"`
	OpenedAt time.Time `json:"opened_at"`
	Alarms   int       `json:"alarms"` // of the episode
	Firing   int       `json:"firing"`
	Hushed   int       `json:"hushed,omitempty"` // of those that fire: silenced
	// Open says that it was told that something fires, and not that it is over.
	Open   bool      `json:"open,omitempty"`
	Seq    int       `json:"seq"` // messages made
	ToldAt time.Time `json:"told_at,omitzero"`
	Fresh  Digest    `json:"fresh,omitzero"` // since the last message
	Last   Digest    `json:"last,omitzero"`  // of the last message
	Step   int       `json:"step,omitempty"` // of the escalation: those behind
	// Called says that the channel is one of an escalation.
	Called bool `json:"called,omitempty"`
}

// tell puts an item that stands for some events of an alarm into its bunches; event is
// the last of them, 0 when it is told for another reason.
func (d *desk) tell(a *Alarm, r *words.Rule, item words.Item, event int64, events int) {
	first := !a.Told
	a.Told = true
	var hearing marked[*Bunch]
	for _, c := range d.channels(a, r, first) {
		b := d.bunch(a.Key, c.ID)
		if b == nil {
			b = &Bunch{ID: d.id(), Key: a.Key, ChannelID: c.ID, Namespace: a.Namespace, RuleID: a.RuleID, Group: a.Group, To: a.To}
			d.bunches[a.Key] = append(d.bunches[a.Key], b)
		}
		hearing.add(b)
	}
	for _, b := range d.bunches[a.Key] {
		if b.Called && b.Firing > 0 { // an escalation is under way
			hearing.add(b)
		}
	}
	for _, b := range hearing.list {
		if first || b.Firing == 0 {
			b.join(a, d.now)
		}
		b.Severity = a.Severity
		if a.Group != b.Group {
			b.Group = ""
		}
		if !b.twice(event) {
			b.Fresh.add(item, events)
		}
		d.plan(b, r)
	}
}

// channels returns the channels of a rule. The first time that an alarm is told, it
// records those that are missing.
func (d *desk) channels(a *Alarm, r *words.Rule, first bool) (found []*words.Channel) {
	if r.ID == mailRuleID {
		c := d.book.mail[a.Namespace]
		if c != nil {
			return []*words.Channel{c}
		}
		if first {
			d.over(a, nil, words.GivenUp, fmt.Sprintf(
				"the job has alarm addresses, and namespace %s has no default e-mail channel: make a channel of kind email with default set", a.Namespace))
		}
		return nil
	}
	for _, key := range r.Channels {
		if c := d.book.keys[scoped{r.Namespace, key}]; c != nil {
			found = append(found, c)
		} else if first {
			d.over(a, nil, words.GivenUp, fmt.Sprintf("rule %s names channel %s, which does not exist: make it, or correct the rule", r.Key, key))
		}
	}
	return found
}

// join counts an alarm that is new here. The first one begins an episode, unless what
// the last one had to say was not told yet: then both are one, so that what comes and
// goes quickly is told all the same.
func (b *Bunch) join(a *Alarm, now time.Time) {
	if b.Firing == 0 && b.Fresh.empty() {
		b.Episode++
		b.OpenedAt, b.Alarms, b.Step, b.Open, b.Hushed, b.Group = now, 0, 0, false, 0, a.Group
	}
	b.Firing++
	b.Alarms++
}

// counting returns the bunches in which an alarm counts.
func (d *desk) counting(a *Alarm) (found []*Bunch) {
	for _, b := range d.bunches[a.Key] {
		if b.Firing > 0 {
			found = append(found, b)
		}
	}
	return found
}

// withdraw takes an alarm that is over out of its bunches.
func (d *desk) withdraw(a *Alarm) {
	for _, b := range d.counting(a) {
		b.Firing--
		if a.SilencedBy != 0 {
			b.Hushed = max(b.Hushed-1, 0)
		}
		d.plan(b, d.book.rule(a.RuleID, a.Namespace))
	}
}

// plan sets when there is something to do about a bunch.
func (d *desk) plan(b *Bunch, r *words.Rule) {
	d.changedBunches.add(b)
	if r == nil {
		b.LookAt = d.now
		return
	}
	b.LookAt = b.next(r, d.now)
}

// next returns when there is something to do about a bunch, zero for never.
func (b *Bunch) next(r *words.Rule, now time.Time) time.Time {
	var at time.Time
	switch {
	case b.Firing > 0 && b.Hushed >= b.Firing: // until a silence ends
		return at
	case !b.Fresh.empty():
		at = later(b.OpenedAt.Add(r.Wait), b.ToldAt.Add(r.Interval), b.Seq > 0)
	case b.Firing == 0 && b.Open && r.Recovered:
		at = now
	case b.Firing == 0:
		at = b.ToldAt.Add(r.Interval)
	case r.Repeat > 0:
		at = b.ToldAt.Add(r.Repeat)
	}
	if step, escalates := b.escalates(r); escalates && (at.IsZero() || step.Before(at)) {
		at = step
	}
	return at
}

// escalates returns when the next step of an escalation comes.
func (b *Bunch) escalates(r *words.Rule) (at time.Time, escalates bool) {
	if b.Called || b.Firing == 0 || b.Step >= len(r.Escalation) {
		return time.Time{}, false
	}
	return b.OpenedAt.Add(r.Escalation[b.Step].After), true
}

// escalate lets the channels of the steps hear of a bunch whose time has come, unless
// somebody has taken note of all that fires.
func (d *desk) escalate(b *Bunch, r *words.Rule) {
	for {
		at, escalates := b.escalates(r)
		if !escalates || at.After(d.now) {
			return
		}
		step := r.Escalation[b.Step]
		b.Step++
		d.changedBunches.add(b)
		if !d.unnoted[b.Key] {
			continue
		}
		for _, key := range step.Channels {
			if c := d.book.keys[scoped{r.Namespace, key}]; c != nil {
				d.call(b, c, r)
			}
		}
	}
}

// call lets another channel hear of all that a bunch has told.
func (d *desk) call(b *Bunch, c *words.Channel, r *words.Rule) {
	called := d.bunch(b.Key, c.ID)
	if called == nil {
		called = &Bunch{ID: d.id(), Key: b.Key, ChannelID: c.ID, Namespace: b.Namespace, RuleID: b.RuleID, Group: b.Group, Called: true}
		d.bunches[b.Key] = append(d.bunches[b.Key], called)
	}
	if !called.Called || called.Firing > 0 { // it has heard
		return
	}
	called.Episode++
	called.Severity, called.OpenedAt, called.Alarms, called.Firing, called.Hushed = b.Severity, b.OpenedAt, b.Alarms, b.Firing, b.Hushed
	called.Open = false
	called.Fresh = b.Last
	called.Fresh.merge(&b.Fresh)
	d.plan(called, r)
}

// later returns the later of two instants; the second counts when and says so.
func later(a, b time.Time, and bool) time.Time {
	if and && b.After(a) {
		return b
	}
	return a
}
