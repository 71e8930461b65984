package alerting

import (
	"cmp"
	"slices"
	"strings"
	"time"

	words "github.com/orthd/orth/alarm"
)

const (
	// minute is the time that a channel's bound is about.
	minute = time.Minute
	// putOff is how long a bunch waits for its channel to have room.
	putOff = 5 * time.Second
	// maxCollected bounds the bunches that share a message.
	maxCollected = 1000
)

// turn is a bunch that has something to say to a channel.
type turn struct {
	bunch *Bunch
	rule  *words.Rule
	state words.State
}

// deliver makes the messages of the bunches whose time has come, as many as their
// channels may carry. What is more is told together: by the last message that a
// channel has room for, or by the next.
func (d *desk) deliver(due []*Bunch) {
	queues := make(map[int64][]turn)
	for _, b := range due {
		r := d.book.rule(b.RuleID, b.Namespace)
		if reason := d.pointless(b, r); reason != "" {
			d.drop(b, r, reason)
			continue
		}
		d.escalate(b, r)
		if state, says := d.says(b, r); says {
			queues[b.ChannelID] = append(queues[b.ChannelID], turn{b, r, state})
		}
	}
	for _, channel := range sortedKeys(queues) {
		d.carry(d.book.channels[channel], queues[channel])
	}
}

// carry makes the messages of one channel.
func (d *desk) carry(c *words.Channel, queue []turn) {
	load := d.loads[c.ID]
	free := max(c.PerMinute-load.Pending-load.Ended, 0)
	if len(queue) < free || len(queue) == 1 && free == 1 {
		for _, t := range queue {
			d.send(c, t)
		}
		return
	}
	slices.SortStableFunc(queue, func(a, b turn) int {
		return cmp.Or(strings.Compare(strings.Join(a.bunch.To, "\n"), strings.Join(b.bunch.To, "\n")), a.bunch.LookAt.Compare(b.bunch.LookAt))
	})
	for len(queue) > 0 {
		n := 1
		for n < min(len(queue), maxCollected) && slices.Equal(queue[n].bunch.To, queue[0].bunch.To) {
			n++
		}
		switch {
		case free == 0:
			d.wait(queue[:n])
		case n == 1:
			d.send(c, queue[0])
			free--
		default:
			d.collect(c, queue[:n])
			free--
		}
		queue = queue[n:]
	}
}

// wait puts bunches off until their channel has room.
func (d *desk) wait(queue []turn) {
	for _, t := range queue {
		t.bunch.LookAt = d.now.Add(putOff)
		d.changedBunches.add(t.bunch)
	}
}

// says returns what a bunch has to say now. A bunch that has nothing to say is
// planned anew, or has no use any more.
func (d *desk) says(b *Bunch, r *words.Rule) (state words.State, says bool) {
	at := b.next(r, d.now)
	switch {
	case at.IsZero() || at.After(d.now):
		b.LookAt = at
		d.changedBunches.add(b)
		return "", false
	case !b.Fresh.empty() || b.Firing > 0:
		return words.Firing, true
	case b.Open && r.Recovered:
		return words.Resolved, true
	}
	b.Gone = true
	d.changedBunches.add(b)
	return "", false
}

// pointless says why nothing of a bunch is told any more; empty when it is.
func (d *desk) pointless(b *Bunch, r *words.Rule) string {
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

// drop gives a bunch up, and records what it still had to say.
func (d *desk) drop(b *Bunch, r *words.Rule, reason string) {
	b.Gone = true
	d.changedBunches.add(b)
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
