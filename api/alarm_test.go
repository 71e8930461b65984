package api

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
)

// A rule comes out of the API as it went in.
func TestAlarmRuleRoundTrip(t *testing.T) {
	t.Parallel()
	const text = `{"key":"nightly","title":"Night","kinds":["streak","slow"],"scope":{"jobs":["a-*"],"groups":["g"],"labels":{"team":"*"}},"severity":"info",` +
		`"count":4,"percent":10,"min_runs":7,"window":"1h0m0s","longer":"1m30s","factor":1.5,"within":"1m0s","for":"1s","channels":["ops"],"recovered":true,` +
		`"group_by":"rule","wait":"1s","interval":"2s","repeat":"never","escalation":[{"after":"1h0m0s","channels":["boss"]}],"enabled":false}`
	var wanted NewAlarmRule
	if err := json.Unmarshal([]byte(text), &wanted); err != nil {
		t.Fatal(err)
	}
	r := wanted.Rule()
	want := alarm.Rule{
		Key: "nightly", Title: "Night", Kinds: []alarm.Kind{alarm.KindStreak, alarm.KindSlow},
		Scope:    alarm.Scope{Jobs: []string{"a-*"}, Groups: []string{"g"}, Labels: map[string]string{"team": "*"}},
		Severity: alarm.Info, Count: 4, Percent: 10, MinRuns: 7, Window: time.Hour, Longer: 90 * time.Second, Factor: 1.5,
		Within: time.Minute, For: time.Second, Channels: []string{"ops"}, Recovered: true, GroupBy: alarm.ByRule, Wait: time.Second,
		Interval: 2 * time.Second, Repeat: alarm.Never, Escalation: []alarm.Step{{After: time.Hour, Channels: []string{"boss"}}},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	shown := FromAlarmRule(r)
	back, err := json.Marshal(NewAlarmRule{AlarmRuleFields: shown.AlarmRuleFields, Enabled: wanted.Enabled})
	if err != nil || string(back) != text {
		t.Errorf("shown %s, %v", back, err)
	}
}

func TestAlarmChannelRoundTrip(t *testing.T) {
	t.Parallel()
	const text = `{"key":"mail","title":"Mail","kind":"email","default":true,"settings":{"host":"mx"},"language":"zh","template":{"title":"t","text":"x"},` +
		`"per_minute":3,"secrets":{"password":"p"}}`
	var wanted NewAlarmChannel
	if err := json.Unmarshal([]byte(text), &wanted); err != nil {
		t.Fatal(err)
	}
	c := wanted.Channel()
	c.Secrets, c.SecretNames = wanted.Secrets, []string{"password"}
	shown := FromAlarmChannel(c)
	if back, err := json.Marshal(NewAlarmChannel{AlarmChannelFields: shown.AlarmChannelFields, Secrets: wanted.Secrets}); err != nil || string(back) != text {
		t.Errorf("shown %s, %v", back, err)
	}
	if out, err := json.Marshal(shown); err != nil || cmp.Diff([]string{"password"}, shown.Secrets) != "" || json.Valid(out) != true {
		t.Errorf("shown %s, %v", out, err)
	}
}

func TestAlarmSilenceShowsWhenItHolds(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)
	s := alarm.Silence{ID: 5, Namespace: "default", Comment: "x", From: at, Until: at.Add(time.Hour)}
	for _, c := range []struct {
		now          time.Time
		active       bool
		ends, begins time.Time
	}{
		{at.Add(-time.Minute), false, time.Time{}, at},
		{at, true, at.Add(time.Hour), time.Time{}},
		{at.Add(time.Hour), false, time.Time{}, time.Time{}},
	} {
		shown := FromAlarmSilence(s, c.now)
		if shown.Active != c.active || !shown.EndsAt.Equal(c.ends) || !shown.BeginsAt.Equal(c.begins) {
			t.Errorf("at %s: %+v", c.now, shown)
		}
	}
	shown := FromAlarmSilence(s, at)
	back := shown.Silence()
	if back.ID, back.CreatedAt = s.ID, s.CreatedAt; cmp.Diff(s, back) != "" {
		t.Errorf("(-want +got):\n%s", cmp.Diff(s, back))
	}
}

func TestRepeat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"never": alarm.Never, "4h0m0s": 4 * time.Hour, "0s": 0} {
		var r Repeat
		if err := r.UnmarshalText([]byte(text)); err != nil || time.Duration(r) != want || r.String() != text {
			t.Errorf("%s: got %s, %v", text, r, err)
		}
	}
	var r Repeat
	if err := r.UnmarshalText([]byte("Never")); err == nil {
		t.Error("got no error")
	}
}
