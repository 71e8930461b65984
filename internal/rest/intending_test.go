package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// What a request wants is said to the rooms and the store: who, from where, what.
func TestIntents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path, body string
		operation, right   string
		object             intent.Object
	}{
		{"POST", "/jobs/report/start", "", "start-job", "operate", intent.Object{Kind: "job", Namespace: "default", Group: "g", Key: "report"}},
		{"DELETE", "/jobs/report", "", "delete-job", "edit", intent.Object{Kind: "job", Namespace: "default", Group: "g", Key: "report"}},
		{"DELETE", "/calendars/works?namespace=team", "", "delete-calendar", "edit", intent.Object{Kind: "calendar", Namespace: "team", Key: "works"}},
		{"POST", "/runs/5/cancel", "", "cancel-run", "operate", intent.Object{Kind: "run", Namespace: "default", Group: "g", Key: "5"}},
	} {
		l := &resttest.FakeLedger{}
		response, text := resttest.SendWith(t, resttest.Ledgered(t, &resttest.Fake{}, l), c.method, c.path, c.body)
		if response.StatusCode >= 300 {
			t.Errorf("%s %s: status %d, %s", c.method, c.path, response.StatusCode, text)
		}
		got := l.Last()
		if got == nil {
			t.Errorf("%s %s wants nothing", c.method, c.path)
			continue
		}
		if got.By.Name != "system" || got.Address != "127.0.0.1" || got.At.IsZero() {
			t.Errorf("%s %s: by %s from %s at %s", c.method, c.path, got.By.Name, got.Address, got.At)
		}
		if got.Operation != c.operation || string(got.Right) != c.right || got.Object != c.object {
			t.Errorf("%s %s wants %s by %s on %+v", c.method, c.path, got.Operation, got.Right, got.Object)
		}
	}
}

// Reading wants nothing, and what fails is not concluded.
func TestNoIntents(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{}
	server := resttest.Ledgered(t, &resttest.Fake{}, l)
	resttest.SendWith(t, server, "GET", "/jobs/report", "")
	resttest.SendWith(t, server, "POST", "/jobs", "{")
	resttest.SendWith(t, server, "POST", "/jobs/report/nothing", "")
	server = resttest.Ledgered(t, &resttest.Fake{Err: job.Errorf(job.Conflict, "no")}, l)
	resttest.SendWith(t, server, "POST", "/jobs/report/start", "")
	if got := l.Last(); got != nil {
		t.Errorf("%s was concluded", got.Operation)
	}
}

// What acts outside of the database has its line, what only writes rows has one there.
func TestWhatActsHasItsLine(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{}
	server := resttest.Ledgered(t, &resttest.Fake{}, l)
	for _, path := range []string{"/jobs/report/start", "/runs/5/cancel", "/alarm/channels/ops/test", "/jobs/report/stop"} {
		if response, text := resttest.SendWith(t, server, "POST", path, ""); response.StatusCode >= 300 {
			t.Errorf("%s: status %d, %s", path, response.StatusCode, text)
		}
	}
	if diff := cmp.Diff([]string{"cancel-run", "test-alarm-channel"}, l.Acted); diff != "" {
		t.Error(diff)
	}
}

// An action whose line cannot be written is not told as a success.
func TestALineThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{Err: job.Errorf(job.Unavailable, "the disk is full")}
	response, text := resttest.SendWith(t, resttest.Ledgered(t, &resttest.Fake{}, l), "POST", "/runs/5/cancel", "")
	if p := resttest.WantProblem(t, response, text); response.StatusCode != http.StatusServiceUnavailable || p.Code != job.Unavailable {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{}
	server := resttest.Ledgered(t, &resttest.Fake{}, l)
	body := `{"key":"report","group":"g","schedule":{"kind":"manual"},"handler":{"kind":"named","name":"hello"}}`
	response, text := resttest.SendWith(t, server, "POST", "/jobs?dry_run=true", body, "Idempotency-Key", "k")
	if response.StatusCode != http.StatusOK || response.Header.Get("Orth-Dry-Run") != "true" || response.Header.Get("Location") != "" || !strings.Contains(text, `"key":"report"`) {
		t.Errorf("status %d, %v, %s", response.StatusCode, response.Header, text)
	}
	if !l.Last().Dry {
		t.Error("the store is not told")
	}
	if len(l.Reuses) > 0 {
		t.Error("a dry run has used its key")
	}
	response, text = resttest.SendWith(t, server, "DELETE", "/jobs/report?dry_run=true", "")
	if response.StatusCode != http.StatusOK || text != "" {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
	if response, _ = resttest.SendWith(t, server, "POST", "/jobs?dry_run=false", body); response.StatusCode != http.StatusCreated || l.Last().Dry {
		t.Errorf("status %d", response.StatusCode)
	}
	for _, path := range []string{"/jobs?dry_run=yes", "/runs/5/cancel?dry_run=true", "/groups/g/tokens?dry_run=true"} {
		f := &resttest.Fake{}
		response, text = resttest.SendWith(t, resttest.Ledgered(t, f, &resttest.FakeLedger{}), "POST", path, body)
		if p := resttest.WantProblem(t, response, text); response.StatusCode != http.StatusUnprocessableEntity || p.Field != "dry_run" {
			t.Errorf("%s: status %d, %s", path, response.StatusCode, text)
		}
		if calls := f.Called(); calls != "" {
			t.Errorf("%s has reached %q", path, calls)
		}
	}
}

func TestOnce(t *testing.T) {
	t.Parallel()
	l, f := &resttest.FakeLedger{}, &resttest.Fake{}
	server := resttest.Ledgered(t, f, l)
	ask := func(path, body, key string) (*http.Response, string) {
		t.Helper()
		return resttest.SendWith(t, server, "POST", path, body, "Idempotency-Key", key)
	}
	body := `{"param":"x"}`
	first, text := ask("/jobs/report/trigger", body, "key-1")
	if first.StatusCode != http.StatusCreated || first.Header.Get("Idempotency-Replayed") != "" {
		t.Fatalf("status %d, %s", first.StatusCode, text)
	}
	if calls := f.Called(); !strings.Contains(calls, "trigger") {
		t.Errorf("the first request has reached %q", calls)
	}
	again, same := ask("/jobs/report/trigger", body, "key-1")
	if again.StatusCode != first.StatusCode || same != text || again.Header.Get("Idempotency-Replayed") != "true" ||
		again.Header.Get("Content-Type") != first.Header.Get("Content-Type") {
		t.Errorf("status %d, %v, %s", again.StatusCode, again.Header, same)
	}
	if calls := f.Called(); strings.Contains(calls, "trigger") {
		t.Errorf("the repetition has reached %q", calls)
	}
	for name, other := range map[string][2]string{
		"body":  {"/jobs/report/trigger", `{"param":"y"}`},
		"path":  {"/jobs/other/trigger", body},
		"query": {"/jobs/report/trigger?namespace=team", body},
	} {
		response, text := ask(other[0], other[1], "key-1")
		if p := resttest.WantProblem(t, response, text); response.StatusCode != http.StatusUnprocessableEntity || p.Field != "Idempotency-Key" {
			t.Errorf("another %s: status %d, %s", name, response.StatusCode, text)
		}
	}
	if response, _ := ask("/jobs/report/trigger", body, "key-2"); response.StatusCode != http.StatusCreated || response.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("another key: status %d", response.StatusCode)
	}
	for _, wrong := range []string{strings.Repeat("k", 129), "a b", "ключ"} {
		response, text := ask("/jobs/report/trigger", body, wrong)
		if p := resttest.WantProblem(t, response, text); response.StatusCode != http.StatusUnprocessableEntity || p.Field != "Idempotency-Key" {
			t.Errorf("key %q: status %d, %s", wrong, response.StatusCode, text)
		}
	}
}

// A key of what failed is free, and so is one of what is not asked with POST.
func TestOnceOfFailures(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{}
	server := resttest.Ledgered(t, &resttest.Fake{Err: job.Errorf(job.Conflict, "no")}, l)
	resttest.SendWith(t, server, "POST", "/jobs/report/trigger", "{}", "Idempotency-Key", "k")
	resttest.SendWith(t, resttest.Ledgered(t, &resttest.Fake{}, l), "DELETE", "/jobs/report", "", "Idempotency-Key", "k")
	if len(l.Reuses) > 0 {
		t.Errorf("keys %v are used", l.Reuses)
	}
}

// What was lost between the commit and the answer is not done again, and told.
func TestOnceWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{}
	server := resttest.Ledgered(t, &resttest.Fake{}, l)
	resttest.SendWith(t, server, "POST", "/jobs/report/trigger", "{}", "Idempotency-Key", "k")
	r := l.Reuses["system k"]
	r.Reply = ""
	l.Reuses["system k"] = r
	f := &resttest.Fake{}
	response, text := resttest.SendWith(t, resttest.Ledgered(t, f, l), "POST", "/jobs/report/trigger", "{}", "Idempotency-Key", "k")
	p := resttest.WantProblem(t, response, text)
	if response.StatusCode != http.StatusConflict || !strings.Contains(p.Detail, "was lost") || !strings.Contains(p.Hint, "line 42 of the audit") {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
	if strings.Contains(f.Called(), "trigger") {
		t.Error("it was done again")
	}
}

// A secret that is shown once is not kept for those who ask again.
func TestOnceKeepsNoSecret(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{}
	server := resttest.Ledgered(t, &resttest.Fake{}, l)
	response, text := resttest.SendWith(t, server, "POST", "/groups/g/tokens", `{"label":"ci"}`, "Idempotency-Key", "k")
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("status %d, %s", response.StatusCode, text)
	}
	if reply := l.Reuses["system k"].Reply; !strings.Contains(reply, "withheld") || strings.Contains(reply, "body") {
		t.Errorf("kept %s", reply)
	}
	response, text = resttest.SendWith(t, server, "POST", "/groups/g/tokens", `{"label":"ci"}`, "Idempotency-Key", "k")
	if response.StatusCode != http.StatusConflict || !strings.Contains(text, "shown once") {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
}

// Of requests that come at the same time one is carried out.
func TestOnceAtTheSameTime(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{}
	f := &resttest.Fake{}
	server := resttest.Ledgered(t, f, l)
	statuses := make([]int, 20)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() {
			response, _ := resttest.SendWith(t, server, "POST", "/jobs/report/trigger", "{}", "Idempotency-Key", "k")
			statuses[i] = response.StatusCode
		})
	}
	all.Wait()
	if done := strings.Count(f.Called(), "trigger"); done != 1 {
		t.Errorf("it was done %d times", done)
	}
	for _, status := range statuses {
		if status != http.StatusCreated && status != http.StatusConflict {
			t.Errorf("status %d", status)
		}
	}
}

func TestETag(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{Versions: map[string]string{"job report": "v1", "calendar works": "c1"}}
	server := resttest.Ledgered(t, &resttest.Fake{}, l)
	response, body := resttest.SendWith(t, server, "GET", "/jobs/report", "")
	tag := response.Header.Get("ETag")
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(tag, `"v1-`) || body == "" {
		t.Fatalf("status %d, tag %s, %s", response.StatusCode, tag, body)
	}
	for _, has := range []string{tag, `"other", W/` + tag, "*"} {
		response, body := resttest.SendWith(t, server, "GET", "/jobs/report", "", "If-None-Match", has)
		if response.StatusCode != http.StatusNotModified || body != "" || response.Header.Get("ETag") != tag {
			t.Errorf("%s: status %d, %s", has, response.StatusCode, body)
		}
	}
	if response, _ := resttest.SendWith(t, server, "GET", "/jobs/report", "", "If-None-Match", `"v1-"`); response.StatusCode != http.StatusOK {
		t.Errorf("another tag: status %d", response.StatusCode)
	}
	if response, _ := resttest.SendWith(t, server, "GET", "/calendars/works", ""); !strings.HasPrefix(response.Header.Get("ETag"), `"c1-`) {
		t.Errorf("a calendar has the tag %s", response.Header.Get("ETag"))
	}
	if response, _ := resttest.SendWith(t, server, "GET", "/jobs", ""); response.Header.Get("ETag") != "" {
		t.Error("a list has a tag")
	}
	missing := resttest.Ledgered(t, &resttest.Fake{Err: job.Errorf(job.NotFound, "no")}, l)
	if response, _ := resttest.SendWith(t, missing, "GET", "/jobs/report", "", "If-None-Match", "*"); response.StatusCode != http.StatusNotFound || response.Header.Get("ETag") != "" {
		t.Errorf("what is not there: status %d", response.StatusCode)
	}
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{Versions: map[string]string{"job report": "v1"}}
	for _, c := range []struct {
		method, path, match string
		status              int
		expects             []string
	}{
		{"DELETE", "/jobs/report", `"v1-12"`, 204, []string{"v1"}},
		{"DELETE", "/jobs/report", `"v1-12", "v0-1"`, 204, []string{"v1", "v0"}},
		{"DELETE", "/jobs/report", `*`, 204, []string{"*"}},
		{"DELETE", "/jobs/report", `"v2-12"`, 412, nil},
		{"DELETE", "/jobs/other", `*`, 412, nil},
		{"DELETE", "/jobs/report", `v1`, 422, nil},
		{"DELETE", "/jobs/report", `W/"v1-12"`, 422, nil},
		{"DELETE", "/jobs/report", strings.TrimSuffix(strings.Repeat(`"a",`, 21), ","), 422, nil},
		{"POST", "/jobs/report/start", `"v1-12"`, 422, nil},
		{"DELETE", "/groups/g/addresses?address=http://a:1", `*`, 422, nil},
	} {
		f, name := &resttest.Fake{}, fmt.Sprintf("%s %s %s", c.method, c.path, c.match)
		l.Intents = nil
		response, text := resttest.SendWith(t, resttest.Ledgered(t, f, l), c.method, c.path, "", "If-Match", c.match)
		if response.StatusCode != c.status {
			t.Errorf("%s: status %d, %s", name, response.StatusCode, text)
		}
		if c.status < 300 {
			if diff := cmp.Diff(c.expects, l.Last().Match); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			continue
		}
		p := resttest.WantProblem(t, response, text)
		if c.status == 412 && (p.Code != job.Conflict || p.Hint == "") || c.status == 422 && p.Field != "If-Match" {
			t.Errorf("%s: %s", name, text)
		}
		if calls := f.Called(); strings.Contains(calls, "delete") || strings.Contains(calls, "start") {
			t.Errorf("%s has reached %s", name, calls)
		}
	}
}

// Where a pause is to be stands in the body, and its key in the path: the stored one is
// what must be as it was expected.
func TestIfMatchOfPause(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{Versions: map[string]string{"pause nights": "p1"}}
	for match, status := range map[string]int{`"p1-12"`: 200, `*`: 200, `"p0-12"`: 412} {
		l.Intents = nil
		response, text := resttest.SendWith(t, resttest.Ledgered(t, &resttest.Fake{}, l), "PUT", "/pauses/nights", `{"namespace":"team"}`, "If-Match", match)
		if response.StatusCode != status {
			t.Errorf("%s: status %d, %s", match, response.StatusCode, text)
		}
		if status == 412 && !strings.Contains(text, "pause nights") {
			t.Errorf("%s: it is not named: %s", match, text)
		}
	}
}

// The store has the last word: an object that has changed since the first look is 412,
// whatever the room makes of the error.
func TestMismatchInTheStore(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{Versions: map[string]string{"job report": "v1"}}
	f := &resttest.Fake{Err: fmt.Errorf("delete it: %w", &intent.MismatchError{Object: intent.Object{Kind: "job", Key: "report"}})}
	response, text := resttest.SendWith(t, resttest.Ledgered(t, f, l), "DELETE", "/jobs/report", "", "If-Match", `"v1-1"`)
	if p := resttest.WantProblem(t, response, text); response.StatusCode != http.StatusPreconditionFailed || p.Code != job.Conflict || !strings.Contains(p.Detail, "job report") {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
}
