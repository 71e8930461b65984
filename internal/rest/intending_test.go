package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/job"
)

// ledgered starts the API over fakes, one of them a ledger.
func ledgered(t *testing.T, f *fake, l *fakeLedger) *httptest.Server {
	t.Helper()
	return serve(t, f, func(c *rest.Config) { c.Ledger = l })
}

// with makes a request with headers, given as names that values follow.
func with(t *testing.T, server *httptest.Server, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return do(t, server, r)
}

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
		l := &fakeLedger{}
		response, text := with(t, ledgered(t, &fake{}, l), c.method, c.path, c.body)
		if response.StatusCode >= 300 {
			t.Errorf("%s %s: status %d, %s", c.method, c.path, response.StatusCode, text)
		}
		got := l.last()
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
	l := &fakeLedger{}
	server := ledgered(t, &fake{}, l)
	with(t, server, "GET", "/jobs/report", "")
	with(t, server, "POST", "/jobs", "{")
	with(t, server, "POST", "/jobs/report/nothing", "")
	server = ledgered(t, &fake{err: job.Errorf(job.Conflict, "no")}, l)
	with(t, server, "POST", "/jobs/report/start", "")
	if got := l.last(); got != nil {
		t.Errorf("%s was concluded", got.Operation)
	}
}

// What acts outside of the database has its line, what only writes rows has one there.
func TestWhatActsHasItsLine(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{}
	server := ledgered(t, &fake{}, l)
	for _, path := range []string{"/jobs/report/start", "/runs/5/cancel", "/alarm/channels/ops/test", "/jobs/report/stop"} {
		if response, text := with(t, server, "POST", path, ""); response.StatusCode >= 300 {
			t.Errorf("%s: status %d, %s", path, response.StatusCode, text)
		}
	}
	if diff := cmp.Diff([]string{"cancel-run", "test-alarm-channel"}, l.acted); diff != "" {
		t.Error(diff)
	}
}

// An action whose line cannot be written is not told as a success.
func TestALineThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{err: job.Errorf(job.Unavailable, "the disk is full")}
	response, text := with(t, ledgered(t, &fake{}, l), "POST", "/runs/5/cancel", "")
	if p := wantProblem(t, response, text); response.StatusCode != http.StatusServiceUnavailable || p.Code != job.Unavailable {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{}
	server := ledgered(t, &fake{}, l)
	body := `{"key":"report","group":"g","schedule":{"kind":"manual"},"handler":{"kind":"named","name":"hello"}}`
	response, text := with(t, server, "POST", "/jobs?dry_run=true", body, "Idempotency-Key", "k")
	if response.StatusCode != http.StatusOK || response.Header.Get("Orth-Dry-Run") != "true" || response.Header.Get("Location") != "" || !strings.Contains(text, `"key":"report"`) {
		t.Errorf("status %d, %v, %s", response.StatusCode, response.Header, text)
	}
	if !l.last().Dry {
		t.Error("the store is not told")
	}
	if len(l.reuses) > 0 {
		t.Error("a dry run has used its key")
	}
	response, text = with(t, server, "DELETE", "/jobs/report?dry_run=true", "")
	if response.StatusCode != http.StatusOK || text != "" {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
	if response, _ = with(t, server, "POST", "/jobs?dry_run=false", body); response.StatusCode != http.StatusCreated || l.last().Dry {
		t.Errorf("status %d", response.StatusCode)
	}
	for _, path := range []string{"/jobs?dry_run=yes", "/runs/5/cancel?dry_run=true", "/groups/g/tokens?dry_run=true"} {
		f := &fake{}
		response, text = with(t, ledgered(t, f, &fakeLedger{}), "POST", path, body)
		if p := wantProblem(t, response, text); response.StatusCode != http.StatusUnprocessableEntity || p.Field != "dry_run" {
			t.Errorf("%s: status %d, %s", path, response.StatusCode, text)
		}
		if calls := f.called(); calls != "" {
			t.Errorf("%s has reached %q", path, calls)
		}
	}
}

func TestOnce(t *testing.T) {
	t.Parallel()
	l, f := &fakeLedger{}, &fake{}
	server := ledgered(t, f, l)
	ask := func(path, body, key string) (*http.Response, string) {
		t.Helper()
		return with(t, server, "POST", path, body, "Idempotency-Key", key)
	}
	body := `{"param":"x"}`
	first, text := ask("/jobs/report/trigger", body, "key-1")
	if first.StatusCode != http.StatusCreated || first.Header.Get("Idempotency-Replayed") != "" {
		t.Fatalf("status %d, %s", first.StatusCode, text)
	}
	if calls := f.called(); !strings.Contains(calls, "trigger") {
		t.Errorf("the first request has reached %q", calls)
	}
	again, same := ask("/jobs/report/trigger", body, "key-1")
	if again.StatusCode != first.StatusCode || same != text || again.Header.Get("Idempotency-Replayed") != "true" ||
		again.Header.Get("Content-Type") != first.Header.Get("Content-Type") {
		t.Errorf("status %d, %v, %s", again.StatusCode, again.Header, same)
	}
	if calls := f.called(); strings.Contains(calls, "trigger") {
		t.Errorf("the repetition has reached %q", calls)
	}
	for name, other := range map[string][2]string{
		"body":  {"/jobs/report/trigger", `{"param":"y"}`},
		"path":  {"/jobs/other/trigger", body},
		"query": {"/jobs/report/trigger?namespace=team", body},
	} {
		response, text := ask(other[0], other[1], "key-1")
		if p := wantProblem(t, response, text); response.StatusCode != http.StatusUnprocessableEntity || p.Field != "Idempotency-Key" {
			t.Errorf("another %s: status %d, %s", name, response.StatusCode, text)
		}
	}
	if response, _ := ask("/jobs/report/trigger", body, "key-2"); response.StatusCode != http.StatusCreated || response.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("another key: status %d", response.StatusCode)
	}
	for _, wrong := range []string{strings.Repeat("k", 129), "a b", "ключ"} {
		response, text := ask("/jobs/report/trigger", body, wrong)
		if p := wantProblem(t, response, text); response.StatusCode != http.StatusUnprocessableEntity || p.Field != "Idempotency-Key" {
			t.Errorf("key %q: status %d, %s", wrong, response.StatusCode, text)
		}
	}
}

// A key of what failed is free, and so is one of what is not asked with POST.
func TestOnceOfFailures(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{}
	server := ledgered(t, &fake{err: job.Errorf(job.Conflict, "no")}, l)
	with(t, server, "POST", "/jobs/report/trigger", "{}", "Idempotency-Key", "k")
	with(t, ledgered(t, &fake{}, l), "DELETE", "/jobs/report", "", "Idempotency-Key", "k")
	if len(l.reuses) > 0 {
		t.Errorf("keys %v are used", l.reuses)
	}
}

// What was lost between the commit and the answer is not done again, and told.
func TestOnceWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{}
	server := ledgered(t, &fake{}, l)
	with(t, server, "POST", "/jobs/report/trigger", "{}", "Idempotency-Key", "k")
	r := l.reuses["system k"]
	r.Reply = ""
	l.reuses["system k"] = r
	f := &fake{}
	response, text := with(t, ledgered(t, f, l), "POST", "/jobs/report/trigger", "{}", "Idempotency-Key", "k")
	p := wantProblem(t, response, text)
	if response.StatusCode != http.StatusConflict || !strings.Contains(p.Detail, "was lost") || !strings.Contains(p.Hint, "line 42 of the audit") {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
	if strings.Contains(f.called(), "trigger") {
		t.Error("it was done again")
	}
}

// A secret that is shown once is not kept for those who ask again.
func TestOnceKeepsNoSecret(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{}
	server := ledgered(t, &fake{}, l)
	response, text := with(t, server, "POST", "/groups/g/tokens", `{"label":"ci"}`, "Idempotency-Key", "k")
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("status %d, %s", response.StatusCode, text)
	}
	if reply := l.reuses["system k"].Reply; !strings.Contains(reply, "withheld") || strings.Contains(reply, "body") {
		t.Errorf("kept %s", reply)
	}
	response, text = with(t, server, "POST", "/groups/g/tokens", `{"label":"ci"}`, "Idempotency-Key", "k")
	if response.StatusCode != http.StatusConflict || !strings.Contains(text, "shown once") {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
}

// Of requests that come at the same time one is carried out.
func TestOnceAtTheSameTime(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{}
	f := &fake{}
	server := ledgered(t, f, l)
	statuses := make([]int, 20)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() {
			response, _ := with(t, server, "POST", "/jobs/report/trigger", "{}", "Idempotency-Key", "k")
			statuses[i] = response.StatusCode
		})
	}
	all.Wait()
	if done := strings.Count(f.called(), "trigger"); done != 1 {
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
	l := &fakeLedger{versions: map[string]string{"job report": "v1", "calendar works": "c1"}}
	server := ledgered(t, &fake{}, l)
	response, body := with(t, server, "GET", "/jobs/report", "")
	tag := response.Header.Get("ETag")
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(tag, `"v1-`) || body == "" {
		t.Fatalf("status %d, tag %s, %s", response.StatusCode, tag, body)
	}
	for _, has := range []string{tag, `"other", W/` + tag, "*"} {
		response, body := with(t, server, "GET", "/jobs/report", "", "If-None-Match", has)
		if response.StatusCode != http.StatusNotModified || body != "" || response.Header.Get("ETag") != tag {
			t.Errorf("%s: status %d, %s", has, response.StatusCode, body)
		}
	}
	if response, _ := with(t, server, "GET", "/jobs/report", "", "If-None-Match", `"v1-"`); response.StatusCode != http.StatusOK {
		t.Errorf("another tag: status %d", response.StatusCode)
	}
	if response, _ := with(t, server, "GET", "/calendars/works", ""); !strings.HasPrefix(response.Header.Get("ETag"), `"c1-`) {
		t.Errorf("a calendar has the tag %s", response.Header.Get("ETag"))
	}
	if response, _ := with(t, server, "GET", "/jobs", ""); response.Header.Get("ETag") != "" {
		t.Error("a list has a tag")
	}
	missing := ledgered(t, &fake{err: job.Errorf(job.NotFound, "no")}, l)
	if response, _ := with(t, missing, "GET", "/jobs/report", "", "If-None-Match", "*"); response.StatusCode != http.StatusNotFound || response.Header.Get("ETag") != "" {
		t.Errorf("what is not there: status %d", response.StatusCode)
	}
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{versions: map[string]string{"job report": "v1"}}
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
		f, name := &fake{}, fmt.Sprintf("%s %s %s", c.method, c.path, c.match)
		l.intents = nil
		response, text := with(t, ledgered(t, f, l), c.method, c.path, "", "If-Match", c.match)
		if response.StatusCode != c.status {
			t.Errorf("%s: status %d, %s", name, response.StatusCode, text)
		}
		if c.status < 300 {
			if diff := cmp.Diff(c.expects, l.last().Match); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			continue
		}
		p := wantProblem(t, response, text)
		if c.status == 412 && (p.Code != job.Conflict || p.Hint == "") || c.status == 422 && p.Field != "If-Match" {
			t.Errorf("%s: %s", name, text)
		}
		if calls := f.called(); strings.Contains(calls, "delete") || strings.Contains(calls, "start") {
			t.Errorf("%s has reached %s", name, calls)
		}
	}
}

// Where a pause is to be stands in the body, and its key in the path: the stored one is
// what must be as it was expected.
func TestIfMatchOfPause(t *testing.T) {
	t.Parallel()
	l := &fakeLedger{versions: map[string]string{"pause nights": "p1"}}
	for match, status := range map[string]int{`"p1-12"`: 200, `*`: 200, `"p0-12"`: 412} {
		l.intents = nil
		response, text := with(t, ledgered(t, &fake{}, l), "PUT", "/pauses/nights", `{"namespace":"team"}`, "If-Match", match)
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
	l := &fakeLedger{versions: map[string]string{"job report": "v1"}}
	f := &fake{err: fmt.Errorf("delete it: %w", &intent.MismatchError{Object: intent.Object{Kind: "job", Key: "report"}})}
	response, text := with(t, ledgered(t, f, l), "DELETE", "/jobs/report", "", "If-Match", `"v1-1"`)
	if p := wantProblem(t, response, text); response.StatusCode != http.StatusPreconditionFailed || p.Code != job.Conflict || !strings.Contains(p.Detail, "job report") {
		t.Errorf("status %d, %s", response.StatusCode, text)
	}
}
