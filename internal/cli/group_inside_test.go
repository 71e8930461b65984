package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/cli/kit"
)

// A token that is brought along goes to the server and is not printed again; one
// that no request could carry goes nowhere, and no error repeats it.
func TestExistingToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "access-token")
	if err := os.WriteFile(path, []byte("theirs-already\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, stdin string
		args        []string
		sent, want  string
		code        int
	}{
		{"a file", "", []string{"--file", path}, `{"token":"theirs-already"}`, "existing token 7 added to group reports", 0},
		{"standard input", "theirs-already\r\n", []string{"--stdin", "--label", "old"}, `{"label":"old","token":"theirs-already"}`, "existing token 7 added", 0},
		{"nothing", "", []string{"--stdin"}, "", "standard input is empty", 1},
		{"two lines", "theirs-already\nmore\n", []string{"--stdin"}, "", "one line of printable ASCII without blanks", 1},
		{"a large one", strings.Repeat("theirs-already", 10_000), []string{"--stdin"}, "", "larger than 4096 bytes", 1},
		{"another alphabet", "theirs-already-密码", []string{"--stdin"}, "", "printable ASCII", 1},
		{"control characters", "theirs-already\x1b[2J", []string{"--stdin"}, "", "printable ASCII", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sent := ""
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				sent = string(body)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusCreated)
				_, _ = io.WriteString(w, `{"id":"7","created_at":"2030-01-31T01:30:00.000Z","outbound":true,"executors":0}`)
			}))
			defer server.Close()
			var out, errs bytes.Buffer
			args := append([]string{"group", "token", "add", "reports", "--server", server.URL, "--token", "t"}, c.args...)
			code := Execute(t.Context(), args, kit.Config{
				Stdin: strings.NewReader(c.stdin), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }, Version: "1.2.3",
			})
			all := out.String() + errs.String()
			if code != c.code || sent != c.sent || !strings.Contains(all, c.want) || strings.Contains(all, "theirs-already") {
				t.Errorf("code %d, sent %q, printed %q", code, sent, all)
			}
		})
	}
}
