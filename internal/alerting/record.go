package alerting

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// recordTime bounds what is written after an answer, also when the server stops.
const recordTime = 5 * time.Second

// record writes what came of a try: the message, and how its channel does. It logs
// what it cannot write, for nobody is left to be told.
func (e *Engine) record(ctx context.Context, m *Outgoing, b *book, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	now := time.Now()
	next := after(*m, err, now, e.config.GiveUp)
	var instead *Outgoing
	c := b.channels[m.ChannelID]
	switch {
	case c == nil || !c.Enabled:
		next.Status, next.LookAt, next.EndedAt = words.Dropped, time.Time{}, now
	case next.Status == words.GivenUp:
		e.config.Logger.Error("an alarm message could not be delivered",
			"notification_id", m.ID, "channel", m.Channel, "tries", next.Tries, "error", err)
		instead = b.instead(&next, now)
	}
	if failed := e.config.Store.RecordMessage(ctx, &next, instead); failed != nil {
		e.config.Logger.Error("the end of an alarm message was not recorded; it may be sent again", "notification_id", m.ID, "error", failed)
		return
	}
	if e.config.Health != nil && c != nil && c.Enabled {
		if failed := e.config.Health.Health(ctx, c.ID, now, err); failed != nil {
			e.config.Logger.Warn("the state of an alarm channel was not recorded", "channel", c.Key, "error", failed)
		}
	}
}

// gone says why a message has nowhere to go.
func gone(c *words.Channel) error {
	if c == nil {
		return job.Errorf(job.NotFound, "its channel is gone")
	}
	return job.Errorf(job.Conflict, "channel %s is switched off", c.Key)
}

// insteadPrefix begins the keys of messages about messages; they have none themselves.
const insteadPrefix = "i"

// instead returns a message that tells what m could not, through another channel of
// its rule that works; nil when there is none. The store gives it its id.
func (b *book) instead(m *Outgoing, now time.Time) *Outgoing {
	r := b.rules[m.RuleID]
	if r == nil || m.Key[:1] == insteadPrefix {
		return nil
	}
	for _, key := range r.Channels {
		c := b.keys[scoped{r.Namespace, key}]
		if c == nil || c.ID == m.ChannelID || !c.Enabled || c.Failures > 0 {
			continue
		}
		told := *m
		told.Key, told.Line, told.Dedup = insteadPrefix+strconv.FormatInt(m.ID, 10), fmt.Sprintf("i%d", m.ID), fmt.Sprintf("i%d", m.ID)
		told.ID, told.ChannelID, told.Channel, told.To = 0, c.ID, c.Key, ""
		told.Status, told.Tries, told.Error, told.Fence = words.Pending, 0, "", 0
		told.DueAt, told.LookAt, told.CreatedAt, told.EndedAt = now, now, now, time.Time{}
		reason := words.Reason{Text: job.Clean(fmt.Sprintf("channel %s could not be told: %s", m.Channel, m.Error), maxTold), Count: 1}
		told.Message.To = nil
		told.Message.Reasons = slices.Insert(slices.Clone(m.Message.Reasons), 0, reason)
		told.Message.Items = slices.Clone(m.Message.Items)
		return &told
	}
	return nil
}
