package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

func TestWrongCommandLines(t *testing.T) {
	t.Parallel()
	const create = "job create x --group g "
	for args, want := range map[string]string{
		"jbo":                               `unknown command "jbo" for "orth": did you mean 'orth job'?`,
		"job lst":                           `unknown command "lst" for "orth job"`,
		"run 5":                             `unknown command "5" for "orth run"`,
		"job list --colour":                 "unknown flag: --colour",
		"job list extra":                    "orth job list takes no arguments",
		"job list -o xml":                   "must be one of table, wide, json, yaml, name",
		"job list --limit 0":                "--limit: must be at least 1, got 0",
		"job list --limit many":             `--limit: "many" is not an integer`,
		"job list --group":                  "--group needs a value: group",
		"job list --colums KEY":             "unknown flag: --colums: did you mean --columns?",
		"job list --enabled --disabled":     "--enabled and --disabled are mutually exclusive",
		"job list --server here":            `--server: "here" is no URL of a server`,
		"help job lst":                      `unknown command "lst" for "orth job": did you mean 'orth job list'?`,
		"apply":                             "--file is required",
		"job list --token a --token-file b": "are mutually exclusive",
		"job show":                          "KEY is required: orth job show KEY",
		"job show a b":                      "too many arguments: orth job show KEY",
		"run show last":                     `ID: "last" is not an id of a run`,
		"run log 0":                         `ID: "0" is not an id of a run`,
		"run cancel -- -5":                  `ID: "-5" is not an id of a run`,
		"run log 5 --attempt -1":            "--attempt: must not be negative, got -1",
		"run list --state done":             "must be one of planned, queued",
		"run list --limit -1":               "--limit: must be at least 1, got -1",
		"job create x --manual --handler h": "--group is required",
		create + "--handler h":              "one of --cron, --daily, --every, --at, --after, --in or --manual",
		create + "--manual --every 5s --handler h":                            "--every and --manual are mutually exclusive",
		create + "--manual":                                                   "one of --handler, --shell, --shell-file, --python",
		create + "--manual --handler h --shell s":                             "--handler and --shell are mutually exclusive",
		create + "--manual --js 1 --groovy-file x":                            "--groovy-file and --js are mutually exclusive",
		create + "--manual --python 1 --python-file x":                        "--python and --python-file are mutually exclusive",
		create + "--manual --handler h --overlap both":                        "must be one of serial, discard, cover, concurrent",
		create + "--manual --handler h --concurrency 2":                       "--concurrency requires --overlap concurrent",
		create + "--manual --handler h --overlap cover --concurrency 2":       "--concurrency requires --overlap concurrent",
		create + "--manual --handler h --overlap concurrent --concurrency 0":  "--concurrency: must be between 1 and 64, got 0",
		create + "--manual --handler h --overlap concurrent --concurrency 65": "--concurrency: must be between 1 and 64, got 65",
		create + "--manual --handler h --overlap-queue 0":                     "--overlap-queue: must be between 1 and 100000, got 0",
		create + "--manual --handler h --overlap-queue 100001":                "--overlap-queue: must be between 1 and 100000, got 100001",
		create + "--manual --handler h --overlap-scope planet":                "must be one of cluster, executor",
		create + "--manual --handler h --label team":                          `--label: "team" must have the form key=value`,
		create + "--manual --handler h --label =data":                         `--label: "=data" must have the form key=value`,
		create + "--manual --handler h --label a=1 --label a=2":               "--label: a is given twice",
		create + "--manual --handler h --label Team=1":                        `--label: "Team" must be lower-case`,
		create + "--every 5s --zone UTC --handler h":                          "--zone requires --cron",
		create + "--every 1ms --handler h":                                    "--every: must be at least 100ms, got 1ms",
		create + "--every soon --handler h":                                   `--every: "soon" is not a duration`,
		create + "--at tomorrow --handler h":                                  `--at: "tomorrow" is not a time`,
		create + "--manual --enable --handler h":                              "--enable cannot be combined with --manual",
		create + "--manual --handler h --retry-delay 5s":                      "--retry-delay requires --retries",
		create + "--manual --handler h --retries 2 --retry-delay -5s":         "must not be negative",
		create + "--manual --handler h --timeout -5s":                         "--timeout: must not be negative, got -5s",
		create + "--manual --handler h --route nearest":                       "must be one of first, last, round, random, consistent-hash, least-frequently-used, least-recently-used, failover, busyover, least-loaded, weighted",
		create + "--manual --handler h --misfire never":                       "must be one of skip, fire-once, fire-all",
		create + "--manual --handler h --on-crash weep":                       "must be one of report, rerun",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			wrong(t, args, want)
		})
	}
}

// wrong runs a command line that is refused before a server is asked.
func wrong(t *testing.T, line, want string) {
	t.Helper()
	server := newFake(t, nil)
	args := strings.Split(line, " ")
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "~", " ")
	}
	r := orth(t.Context(), server.env(), args...)
	if r.code != 2 || r.stdout != "" {
		t.Errorf("exit code %d, standard output %q", r.code, r.stdout)
	}
	if !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "--help'") {
		t.Errorf("%q is missing in: %s", want, r.stderr)
	}
	if server.seen() != "" {
		t.Errorf("the server was asked: %s", server.seen())
	}
}

func TestScriptFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		name, path string
		code       int
		want       string // part of the request or of the message
	}{
		{"good", writeFile(t, dir, "good", "echo \"hi\"\n"), 0, `"source":"echo \"hi\"\n"`},
		{"standard input", "-", 0, `"source":"echo from stdin\n"`},
		{"the largest", writeFile(t, dir, "largest", strings.Repeat("x", job.MaxSource)), 0, "xxx"},
		{"too large", writeFile(t, dir, "huge", strings.Repeat("x", job.MaxSource+1)), 1, "larger than 512 KiB"},
		{"empty", writeFile(t, dir, "empty", ""), 1, "is empty"},
		{"missing", filepath.Join(dir, "missing"), 1, "--shell-file: open"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := newFake(t, map[string][]string{"POST /jobs": {"201 " + ping}})
			r := orth(t.Context(), server.env(), "job", "create", "x", "--group", "g", "--manual", "--shell-file", c.path)
			if r.code != c.code || !strings.Contains(server.seen()+r.stderr, c.want) {
				t.Errorf("exit code %d, %s", r.code, r.stderr)
			}
		})
	}
}

func TestHelpNeedsNoServer(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--help"}, {"job"}, {"run"}, {"help", "job", "create"}} {
		r := orth(t.Context(), nil, args...)
		if r.code != 0 || r.stderr != "" || !strings.Contains(r.stdout, "Usage:") {
			t.Errorf("%v: exit code %d, %s%s", args, r.code, r.stdout, r.stderr)
		}
	}
}

// Each kind of script has its flags, and reads files alike.
func TestScriptKinds(t *testing.T) {
	t.Parallel()
	path := writeFile(t, t.TempDir(), "script", "from a file")
	for flag, kind := range map[string]job.HandlerKind{
		"shell": job.HandlerShell, "python": job.HandlerPython, "python2": job.HandlerPython2, "node": job.HandlerNode,
		"php": job.HandlerPHP, "powershell": job.HandlerPowerShell, "groovy": job.HandlerGroovy, "js": job.HandlerJS,
	} {
		for _, c := range []struct{ flag, value, source string }{
			{"--" + flag, "inline", "inline"}, {"--" + flag + "-file", path, "from a file"},
		} {
			t.Run(c.flag, func(t *testing.T) {
				t.Parallel()
				server := newFake(t, map[string][]string{"POST /jobs": {"201 " + ping}})
				r := orth(t.Context(), server.env(), "job", "create", "x", "--group", "g", "--manual", c.flag, c.value)
				want := `"handler":{"kind":"` + string(kind) + `","source":"` + c.source + `"}`
				if r.code != 0 || !strings.Contains(server.seen(), want) {
					t.Errorf("exit code %d %s, sent %s, want %s", r.code, r.stderr, server.seen(), want)
				}
			})
		}
	}
}
