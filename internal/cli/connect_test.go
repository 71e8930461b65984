package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

const version = `200 {"version":"9.9.9"}`

// TestServerIsFound checks the order flag, environment, note, for the address
// and for the token.
func TestServerIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		args  []string
		env   map[string]string
		note  string // the address in it, when there is one
		token string // what is sent to the right server
	}{
		{name: "note", args: []string{"--data", "DATA"}, note: "RIGHT", token: "from-note"},
		{name: "note with a slash", args: []string{"--data", "DATA"}, note: "RIGHT/", token: "from-note"},
		{name: "data of the environment", env: map[string]string{"ORTH_DATA": "DATA"}, note: "RIGHT", token: "from-note"},
		{name: "data of the flag", args: []string{"--data", "DATA"}, env: map[string]string{"ORTH_DATA": "/nowhere"}, note: "RIGHT", token: "from-note"},
		{name: "environment over note", args: []string{"--data", "DATA"}, env: map[string]string{"ORTH_SERVER": "RIGHT", "ORTH_TOKEN": "from-env"}, note: "WRONG", token: "from-env"},
		{
			name: "flag over environment", args: []string{"--data", "DATA", "--server", "RIGHT", "--token", "from-flag"},
			env: map[string]string{"ORTH_SERVER": "WRONG", "ORTH_TOKEN": "from-env"}, note: "WRONG", token: "from-flag",
		},
		{name: "token file over environment", args: []string{"--server", "RIGHT", "--token-file", "FILE"}, env: map[string]string{"ORTH_TOKEN": "from-env"}, token: "from-file"},
		{name: "token of the environment over note", args: []string{"--data", "DATA"}, env: map[string]string{"ORTH_TOKEN": "from-env"}, note: "RIGHT", token: "from-env"},
		{name: "the same server by flag", args: []string{"--data", "DATA", "--server", "RIGHT/"}, note: "RIGHT", token: "from-note"},
		{name: "the note's token stays here", args: []string{"--data", "DATA", "--server", "RIGHT"}, note: "WRONG", token: ""},
		{name: "no note is needed", args: []string{"--data", "/nowhere", "--server", "RIGHT", "--token", "from-flag"}, token: "from-flag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			right := newFake(t, map[string][]string{"GET /jobs": {`200 {"jobs":[]}`}})
			wrong := newFake(t, nil)
			data := t.TempDir()
			fill := strings.NewReplacer("DATA", data, "RIGHT", right.URL, "WRONG", wrong.URL, "FILE", writeFile(t, t.TempDir(), "t", "from-file\n")).Replace
			if c.note != "" {
				writeFile(t, data, "api.token", "from-note\n")
				writeFile(t, data, "orth.json", `{"address":"`+fill(c.note)+`","token_file":"api.token","pid":1}`)
			}
			args := []string{"job", "list"}
			for _, arg := range c.args {
				args = append(args, fill(arg))
			}
			env := map[string]string{}
			for name, value := range c.env {
				env[name] = fill(value)
			}
			if r := orth(t.Context(), env, args...); r.code != 0 {
				t.Fatalf("exit code %d: %s", r.code, r.stderr)
			}
			want := "Bearer " + c.token
			if c.token == "" {
				want = ""
			}
			if len(right.tokens) != 1 || right.tokens[0] != want || wrong.seen() != "" {
				t.Errorf("the right server got %q, want %q; the wrong one %q", right.tokens, want, wrong.seen())
			}
		})
	}
}

func TestNoServerIsFound(t *testing.T) {
	t.Parallel()
	const away = "http://127.0.0.1:1" // a port that nobody is given
	broken, stale, gone := t.TempDir(), t.TempDir(), t.TempDir()
	writeFile(t, broken, "orth.json", `{`)
	writeFile(t, stale, "orth.json", `{"address":"`+away+`"}`)
	writeFile(t, gone, "orth.json", `{"address":"`+away+`","token_file":"gone"}`)
	for _, c := range []struct {
		name, args string
		code       int
		want       []string // parts of the message
	}{
		{"nothing named", "job list", 6, []string{"no server is set", "orth dev", "--server"}},
		{"no server on the data folder", "job list --data " + filepath.Join(broken, "none"), 6, []string{"no server runs on the data folder", "orth server --data"}},
		{"a broken note", "job list --data " + broken, 1, []string{"orth.json contains no server address", "--server"}},
		{"a server that is away", "job list --data " + stale, 6, []string{"no Orth server answers at " + away, "start one with 'orth dev' or 'orth server'", "--server"}},
		{"the same for runs", "run show 5 --server " + away, 6, []string{"no Orth server answers at " + away}},
		{"the token is gone", "job list --data " + gone, 1, []string{"read the token file", "gone"}},
		{"no token file", "job list --server " + away + " --token-file " + filepath.Join(gone, "x"), 1, []string{"read the token file"}},
		{"an odd address", "job list --server localhost:80", 2, []string{"--server: ", "write it such as http://"}},
	} {
		r := orth(t.Context(), nil, strings.Split(c.args, " ")...)
		if r.code != c.code || r.stdout != "" {
			t.Errorf("%s: exit code %d, standard output %q", c.name, r.code, r.stdout)
		}
		for _, want := range c.want {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("%s: %q is missing in: %s", c.name, want, r.stderr)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	server := newFake(t, map[string][]string{"GET /version": {version}})
	for _, c := range []struct {
		name string
		env  map[string]string
		args []string
		want []string
	}{
		{"no server", nil, []string{"version"}, []string{"orth 1.2.3 (go"}},
		{"as a flag", nil, []string{"--version"}, []string{"orth version 1.2.3\n"}},
		{"a server", server.env(), []string{"version"}, []string{"orth 1.2.3 (go", "server 9.9.9 at " + server.URL}},
		{"a server as JSON", server.env(), []string{"version", "-o", "json"}, []string{`"version": "9.9.9"`, `"address": "` + server.URL}},
		{"a server that is away", map[string]string{"ORTH_SERVER": "http://127.0.0.1:1"}, []string{"version"}, []string{"orth 1.2.3 (go", "server at http://127.0.0.1:1: no Orth server answers"}},
	} {
		r := orth(t.Context(), c.env, c.args...)
		if r.code != 0 || r.stderr != "" {
			t.Errorf("%s: exit code %d, standard error %s", c.name, r.code, r.stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(r.stdout, want) {
				t.Errorf("%s: %q is missing in: %s", c.name, want, r.stdout)
			}
		}
	}
}
