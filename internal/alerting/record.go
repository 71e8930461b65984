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

// recordTime bounds the writes after a try, which also happen while the server stops.
const recordTime = 5 * time.Second

// record writes the result of a try: the message and the health of its channel. It logs its
// errors, since no caller can handle them.
func (e *Engine) record(ctx context.Context, m *Outgoing, b *ruleSet, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	now := time.Now()
	next := afterTry(*m, err, now, e.config.GiveUp)
	var instead *Outgoing
	c := b.channels[m.ChannelID]
	switch {
	case c == nil || !c.Enabled:
		next.Status, next.LookAt, next.EndedAt = words.Dropped, time.Time{}, now
	case next.Status == words.GivenUp:
		e.config.Logger.Error("an alarm message could not be delivered",
			"notification_id", m.ID, "channel", m.Channel, "tries", next.Tries, "error", err)
		instead = b.fallbackMessage(&next, now)
	}
	if failed := e.config.Store.RecordMessage(ctx, &next, instead); failed != nil {
		e.config.Logger.Error("recording an alarm message failed; it may be sent again", "notification_id", m.ID, "error", failed)
		return
	}
	if e.config.Health != nil && c != nil && c.Enabled {
		if failed := e.config.Health.Health(ctx, c.ID, now, err); failed != nil {
			e.config.Logger.Warn("recording the health of an alarm channel failed", "channel", c.Key, "error", failed)
		}
	}
}

// channelError returns why a message cannot be sent to its channel.
func channelError(c *words.Channel) error {
	if c == nil {
		return job.Errorf(job.NotFound, "its channel is gone")
	}
	return job.Errorf(job.Conflict, "channel %s is switched off", c.Key)
}

// fallbackPrefix starts the keys of fallback messages. Those have no fallback of their own.
const fallbackPrefix = "i"

// fallbackMessage returns a message with the content of m for another working channel of
// its rule. It returns nil when there is none. The store assigns its id.
func (b *ruleSet) fallbackMessage(m *Outgoing, now time.Time) *Outgoing {
	r := b.rules[m.RuleID]
	if r == nil || m.Key[:1] == fallbackPrefix {
		return nil
	}
	for _, key := range r.Channels {
		c := b.channelsByKey[scoped{r.Namespace, key}]
		if c == nil || c.ID == m.ChannelID || !c.Enabled || c.Failures > 0 {
			continue
		}
		told := *m
		told.Key, told.Line, told.Dedup = fallbackPrefix+strconv.FormatInt(m.ID, 10), fmt.Sprintf("i%d", m.ID), fmt.Sprintf("i%d", m.ID)
		told.ID, told.ChannelID, told.Channel, told.To = 0, c.ID, c.Key, ""
		told.Status, told.Tries, told.Error, told.Fence = words.Pending, 0, "", 0
		told.DueAt, told.LookAt, told.CreatedAt, told.EndedAt = now, now, now, time.Time{}
		reason := words.Reason{Text: job.Clean(fmt.Sprintf("channel %s could not be told: %s", m.Channel, m.Error), maxShownReason), Count: 1}
		told.Message.To = nil
		told.Message.Reasons = slices.Insert(slices.Clone(m.Message.Reasons), 0, reason)
		told.Message.Items = slices.Clone(m.Message.Items)
		return &told
	}
	return nil
}
