package cli_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "token-of-the-test"

// fake is a server that gives the answers it is told, in order; the last answer
// of a request is given again and again. What a command only asks for its warnings and
// checks is not among requests and has an answer without being told: a group has
// executors of which nobody knows the handlers, and a dry run is fine.
type fake struct {
	*httptest.Server
	answers map[string][]string // "METHOD /path" under /api/v1, "DRY METHOD /path" for dry runs → "STATUS body"

	mu       sync.Mutex
	requests []string // with query and body
	tokens   []string
}

// tries is how often a command asks a server that is away before it says so.
const tries = 4

func newFake(t *testing.T, answers map[string][]string) *fake {
	t.Helper()
	f := &fake{answers: maps.Clone(answers)} // tests may share them
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	if f.aside(w, r) {
		return
	}
	f.requests = append(f.requests, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	f.tokens = append(f.tokens, r.Header.Get("Authorization"))
	name := r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v1")
	left := f.answers[name]
	if len(left) == 0 {
		left = []string{`404 {"code":"not_found","detail":"there is nothing like it","hint":"look elsewhere"}`}
	}
	if len(left) > 1 {
		f.answers[name] = left[1:]
	}
	reply(w, left[0])
}

// aside answers what is not among requests.
func (f *fake) aside(w http.ResponseWriter, r *http.Request) bool {
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	var told []string
	switch {
	case r.URL.Query().Get("dry_run") == "true" && !strings.HasSuffix(path, "/backfills"):
		told = append(slices.Clone(f.answers["DRY "+r.Method+" "+path]), "200 {}")
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/handlers") && f.answers["GET "+path] == nil:
		told = append(told, `200 {"executors":1,"silent":1,"handlers":[]}`)
	default:
		return false
	}
	reply(w, told[0])
	return true
}

// reply writes an answer.
func reply(w http.ResponseWriter, answer string) {
	status, text, _ := strings.Cut(answer, " ")
	media := "application/json"
	if status >= "4" {
		media = "application/problem+json"
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(map[string]int{"200": 200, "201": 201, "204": 204, "401": 401, "403": 403, "404": 404, "409": 409, "422": 422, "429": 429, "500": 500, "503": 503}[status])
	_, _ = io.WriteString(w, text)
}

func (f *fake) seen() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.requests, "\n")
}

// result is what a command line came to.
type result struct {
	code           int
	stdout, stderr string
}

// orth runs a command line in an environment.
func orth(ctx context.Context, env map[string]string, args ...string) result {
	return orthOn(ctx, 0, env, args...)
}

// orthOn runs a command line on a screen with lines of so many cells; 0 is no screen.
func orthOn(ctx context.Context, screen int, env map[string]string, args ...string) result {
	var out, errs bytes.Buffer
	code := cli.Execute(ctx, args, kit.Config{
		Stdout: &out, Stderr: &errs, Stdin: strings.NewReader("echo from stdin\n"),
		Getenv:   func(name string) string { return env[name] },
		Location: time.FixedZone("CST", 8*3600), Screen: screen, Poll: time.Millisecond, Complete: time.Minute, Version: "1.2.3",
	})
	return result{code, out.String(), errs.String()}
}

// env names the fake server.
func (f *fake) env() map[string]string {
	return map[string]string{"ORTH_SERVER": f.URL, "ORTH_TOKEN": token}
}

// writeFile writes a file in a folder and returns its path.
func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
