package pagerduty

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
)

func message() alarm.Message {
	return alarm.Message{
		ID: "n-1", Dedup: "a-7", State: alarm.Firing, Severity: alarm.Critical, Title: "[critical] billing: nightly-report failed",
		Text: "Rule: r\n<b>", Namespace: "default", Rule: "r", Group: "billing", Link: "https://orth.example/runs/812", Alarms: 1, Events: 2,
		At:      time.Date(2026, 11, 21, 2, 30, 5, 7e6, time.FixedZone("", 3600)),
		Items:   []alarm.Item{{Job: "nightly-report", Kind: alarm.KindFailed}},
		Reasons: []alarm.Reason{{Text: "exit status 1", Count: 2, Run: 812}}, More: 3,
		Log: []string{"\x1b[31mdisk full\x1b[0m"},
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(compose(message(), "orth"))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"routing_key":"","event_action":"trigger","dedup_key":"a-7","client":"Orth","client_url":"https://orth.example/runs/812",` +
		`"links":[{"href":"https://orth.example/runs/812","text":"Orth"}],"payload":{"summary":"[critical] billing: nightly-report failed",` +
		`"source":"orth","severity":"critical","timestamp":"2026-11-21T01:30:05.007Z","group":"billing","component":"nightly-report","class":"failed",` +
		`"custom_details":{"text":"Rule: r\n\u003cb\u003e","namespace":"default","rule":"r","alarms":1,"events":2,` +
		`"reasons":[{"text":"exit status 1","count":2,"run":812}],"more_reasons":3,"log":["disk full"]}}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestEnd: what ends an incident names the same key and nothing else.
func TestEnd(t *testing.T) {
	t.Parallel()
	m := message()
	m.State = alarm.Resolved
	if diff := cmp.Diff(event{Action: "resolve", Dedup: "a-7"}, compose(m, "orth")); diff != "" {
		t.Error(diff)
	}
}

func TestDedup(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 256)
	for _, test := range []struct{ dedup, id, want string }{
		{"a", "n", "a"},
		{"", "n", "n"},
		{long[:255], "", long[:255]},
		// printf 'x%.0s' $(seq 256) | sha256sum
		{long, "n", "85e62acd750c4eb56b7b6a1d66dca5bfaac5f062608a1a893410d0288936c09a"},
	} {
		if got := dedupOf(alarm.Message{Dedup: test.dedup, ID: test.id}); got != test.want {
			t.Errorf("%.10q: %q", test.dedup, got)
		}
	}
}

func TestSeverities(t *testing.T) {
	t.Parallel()
	for in, want := range map[alarm.Severity]string{alarm.Info: "info", alarm.Warning: "warning", alarm.Critical: "critical", "": "warning", "odd": "warning"} {
		if got := severityOf(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	m := message()
	m.Title, m.Text = strings.Repeat("日", 1000), strings.Repeat("x", 100<<10)
	p := compose(m, "orth").Payload
	if len(p.Summary) > maxSummary || len(p.Details.Text) > maxText || !strings.HasSuffix(p.Summary, "…") {
		t.Errorf("%d and %d bytes", len(p.Summary), len(p.Details.Text))
	}
}
