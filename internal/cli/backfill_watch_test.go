package cli_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestBackfillInterrupted leaves the backfill running and says how to go on.
func TestBackfillInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	looks, cancels := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/cancel"):
			cancels++
		case r.Method == http.MethodGet:
			if looks++; looks == 2 {
				interrupt()
			}
		}
		_, _ = io.WriteString(w, begun)
	}))
	defer server.Close()
	env := map[string]string{"ORTH_SERVER": server.URL, "ORTH_TOKEN": token}
	r := orth(ctx, env, "job", "backfill", "report", "--yes", "--from", "2030-01-01T00:00:00Z", "--to", "2030-01-04T00:00:00Z")
	if r.code != 130 || cancels > 0 || looks < 2 {
		t.Errorf("exit code %d after %d looks, cancelled %d times", r.code, looks, cancels)
	}
	for _, want := range []string{"Backfill 12 continues", "'orth backfill show 12'", "'orth backfill cancel 12'", "interrupted"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("%q is missing in %s", want, r.stderr)
		}
	}
}
