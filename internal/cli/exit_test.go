package cli_test

import (
	"strings"
	"testing"
)

// The exit codes that docs/cli.md promises.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line, answer string
		want         int
	}{
		{"job show report", "200 " + report, 0},
		{"job show report", `422 {"code":"invalid","detail":"no"}`, 1},
		{"job show report", `500 {"code":"internal","detail":"no"}`, 1},
		{"job show", "200 " + report, 2},
		{"job show report", `404 {"code":"not_found","detail":"no"}`, 3},
		{"job show report", `401 {"code":"unauthorized","detail":"no"}`, 4},
		{"job show report", `403 {"code":"forbidden","detail":"no"}`, 4},
		{"job show report", `409 {"code":"conflict","detail":"no"}`, 5},
		{"job show report", `409 {"code":"duplicate","detail":"no"}`, 5},
		{"job show report", `503 {"code":"unavailable","detail":"no"}`, 6},
		{"job show report", `429 {"code":"full","detail":"no"}`, 6},
		{"job show report --server http://127.0.0.1:1", "", 6},
	} {
		server := newFake(t, map[string][]string{"GET /jobs/report": {c.answer}})
		r := orth(t.Context(), server.env(), strings.Fields(c.line)...)
		if r.code != c.want || c.want != 0 && !strings.HasPrefix(r.stderr, "orth: ") {
			t.Errorf("%s, answered %s: exit code %d, want %d; %s", c.line, c.answer, r.code, c.want, r.stderr)
		}
	}
}
