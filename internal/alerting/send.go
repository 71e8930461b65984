package alerting

import (
	"context"
	"fmt"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/pace"
	"github.com/orthd/orth/internal/plural"
)

const (
	// logLines is the number of log lines in a message. logTime bounds the time to read
	// them.
	logLines = 20
	logTime  = 2 * time.Second
	// lookAt is the number of messages that are read together.
	lookAt = 32
)

// Sender delivers messages to channels.
type Sender interface {
	// Send returns nil when the channel accepted the message. An error that is Invalid,
	// Refused, Forbidden, Unauthorized or NotFound is final: a retry does not help.
	Send(ctx context.Context, c words.Channel, m words.Message) error
}

// Health records the health of channels.
type Health interface {
	// Health records that a channel accepted a message at an instant, or the error.
	Health(ctx context.Context, channel int64, at time.Time, err error) error
}

// Logs provides the logs of runs.
type Logs interface {
	// Tail returns the last n lines of the log of a run's newest attempt.
	Tail(ctx context.Context, run int64, n int) []string
}

// sendDue runs a pass of the sending loop. It claims messages and starts to send them, one
// per channel, while there is room. A slow channel does not delay the others.
func (e *Engine) sendDue(ctx context.Context, now time.Time, _ pace.Cause) (time.Duration, error) {
	for {
		busy := e.busyChannels()
		room := e.config.Senders - len(busy)
		if room <= 0 {
			return e.config.Poll, nil // the end of any try wakes the loop
		}
		due, err := e.config.Store.DueMessages(ctx, now, busy, lookAt)
		if err != nil {
			return 0, fmt.Errorf("look for messages: %w", err)
		}
		begun := 0
		for i := range due {
			m := &due[i]
			if begun >= room || !e.reserveChannel(m.ChannelID) {
				continue
			}
			claimed, err := e.config.Store.ClaimMessage(ctx, m, now.Add(e.config.Claim))
			if err != nil || !claimed {
				e.releaseChannel(m.ChannelID)
			}
			if err != nil {
				return 0, fmt.Errorf("claim message %d: %w", m.ID, err)
			}
			if claimed {
				begun++
				failpoint.Hit("alarm/claimed")
				e.tries.Go(func() {
					e.sendMessage(ctx, m)
					e.releaseChannel(m.ChannelID)
					e.sending.Wake()
				})
			}
		}
		if begun == 0 {
			return e.config.Poll, nil
		}
	}
}

// busyChannels returns the channels that a message is being sent to.
func (e *Engine) busyChannels() []int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return sortedKeys(e.busy)
}

func (e *Engine) reserveChannel(channel int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.busy[channel] {
		return false
	}
	e.busy[channel] = true
	return true
}

func (e *Engine) releaseChannel(channel int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.busy, channel)
}

// sendMessage sends a claimed message and records the result. If the record cannot be
// written, the claim expires and the message is sent again.
func (e *Engine) sendMessage(ctx context.Context, m *Outgoing) {
	defined, err := e.config.Definitions.Definitions(ctx)
	var cursor Cursor
	if err == nil {
		cursor, err = e.config.Store.AlarmCursor(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			e.config.Logger.Warn("an alarm message is delayed: the database is unavailable", "notification_id", m.ID, "error", err)
		}
		return
	}
	b := newRuleSet(&defined, time.Now())
	c := b.channels[m.ChannelID]
	if c == nil || !c.Enabled {
		e.record(ctx, m, b, channelError(c))
		return
	}
	limited, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	message := e.compose(limited, c, m, cursor.Tag)
	m.Title = message.Title
	err = e.config.Sender.Send(limited, *c, message)
	if err != nil && ctx.Err() != nil {
		return // the server stops: whether it was sent is unknown
	}
	failpoint.Hit("alarm/sent")
	e.record(ctx, m, b, err)
}

// compose builds the message to send. If the channel's template fails, the default template
// is used: the alarm matters more.
func (e *Engine) compose(ctx context.Context, c *words.Channel, m *Outgoing, tag string) words.Message {
	said := m.Message
	said.ID = fmt.Sprintf("orth-%s-%d", tag, m.ID)
	said.Dedup = fmt.Sprintf("orth-%s-%s", tag, m.Dedup)
	said.Language = c.Language
	e.config.Links.addTo(&said)
	run := int64(0)
	if len(said.Items) > 0 {
		run = said.Items[0].RunID
	}
	if e.config.Logs != nil && run != 0 && said.State == words.Firing {
		bounded, cancel := context.WithTimeout(ctx, logTime)
		said.Log = e.config.Logs.Tail(bounded, run, logLines)
		cancel()
	}
	if e.config.Render == nil {
		return said
	}
	title, text, err := e.config.Render(c.Template, said)
	if err != nil {
		e.config.Logger.Warn("the template of a channel failed; using the default", "channel", c.Key, "error", err)
		if title, text, err = e.config.Render(words.Template{}, said); err != nil {
			title, text = m.RuleKey, plural.Count(said.Events, "event")
		}
	}
	said.Title, said.Text = title, text
	return said
}
