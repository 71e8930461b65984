package mcp_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/orthd/orth/internal/mcp"
)

// reports answers as a server with a job report and a run 7.
func reports(r *http.Request, _ string) (status int, tag, text string) {
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/jobs/report"):
		return 200, `"v4-aa"`, `{"key":"report","version":4}`
	case r.Method == http.MethodGet:
		return 200, "", `{"id":"7","state":"running"}`
	case r.Method == http.MethodDelete && r.URL.Query().Get("dry_run") == "":
		return 204, "", ""
	case r.URL.Query().Get("dry_run") != "":
		return 200, "", `{"dry":true}`
	}
	return 200, "", `{"done":true}`
}

// shown calls a tool for the first time and returns what it shows.
func shown(t *testing.T, session *sdk.ClientSession, name string, arguments map[string]any) (code string, preview map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(does(t, session, name, arguments)), &preview); err != nil {
		t.Fatal(err)
	}
	code, _ = preview["confirm"].(string)
	if len(code) < 26 {
		t.Fatalf("the code is %q", code)
	}
	return code, preview
}

// with returns arguments with a code.
func with(arguments map[string]any, code string) map[string]any {
	confirmed := maps.Clone(arguments)
	confirmed["confirm"] = code
	return confirmed
}

// The first call changes nothing, and the second does exactly what was shown.
func TestConfirmed(t *testing.T) {
	t.Parallel()
	f := newFake(t, reports)
	session := assist(t, f, mcp.Config{AllowWrites: true})
	job, patch := map[string]any{"key": "report"}, map[string]any{"key": "report", "body": map[string]any{"title": "x", "stop_after": nil}}
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		first     []string
		second    string
		match     string
	}{
		{
			"delete_job", job,
			[]string{"GET /jobs/report?namespace=default", "DELETE /jobs/report?dry_run=true&namespace=default"},
			"DELETE /jobs/report?namespace=default", `"v4-aa"`,
		},
		{
			"update_job", patch,
			[]string{"GET /jobs/report?namespace=default", `PATCH /jobs/report?dry_run=true&namespace=default {"stop_after":null,"title":"x"}`},
			`PATCH /jobs/report?namespace=default {"stop_after":null,"title":"x"}`, `"v4-aa"`,
		},
		{
			"trigger_job", job,
			[]string{"GET /jobs/report?namespace=default", "POST /jobs/report/trigger?dry_run=true&namespace=default"},
			"POST /jobs/report/trigger?namespace=default", "",
		},
		{
			"start_job", job,
			[]string{"GET /jobs/report?namespace=default", "POST /jobs/report/start?dry_run=true&namespace=default"},
			"POST /jobs/report/start?namespace=default", "",
		},
		{
			"create_job",
			map[string]any{"body": map[string]any{"key": "new"}},
			[]string{`POST /jobs?dry_run=true&namespace=default {"key":"new"}`},
			`POST /jobs?namespace=default {"key":"new"}`, "",
		},
		{"cancel_run", map[string]any{"id": "7", "body": map[string]any{"reason": "late"}}, []string{"GET /runs/7"}, `POST /runs/7/cancel {"reason":"late"}`, ""},
		{"rerun_run", map[string]any{"id": "7"}, []string{"GET /runs/7"}, "POST /runs/7/rerun", ""},
		{"redrive_dead_letter", map[string]any{"run": "7"}, []string{"GET /dead-letters/7"}, "POST /dead-letters/7/redrive", ""},
		{"delete_pause", map[string]any{"key": "night"}, []string{"GET /pauses/night", "DELETE /pauses/night?dry_run=true"}, "DELETE /pauses/night", ""},
	} {
		code, preview := shown(t, session, c.tool, c.arguments)
		for _, header := range f.expect(t, c.first...) {
			if header.Get("Idempotency-Key") != "" || header.Get("If-Match") != "" {
				t.Errorf("%s: a preview sends %v", c.tool, header)
			}
		}
		if (c.tool != "create_job") != (preview["stands"] != nil) {
			t.Errorf("%s shows %v", c.tool, preview)
		}
		does(t, session, c.tool, with(c.arguments, code))
		header := f.expect(t, c.second)[0]
		if method, _, _ := strings.Cut(c.second, " "); (header.Get("Idempotency-Key") != "") != (method == http.MethodPost) {
			t.Errorf("%s: the key is %q", c.tool, header.Get("Idempotency-Key"))
		}
		if header.Get("If-Match") != c.match {
			t.Errorf("%s: If-Match is %q", c.tool, header.Get("If-Match"))
		}
	}
}

// A code is good once, for one tool and its exact arguments, and for five minutes.
func TestCodesAreGoodOnce(t *testing.T) {
	t.Parallel()
	var past atomic.Int64
	start := time.Date(2030, 1, 31, 8, 0, 0, 0, time.UTC)
	f := newFake(t, reports)
	session := assist(t, f, mcp.Config{AllowWrites: true, Now: func() time.Time { return start.Add(time.Duration(past.Load())) }})
	report := map[string]any{"key": "report"}
	fresh := func() string {
		code, _ := shown(t, session, "delete_job", report)
		f.seen()
		return code
	}
	const usedUp = "the code is unknown, or was used already"

	code := fresh()
	does(t, session, "delete_job", with(report, code))
	f.expect(t, "DELETE /jobs/report?namespace=default")
	refused(t, session, "delete_job", with(report, code), usedUp)

	code = fresh()
	refused(t, session, "delete_job", with(map[string]any{"key": "other"}, code), "for another tool or other arguments")
	refused(t, session, "delete_job", with(report, code), usedUp)

	code = fresh()
	refused(t, session, "delete_job", with(map[string]any{"key": "report", "namespace": "b"}, code), "other arguments")
	code = fresh()
	refused(t, session, "start_job", with(report, code), "for another tool")

	code = fresh()
	past.Add(int64(5 * time.Minute))
	refused(t, session, "delete_job", with(report, code), "five minutes")
	refused(t, session, "delete_job", with(report, code), usedUp)
	code = fresh()
	past.Add(int64(5*time.Minute - time.Nanosecond))
	does(t, session, "delete_job", with(report, code))
	f.expect(t, "DELETE /jobs/report?namespace=default")

	refused(t, session, "delete_job", with(report, "GUESSED"), usedUp)

	oldest := fresh()
	for range 64 {
		fresh()
	}
	refused(t, session, "delete_job", with(report, oldest), usedUp)
	f.expect(t)
}

// A code is used up by an attempt that the server refuses, and does not come with one
// that it refuses to preview.
func TestRefusedByTheServer(t *testing.T) {
	t.Parallel()
	f := newFake(t, reports)
	session := assist(t, f, mcp.Config{AllowWrites: true})
	report := map[string]any{"key": "report"}
	code, _ := shown(t, session, "delete_job", report)
	f.answer = always(412, `{"code":"conflict","detail":"job report has changed"}`)
	refused(t, session, "delete_job", with(report, code), "conflict: job report has changed")
	refused(t, session, "delete_job", with(report, code), "was used already")
	refused(t, session, "delete_job", report, "conflict: job report has changed")
}

// What only holds back needs no code.
func TestUnconfirmed(t *testing.T) {
	t.Parallel()
	f := newFake(t, reports)
	session := assist(t, f, mcp.Config{AllowWrites: true})
	does(t, session, "stop_job", map[string]any{"key": "report"})
	does(t, session, "save_pause", map[string]any{"key": "night", "body": map[string]any{"reason": "move"}})
	does(t, session, "note_alarm", map[string]any{"id": "3", "body": map[string]any{"text": "seen"}})
	headers := f.expect(t, "POST /jobs/report/stop?namespace=default", `PUT /pauses/night {"reason":"move"}`, `POST /alarms/3/note {"text":"seen"}`)
	if headers[0].Get("Idempotency-Key") == "" || headers[0].Get("Idempotency-Key") == headers[2].Get("Idempotency-Key") {
		t.Error("each POST has a key of its own")
	}
}

// What is shown is bounded.
func TestPreviewsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFake(t, always(200, `{"text":"`+strings.Repeat("é", 100<<10)+`"}`))
	session := assist(t, f, mcp.Config{AllowWrites: true})
	text := does(t, session, "trigger_job", map[string]any{"key": "report"})
	if len(text) > 64<<10 || !strings.Contains(text, "(cut)") || !json.Valid([]byte(text)) {
		t.Errorf("it has %d bytes", len(text))
	}
}
