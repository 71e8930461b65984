package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// answered is a request to a whole server, and what came of it.
type answered struct {
	*http.Response
	body string
}

// askAPI makes a request with the server's own token. headers are names and values in turn.
func askAPI(t *testing.T, s *Server, method, path, body string, headers ...string) answered {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL()+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.config.APIToken.Reveal())
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.Header.Get("Content-Type") == "text/event-stream" {
		begin := make([]byte, 4096) // it has no end
		n, err := response.Body.Read(begin)
		if err != nil {
			t.Fatal(err)
		}
		return answered{response, string(begin[:n])}
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{response, string(text)}
}

// wholeAudit returns the audit of a server and checks that the chain is whole.
func wholeAudit(t *testing.T, s *Server) []audit.Line {
	t.Helper()
	lines, err := s.store.AuditLines(t.Context(), audit.Query{Oldest: true, Limit: audit.MaxPage})
	if err != nil {
		t.Fatal(err)
	}
	check := audit.NewChecker(nil)
	for i := range lines {
		if err := check.Add(&lines[i]); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := check.End(); err != nil {
		t.Error(err)
	}
	return lines
}

const aNewJob = `{"key":"report","group":"g","schedule":{"kind":"manual"},"handler":{"kind":"named","name":"hello"}}`

// Every change that comes in by the API has one line, and nothing else has any.
func TestAuditOfAServer(t *testing.T) {
	t.Parallel()
	s := begin(t)
	for i, c := range []struct {
		method, path, body string
		status             int
		operation, object  string // empty when there is to be no line
		before, after      bool
	}{
		{"POST", "/jobs", aNewJob, 201, "create-job", "job report", false, true},
		{"POST", "/jobs", aNewJob, 409, "", "", false, false},
		{"GET", "/jobs/report", "", 200, "", "", false, false},
		{"PATCH", "/jobs/report", `{"title":"Nightly"}`, 200, "update-job", "job report", true, true},
		{"PATCH", "/jobs/report", `{"title":"Nightly"}`, 200, "", "", false, false},
		{"POST", "/jobs/report/trigger", "{}", 201, "trigger-job", "job report", false, true},
		{"POST", "/jobs/nothing/trigger", "{}", 404, "", "", false, false},
		{"PUT", "/calendars/bank", `{"rules":{}}`, 200, "save-calendar", "calendar bank", false, true},
		{"PUT", "/calendars/bank", `{"title":"Bank","rules":{}}`, 200, "save-calendar", "calendar bank", true, true},
		{"DELETE", "/calendars/bank", "", 204, "delete-calendar", "calendar bank", true, false},
		{"PUT", "/pauses/night", `{}`, 200, "save-pause", "pause night", false, true},
		{"DELETE", "/pauses/night", "", 204, "delete-pause", "pause night", true, false},
		{"POST", "/groups/g/tokens", `{"label":"ci"}`, 201, "add-group-token", "group g", false, true},
		{"POST", "/alarm/silences", `{"comment":"calm","until":"2099-01-01T00:00:00Z"}`, 201, "create-alarm-silence", "silence ", false, true},
		{"DELETE", "/jobs/report", "", 204, "delete-job", "job report", true, false},
	} {
		name := fmt.Sprintf("%d: %s %s", i, c.method, c.path)
		had := len(wholeAudit(t, s))
		r := askAPI(t, s, c.method, c.path, c.body)
		if r.StatusCode != c.status {
			t.Errorf("%s: status %d, %s", name, r.StatusCode, r.body)
			continue
		}
		lines := wholeAudit(t, s)[had:]
		if (len(lines) == 1) != (c.operation != "") || len(lines) > 1 {
			t.Errorf("%s has %d lines", name, len(lines))
			continue
		}
		if c.operation == "" {
			continue
		}
		l := lines[0]
		if l.Operation != c.operation || !strings.HasPrefix(l.Kind+" "+l.Key, c.object) || l.Actor.Name != "system" || l.Address != "127.0.0.1" || l.Namespace == "" && l.Kind != "pause" {
			t.Errorf("%s has the line %+v", name, l)
		}
		if (l.Before != "") != c.before || (l.After != "") != c.after {
			t.Errorf("%s: before %s, after %s", name, l.Before, l.After)
		}
		for _, text := range []string{l.Before, l.After} {
			if text != "" && !json.Valid([]byte(text)) {
				t.Errorf("%s: %s is no JSON", name, text)
			}
		}
	}
	if r := askAPI(t, s, "POST", "/groups/g/tokens", `{"label":"other"}`); r.StatusCode == http.StatusCreated {
		var made struct{ Token string }
		if err := json.Unmarshal([]byte(r.body), &made); err != nil || made.Token == "" {
			t.Fatal(r.body)
		}
		for _, l := range wholeAudit(t, s) {
			if strings.Contains(l.After, made.Token) {
				t.Error("the secret of a token is in the audit")
			}
		}
	}
}

// A dry run answers what would be, and changes nothing at all.
func TestDryRunOfAServer(t *testing.T) {
	t.Parallel()
	s := begin(t)
	if r := askAPI(t, s, "POST", "/jobs", aNewJob); r.StatusCode != http.StatusCreated {
		t.Fatal(r.body)
	}
	other := strings.Replace(aNewJob, "report", "other", 1)
	had := len(wholeAudit(t, s))
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/jobs", other, 200},
		{"POST", "/jobs", aNewJob, 409},
		{"PATCH", "/jobs/report", `{"title":"Nightly"}`, 200},
		{"PATCH", "/jobs/report", `{"title":7}`, 422},
		{"POST", "/jobs/report/trigger", "{}", 200},
		{"PUT", "/calendars/bank", `{"rules":{}}`, 200},
		{"PUT", "/pauses/night", `{}`, 200},
		{"PUT", "/workflows/flow", `{"nodes":[{"name":"a","job":"report"}]}`, 200},
		{"POST", "/alarm/channels", `{"key":"ops","kind":"webhook","secrets":{"url":"https://example.com/"}}`, 200},
		{"POST", "/alarm/silences", `{"comment":"calm","until":"2099-01-01T00:00:00Z"}`, 200},
		{"DELETE", "/jobs/report", "", 200},
		{"DELETE", "/jobs/nothing", "", 404},
	} {
		r := askAPI(t, s, c.method, c.path+"?dry_run=true", c.body)
		if r.StatusCode != c.status || r.StatusCode == http.StatusOK && r.Header.Get("Orth-Dry-Run") != "true" {
			t.Errorf("%s %s: status %d, %s", c.method, c.path, r.StatusCode, r.body)
		}
	}
	for _, path := range []string{"/jobs/other", "/calendars/bank", "/pauses/night", "/workflows/flow", "/alarm/channels/ops"} {
		if r := askAPI(t, s, "GET", path, ""); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d, %s", path, r.StatusCode, r.body)
		}
	}
	for path, want := range map[string]string{"/runs": `{"runs":[]}`, "/alarm/silences": `{"silences":[]}`} {
		if r := askAPI(t, s, "GET", path, ""); strings.TrimSpace(r.body) != want {
			t.Errorf("%s: %s", path, r.body)
		}
	}
	if j := find(t, s.Jobs(), "report"); j.Title != "" || j.Version != 1 {
		t.Errorf("the job is %+v", j)
	}
	if n := len(wholeAudit(t, s)); n != had {
		t.Errorf("dry runs have %d lines", n-had)
	}
}

// A request that is repeated takes effect once.
func TestOnceOfAServer(t *testing.T) {
	t.Parallel()
	s := begin(t)
	if r := askAPI(t, s, "POST", "/jobs", aNewJob); r.StatusCode != http.StatusCreated {
		t.Fatal(r.body)
	}
	first := askAPI(t, s, "POST", "/jobs/report/trigger", "{}", "Idempotency-Key", "k")
	again := askAPI(t, s, "POST", "/jobs/report/trigger", "{}", "Idempotency-Key", "k")
	if first.StatusCode != http.StatusCreated || again.StatusCode != http.StatusCreated || again.body != first.body || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("first %d %s, then %d %s", first.StatusCode, first.body, again.StatusCode, again.body)
	}
	// A job that is started already changes no row, and its key counts all the same.
	for range 2 {
		if r := askAPI(t, s, "POST", "/jobs/report/stop", "", "Idempotency-Key", "stop"); r.StatusCode != http.StatusOK {
			t.Errorf("status %d, %s", r.StatusCode, r.body)
		}
	}
	runs, err := s.store.AuditLines(t.Context(), audit.Query{Operation: "trigger-job"})
	if err != nil || len(runs) != 1 {
		t.Errorf("it was done %d times, %v", len(runs), err)
	}
	r, used, err := s.store.Once(t.Context(), "system", "k")
	if err != nil || !used || r.Line != runs[0].Seq || r.Reply == "" {
		t.Errorf("of the key is known %+v, %v", r, err)
	}
}

// Who has read an object changes it only while nobody else has.
func TestIfMatchOfAServer(t *testing.T) {
	t.Parallel()
	s := begin(t)
	if r := askAPI(t, s, "POST", "/jobs", aNewJob); r.StatusCode != http.StatusCreated {
		t.Fatal(r.body)
	}
	if r := askAPI(t, s, "PUT", "/calendars/bank", `{"rules":{}}`); r.StatusCode != http.StatusOK {
		t.Fatal(r.body)
	}
	for path, change := range map[string][2]string{
		"/jobs/report":    {"PATCH", `{"title":"%d"}`},
		"/calendars/bank": {"PUT", `{"title":"%d","rules":{}}`},
	} {
		tag := askAPI(t, s, "GET", path, "").Header.Get("ETag")
		if tag == "" {
			t.Errorf("%s has no tag", path)
			continue
		}
		if r := askAPI(t, s, "GET", path, "", "If-None-Match", tag); r.StatusCode != http.StatusNotModified || r.body != "" {
			t.Errorf("%s: status %d, %s", path, r.StatusCode, r.body)
		}
		for i, want := range []int{200, 412} {
			if r := askAPI(t, s, change[0], path, fmt.Sprintf(change[1], i), "If-Match", tag); r.StatusCode != want {
				t.Errorf("%s, change %d: status %d, %s", path, i, r.StatusCode, r.body)
			}
		}
		if r := askAPI(t, s, "GET", path, "", "If-None-Match", tag); r.StatusCode != http.StatusOK || r.Header.Get("ETag") == tag {
			t.Errorf("%s, changed: status %d, tag %s", path, r.StatusCode, r.Header.Get("ETag"))
		}
		if r := askAPI(t, s, "DELETE", path, "", "If-Match", "*"); r.StatusCode != http.StatusNoContent {
			t.Errorf("%s: status %d, %s", path, r.StatusCode, r.body)
		}
	}
}

// forgetful counts how often it is told to forget.
type forgetful struct{ times []time.Time }

func (*forgetful) Version(context.Context, intent.Object) (string, error) { return "", nil }
func (*forgetful) Once(context.Context, string, string) (intent.Reuse, bool, error) {
	return intent.Reuse{}, false, nil
}
func (*forgetful) SetReply(context.Context, string, string, string) error { return nil }
func (f *forgetful) DropOnce(_ context.Context, now time.Time) error {
	f.times = append(f.times, now)
	return job.Errorf(job.Unavailable, "not now")
}

func TestForgetting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f forgetful
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
		defer cancel()
		if err := forgetting(&f, slog.New(slog.DiscardHandler))(ctx); err != nil {
			t.Error(err)
		}
		if len(f.times) != 3 {
			t.Errorf("it forgot at %v", f.times)
		}
	})
}
