package alarm

import (
	"testing"
	"time"
)

func TestSilenceHolds(t *testing.T) {
	t.Parallel()
	at := func(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC) }
	once := Silence{From: at(2, 0), Until: at(3, 0)}
	weekly := Silence{From: at(2, 0), Cron: "0 0 2 ? * SUN", Zone: "Europe/Berlin", Length: 3 * time.Hour}
	unix := Silence{From: at(2, 0), Until: at(4, 1), Cron: "0 0 * * *", Length: 2 * time.Hour}
	for _, test := range []struct {
		name    string
		silence Silence
		at      time.Time
		holds   bool
		until   time.Time
	}{
		{"before it begins", once, at(1, 5), false, at(2, 0)},
		{"while it holds", once, at(2, 0), true, at(3, 0)},
		{"when it is over", once, at(3, 0), false, time.Time{}},
		{"between windows", weekly, at(3, 0), false, at(8, 1)},
		{"in a window", weekly, at(8, 2), true, at(8, 4)},
		{"behind a window", weekly, at(8, 4), false, at(15, 1)},
		{"in the last window, which is cut", unix, at(4, 0), true, at(4, 1)},
		{"behind the last window", unix, at(4, 1), false, time.Time{}},
		{"what cannot be read holds nothing", Silence{From: at(1, 0), Cron: "every day", Length: time.Hour}, at(2, 0), false, time.Time{}},
	} {
		until, holds := test.silence.Holds(test.at)
		if holds != test.holds || !until.Equal(test.until) {
			t.Errorf("%s: %t until %s, want %t until %s", test.name, holds, until, test.holds, test.until)
		}
	}
}

func TestSilenceFits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		silence Silence
		want    bool
	}{
		{"everything of its namespace", Silence{Namespace: "a"}, true},
		{"another namespace", Silence{Namespace: "b"}, false},
		{"its rule", Silence{Namespace: "a", Rules: []string{"x", "nightly"}}, true},
		{"another rule", Silence{Namespace: "a", Rules: []string{"x"}}, false},
		{"its kind", Silence{Namespace: "a", Kinds: []Kind{KindFailed}}, true},
		{"another kind", Silence{Namespace: "a", Kinds: []Kind{KindLost}}, false},
		{"its job", Silence{Namespace: "a", Scope: Scope{Jobs: []string{"back*"}, Labels: map[string]string{"team": "db"}}}, true},
		{"another label", Silence{Namespace: "a", Scope: Scope{Labels: map[string]string{"team": "web"}}}, false},
		{"another group", Silence{Namespace: "a", Scope: Scope{Groups: []string{"others"}}}, false},
	} {
		if got := test.silence.Fits("a", "nightly", KindFailed, "backup", "workers", map[string]string{"team": "db"}); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
}
