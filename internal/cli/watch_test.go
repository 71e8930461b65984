package cli_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// A watch that is piped prints the list, then what is new in it, and a server that is
// away does not end it.
func TestWatchAppends(t *testing.T) {
	t.Parallel()
	list := func(runs ...string) string { return `200 {"runs":[` + strings.Join(runs, ",") + `]}` }
	away := slices.Repeat([]string{`503 {"code":"unavailable","detail":"the database is away"}`}, 2*tries)
	server := newFake(t, map[string][]string{"GET /runs": slices.Concat([]string{list(running), list(running)}, away, []string{list(succeeded), list(succeeded)})})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil && strings.Count(server.seen(), "GET") < 2*tries+5 {
			<-time.After(5 * time.Millisecond)
		}
		cancel()
	}()
	r := orth(ctx, server.env(), "run", "list", "--watch=200ms", "--columns", "JOB,STATE")
	if want := "JOB     STATE\nreport  running\nreport  succeeded\n"; r.code != 0 || r.stdout != want {
		t.Errorf("exit code %d, %q", r.code, r.stdout)
	}
	if r.stderr != "the database is away; retrying\n" {
		t.Errorf("standard error %q", r.stderr)
	}
}

func TestWatchRefuses(t *testing.T) {
	t.Parallel()
	wrong(t, "run list --watch=1ms", "--watch: must be at least 200ms, got 1ms")
	wrong(t, "run list --watch=often", `--watch: "often" is not a duration`)
	server := newFake(t, map[string][]string{"GET /jobs/report": {`404 {"code":"not_found","detail":"there is no job"}`}})
	if r := orth(t.Context(), server.env(), "job", "show", "report", "--watch"); r.code != 3 || !strings.Contains(r.stderr, "there is no job") {
		t.Errorf("exit code %d, %s", r.code, r.stderr)
	}
}
