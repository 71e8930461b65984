package alarmconfig

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

const (
	// trialFor ends a message of the test button.
	trialFor = 15 * time.Second
	// maxTrials is how many messages one channel is tested with in trialWindow; all
	// that are not kept yet are one channel.
	maxTrials   = 6
	trialWindow = time.Minute
	// maxAnswer is the characters of an answer that are shown.
	maxAnswer = 1000
)

// Trial is what came of a message of the test button.
type Trial struct {
	Delivered bool
	Answer    string // in words, without secrets; why not, when it was not
	Took      time.Duration
}

// TestChannel sends a test message through a channel as it is kept, also when it
// is not enabled. Kinds: NotFound, Full when it was tested too often, Invalid when
// its secrets cannot be opened, Unavailable. A channel that does not take the
// message is no error.
func (b *Book) TestChannel(ctx context.Context, namespace, key string) (Trial, error) {
	stored, err := b.stored(ctx, namespace, key)
	if err != nil {
		return Trial{}, err
	}
	c := stored.Channel
	if c.Secrets, err = b.openSecrets(&stored); err != nil {
		lost := job.FieldErrorf("secrets", "of channel %s cannot be opened: %w", key, err)
		lost.Hint = "set them again: 'orth alarm channel edit " + key + " --secret NAME=-'"
		return Trial{}, lost
	}
	return b.sendTest(ctx, namespace+"/"+key, c)
}

// TestSettings sends a test message through a channel that is not kept. Kinds:
// Invalid with the field at fault, Full when too much was tested.
func (b *Book) TestSettings(ctx context.Context, c alarm.Channel) (Trial, error) {
	c.Secrets = reset(nil, c.Secrets)
	if err := b.check(&c); err != nil {
		return Trial{}, err
	}
	return b.sendTest(ctx, "", c)
}

// sendTest sends a test message.
func (b *Book) sendTest(ctx context.Context, name string, c alarm.Channel) (Trial, error) {
	if wait := b.trials.waitTime(name, time.Now()); wait > 0 {
		return Trial{}, job.Errorf(job.Full, "the channel was tested %d times within %s: try again in %s",
			maxTrials, trialWindow, wait.Round(time.Second)+time.Second)
	}
	c = c.WithDefaults()
	m := testMessage(&c, present())
	m.Link = b.config.Page()
	var err error
	if m.Title, m.Text, err = b.config.Render(c.Template, m); err != nil {
		return Trial{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, trialFor, errors.New("the channel did not answer within "+trialFor.String()))
	defer cancel()
	began := time.Now()
	err = b.config.Sender.Send(ctx, c, m)
	t := Trial{Delivered: err == nil, Answer: "the channel took the message", Took: time.Since(began)}
	if err != nil {
		if t.Answer = err.Error(); ctx.Err() != nil {
			t.Answer = context.Cause(ctx).Error()
		}
	}
	t.Answer = job.Clean(hideSecrets(t.Answer, c.Secrets), maxAnswer)
	return t, nil
}

// testMessage is what the test button sends.
func testMessage(c *alarm.Channel, now time.Time) alarm.Message {
	id := "test-" + rand.Text()
	return alarm.Message{
		ID: id, Dedup: id, Test: true, State: alarm.Firing, Severity: alarm.Info, Language: c.Language,
		Namespace: c.Namespace, Rule: "test", At: now, Alarms: 1, Events: 1,
		Items:   []alarm.Item{{At: now, Kind: alarm.KindFailed, Job: "example", Group: "example", State: job.Failed, Tries: 1, Reason: "this is a test"}},
		Reasons: []alarm.Reason{{Text: "this is a test", Count: 1}},
	}
}

// trials counts the tests of each channel.
type trials struct {
	mu   sync.Mutex
	last map[string][]time.Time // the instants within trialWindow, at most maxTrials
}

// waitTime counts a test at now, or returns how long it must wait.
func (t *trials) waitTime(name string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	for other, times := range t.last { // as many as channels exist, and were tested within a minute
		if now.Sub(times[len(times)-1]) >= trialWindow {
			delete(t.last, other)
		}
	}
	times := t.last[name]
	for len(times) > 0 && now.Sub(times[0]) >= trialWindow {
		times = times[1:]
	}
	if len(times) >= maxTrials {
		return trialWindow - now.Sub(times[0])
	}
	if t.last == nil {
		t.last = map[string][]time.Time{}
	}
	t.last[name] = append(times, now)
	return 0
}
