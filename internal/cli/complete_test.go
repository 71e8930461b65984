package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

// completed returns what a shell would be offered.
func completed(t *testing.T, env map[string]string, args ...string) []string {
	t.Helper()
	r := orth(t.Context(), env, append([]string{"__complete"}, args...)...)
	if r.code != 0 {
		t.Errorf("%v: exit code %d, %s", args, r.code, r.stderr)
	}
	var found []string
	for line := range strings.Lines(r.stdout) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); word != "" && !strings.HasPrefix(word, ":") {
			found = append(found, word)
		}
	}
	return found
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	server := newFake(t, map[string][]string{
		"GET /jobs": {`200 {"jobs":[` + byHand + `,` + ping + `,` + report + `]}`}, "GET /runs": {`200 {"runs":[` + failed + `]}`},
		"GET /groups/ops/handlers": {`200 {"executors":2,"silent":0,"handlers":[{"kind":"shell","executors":2},{"kind":"named","name":"pay","executors":2},{"kind":"named","name":"report","executors":1}]}`},
		"GET /namespaces":          {`200 {"namespaces":[{"name":"default"},{"name":"team-b"}]}`},
	})
	home := t.TempDir()
	env := server.env()
	env["ORTH_CONFIG"] = writeFile(t, home, "config.yaml", "contexts:\n- {name: prod, server: 'http://a', namespace: team}\n- {name: test, server: 'http://b'}\n")
	for _, c := range []struct {
		line string // "_" is an empty word
		want string
	}{
		{"job show _", "by-hand ping report"},
		{"job show re", "report"},
		{"job show report _", ""},
		{"job trigger p", "ping"},
		{"run show _", runID},
		{"run prune r", "report"},
		{"explain job b", "by-hand"},
		{"run list --job p", "ping"},
		{"job list --group _", "ops reports"},
		{"executors add o", "ops"},
		{"job create new --group ops --handler _", "pay report"},
		{"job create new --group ops --handler re", "report"},
		{"job list -o _", "json name table wide yaml"},
		{"run list --state wait", "waiting-retry"},
		{"run list --state failed,lo", "failed,lost"},
		{"job list --columns s", "SCHEDULE STATE"},
		{"job list --columns key,st", "KEY,STATE"},
		{"job list --context _", "prod test"},
		{"job list --namespace _", "default team team-b"},
		{"group edit ops --move-to _", "default team team-b"},
		{"context use t", "test"},
		{"job bulk en", "enable"},
		{"job bulk disable report _", "by-hand ping"},
		{"context rename prod _", ""},
	} {
		args := strings.Fields(c.line)
		for i := range args {
			args[i] = strings.Replace(args[i], "_", "", 1)
		}
		got := completed(t, env, args...)
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s is completed with %v, want %s", c.line, got, c.want)
		}
	}
}

// Nothing is said where the server does not respond.
func TestCompletionIsSilent(t *testing.T) {
	t.Parallel()
	env := map[string]string{"ORTH_SERVER": "http://127.0.0.1:1", "ORTH_TOKEN": token}
	if got := completed(t, env, "job", "show", ""); len(got) > 0 {
		t.Errorf("offered %v", got)
	}
	if got := completed(t, nil, "job", "show", ""); len(got) > 0 {
		t.Errorf("offered %v", got)
	}
}

// A shell does not wait for a server that says nothing.
func TestCompletionIsSoon(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(server.Close)
	env := map[string]string{"ORTH_SERVER": server.URL, "ORTH_TOKEN": token}
	var out bytes.Buffer
	code := cli.Execute(t.Context(), []string{"__complete", "job", "show", ""}, kit.Config{
		Stdout: &out, Stderr: io.Discard, Stdin: strings.NewReader(""), Getenv: func(name string) string { return env[name] }, Complete: 200 * time.Millisecond,
	})
	if code != 0 || strings.TrimSpace(out.String()) != ":4" { // no words, and none of files
		t.Errorf("exit code %d, %q", code, out.String())
	}
}

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := orth(t.Context(), nil, "completion", shell); r.code != 0 || !strings.Contains(r.stdout, "__complete") {
			t.Errorf("%s: exit code %d, %s", shell, r.code, r.stderr)
		}
	}
}
