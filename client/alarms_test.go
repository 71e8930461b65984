package client_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/job"
)

func TestAlarmRules(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	ctx := t.Context()
	wanted := api.NewAlarmRule{AlarmRuleFields: api.AlarmRuleFields{
		Key: "nightly", Kinds: []alarm.Kind{alarm.KindFailed}, Channels: []string{"ops"}, Repeat: api.Repeat(alarm.Never), Wait: api.Duration(time.Second),
		Escalation: []api.AlarmStep{{After: api.Duration(time.Hour), Channels: []string{"boss"}}}, Scope: api.AlarmScope{Jobs: []string{"a*"}},
	}}
	made, err := c.CreateAlarmRule(ctx, wanted)
	if err != nil {
		t.Fatal(err)
	}
	want := wanted.AlarmRuleFields
	want.Namespace = job.DefaultNamespace
	if diff := cmp.Diff(want, made.AlarmRuleFields); diff != "" || !made.Enabled || made.Version != 1 {
		t.Errorf("made %+v\n%s", made, diff)
	}
	changed, err := c.UpdateAlarmRule(ctx, "nightly", 1, map[string]any{"title": "Night", "repeat": nil, "enabled": false})
	if err != nil || changed.Title != "Night" || changed.Repeat != 0 || changed.Enabled || changed.Version != 2 {
		t.Errorf("changed %+v, %v", changed, err)
	}
	if _, err := c.UpdateAlarmRule(ctx, "nightly", 1, nil); !job.Is(err, job.Conflict) {
		t.Errorf("an old version: %v", err)
	}
	if found, err := c.AlarmRule(ctx, "nightly"); err != nil || found.Title != "Night" {
		t.Errorf("found %+v, %v", found, err)
	}
	if all, err := c.AlarmRules(ctx); err != nil || len(all) != 1 {
		t.Errorf("found %+v, %v", all, err)
	}
	if err := c.DeleteAlarmRule(ctx, "nightly"); err != nil {
		t.Error(err)
	}
	if _, err := c.AlarmRule(ctx, "nightly"); !job.Is(err, job.NotFound) {
		t.Errorf("a rule that is gone: %v", err)
	}
	if _, err := c.AlarmRule(ctx, "../jobs"); !job.Is(err, job.Invalid) {
		t.Errorf("a key that none has: %v", err)
	}
}

func TestAlarmChannels(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	ctx := t.Context()
	wanted := api.NewAlarmChannel{
		AlarmChannelFields: api.AlarmChannelFields{Key: "ops", Kind: alarm.Slack, Template: api.AlarmTemplate{Title: "x"}},
		Secrets:            map[string]string{"url": "https://example.com"},
	}
	made, err := c.CreateAlarmChannel(ctx, wanted)
	if err != nil || !slices.Equal(made.Secrets, []string{"url"}) || made.Template.Title != "x" {
		t.Fatalf("made %+v, %v", made, err)
	}
	changed, err := c.UpdateAlarmChannel(ctx, "ops", 0, map[string]any{"template": nil, "per_minute": 5})
	if err != nil || changed.Template.Title != "" || changed.PerMinute != 5 {
		t.Errorf("changed %+v, %v", changed, err)
	}
	if trial, err := c.TestAlarmChannel(ctx, "ops"); err != nil || !trial.Delivered || trial.Took != api.Duration(time.Second) {
		t.Errorf("tested %+v, %v", trial, err)
	}
	if trial, err := c.TestAlarmSettings(ctx, wanted); err != nil || trial.Delivered || trial.Answer != "refused https://example.com" {
		t.Errorf("tested %+v, %v", trial, err)
	}
	kinds, err := c.AlarmChannelKinds(ctx)
	if err != nil || len(kinds) != len(alarm.ChannelKinds()) || kinds[5].Fields[0].Name != "url" {
		t.Errorf("kinds %+v, %v", kinds, err)
	}
	if found, err := c.AlarmChannel(ctx, "ops"); err != nil || found.PerMinute != 5 {
		t.Errorf("found %+v, %v", found, err)
	}
	if all, err := c.AlarmChannels(ctx); err != nil || len(all) != 1 {
		t.Errorf("found %+v, %v", all, err)
	}
	if err := c.DeleteAlarmChannel(ctx, "ops"); err != nil {
		t.Error(err)
	}
	if err := c.DeleteAlarmChannel(ctx, "ops"); !job.Is(err, job.NotFound) {
		t.Errorf("a channel that is gone: %v", err)
	}
}

func TestAlarmSilences(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	ctx := t.Context()
	made, err := c.CreateAlarmSilence(ctx, api.NewAlarmSilence{
		Comment: "moving", From: api.At(instant), Cron: "0 0 2 * * ?", Zone: "Asia/Shanghai", Length: api.Duration(time.Hour),
	})
	if err != nil || made.ID != 1 || made.Zone != "Asia/Shanghai" || made.Active || made.BeginsAt.IsZero() {
		t.Fatalf("made %+v, %v", made, err)
	}
	ended, err := c.EndAlarmSilence(ctx, 1)
	if err != nil || !ended.Until.Equal(instant) || !ended.BeginsAt.IsZero() {
		t.Errorf("ended %+v, %v", ended, err)
	}
	if all, err := c.AlarmSilences(ctx); err != nil || len(all) != 1 {
		t.Errorf("found %+v, %v", all, err)
	}
	if err := c.DeleteAlarmSilence(ctx, 1); err != nil {
		t.Error(err)
	}
	if err := c.DeleteAlarmSilence(ctx, 1); !job.Is(err, job.NotFound) {
		t.Errorf("a silence that is gone: %v", err)
	}
}

func TestAlarms(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c := serve(t, m, nil)
	ctx := t.Context()
	since, until := instant.Add(-time.Hour), instant
	list, err := c.Alarms(ctx, client.AlarmQuery{
		State: alarm.Firing, Rule: "nightly", Kind: alarm.KindLost, Group: "g", Since: since, Until: until, Before: 99, Limit: 1,
	})
	if err != nil || len(list.Alarms) != 1 || list.Next != 12 {
		t.Errorf("alarms %+v, %v", list, err)
	}
	sent, err := c.Notifications(ctx, client.NotificationQuery{
		Status: alarm.GivenUp, Rule: "nightly", Channel: "ops", Since: since, Until: until, Before: 99, Limit: 1,
	})
	if err != nil || len(sent.Notifications) != 1 || sent.Next != 20 {
		t.Errorf("messages %+v, %v", sent, err)
	}
	want := []any{
		alerting.AlarmFilter{
			Sight:  access.Sight{All: true},
			Before: 99, Namespace: "default", State: alarm.Firing, Rule: "nightly", Kind: alarm.KindLost, Group: "g", Since: since, Until: until, Limit: 1,
		},
		alerting.NotificationFilter{
			Sight:  access.Sight{All: true},
			Before: 99, Namespace: "default", Status: alarm.GivenUp, Rule: "nightly", Channel: "ops", Since: since, Until: until, Limit: 1,
		},
	}
	if diff := cmp.Diff(want, m.alarms.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	if a, err := c.NoteAlarm(ctx, 12, "alice"); err != nil || a.NotedBy != "alice" {
		t.Errorf("noted %+v, %v", a, err)
	}
	if _, err := c.Alarm(ctx, 13); !job.Is(err, job.NotFound) {
		t.Errorf("an alarm that is not there: %v", err)
	}
	if page, err := c.AlarmEntries(ctx, 12, 7, 1); err != nil || len(page.Entries) != 1 || page.Next != 8 {
		t.Errorf("entries %+v, %v", page, err)
	}
	if n, err := c.RetryNotification(ctx, 20); err != nil || n.Status != alarm.Pending {
		t.Errorf("retried %+v, %v", n, err)
	}
}
