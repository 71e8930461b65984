package kit

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/servernote"
)

func TestShellWord(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"report": "report", "http://a:1/b?c": "'http://a:1/b?c'", "": "''", "a b": "'a b'", "$HOME": "'$HOME'", "it's": `"it's"`, "it's $1": `'it'\''s $1'`, "--server": "--server", "tägl": "'tägl'",
	} {
		if got := QuoteWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// TestElsewhere: a command that is printed for later names the server and the namespace
// wherever this one has found them, and never a token.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "the data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, servernote.File), []byte(`{"address":"http://127.0.0.1:1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	contexts := filepath.Join(dir, "contexts.yaml")
	if err := os.WriteFile(contexts, []byte("current: prod\ncontexts:\n  - name: prod\n    server: https://orth.example.com\n    namespace: team-a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		tool Tool
		env  map[string]string
		want string
	}{
		{"flags", Tool{Server: "http://s:1/", Token: "secret", TokenFile: "", Namespace: "b"}, nil, "orth job disable a --namespace b --server http://s:1/"},
		{"more flags", Tool{Server: "http://s:1", TokenFile: data, CA: contexts}, nil, "orth job disable a --server http://s:1 --token-file '" + data + "' --ca " + contexts},
		{"the environment", Tool{}, map[string]string{"ORTH_SERVER": "http://s:2", "ORTH_NAMESPACE": "c", "ORTH_TOKEN": "secret"}, "orth job disable a --namespace c --server http://s:2"},
		{"a context in use", Tool{}, map[string]string{"ORTH_CONFIG": contexts}, "orth job disable a --namespace team-a --context prod"},
		{"a context by name", Tool{Context: "prod"}, map[string]string{"ORTH_CONFIG": contexts}, "orth job disable a --namespace team-a --context prod"},
		{"a data folder", Tool{}, map[string]string{"ORTH_DATA": data}, "orth job disable a --data '" + data + "'"},
		{"a data folder by name", Tool{Data: data}, nil, "orth job disable a --data '" + data + "'"},
	} {
		env := map[string]string{"ORTH_CONFIG": filepath.Join(dir, "none")}
		maps.Copy(env, c.env)
		c.tool.Getenv = func(name string) string { return env[name] }
		got, err := c.tool.CommandLineElsewhere("job", "disable", "a")
		if err != nil || got != c.want || strings.Contains(got, "secret") {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}
