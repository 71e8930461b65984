package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
)

// A setting comes from the first that gives it: flag, environment, file; and it is told
// which one that was.
func TestSettingsHaveSources(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.yaml")
	if err := os.WriteFile(path, []byte("data: from-file\nlisten: 127.0.0.1:1\nlease-ttl: 7s\nallow-host: [a, b]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ORTH_DATA", "from-environment")
	t.Setenv("ORTH_LISTEN", "127.0.0.1:2")
	t.Setenv("ORTH_ALLOW_PLAIN_SIGN_IN", "true")
	t.Setenv("ORTH_NO_SUCH_SETTING", "x")
	cmd := newServer("test")
	if err := cmd.ParseFlags([]string{"--config", path, "--data", "from-flag", "--per-group=0"}); err != nil {
		t.Fatal(err)
	}
	var s serverSettings
	from, err := loadSettings(cmd, &s)
	if err != nil || s.Data != "from-flag" || s.Listen != "127.0.0.1:2" || s.LeaseTTL.Seconds() != 7 || from.file != path {
		t.Fatalf("got %+v from %+v, %v", s, from, err)
	}
	want := map[string]api.Source{
		"data": api.FromFlag, "per-group": api.FromFlag, "listen": api.FromEnvironment, "allow-plain-sign-in": api.FromEnvironment,
		"lease-ttl": api.FromFile, "allow-host": api.FromFile,
	}
	if diff := cmp.Diff(want, from.of); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
