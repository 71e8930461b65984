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
	// logLines is how many lines of a log a message shows, and logTime how long they
	// are waited for.
	logLines = 20
	logTime  = 2 * time.Second
	// lookAt is how many messages are looked at together.
	lookAt = 32
)

// Sender carries messages to people.
type Sender interface {
	// Send returns nil when the channel took the message. An error that is Invalid,
	// Refused, Forbidden, Unauthorized or NotFound is final: trying again does not
	// help.
	Send(ctx context.Context, c words.Channel, m words.Message) error
}

// Health keeps how channels do.
type Health interface {
	// Health says that a channel took a message at an instant, or why it did not.
	Health(ctx context.Context, channel int64, at time.Time, err error) error
}

// Logs has the logs of runs.
type Logs interface {
	// Tail returns the last n lines of the log of a run's newest attempt.
	Tail(ctx context.Context, run int64, n int) []string
}

// mail makes a pass of the sending half: it claims messages and begins to send them,
// one to a channel, as long as there is room. A channel that is slow keeps nobody
// else waiting.
func (e *Engine) mail(ctx context.Context, now time.Time, _ pace.Cause) (time.Duration, error) {
	for {
		busy := e.sending()
		room := e.config.Senders - len(busy)
		if room <= 0 {
			return e.config.Poll, nil // whoever ends wakes the loop
		}
		due, err := e.config.Store.DueMessages(ctx, now, busy, lookAt)
		if err != nil {
			return 0, fmt.Errorf("look for messages: %w", err)
		}
		begun := 0
		for i := range due {
			m := &due[i]
			if begun >= room || !e.begin(m.ChannelID) {
				continue
			}
			claimed, err := e.config.Store.ClaimMessage(ctx, m, now.Add(e.config.Claim))
			if err != nil || !claimed {
				e.end(m.ChannelID)
			}
			if err != nil {
				return 0, fmt.Errorf("claim message %d: %w", m.ID, err)
			}
			if claimed {
				begun++
				failpoint.Hit("alarm/claimed")
				e.trying.Go(func() {
					e.try(ctx, m)
					e.end(m.ChannelID)
					e.post.Wake()
				})
			}
		}
		if begun == 0 {
			return e.config.Poll, nil
		}
	}
}

// sending returns the channels that a message is being sent to.
func (e *Engine) sending() []int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return sortedKeys(e.busy)
}

func (e *Engine) begin(channel int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.busy[channel] {
		return false
	}
	e.busy[channel] = true
	return true
}

func (e *Engine) end(channel int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.busy, channel)
}

// try sends a claimed message and records what came of it. Where the record cannot be
// written the claim ends, and the message is sent again.
func (e *Engine) try(ctx context.Context, m *Outgoing) {
	defined, err := e.config.Definitions.Definitions(ctx)
	var cursor Cursor
	if err == nil {
		cursor, err = e.config.Store.AlarmCursor(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			e.config.Logger.Warn("an alarm message waits for the database", "notification_id", m.ID, "error", err)
		}
		return
	}
	b := newBook(&defined, time.Now())
	c := b.channels[m.ChannelID]
	if c == nil || !c.Enabled {
		e.record(ctx, m, b, gone(c))
		return
	}
	limited, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	message := e.compose(limited, c, m, cursor.Tag)
	m.Title = message.Title
	err = e.config.Sender.Send(limited, *c, message)
	if err != nil && ctx.Err() != nil {
		return // this server stops: nobody knows whether it was sent
	}
	failpoint.Hit("alarm/sent")
	e.record(ctx, m, b, err)
}

// compose makes what is sent of a message. A template of the channel's own that
// fails gives way to the shipped one: the alarm matters more.
func (e *Engine) compose(ctx context.Context, c *words.Channel, m *Outgoing, tag string) words.Message {
	said := m.Message
	said.ID = fmt.Sprintf("orth-%s-%d", tag, m.ID)
	said.Dedup = fmt.Sprintf("orth-%s-%s", tag, m.Dedup)
	said.Language = c.Language
	e.config.Links.put(&said)
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
		e.config.Logger.Warn("the template of a channel cannot be used; the shipped one is", "channel", c.Key, "error", err)
		if title, text, err = e.config.Render(words.Template{}, said); err != nil {
			title, text = m.RuleKey, plural.Count(said.Events, "event")
		}
	}
	said.Title, said.Text = title, text
	return said
}
