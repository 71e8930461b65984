package alerting

import (
	"cmp"
	"slices"
	"strings"
	"time"

	words "github.com/orthd/orth/alarm"
)

const (
	// minute is the period of a channel's rate limit.
	minute = time.Minute
	// postponeFor is how long a group waits when its channel is at its limit.
	postponeFor = 5 * time.Second
	// maxCombined bounds the groups that share a message.
	maxCombined = 1000
)

// dueGroup is a group with a message for its channel.
type dueGroup struct {
	group *AlarmGroup
	rule  *words.Rule
	state words.State
}

// deliver creates the messages of the due groups, within the limits of their channels.
// Groups over a limit are combined: in the last message that the channel has room for, or
// in a later one.
func (d *evaluation) deliver(due []*AlarmGroup) {
	queues := make(map[int64][]dueGroup)
	for _, b := range due {
		r := d.book.ruleFor(b.RuleID, b.Namespace)
		if reason := d.dropReason(b, r); reason != "" {
			d.dropGroup(b, r, reason)
			continue
		}
		d.escalate(b, r)
		if state, says := d.nextMessage(b, r); says {
			queues[b.ChannelID] = append(queues[b.ChannelID], dueGroup{b, r, state})
		}
	}
	for _, channel := range sortedKeys(queues) {
		d.deliverTo(d.book.channels[channel], queues[channel])
	}
}

// deliverTo creates the messages of one channel.
func (d *evaluation) deliverTo(c *words.Channel, queue []dueGroup) {
	load := d.loads[c.ID]
	free := max(c.PerMinute-load.Pending-load.Ended, 0)
	if len(queue) < free || len(queue) == 1 && free == 1 {
		for _, t := range queue {
			d.sendGroup(c, t)
		}
		return
	}
	slices.SortStableFunc(queue, func(a, b dueGroup) int {
		return cmp.Or(strings.Compare(strings.Join(a.group.To, "\n"), strings.Join(b.group.To, "\n")), a.group.LookAt.Compare(b.group.LookAt))
	})
	for len(queue) > 0 {
		n := 1
		for n < min(len(queue), maxCombined) && slices.Equal(queue[n].group.To, queue[0].group.To) {
			n++
		}
		switch {
		case free == 0:
			d.postpone(queue[:n])
		case n == 1:
			d.sendGroup(c, queue[0])
			free--
		default:
			d.sendCombined(c, queue[:n])
			free--
		}
		queue = queue[n:]
	}
}

// postpone delays groups until their channel has room.
func (d *evaluation) postpone(queue []dueGroup) {
	for _, t := range queue {
		t.group.LookAt = d.now.Add(postponeFor)
		d.changedGroups.insert(t.group)
	}
}

// nextMessage returns the state that the group has to report now. A group without a message
// is rescheduled, or marked for removal.
func (d *evaluation) nextMessage(b *AlarmGroup, r *words.Rule) (state words.State, says bool) {
	at := b.nextAction(r, d.now)
	switch {
	case at.IsZero() || at.After(d.now):
		b.LookAt = at
		d.changedGroups.insert(b)
		return "", false
	case !b.Fresh.empty() || b.Firing > 0:
		return words.Firing, true
	case b.Open && r.Recovered:
		return words.Resolved, true
	}
	b.Gone = true
	d.changedGroups.insert(b)
	return "", false
}

// dropReason returns why the group sends no further messages, and "" when it does.
func (d *evaluation) dropReason(b *AlarmGroup, r *words.Rule) string {
	c := d.book.channels[b.ChannelID]
	switch {
	case r == nil:
		return "its rule is gone or switched off"
	case c == nil:
		return "its channel is gone"
	case !c.Enabled:
		return "channel " + c.Key + " is switched off"
	case r.ID != mailRuleID && !b.Called && !slices.Contains(r.Channels, c.Key):
		return "its rule does not name channel " + c.Key + " any more"
	}
	return ""
}

// dropGroup removes a group, and records its unsent message.
func (d *evaluation) dropGroup(b *AlarmGroup, r *words.Rule, reason string) {
	b.Gone = true
	d.changedGroups.insert(b)
	if b.Fresh.empty() {
		return
	}
	m := d.message(b, r, words.Firing)
	m.Status, m.EndedAt, m.LookAt, m.Error = words.Dropped, d.now, time.Time{}, reason
	if c := d.book.channels[b.ChannelID]; c != nil {
		m.Channel = c.Key
	}
	d.messages = append(d.messages, m)
}

func sortedKeys[T any](of map[int64]T) []int64 {
	keys := make([]int64, 0, len(of))
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
