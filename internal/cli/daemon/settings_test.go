package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
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
	cmd := NewServer("test")
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

// A value that a setting does not take is told with its place and with what would be fit.
func TestUnfitSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"keep-runs-for: 3x\n":     `keep-runs-for: "3x" is not a duration such as 500ms, 30s or 1h30m`,
		"keep-runs-for: 3\n":      `keep-runs-for: "3" is not a duration such as 500ms, 30s or 1h30m`,
		"per-group: many\n":       `per-group: "many" is not an integer`,
		"console: perhaps\n":      `console: "perhaps" must be true or false`,
		"trace-ratio: [1, 2]\n":   `trace-ratio: "[1 2]" is not a number`,
		"lissten: 127.0.0.1:1\n":  `"lissten" is not a setting`,
		"trace-ratio: 0.05\n":     "",
		"keep-runs-for: 720h\n":   "",
		"console: false\n":        "",
		"per-group:\nlog-mask:\n": "",
	} {
		path := filepath.Join(t.TempDir(), "server.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := NewServer("test")
		if err := cmd.ParseFlags([]string{"--config", path}); err != nil {
			t.Fatal(err)
		}
		_, err := loadSettings(cmd, new(serverSettings))
		wrong, told := errors.AsType[*job.Error](err)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (!told || wrong.Kind != job.Invalid || wrong.Field != path || wrong.Message != want):
			t.Errorf("%s: %v", text, err)
		case told && strings.HasPrefix(text, "lissten") && wrong.Hint != `did you mean "listen"?`:
			t.Errorf("%s: the hint is %q", text, wrong.Hint)
		}
	}
}

// The environment is told by the name of its variable; a flag that is given counts
// before it.
func TestUnfitEnvironment(t *testing.T) {
	t.Setenv("ORTH_DRAIN_TIMEOUT", "soon")
	cmd := NewServer("test")
	_, err := loadSettings(cmd, new(serverSettings))
	if want := `ORTH_DRAIN_TIMEOUT: "soon" is not a duration such as 500ms, 30s or 1h30m`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := cmd.ParseFlags([]string{"--drain-timeout", "7s"}); err != nil {
		t.Fatal(err)
	}
	var s serverSettings
	if _, err := loadSettings(cmd, &s); err != nil || s.DrainFor.Seconds() != 7 {
		t.Errorf("got %v, %v", s.DrainFor, err)
	}
}
