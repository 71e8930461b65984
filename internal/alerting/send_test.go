package alerting

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// post puts a message for a channel into the world.
func (w *world) post(channel int64, key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cursor.LastID++
	m := Outgoing{Key: fmt.Sprint("k", w.cursor.LastID), Line: fmt.Sprint("l", w.cursor.LastID), Dedup: "d", LookAt: time.Now()}
	m.ID, m.Namespace, m.RuleID, m.ChannelID, m.Channel = w.cursor.LastID, "default", 1, channel, key
	m.Status, m.State, m.DueAt, m.CreatedAt = words.Pending, words.Firing, time.Now(), time.Now()
	m.Message = words.Message{State: words.Firing, Events: 1, Items: []words.Item{{RunID: 9, Reason: "no disk"}}, Reasons: []words.Reason{{Text: "no disk", Count: 1}}}
	w.messages[m.ID] = m
}

// A channel that hangs delays nobody else, however many messages it has.
func TestBadChannelDelaysNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.slow["bad"] = time.Hour
		w.define(nil, []words.Channel{channel(1, "bad"), channel(2, "good"), channel(3, "fair")})
		for range 100 {
			w.post(1, "bad")
		}
		w.post(2, "good")
		w.post(3, "fair")
		w.start(t, Config{Senders: 3})
		pass(time.Second)
		if got := slices.Sorted(slices.Values(w.told())); len(got) != 2 || got[0] != "fair firing 0/1" || got[1] != "good firing 0/1" {
			t.Errorf("told %v beside a channel that hangs", got)
		}
		w.post(2, "good")
		pass(2 * time.Second)
		if n := len(w.told()); n != 3 {
			t.Errorf("%d messages were sent beside a channel that hangs", n)
		}
		if w.now().twice {
			t.Error("a message was sent twice at once")
		}
	})
}

// A channel that is away for a while gets its messages when it is back, the oldest of
// each line first, and every one with the same id.
func TestRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		back := time.Now().Add(3 * time.Hour)
		var mu sync.Mutex
		ids := map[string]int{}
		w.refuse = func(_ words.Channel, m words.Message) error {
			mu.Lock()
			ids[m.ID]++
			mu.Unlock()
			if time.Now().Before(back) {
				return job.Errorf(job.Unreachable, "no route")
			}
			return nil
		}
		w.define([]words.Rule{rule()}, ops())
		w.start(t, Config{})
		w.tell(failed(1, "a"))
		pass(time.Minute)
		w.tell(succeeded(1))
		pass(2 * time.Hour)
		w.wants(t)
		if w.now().health[1] == nil {
			t.Error("nobody was told that the channel does not work")
		}
		pass(80 * time.Minute)
		w.wants(t, "ops firing 1/1", "ops resolved 1/1")
		mu.Lock()
		defer mu.Unlock()
		if tries := ids[w.now().sent[0].ID]; tries < 15 || tries > 40 {
			t.Errorf("%d tries in three hours", tries)
		}
		if w.now().health[1] != nil {
			t.Error("nobody was told that the channel works")
		}
	})
}

// What cannot be delivered is given up, is seen, and is told through another channel
// of the rule.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		time time.Duration
	}{
		{"at once", job.Errorf(job.Invalid, "no such address"), time.Minute},
		{"refused", job.Errorf(job.Refused, "it answered 404"), time.Minute},
		{"after a day", job.Errorf(job.Ambiguous, "it did not answer"), 25 * time.Hour},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.refuse = func(c words.Channel, _ words.Message) error {
					if c.Key == "bad" {
						return test.err
					}
					return nil
				}
				w.define([]words.Rule{rule(func(r *words.Rule) { r.Channels = []string{"bad", "worse", "ops"} })}, []words.Channel{
					channel(1, "ops"), channel(2, "bad"), channel(3, "worse", func(c *words.Channel) { c.Failures = 3 }),
				})
				w.post(2, "bad")
				w.start(t, Config{Poll: time.Minute / 2})
				pass(test.time)
				m := w.now().messages[1]
				if m.Status != words.GivenUp || m.Error != test.err.Error() || m.EndedAt.IsZero() {
					t.Fatalf("the message is %+v", m.Notification)
				}
				w.wants(t, "ops firing 0/1")
				if got := w.now().sent[0].Reasons[0].Text; got != "channel bad could not be told: "+test.err.Error() {
					t.Errorf("the other channel was told %q", got)
				}
				if len(m.Message.Reasons) != 1 {
					t.Error("the message itself was changed")
				}
			})
		})
	}
}

// A channel that is gone, or switched off, gets nothing.
func TestChannelGoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.define(nil, []words.Channel{channel(1, "off", func(c *words.Channel) { c.Enabled = false })})
		w.post(1, "off")
		w.post(2, "gone")
		w.start(t, Config{})
		for id, want := range map[int64]string{1: "switched off", 2: "channel is gone"} {
			if m := w.now().messages[id]; m.Status != words.Dropped || !strings.Contains(m.Error, want) {
				t.Errorf("message %+v", m.Notification)
			}
		}
	})
}

// tail is a log.
type tail []string

func (l tail) Tail(ctx context.Context, run int64, n int) []string {
	if _, bounded := ctx.Deadline(); !bounded || n != logLines {
		return nil
	}
	return append(l, fmt.Sprint("of run ", run))
}

func TestMessageIsWhole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		own := words.Template{Title: "own"}
		w.define(nil, []words.Channel{channel(1, "ops", func(c *words.Channel) { c.Template, c.Language = own, words.Chinese })})
		w.post(1, "ops")
		e, stop := w.start(t, Config{
			Logs: tail{"line"}, Links: site(),
			Render: func(tpl words.Template, m words.Message) (title, text string, err error) {
				if tpl == own {
					return "", "", errors.New("a broken template")
				}
				return "shipped " + m.Language, fmt.Sprint(m.Log), nil
			},
		})
		m := w.now().sent[0].Message
		if m.Title != "shipped zh" || m.Text != "[line of run 9]" || m.Link != "https://orth/runs/9" || m.Items[0].Link != m.Link {
			t.Errorf("the message is %+v", m)
		}
		if got := w.now().messages[1]; got.Title != m.Title || got.Status != words.Sent || got.Tries != 1 {
			t.Errorf("recorded %+v", got.Notification)
		}
		stop()
		e.config.Render = func(words.Template, words.Message) (string, string, error) { return "", "", errors.New("none") }
		said := e.compose(t.Context(), &words.Channel{}, &Outgoing{Notification: words.Notification{RuleKey: "r"}, Message: words.Message{Events: 4}}, "t")
		if said.Title != "r" || said.Text != "4 events" {
			t.Errorf("without a template it says %q, %q", said.Title, said.Text)
		}
	})
}

func TestAgain(t *testing.T) {
	t.Parallel()
	for tries := 1; tries < 2000; tries++ {
		least, most := retryDelay(tries, 0), retryDelay(tries, 0.999)
		if least < 4*time.Second || most > 12*time.Minute || least >= most {
			t.Fatalf("after %d tries it waits %s to %s", tries, least, most)
		}
	}
	if retryDelay(1, 0.5) > 6*time.Second || retryDelay(9, 0.5) < 9*time.Minute {
		t.Errorf("%s, %s", retryDelay(1, 0.5), retryDelay(9, 0.5))
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w := newWorld()
	channels := []words.Channel{
		channel(1, "ops"), channel(2, "off", func(c *words.Channel) { c.Enabled, c.Failures = false, 9 }),
		channel(3, "bad", func(c *words.Channel) { c.Failures, c.FailedAt, c.Failure = 2, now, "no route" }),
	}
	w.define(nil, channels)
	got := Warnings(t.Context(), w, lost{{Error: "gone"}, {}}, now)
	want := "alarm channel bad has failed 2 times in a row, the last at 2026-03-01T12:00:00Z: no route|" +
		"2 alarm messages of the last day could not be delivered; the newest: gone"
	if strings.Join(got, "|") != want {
		t.Errorf("warnings %q", got)
	}
	if got := Warnings(t.Context(), newWorld(), lost(nil), now); len(got) != 0 {
		t.Errorf("warnings %q", got)
	}
}

// lost is messages that were given up.
type lost []words.Notification

func (l lost) Notifications(_ context.Context, f NotificationFilter) ([]words.Notification, error) {
	if f.Status != words.GivenUp {
		return nil, errors.New("a wrong question")
	}
	return l, nil
}
