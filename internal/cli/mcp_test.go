package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

// assistant is what the program of an assistant says: who it is, and two calls.
const assistant = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_job","arguments":{"key":"report"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"stop_job","arguments":{"key":"report"}}}
`

// mcp runs 'orth mcp' for an assistant that says that.
func mcp(t *testing.T, env map[string]string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Execute(t.Context(), append([]string{"mcp"}, args...), kit.Config{
		Stdout: &out, Stderr: &errs, Stdin: strings.NewReader(assistant), Version: "1.2.3",
		Getenv: func(name string) string { return env[name] },
	})
	return result{code, out.String(), errs.String()}
}

// said returns the answers by the ids of their questions. What is no message of the
// protocol has no place on standard output.
func said(t *testing.T, stdout string) map[int]string {
	t.Helper()
	answers := map[int]string{}
	for line := range strings.Lines(stdout) {
		var message struct {
			JSONRPC string
			ID      int
			Result  json.RawMessage
			Error   json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil || message.JSONRPC != "2.0" {
			t.Fatalf("standard output has %q", line)
		}
		answers[message.ID] = string(message.Result) + string(message.Error)
	}
	return answers
}

func described(t *testing.T) *fake {
	t.Helper()
	document, err := os.ReadFile(filepath.Join("..", "rest", "testdata", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	return newFake(t, map[string][]string{
		"GET /openapi.json":      {"200 " + string(document)},
		"GET /jobs/report":       {"200 " + report},
		"POST /jobs/report/stop": {"200 " + report},
	})
}

func TestMCP(t *testing.T) {
	t.Parallel()
	server := described(t)
	env := map[string]string{"ORTH_SERVER": server.URL, "ORTH_TOKEN": token, "ORTH_NAMESPACE": "team-a"}
	r := mcp(t, env)
	answers := said(t, r.stdout)
	if r.code != 0 || r.stderr != "" || !strings.Contains(answers[1], `"version":"1.2.3"`) ||
		!strings.Contains(answers[2], `\"key\":\"report\"`) || !strings.Contains(answers[3], `unknown tool`) {
		t.Errorf("exit code %d, standard error %s, answers %v", r.code, r.stderr, answers)
	}
	if seen := server.seen(); strings.Contains(seen, "POST") || !strings.Contains(seen, "GET /api/v1/jobs/report?namespace=team-a") {
		t.Errorf("asked %s", seen)
	}
	for i, sent := range server.tokens {
		if sent != "Bearer "+token {
			t.Errorf("request %d showed %q", i, sent)
		}
	}

	r = mcp(t, env, "--allow-writes", "--namespace", "b")
	if answers = said(t, r.stdout); r.code != 0 || strings.Contains(answers[3], "isError\":true") || !strings.Contains(r.stderr, "stop_job") {
		t.Errorf("exit code %d, standard error %s, answers %v", r.code, r.stderr, answers)
	}
	if seen := server.seen(); !strings.Contains(seen, "POST /api/v1/jobs/report/stop?namespace=b") {
		t.Errorf("asked %s", seen)
	}
}

func TestMCPWithoutServer(t *testing.T) {
	t.Parallel()
	if r := mcp(t, nil, "--server", "http://127.0.0.1:1"); r.code != 6 || r.stdout != "" || !strings.Contains(r.stderr, "no Orth server answers") {
		t.Errorf("%+v", r)
	}
	if r := mcp(t, nil, "--server", "here"); r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, "is no URL of a server") {
		t.Errorf("%+v", r)
	}
	if r := mcp(t, nil, "now"); r.code != 2 || r.stdout != "" {
		t.Errorf("%+v", r)
	}
}
