package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

// run runs a command line as the program does, and returns its exit code and what
// it said.
func run(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var said strings.Builder
	code := cli.Execute(t.Context(), args, kit.Config{
		Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said, Getenv: func(string) string { return "" }, Version: "1.2.3",
	})
	return code, said.String()
}

// Neither side starts with a secret that everybody knows, wherever it stands, nor
// admits one that nobody does.
func TestStartRefusals(t *testing.T) {
	t.Parallel()
	const good = "a-token-of-more-than-16"
	server := []string{"server", "--listen", "127.0.0.1:0"}
	executor := []string{"executor", "--group", "g", "--listen", "127.0.0.1:0"}
	for _, c := range []struct {
		name    string
		command []string
		args    []string // FILE stands for a file with the content
		file    string   // its name in the data folder; "other" for one beside it
		content string
		want    []string
	}{
		{"the default of XXL-JOB", server, []string{"--executor-token", "default_token"}, "", "", []string{"executor-token", "well-known", "--admit-default-token"}},
		{"the default of the fork", server, []string{"--executor-token", "Orth-Secret-Token"}, "", "", []string{"well-known"}},
		{"in a file", server, []string{"--executor-token-file", "FILE"}, "other", "xxl-job\n", []string{"executor-token", "well-known"}},
		{"in the data folder", server, nil, "executor.token", "default_token\n", []string{"executor-token", "well-known"}},
		{"of the API", server, nil, "api.token", "admin\n", []string{"api-token", "well-known"}},
		{"of the API, in a file", server, []string{"--api-token-file", "FILE"}, "other", "123456\n", []string{"api-token", "well-known"}},
		{"admitted, and the server's own", server, []string{"--executor-token", "default_token", "--admit-default-token", "default_token"}, "", "", []string{"executor-token", "well-known"}},
		{"no key", server, []string{"--executor-token", "short-one"}, "", "", []string{"executor-token", "begins with orths_", "--admit-shared-token-file"}},
		{"a short one beyond loopback", server, []string{"--listen", "0.0.0.0:0", "--admit-shared-token", "short-one"}, "", "", []string{"at least 16"}},
		{"one of one letter beyond loopback", server, []string{"--listen", "0.0.0.0:0", "--admit-shared-token", "eeeeeeeeeeeeeeeeeeee"}, "", "", []string{"hard to guess"}},
		{"shared, and well-known", server, []string{"--admit-shared-token-file", "FILE"}, "other", "default_token\n", []string{"admit-shared-token", "well-known", "--admit-default-token"}},
		{"admit what nobody knows", server, []string{"--admit-default-token", "ours-alone"}, "", "", []string{"admit-default-token", "well-known tokens only", "orth group token add GROUP --stdin"}},
		{"admit an empty one", server, []string{"--admit-default-token", "default_token,"}, "", "", []string{"well-known tokens only"}},
		{"admit too many", server, []string{"--admit-default-token", "default_token,xxl-job,orth,test", "--admit-default-token", "none"}, "", "", []string{"names 5 tokens; at most 4"}},
		{"a key that is none", server, nil, "secrets.key", "not a key\n", []string{"secrets.key does not hold a key", "backup"}},
		{"an executor's", executor, []string{"--executor-token", "default_token"}, "", "", []string{"executor-token", "well-known", "--admit-default-token"}},
		{"an executor's, in a file", executor, []string{"--executor-token-file", "FILE"}, "other", "orth-secret-token\n", []string{"executor-token", "well-known"}},
		{"an executor's group", executor, []string{"--executor-token", good, "--group-token", "default_token"}, "", "", []string{"group-token", "well-known"}},
		{"an executor's, of one letter", executor, []string{"--listen", "0.0.0.0:0", "--executor-token", "eeeeeeeeeeeeeeeeeeee"}, "", "", []string{"executor-token", "hard to guess"}},
		{"an executor's group, of one letter", executor, []string{"--listen", "0.0.0.0:0", "--executor-token", good, "--group-token", "eeeeeeeeeeeeeeeeeeee"}, "", "", []string{"group-token", "hard to guess"}},
		{"a server's key as the group's", executor, []string{"--group-token", "orths_" + good}, "", "", []string{"group-token", "executor key of a server"}},
		{"a server's key of one letter", executor, []string{"--executor-token", "orths_eeeeeeeeeeeeeeeeeeeeeeee"}, "", "", []string{"executor-token", "hard to guess"}},
		{"an executor without, beyond loopback", executor, []string{"--listen", "0.0.0.0:0"}, "", "", []string{"executor-token", "beyond loopback"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			path := filepath.Join(data, c.file)
			if c.file == "other" {
				path = filepath.Join(t.TempDir(), c.file)
			}
			if c.file != "" {
				if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := append([]string{}, c.command...)
			for _, arg := range c.args {
				args = append(args, strings.ReplaceAll(arg, "FILE", path))
			}
			code, said := run(t, append(args, "--data", data)...)
			if code != 2 || strings.Contains(said, "answers at") {
				t.Errorf("exit code %d: %s", code, said)
			}
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("said %q, want %q", said, want)
				}
			}
			for _, secret := range append(strings.Fields(c.content), "ours-alone", "short-one", "eeeee") {
				if c.file != "secrets.key" && strings.Contains(said, secret) {
					t.Errorf("%q is said: %s", secret, said)
				}
			}
		})
	}
}
