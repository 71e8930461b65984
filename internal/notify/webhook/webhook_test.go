package webhook

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
)

// TestSign compares with what this made:
//
//	printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac key
func TestSign(t *testing.T) {
	t.Parallel()
	if got := signBody("key", "1700000000", `{"a":1}`); got != "v1=a438e398bfafc57e4396bb7fc2304422f0f768e965d073ca313cb52e22e6ad03" {
		t.Error(got)
	}
}

// TestStandardBody: it is JSON whatever a message says, and has every field.
func TestStandardBody(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 2, 30, 5, 0, time.UTC)
	odd := "a \"b\" \\ </script> \u2028 日"
	m := alarm.Message{
		ID: "n-1", Dedup: "a-1", State: alarm.Firing, Severity: alarm.Warning, Title: odd, Text: odd + "\nsecond", Namespace: "default", Rule: odd,
		Group: "g", At: at, Link: "https://orth.example/", Alarms: 2, Events: 3, More: 4,
		Items: []alarm.Item{
			{At: at, Kind: alarm.KindFailed, Job: odd, Group: "g", RunID: 9007199254740993, State: "failed", Tries: 2, Reason: odd},
			{At: at, Kind: alarm.KindBacklog, Group: "g"},
		},
		Reasons: []alarm.Reason{{Text: odd, Count: 2, Run: 1}, {Text: "x", Count: 1}},
		Log:     []string{odd, "\tindented"},
	}
	for name, m := range map[string]alarm.Message{"full": m, "empty": {}} {
		text, err := bodyOf("", m)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]any{}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		var names []string
		for _, field := range []string{
			"version", "id", "dedup", "test", "state", "severity", "title", "text", "namespace", "rule", "group", "at", "link", "alarm_link", "alarms", "events",
			"items", "reasons", "more", "log",
		} {
			if _, there := got[field]; !there {
				names = append(names, field)
			}
		}
		if names != nil || len(got) != 20 {
			t.Errorf("%s: %d fields, without %v", name, len(got), names)
		}
		if name == "full" {
			if !strings.Contains(text, `"run":9007199254740993`) {
				t.Error("the id of a run is not exact")
			}
			clean := "a \"b\" \\ </script> 日"
			want := []any{clean + "\nsecond", []any{strings.ReplaceAll(odd, "\u2028", " "), "\tindented"}}
			if diff := cmp.Diff(want, []any{strings.ReplaceAll(got["text"].(string), " \n ", " "), got["log"]}); diff != "" {
				t.Error(diff)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	address := "https://hooks.example.com/orth"
	for _, test := range []struct {
		settings, secrets map[string]string
		fails             string
	}{
		{nil, map[string]string{"url": address}, ""},
		{map[string]string{"method": "PUT", "content_type": "text/plain", "body": "{{.Title}}"}, map[string]string{"url": address, "secret": "s"}, ""},
		{nil, map[string]string{"url": address, "headers": "Authorization: Bearer x\n\nX-Team: a"}, ""},
		{nil, nil, "secrets.url: it is missing"},
		{map[string]string{"method": "GET"}, map[string]string{"url": address}, `"GET" is not possible`},
		{map[string]string{"body": "{{.X}}"}, map[string]string{"url": address}, "settings.body: "},
		{map[string]string{"content_type": "a\x01"}, map[string]string{"url": address}, "settings.content_type"},
		{nil, map[string]string{"url": address, "headers": "Authorization"}, "line 1 has no colon"},
		{nil, map[string]string{"url": address, "headers": "A B: c"}, "line 1 is no header"},
		{nil, map[string]string{"url": address, "headers": "A: b\nhost: evil.example"}, "the header host is set by Orth"},
		{nil, map[string]string{"url": address, "headers": "Orth-Signature: v1=00"}, "is set by Orth"},
		{nil, map[string]string{"url": address, "headers": strings.Repeat("A: b\n", 33)}, "more than 32 headers"},
	} {
		err := Kind{}.Check(alarm.Channel{Kind: alarm.Webhook, Settings: test.settings, Secrets: test.secrets})
		if test.fails == "" && err != nil || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
			t.Errorf("%v %v: %v", test.settings, test.secrets, err)
		}
	}
}

// FuzzHeaders: lines that pass the check make headers that net/http can write.
func FuzzHeaders(f *testing.F) {
	f.Add("A: b\nC:d")
	f.Add("Ä: b")
	f.Fuzz(func(t *testing.T, lines string) {
		if checkHeaders(lines) != nil {
			return
		}
		var b strings.Builder
		header := headersOf(lines)
		if err := header.Write(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			name, _, ok := strings.Cut(line, ":")
			if _, known := header[name]; !ok || !known || !strings.HasSuffix(line, "\r\n") || http.CanonicalHeaderKey(name) == "Host" {
				t.Fatalf("%q made %q", lines, line)
			}
		}
	})
}
