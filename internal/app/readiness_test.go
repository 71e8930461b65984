package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

func TestReasons(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	well := func() *readiness {
		r := new(readiness)
		r.turned.Store(now.Add(-time.Second).UnixNano())
		return r
	}
	for _, test := range []struct {
		want    string
		change  func(r *readiness)
		written time.Time
	}{
		{"", func(*readiness) {}, now},
		{"", func(r *readiness) { r.committed(job.Errorf(job.Conflict, "taken")) }, now},
		{"", func(r *readiness) { r.committed(job.Errorf(job.Unavailable, "full")); r.committed(nil) }, time.Time{}},
		{"starting", func(r *readiness) { r.turned.Store(0) }, now},
		{"database", func(r *readiness) { r.committed(job.Errorf(job.Unavailable, "full")) }, now},
		{"planner", func(r *readiness) { r.turned.Store(now.Add(-time.Minute).UnixNano()) }, now},
		{"clock", func(*readiness) {}, now.Add(time.Hour)},
		{"stopping", func(r *readiness) { r.stopping.Store(true) }, now},
		{"stopping database", func(r *readiness) { r.stopping.Store(true); r.refused.Store(true) }, now},
	} {
		r := well()
		test.change(r)
		var codes []string
		for _, reason := range r.reasons(now, test.written) {
			codes = append(codes, reason.Code)
			if reason.Detail == "" {
				t.Errorf("%s is not said in words", reason.Code)
			}
		}
		if got := strings.Join(codes, " "); got != test.want {
			t.Errorf("the reasons are %q, want %q", got, test.want)
		}
	}
	r := new(readiness)
	r.planned(job.Errorf(job.Unavailable, "no disk"))
	if r.turned.Load() != 0 {
		t.Error("a look that failed counts as one")
	}
}

// TestProbes: strangers hear whether the server works, and those with the token why it
// does not.
func TestProbes(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", MetricsListen: "127.0.0.1:0"})
	until(t, "the server is ready", func() bool { status, _ := ask(t, s, "/readyz", "", ""); return status == http.StatusOK })
	token := s.config.APIToken.Reveal()
	for _, test := range []struct {
		path, token string
		status      int
		text        string
	}{
		{"/healthz", "", 200, "ok"},
		{"/readyz", "", 200, "ok\n"},
		{"/readyz", token, 200, `{"ready":true,"reasons":[]}`},
		{"/readyz", "wrong", 401, "token"},
		{"/metrics", "", 401, "token"},
		{"/metrics", "wrong", 401, "token"},
		{"/api/v1/debug/pprof/heap", "", 401, "token"},
		{"/api/v1/debug/pprof/heap", token, 409, "--pprof"},
	} {
		status, text := ask(t, s, test.path, test.token, "")
		if status != test.status || !strings.Contains(text, test.text) {
			t.Errorf("%s with %d characters of a token: %d %s", test.path, len(test.token), status, text)
		}
	}
	s.ready.stopping.Store(true) // no loop takes it back
	if status, text := ask(t, s, "/readyz", "", ""); status != http.StatusServiceUnavailable || text != "not ready\n" {
		t.Errorf("a stranger hears %d %q", status, text)
	}
	status, text := ask(t, s, "/readyz", token, "")
	var got api.Readiness
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusServiceUnavailable || got.Ready || got.Reasons[0].Code != "stopping" {
		t.Errorf("an operator hears %d %s, %v", status, text, err)
	}
	if !strings.Contains(scrape(t, s, ""), "\north_ready 0\n") {
		t.Error("the figures say that the server is ready")
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.MetricsAddress()+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("the second listener: %v %v", response, err)
	}
	_ = response.Body.Close()
}

// TestProfiles: those who may do everything take profiles when that is allowed.
func TestProfiles(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", Profiles: true})
	token := s.config.APIToken.Reveal()
	for path, want := range map[string]int{
		"heap": 200, "goroutine?debug=1": 200, "profile?seconds=1": 200, "cmdline": 422, "profile?seconds=3600": 422,
	} {
		status, text := ask(t, s, "/api/v1/debug/pprof/"+path, token, "")
		if status != want || len(text) == 0 {
			t.Errorf("%s: %d with %d bytes", path, status, len(text))
		}
	}
	if status, _ := ask(t, s, "/api/v1/debug/pprof/heap", "", ""); status != http.StatusUnauthorized {
		t.Errorf("a stranger gets %d", status)
	}
}
