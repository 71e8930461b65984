package alerting

import (
	"testing"

	words "github.com/orthd/orth/alarm"
)

// TestLinks: an item leads to its run, or else to its job or its group; a message leads
// to what its newest item is about, and to its alarm, or to all when it has several.
func TestLinks(t *testing.T) {
	t.Parallel()
	run := words.Item{Namespace: "prod", JobKey: "copy", Group: "g", RunID: 9, AlarmID: 4}
	missed := words.Item{Namespace: "prod", JobKey: "copy", Group: "g", AlarmID: 5}
	down := words.Item{Namespace: "prod", Group: "g", AlarmID: 6}
	for _, test := range []struct {
		name        string
		items       []words.Item
		alarms      int
		link, alarm string
	}{
		{"a run", []words.Item{run}, 1, "https://orth/runs/9", "https://orth/alarms/4"},
		{"a job", []words.Item{missed}, 1, "https://orth/jobs/prod/copy", "https://orth/alarms/5"},
		{"a group", []words.Item{down}, 1, "https://orth/groups/prod/g", "https://orth/alarms/6"},
		{"several alarms", []words.Item{down, run}, 2, "https://orth/groups/prod/g", "https://orth/alarms"},
		{"nothing", nil, 1, "", ""},
		{"an item of before", []words.Item{{}}, 1, "", "https://orth/alarms"},
	} {
		m := words.Message{Items: test.items, Alarms: test.alarms}
		pages := site()
		pages.addTo(&m)
		if m.Link != test.link || m.AlarmLink != test.alarm {
			t.Errorf("%s: %q and %q, want %q and %q", test.name, m.Link, m.AlarmLink, test.link, test.alarm)
		}
		if n := len(m.Items); n > 1 && m.Items[n-1].Link != "https://orth/runs/9" {
			t.Errorf("%s: the last item leads to %q", test.name, m.Items[n-1].Link)
		}
		none := Links{}
		none.setDefaults()
		if none.addTo(&m); m.Link != "" || m.AlarmLink != "" {
			t.Errorf("%s: without a console %q and %q", test.name, m.Link, m.AlarmLink)
		}
	}
}

// TestReasonOf: what a run said goes before why there is no further try.
func TestReasonOf(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]words.Event{
		"exit status 3: no rows": {Source: words.SourceRun, Message: "exit status 3: no rows", Reason: "gave up after 2 retries"},
		"gave up after 1 retry":  {Source: words.SourceRun, Reason: "gave up after 1 retry"},
		"3 firings were missed":  {Source: words.SourceMissed, Count: 3},
		"it is over: failed":     {Source: words.SourceRun, State: "failed"},
	} {
		if got := reasonOf(&e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
