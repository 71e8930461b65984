package resttest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/job"
)

// fakeAlarms is what a fake knows about alarms: one of each.
type fakeAlarms struct{ *Fake }

func aRule() alarm.Rule {
	return alarm.Rule{
		ID: 3, Namespace: "default", Key: "nightly", Title: "Night", Enabled: true, Kinds: []alarm.Kind{alarm.KindStreak}, Count: 5,
		Scope:  alarm.Scope{Jobs: []string{"a-*"}, Labels: map[string]string{"team": "*"}},
		Window: time.Hour, Channels: []string{"ops"}, Repeat: alarm.Never,
		Escalation: []alarm.Step{{After: time.Minute, Channels: []string{"boss"}}}, Version: 2, CreatedAt: Instant, UpdatedAt: Instant,
	}
}

func aChannel() alarm.Channel {
	return alarm.Channel{
		ID: 4, Namespace: "default", Key: "ops", Kind: alarm.Email, Enabled: true, Settings: map[string]string{"host": "mx"},
		SecretNames: []string{"password"}, Template: alarm.Template{Title: "x"}, FailedAt: Instant, Failure: "no", Failures: 2,
		Version: 1, CreatedAt: Instant, UpdatedAt: Instant,
	}
}

func aSilence() alarm.Silence {
	return alarm.Silence{
		ID: 5, Namespace: "default", Comment: "moving", Rules: []string{"nightly"}, From: Instant.AddDate(-100, 0, 0),
		Until: Instant.AddDate(50, 0, 0), CreatedAt: Instant,
	}
}

func anAlarm() alarm.Alarm {
	return alarm.Alarm{
		ID: 12, Namespace: "default", RuleID: 3, RuleKey: "nightly", Kind: alarm.KindStreak, Severity: alarm.Warning, Group: "g", JobID: 7,
		JobKey: "report", State: alarm.Firing, Reason: "boom", FirstAt: Instant, LastAt: Instant, Count: 2, LastRunID: 40,
	}
}

func aMessage() alarm.Notification {
	return alarm.Notification{
		ID: 20, Namespace: "default", RuleKey: "nightly", Channel: "ops", Status: alarm.GivenUp, State: alarm.Firing, Alarms: 1, Events: 2,
		Tries: 9, Title: "[warning] report", Error: "no answer", DueAt: Instant, CreatedAt: Instant, EndedAt: Instant,
	}
}

// jsonOf returns a value as JSON, for notes.
func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (f fakeAlarms) CreateRule(_ context.Context, r alarm.Rule) (alarm.Rule, error) {
	err := f.Note("create rule %s", jsonOf(r))
	made := aRule()
	made.Namespace, made.Key = r.Namespace, r.Key
	return made, err
}

func (f fakeAlarms) UpdateRule(
	_ context.Context, namespace, key string, version int64, edit func(alarm.Rule) (alarm.Rule, error),
) (alarm.Rule, error) {
	r, err := edit(aRule())
	if err != nil {
		return alarm.Rule{}, err
	}
	return r, f.Note("update rule %s/%s at %d: %s", namespace, key, version, jsonOf(r))
}

func (f fakeAlarms) DeleteRule(_ context.Context, namespace, key string) error {
	return f.Note("delete rule %s/%s", namespace, key)
}

func (f fakeAlarms) Rule(_ context.Context, namespace, key string) (alarm.Rule, error) {
	return aRule(), f.Note("rule %s/%s", namespace, key)
}

func (f fakeAlarms) Rules(_ context.Context, namespace string) ([]alarm.Rule, error) {
	return []alarm.Rule{aRule()}, f.Note("rules of %s", namespace)
}

// secretsOf tells the secrets of a channel, for notes.
func secretsOf(c *alarm.Channel) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		parts = append(parts, name+"="+c.Secrets[name])
	}
	return strings.Join(parts, " ")
}

func (f fakeAlarms) CreateChannel(_ context.Context, c alarm.Channel) (alarm.Channel, error) {
	err := f.Note("create channel %s with %s", jsonOf(c), secretsOf(&c))
	made := aChannel()
	made.Namespace, made.Key = c.Namespace, c.Key
	return made, err
}

func (f fakeAlarms) UpdateChannel(
	_ context.Context, namespace, key string, version int64, edit func(alarm.Channel) (alarm.Channel, error),
) (alarm.Channel, error) {
	c, err := edit(aChannel())
	if err != nil {
		return alarm.Channel{}, err
	}
	err = f.Note("update channel %s/%s at %d: %s with %s", namespace, key, version, jsonOf(c), secretsOf(&c))
	return c, err
}

func (f fakeAlarms) DeleteChannel(_ context.Context, namespace, key string) error {
	return f.Note("delete channel %s/%s", namespace, key)
}

func (f fakeAlarms) Channel(_ context.Context, namespace, key string) (alarm.Channel, error) {
	return aChannel(), f.Note("channel %s/%s", namespace, key)
}

func (f fakeAlarms) Channels(_ context.Context, namespace string) ([]alarm.Channel, error) {
	return []alarm.Channel{aChannel()}, f.Note("channels of %s", namespace)
}

func (f fakeAlarms) ChannelFields() map[alarm.ChannelKind][]alarm.Field {
	return map[alarm.ChannelKind][]alarm.Field{alarm.Email: {{Name: "host", Needed: true, Doc: "The server."}, {Name: "password", Secret: true}}}
}

func (f fakeAlarms) TestChannel(_ context.Context, namespace, key string) (alarmconfig.Trial, error) {
	return alarmconfig.Trial{Delivered: true, Answer: "250 ok", Took: 1234567 * time.Microsecond}, f.Note("test channel %s/%s", namespace, key)
}

func (f fakeAlarms) TestSettings(_ context.Context, c alarm.Channel) (alarmconfig.Trial, error) {
	return alarmconfig.Trial{Answer: "no answer"}, f.Note("test %s with %s", jsonOf(c), secretsOf(&c))
}

func (f fakeAlarms) CreateSilence(_ context.Context, s alarm.Silence) (alarm.Silence, error) {
	return aSilence(), f.Note("create silence %s", jsonOf(s))
}

func (f fakeAlarms) EndSilence(_ context.Context, id int64) (alarm.Silence, error) {
	return aSilence(), f.Note("end silence %d", id)
}

func (f fakeAlarms) DeleteSilence(_ context.Context, id int64) error {
	return f.Note("delete silence %d", id)
}

func (f fakeAlarms) Silence(_ context.Context, id int64) (alarm.Silence, error) {
	return aSilence(), f.Note("silence %d", id)
}

func (f fakeAlarms) Silences(_ context.Context, namespace string) ([]alarm.Silence, error) {
	return []alarm.Silence{aSilence()}, f.Note("silences of %s", namespace)
}

func (f fakeAlarms) NoteAlarm(_ context.Context, id int64, by string, _ time.Time) error {
	return f.Note("note alarm %d by %q", id, by)
}

func (f fakeAlarms) Alarm(_ context.Context, id int64) (alarm.Alarm, error) {
	if id == 404 {
		return alarm.Alarm{}, job.Errorf(job.NotFound, "there is no alarm 404")
	}
	return anAlarm(), f.Note("alarm %d", id)
}

func (f fakeAlarms) Alarms(_ context.Context, q alerting.AlarmFilter) ([]alarm.Alarm, error) {
	return []alarm.Alarm{anAlarm()}, f.Note("alarms %s", jsonOf(q))
}

func (f fakeAlarms) AlarmEntries(_ context.Context, id, after int64, limit int) ([]alarm.Entry, error) {
	return []alarm.Entry{{AlarmID: id, EventID: 9, At: Instant, RunID: 40, JobKey: "report", State: job.Failed, Reason: "boom"}},
		f.Note("entries of %d after %d, %d", id, after, limit)
}

func (f fakeAlarms) Notifications(_ context.Context, q alerting.NotificationFilter) ([]alarm.Notification, error) {
	return []alarm.Notification{aMessage()}, f.Note("notifications %s", jsonOf(q))
}

func (f fakeAlarms) RetryNotification(_ context.Context, id int64, _ time.Time) (alarm.Notification, error) {
	n := aMessage()
	n.Status, n.EndedAt = alarm.Pending, time.Time{}
	return n, f.Note("retry %d", id)
}
