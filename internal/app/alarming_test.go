package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/job"
)

func TestCheckAlarms(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"": true, "https://orth.example.com": true, "http://10.0.0.1:8080/orth/": true,
		"orth.example.com": false, "ftp://orth.example.com": false, "https://": false, "https://a:b@orth.example.com": false,
		"https://orth.example.com/?a=b": false, "https://orth.example.com/#a": false, "javascript:alert(1)": false,
	} {
		err := (&Config{PublicURL: address}).checkAlarms()
		if (err == nil) != good || !good && !job.Is(err, job.Invalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// The hosts that may be reached are checked at the start.
func TestAlarmAllowIsChecked(t *testing.T) {
	t.Parallel()
	_, err := New(Config{Data: t.TempDir(), Listen: "127.0.0.1:0", AlarmAllow: []string{"http://x"}})
	if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "--alarm-allow") {
		t.Errorf("error %v", err)
	}
}

// lost is a store with a message that could not be delivered.
type lost struct{ store.Store }

func (lost) Notifications(context.Context, alerting.NotificationFilter) ([]alarm.Notification, error) {
	return []alarm.Notification{{Error: "nobody is there"}}, nil
}

// Warnings about alarms come behind the others, and say how channels stand now.
func TestWarnings(t *testing.T) {
	t.Parallel()
	book := bookOf(t, &shelf{stored: alarmconfig.Stored{Channels: []alarmconfig.Channel{{Channel: alarm.Channel{
		Key: "ops", Enabled: true, Failures: 3, Failure: "it is full", FailedAt: time.UnixMilli(1_700_000_000_000),
	}}}}})
	groups := executorauth.NewGroups(executorauth.Config{Admitted: []string{"default_token"}})
	before := len(groups.Warnings())
	all := warner{groups, &alarming{book: book, db: lost{}, site: &siteAddress{}}}.Warnings()
	if len(all) != before+3 || !strings.Contains(all[before+2], "--public-url") || !strings.Contains(all[before], "ops has failed 3 times") || !strings.Contains(all[before+1], "nobody is there") {
		t.Errorf("warnings %q", all)
	}
}
