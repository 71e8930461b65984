package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server does not start with a place for logs that cannot be, nor with a mask that
// hides nothing or all, and says which setting is wrong without its secret.
func TestLogStoreRefusals(t *testing.T) {
	t.Parallel()
	const url = "http://127.0.0.1:1/bucket/logs"
	for _, c := range []struct {
		name string
		args []string
		file string // what stands in the file of --config
		want []string
	}{
		{"an unknown store", []string{"--log-store", "tape"}, "", []string{"log-store", `"tape" is unknown`, "folder, database or s3"}},
		{"no bucket", []string{"--log-store", "s3"}, "", []string{"log-s3-url", "https://host[:port]/bucket/prefix"}},
		{"no place", []string{"--log-store", "s3", "--log-s3-url", "s3://bucket"}, "", []string{"log-s3-url", "is not the place of a bucket"}},
		{"a password in the URL", []string{"--log-store", "s3", "--log-s3-url", "https://me:hunter2@host/bucket"}, "", []string{"log-s3-url", "--log-s3-secret-key-file"}},
		{"a bucket for a folder", []string{"--log-s3-url", url}, "", []string{"log-store", "is folder, and there are settings for s3"}},
		{"a folder for the database", []string{"--log-store", "database", "--log-folder", "x"}, "", []string{"log-folder", "log-store is database"}},
		{"half a key", []string{"--log-store", "s3", "--log-s3-url", url, "--log-s3-access-key", "me"}, "", []string{"belong together"}},
		{"the other half", []string{"--log-store", "s3", "--log-s3-url", url, "--log-s3-secret-key", "hunter2"}, "", []string{"belong together"}},
		{"no file", []string{"--log-s3-secret-key-file", "/no/such/file"}, "", []string{"--log-s3-secret-key-file", "/no/such/file"}},
		{"authorities without encryption", []string{"--log-store", "s3", "--log-s3-url", url, "--log-s3-ca", "x"}, "", []string{"not encrypted"}},
		{"a wrong mask", []string{"--log-mask", "a,b", "--log-mask", "("}, "", []string{"log-mask", `"("`, "no regular expression"}},
		{"a mask for all", []string{"--log-mask", ".*"}, "", []string{"log-mask", "all would be secret"}},
		{"in a file", nil, "log-store: s3\nlog-s3-url: https://host\n", []string{"names no bucket"}},
		{"masks in a file", nil, "log-mask: ['a{2,3}', '[']\n", []string{"log-mask", `"["`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"server", "--listen", "127.0.0.1:0", "--data", t.TempDir()}, c.args...)
			if c.file != "" {
				path := filepath.Join(t.TempDir(), "server.yaml")
				if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
				args = append(args, "--config", path)
			}
			code, said := run(t, args...)
			if code == 0 {
				t.Error("the server has started")
			}
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("it says %q, without %q", said, want)
				}
			}
			if strings.Contains(said, "hunter2") {
				t.Errorf("it shows a secret: %q", said)
			}
		})
	}
}
