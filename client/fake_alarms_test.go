package client_test

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/job"
)

// alarmMemory keeps one definition of each sort, and one alarm.
type alarmMemory struct {
	mu      sync.Mutex
	rule    *alarm.Rule
	channel *alarm.Channel
	silence *alarm.Silence
	notedBy string
	asked   []any // filters
}

func missing(what string) error { return job.Errorf(job.NotFound, "there is no %s", what) }

func (m *alarmMemory) CreateRule(_ context.Context, r alarm.Rule) (alarm.Rule, error) {
	r.ID, r.Version, r.CreatedAt, r.UpdatedAt = 1, 1, instant, instant
	err := r.Check()
	m.rule = &r
	return r, err
}

func (m *alarmMemory) UpdateRule(
	ctx context.Context, namespace, key string, version int64, edit func(alarm.Rule) (alarm.Rule, error),
) (alarm.Rule, error) {
	old, err := m.Rule(ctx, namespace, key)
	if err != nil {
		return old, err
	}
	if version != 0 && version != old.Version {
		return old, job.Errorf(job.Conflict, "it has another version")
	}
	r, err := edit(old)
	r.ID, r.Version, r.CreatedAt, r.UpdatedAt = old.ID, old.Version+1, old.CreatedAt, instant
	m.rule = &r
	return r, err
}

func (m *alarmMemory) DeleteRule(ctx context.Context, namespace, key string) error {
	_, err := m.Rule(ctx, namespace, key)
	m.rule = nil
	return err
}

func (m *alarmMemory) Rule(_ context.Context, namespace, key string) (alarm.Rule, error) {
	if m.rule == nil || m.rule.Key != key || m.rule.Namespace != namespace {
		return alarm.Rule{}, missing("rule " + key)
	}
	return *m.rule, nil
}

func (m *alarmMemory) Rules(context.Context, string) ([]alarm.Rule, error) {
	if m.rule == nil {
		return nil, nil
	}
	return []alarm.Rule{*m.rule}, nil
}

func (m *alarmMemory) CreateChannel(_ context.Context, c alarm.Channel) (alarm.Channel, error) {
	c.ID, c.Version, c.CreatedAt, c.UpdatedAt = 1, 1, instant, instant
	for name := range c.Secrets {
		c.SecretNames = append(c.SecretNames, name)
	}
	err := c.Check()
	m.channel = &c
	return c, err
}

func (m *alarmMemory) UpdateChannel(
	ctx context.Context, namespace, key string, version int64, edit func(alarm.Channel) (alarm.Channel, error),
) (alarm.Channel, error) {
	old, err := m.Channel(ctx, namespace, key)
	if err != nil {
		return old, err
	}
	if version != 0 && version != old.Version {
		return old, job.Errorf(job.Conflict, "it has another version")
	}
	c, err := edit(old)
	c.ID, c.Version, c.CreatedAt, c.UpdatedAt = old.ID, old.Version+1, old.CreatedAt, instant
	m.channel = &c
	return c, err
}

func (m *alarmMemory) DeleteChannel(ctx context.Context, namespace, key string) error {
	_, err := m.Channel(ctx, namespace, key)
	m.channel = nil
	return err
}

func (m *alarmMemory) Channel(_ context.Context, namespace, key string) (alarm.Channel, error) {
	if m.channel == nil || m.channel.Key != key || m.channel.Namespace != namespace {
		return alarm.Channel{}, missing("channel " + key)
	}
	return *m.channel, nil
}

func (m *alarmMemory) Channels(context.Context, string) ([]alarm.Channel, error) {
	if m.channel == nil {
		return nil, nil
	}
	return []alarm.Channel{*m.channel}, nil
}

func (m *alarmMemory) ChannelFields() map[alarm.ChannelKind][]alarm.Field {
	return map[alarm.ChannelKind][]alarm.Field{alarm.Slack: {{Name: "url", Secret: true, Needed: true, Doc: "The address."}}}
}

func (m *alarmMemory) TestChannel(ctx context.Context, namespace, key string) (alarmconfig.Trial, error) {
	_, err := m.Channel(ctx, namespace, key)
	return alarmconfig.Trial{Delivered: true, Answer: "ok", Took: time.Second}, err
}

func (m *alarmMemory) TestSettings(_ context.Context, c alarm.Channel) (alarmconfig.Trial, error) {
	return alarmconfig.Trial{Answer: "refused " + c.Secrets["url"], Took: time.Second}, nil
}

func (m *alarmMemory) CreateSilence(_ context.Context, s alarm.Silence) (alarm.Silence, error) {
	s.ID, s.CreatedAt = 1, instant
	m.silence = &s
	return s, nil
}

func (m *alarmMemory) EndSilence(ctx context.Context, id int64) (alarm.Silence, error) {
	s, err := m.Silence(ctx, id)
	if err == nil {
		s.Until = instant
		m.silence = &s
	}
	return s, err
}

func (m *alarmMemory) DeleteSilence(ctx context.Context, id int64) error {
	_, err := m.Silence(ctx, id)
	m.silence = nil
	return err
}

func (m *alarmMemory) Silence(_ context.Context, id int64) (alarm.Silence, error) {
	if m.silence == nil || m.silence.ID != id {
		return alarm.Silence{}, missing("silence")
	}
	return *m.silence, nil
}

func (m *alarmMemory) Silences(context.Context, string) ([]alarm.Silence, error) {
	if m.silence == nil {
		return nil, nil
	}
	return []alarm.Silence{*m.silence}, nil
}

func (m *alarmMemory) NoteAlarm(_ context.Context, id int64, by string, _ time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notedBy = by
	return nil
}

func (m *alarmMemory) Alarm(_ context.Context, id int64) (alarm.Alarm, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id != 12 {
		return alarm.Alarm{}, missing("alarm")
	}
	a := alarm.Alarm{ID: 12, Kind: alarm.KindLost, State: alarm.Firing, FirstAt: instant, LastAt: instant, Count: 1, NotedBy: m.notedBy}
	return a, nil
}

func (m *alarmMemory) Alarms(ctx context.Context, f alerting.AlarmFilter) ([]alarm.Alarm, error) {
	m.asked = append(m.asked, f)
	a, err := m.Alarm(ctx, 12)
	return []alarm.Alarm{a}, err
}

func (m *alarmMemory) AlarmEntries(_ context.Context, id, after int64, limit int) ([]alarm.Entry, error) {
	return []alarm.Entry{{AlarmID: id, EventID: after + 1, At: instant, Reason: "boom"}}, nil
}

func (m *alarmMemory) Notifications(_ context.Context, f alerting.NotificationFilter) ([]alarm.Notification, error) {
	m.asked = append(m.asked, f)
	return []alarm.Notification{{ID: 20, Status: alarm.GivenUp, CreatedAt: instant}}, nil
}

func (m *alarmMemory) RetryNotification(_ context.Context, id int64, _ time.Time) (alarm.Notification, error) {
	if id != 20 {
		return alarm.Notification{}, missing("message")
	}
	return alarm.Notification{ID: id, Status: alarm.Pending, CreatedAt: instant}, nil
}
