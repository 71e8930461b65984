package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/job"
)

// configOf is what a command line makes of the executor's config.
func configOf(t *testing.T, args ...string) (executor.Config, error) {
	t.Helper()
	cmd := NewExecutor()
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	var s executorSettings
	if _, err := loadSettings(cmd, &s); err != nil {
		return executor.Config{}, err
	}
	return s.config()
}

// written makes a file of the test.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestExecutorFlags: each flag sets its own field of the config and no other.
func TestExecutorFlags(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	type config = executor.Config
	cases := map[string]struct {
		value string
		set   func(c *config)
	}{
		"servers":             {"http://a:1,http://b:2/ctx", func(c *config) { c.Servers = []string{"http://a:1", "http://b:2/ctx"} }},
		"dialect":             {"orth-java", func(c *config) { c.Dialect = "orth-java" }},
		"pull":                {"true", func(c *config) { c.Pull = true }},
		"group":               {"reports", func(c *config) { c.Group = "reports" }},
		"labels":              {"zone=eu,weight=3", func(c *config) { c.Labels = map[string]string{"zone": "eu", "weight": "3"} }},
		"executor-token":      {"abc", func(c *config) { c.Token = "abc" }},
		"executor-token-file": {written(t, "from-a-file-of-its-own\n"), func(c *config) { c.Token = "from-a-file-of-its-own" }},
		"group-token":         {"abc", func(c *config) { c.GroupToken = "abc" }},
		"group-token-file":    {written(t, "of-the-group\n"), func(c *config) { c.GroupToken = "of-the-group" }},
		"admit-default-token": {"true", func(c *config) { c.AdmitDefaultToken = true }},
		"listen":              {"127.0.0.1:7", func(c *config) { c.Listen = "127.0.0.1:7" }},
		"address":             {"http://me:7", func(c *config) { c.Address = "http://me:7" }},
		"data":                {"there", func(c *config) { c.Data = "there" }},
		"drain-timeout":       {"3s", func(c *config) { c.DrainFor = 3 * time.Second }},
		"drain":               {"return", func(c *config) { c.Return = true }},
		"scripts":             {"true", func(c *config) { c.Scripts, c.Programs.JavaScript = true, []string{self, glueCommand} }},
		"interpreters": {"php=/opt/php,python=py3", func(c *config) {
			c.Programs.Interpreters = map[job.HandlerKind]string{job.HandlerPHP: "/opt/php", job.HandlerPython: "py3"}
		}},
		"command-dirs":          {"/srv/a,/srv/b", func(c *config) { c.Programs.CommandDirs = []string{"/srv/a", "/srv/b"} }},
		"command-env":           {"RSYNC_RSH,PGHOST", func(c *config) { c.Programs.CommandEnv = []string{"RSYNC_RSH", "PGHOST"} }},
		"commands":              {"/bin/ls,rsync", func(c *config) { c.Programs.Commands = []string{"/bin/ls", "rsync"} }},
		"keep-env":              {"A,B", func(c *config) { c.Programs.Keep = []string{"A", "B"} }},
		"run-as":                {"nobody", func(c *config) { c.Programs.User = "nobody" }},
		"isolation":             {"group", func(c *config) { c.Programs.Isolation = "group" }},
		"private-temp":          {"true", func(c *config) { c.Programs.PrivateTemp = true }},
		"kill-grace":            {"7s", func(c *config) { c.Programs.Grace = 7 * time.Second }},
		"max-memory":            {"512MiB", func(c *config) { c.Programs.Memory = 512 << 20 }},
		"max-processes":         {"9", func(c *config) { c.Programs.Processes = 9 }},
		"max-cpu":               {"2m", func(c *config) { c.Programs.CPUTime = 2 * time.Minute }},
		"max-files":             {"64", func(c *config) { c.Programs.OpenFiles = 64 }},
		"max-file-size":         {"1GiB", func(c *config) { c.Programs.FileSize = 1 << 30 }},
		"calls":                 {"true", func(c *config) { c.Calls.Enabled = true }},
		"call-hosts":            {"*.example.com,10.0.0.0/8", func(c *config) { c.Calls.Hosts = []string{"*.example.com", "10.0.0.0/8"} }},
		"call-private":          {"true", func(c *config) { c.Calls.Private = true }},
		"call-secrets":          {written(t, "# ours\n\nKEY = a=b \n"), func(c *config) { c.Calls.Secrets = map[string]string{"KEY": "a=b"} }},
		"max-running":           {"5", func(c *config) { c.Running = 5 }},
		"max-waiting":           {"6", func(c *config) { c.Waiting = 6 }},
		"idle-after":            {"8s", func(c *config) { c.IdleAfter = 8 * time.Second }},
		"grace":                 {"11s", func(c *config) { c.Grace = 11 * time.Second }},
		"max-outcomes":          {"12", func(c *config) { c.Outcomes = 12 }},
		"keep-dead-letters-for": {"12h", func(c *config) { c.DeadFor = 12 * time.Hour }},
		"remember-for":          {"13h", func(c *config) { c.RememberFor = 13 * time.Hour }},
		"log-days":              {"-1", func(c *config) { c.LogDays = -1 }},
		"log-size":              {"20GiB", func(c *config) { c.LogBytes = 20 << 30 }},
		"log-run-size":          {"1kB", func(c *config) { c.LogFileBytes = 1000 }},
		"tls-cert":              {"c.pem", func(c *config) { c.TLS.Cert = "c.pem" }},
		"tls-key":               {"k.pem", func(c *config) { c.TLS.Key = "k.pem" }},
		"tls-client-ca":         {"cc.pem", func(c *config) { c.TLS.ClientCA = "cc.pem" }},
		"tls-server-ca":         {"sc.pem", func(c *config) { c.TLS.ServerCA = "sc.pem" }},
		"metrics-listen":        {"127.0.0.1:8", func(*config) {}},
		"otlp-endpoint":         {"http://127.0.0.1:4318", func(*config) {}},
		"config":                {written(t, "{}"), func(*config) {}},
		"log-level":             {"debug", func(*config) {}},
		"log-format":            {"json", func(*config) {}},
	}
	plain, err := configOf(t)
	if err != nil {
		t.Fatal(err)
	}
	NewExecutor().Flags().VisitAll(func(f *pflag.Flag) {
		if _, ok := cases[f.Name]; !ok {
			t.Errorf("the flag --%s has no case", f.Name)
		}
	})
	for flag, c := range cases {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			got, err := configOf(t, "--"+flag+"="+c.value)
			if err != nil {
				t.Fatal(err)
			}
			want := plain
			c.set(&want)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestExecutorDefaults: what the help names as defaults is what the config has,
// and an executor takes it once it has a group.
func TestExecutorDefaults(t *testing.T) {
	t.Parallel()
	c, err := configOf(t, "--group=reports")
	if err != nil {
		t.Fatal(err)
	}
	want := executor.Config{
		Servers: []string{"http://127.0.0.1:8080"}, Dialect: "auto", Group: "reports", Listen: "127.0.0.1:9999", Data: "orth-executor",
		DrainFor: 20 * time.Second, Running: 1000, Waiting: 10_000, IdleAfter: 90 * time.Second, Outcomes: 1_000_000,
		RememberFor: 24 * time.Hour, DeadFor: 30 * 24 * time.Hour, LogDays: 30,
		Programs: executor.Programs{Isolation: "auto", Grace: 5 * time.Second},
	}
	if diff := cmp.Diff(want, c, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if _, err := executor.New(c); err != nil {
		t.Error(err)
	}
}

func TestExecutorWrongSettings(t *testing.T) {
	t.Parallel()
	long := "A=" + strings.Repeat("x", maxSecrets)
	for _, c := range []struct{ name, arg, field, text string }{
		{"no size", "--max-memory=much", "max-memory", `"much" is not a size such as 512MiB`},
		{"an unknown unit", "--max-file-size=5parsecs", "max-file-size", `"5parsecs"`},
		{"a negative size", "--log-size=-5MiB", "log-size", `"-5MiB"`},
		{"a huge size", "--log-run-size=8EiB", "log-run-size", `"8EiB"`},
		{"a drain that is none", "--drain=sometimes", "drain", `must be keep or return, got "sometimes"`},
		{"an interpreter without path", "--interpreters=php", "interpreters", `"php" must have the form kind=path`},
		{"an interpreter with an empty path", "--interpreters=php=", "interpreters", `"php=" must have the form kind=path`},
		{"no file of secrets", "--call-secrets=" + filepath.Join(t.TempDir(), "none"), "call-secrets", "cannot read the file"},
		{"a secret without value", "--call-secrets=" + written(t, "A=1\n# c\nB\n"), "call-secrets", "line 3 of "},
		{"a secret without name", "--call-secrets=" + written(t, "=1\n"), "call-secrets", "line 1 of "},
		{"a secret twice", "--call-secrets=" + written(t, "A=1\nA=2\n"), "call-secrets", "line 2 of "},
		{"a secret twice, first empty", "--call-secrets=" + written(t, "A=\nA=2\n"), "call-secrets", "line 2 of "},
		{"too many secrets", "--call-secrets=" + written(t, long), "call-secrets", "larger than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := configOf(t, c.arg)
			wrong, ok := errors.AsType[*job.Error](err)
			if !ok || wrong.Kind != job.Invalid || wrong.Field != c.field || !strings.Contains(wrong.Message, c.text) {
				t.Errorf("%s: %v; want an Invalid error of %s with %q", c.arg, err, c.field, c.text)
			}
			if ok && strings.Contains(wrong.Error(), "xxx") {
				t.Error("the error shows a secret")
			}
		})
	}
	if _, err := configOf(t, "--group-token-file="+filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "--group-token-file: ") {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := configOf(t, "--executor-token-file="+filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "--executor-token-file: ") {
		t.Errorf("no file of the token: %v", err)
	}
}

// TestExecutorSources: a setting stands in the file, the environment or the
// flags, and the later one wins.
//
//nolint:paralleltest // the environment is the process's
func TestExecutorSources(t *testing.T) {
	file := "--config=" + written(t, "commands: [/bin/a, /bin/b]\nmax-memory: 1MiB\nkill-grace: 2s\nscripts: true\n")
	want := func(name string, commands []string, memory int64, args ...string) {
		t.Helper()
		c, err := configOf(t, args...)
		if err != nil || !slices.Equal(c.Programs.Commands, commands) || c.Programs.Memory != memory {
			t.Errorf("%s: commands %q, memory %d, %v; want %q and %d", name, c.Programs.Commands, c.Programs.Memory, err, commands, memory)
		}
		if len(args) > 0 && (!c.Scripts || c.Programs.Grace != 2*time.Second) {
			t.Errorf("%s: the rest of the file is lost: %+v", name, c.Programs)
		}
	}
	want("the defaults", nil, 0)
	want("the file", []string{"/bin/a", "/bin/b"}, 1<<20, file)
	t.Setenv("ORTH_COMMANDS", "/bin/c,/bin/d")
	t.Setenv("ORTH_MAX_MEMORY", "2MiB")
	want("the environment alone", []string{"/bin/c", "/bin/d"}, 2<<20)
	want("the environment", []string{"/bin/c", "/bin/d"}, 2<<20, file)
	want("the flags", []string{"/bin/e"}, 3<<20, file, "--commands=/bin/e", "--max-memory=3MiB")
	t.Setenv("ORTH_MAX_MEMORY", "lots")
	if _, err := configOf(t); err == nil || !strings.Contains(err.Error(), `max-memory: "lots"`) {
		t.Errorf("a wrong size in the environment: %v", err)
	}
	if _, err := configOf(t, "--config="+written(t, "comands: [x]\n")); err == nil || !strings.Contains(err.Error(), `"comands" is not a setting`) {
		t.Errorf("a misspelt setting in the file: %v", err)
	}
}
