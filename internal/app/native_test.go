package app

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/orthd/orth/internal/app/executors"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// TestDoorsOfPaths: each protocol's requests come to its door, also behind a path.
func TestDoorsOfPaths(t *testing.T) {
	t.Parallel()
	door := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(name)) })
	}
	f := front{api: door("api"), native: door("native"), wire: door("wire"), secure: func(http.Header, *http.Request) {}, spokenFor: func(r *http.Request) *http.Request { return r }}
	for path, want := range map[string]string{
		"/orth/v1/pull": "native", "/orth/v2/pull": "native", "/some/path/orth/v1/pull": "native", "/api/v1/jobs": "api", "/healthz": "api",
		"/api/registry": "wire", "/orth-admin/api/callback": "wire", "/orth": "wire",
	} {
		recorder := httptest.NewRecorder()
		f.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, path, nil))
		if got := recorder.Body.String(); got != want {
			t.Errorf("%s comes to the door %s, want %s", path, got, want)
		}
	}
}

// TestExecutorsByProtocol: an executor of the native protocol is called in it, and no
// other one is; only the former can be told to drain.
func TestExecutorsByProtocol(t *testing.T) {
	t.Parallel()
	var paths []string // one call after the other
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { paths = append(paths, r.URL.Path) }))
	t.Cleanup(server.Close)
	old := xxl.NewExecutorClient(xxl.ClientConfig{})
	t.Cleanup(old.Close)
	own := native.NewExecutorClient(native.ClientConfig{Peer: func(string) (string, string) { return "", "" }})
	t.Cleanup(own.Close)
	for natively, want := range map[bool][]string{
		false: {"/run", "/beat", "/idleBeat", "/kill", "/log", "/log"},
		true: {
			"/orth/v1/tasks", "/orth/v1/beat", "/orth/v1/busy", "/orth/v1/cancel", "/orth/v1/log", "/orth/v1/attempts", "/orth/v1/attempts", "/orth/v1/drain",
		},
	} {
		e := executors.ByDialect{
			Xxl: old, Native: own, Natively: func(string) bool { return natively }, MayHave: func(string) error { return nil },
			Settled: func(string, []job.Attempt) []bool { return []bool{true} },
		}
		ctx, at := t.Context(), server.URL
		paths = nil
		attempt := job.Attempt{ID: 7, JobID: 3}
		_ = e.Send(ctx, at, job.Task{AttemptID: 7, Handler: job.Handler{Kind: job.HandlerNamed, Name: "x"}})
		_ = e.Beat(ctx, at)
		_, _ = e.Busy(ctx, at, 3)
		_ = e.KillAttempt(ctx, at, 3, 7)
		_, _ = e.LastLine(ctx, at, attempt, 1)
		_, _ = e.Holds(ctx, at, attempt)
		if rid, _ := e.Rid(ctx, at, []job.Attempt{attempt}); !natively && (len(rid) != 1 || !rid[0]) {
			t.Errorf("by beats: %v", rid)
		}
		_, err := e.Drain(ctx, at, true)
		if job.Is(err, job.Conflict) == natively {
			t.Errorf("natively %v: drain: %v", natively, err)
		}
		if len(paths) != len(want) {
			t.Fatalf("natively %v: %q; want %q", natively, paths, want)
		}
		for i := range want {
			if paths[i] != want[i] {
				t.Errorf("natively %v: call %d went to %s; want %s", natively, i, paths[i], want[i])
			}
		}
	}
}

// TestTapsOfStrangers: only executors that are known are told anything.
func TestTapsOfStrangers(t *testing.T) {
	t.Parallel()
	leases := registry.New(registry.Config{})
	if _, err := (executors.Drainer{Leases: leases}).Drain(t.Context(), "g", "http://h/", true); !job.Is(err, job.NotFound) {
		t.Errorf("%v", err)
	}
	speak := &executors.Dialects{Leases: leases}
	if speak.Natively("http://h/") || !speak.Natively("pull://g/5f0c1122334455667788990a") {
		t.Error("an executor that pulls speaks the native protocol, and one that is not known does not")
	}
}
