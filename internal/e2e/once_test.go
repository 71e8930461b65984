//go:build unix

package e2e

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// post makes a request with a key, and returns the status and the body; 0 when nothing
// came back.
func (s *site) post(path, key string) (status int, body string) {
	s.t.Helper()
	token, err := os.ReadFile(filepath.Join(s.data(), "api.token"))
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, "http://"+s.server+"/api/v1"+path, strings.NewReader("{}"))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

// TestOnceAcrossAKill kills the server after the commit of what a request asked for,
// and before its answer: who asks again with the same key is told so, and it is not
// done a second time. The audit has one line, and is whole.
func TestOnceAcrossAKill(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := s.startServer("ORTH_FAILPOINTS=rest/carried=kill:2") // the first one is of the creation
	s.orth("job", "create", "report", "--group", s.group, "--manual", "--handler", "hello")
	if status, body := s.post("/jobs/report/trigger", "k"); status != 0 {
		t.Fatalf("status %d, %s", status, body)
	}
	server.killedItself()
	s.startServer()
	status, body := s.post("/jobs/report/trigger", "k")
	if status != http.StatusConflict || !strings.Contains(body, "the answer was lost") || !strings.Contains(body, "line 2 of the audit") {
		t.Errorf("status %d, %s", status, body)
	}
	if n := len(s.runs("report")); n != 1 {
		t.Errorf("there are %d runs", n)
	}
	if lines := strings.Count(s.orth("audit", "list", "--operation", "trigger-job", "--no-headers"), "\n"); lines != 1 {
		t.Errorf("the audit has %d lines", lines)
	}
	if out := s.orth("audit", "verify"); !strings.Contains(out, "2 entries") {
		t.Errorf("a check says %s", out)
	}
	if status, body := s.post("/jobs/report/trigger", "other"); status != http.StatusCreated {
		t.Errorf("another key: status %d, %s", status, body)
	}
}
