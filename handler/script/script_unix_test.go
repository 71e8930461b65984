//go:build unix

package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/process"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newScripts(t *testing.T, c Config, limits process.Limits) *Scripts {
	t.Helper()
	spawner, err := process.New(process.Config{TempRoot: t.TempDir(), Limits: limits, Grace: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spawner.Close() })
	c.Dir, c.Zone, c.Spawner = t.TempDir(), time.UTC, spawner
	if c.Interpreters == nil {
		c.Interpreters = []Interpreter{{Kind: job.HandlerShell, Suffix: ".sh", Argv: []string{"/bin/sh"}, TimeoutExit: 124}}
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func run(ctx context.Context, t *testing.T, s *Scripts, task job.Task) (log, result string, err error) {
	t.Helper()
	h, err := s.Handler(task.Handler.Kind)
	if err != nil {
		t.Fatal(err)
	}
	output := new(bytes.Buffer)
	ht := handler.NewTask(handler.TaskConfig{Task: task, Output: output})
	err = h.Handle(ctx, ht)
	return output.String(), ht.ResultText(), err
}

func sourceTask(kind job.HandlerKind, source string) job.Task {
	return job.Task{
		AttemptID: 41, JobID: 7, Param: `a b "c" $HOME`, ShardIndex: 2, ShardTotal: 5,
		Handler:     job.Handler{Kind: kind, Source: source, SourceAt: time.UnixMilli(1700000000123)},
		TriggeredAt: time.UnixMilli(1795225000671),
	}
}

// numbers is what seq prints, without its last line feed: far more than a server keeps.
func numbers(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintln(&text, i+1)
	}
	return strings.TrimSpace(text.String())
}

func TestScriptExits(t *testing.T) {
	t.Parallel()
	s := newScripts(t, Config{}, process.Limits{})
	for _, test := range []struct {
		name, source, log, result, err string
		timedOut                       bool
	}{
		{name: "arguments", source: `echo "[$1][$2][$3] $#"`, log: "[a b \"c\" $HOME][2][5] 3\n"},
		{name: "environment", source: `echo $ORTH_JOB_ID $ORTH_LOG_ID $ORTH_JOB_TRIGGER_TIME`, log: "7 41 2026-11-21T01:36:40.671Z\n"},
		{name: "value", source: "exit 3", err: "exit status 3"},
		{name: "signal", source: "kill -KILL $$", err: "exit status 137"},
		{name: "error line", source: "echo out; echo 'psql: error: connection refused' >&2; echo out; exit 3", log: "out\npsql: error: connection refused\nout\n", err: "exit status 3: psql: error: connection refused"},
		{name: "result", source: `echo " 9 rows " >"$ORTH_JOB_RESULT_FILE"`, result: "9 rows"},
		{name: "long result", source: `seq 9000 >"$ORTH_JOB_RESULT_FILE"`, result: numbers(9000)},
		{name: "long failure", source: `seq 9000 >"$ORTH_JOB_RESULT_FILE"; exit 1`, err: numbers(9000)},
		{name: "failure in words", source: `echo "no rows" >"$ORTH_JOB_RESULT_FILE"; exit 1`, err: "no rows"},
		{name: "timed out", source: "exit 124", err: "the script timed out: exit status 124", timedOut: true},
		{name: "timed out in words", source: `echo slow >"$ORTH_JOB_RESULT_FILE"; exit 124`, err: "slow", timedOut: true},
		{name: "no input", source: "cat; echo end", log: "end\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			task := sourceTask(job.HandlerShell, test.source)
			task.JobID = 7
			log, result, err := run(t.Context(), t, s, task)
			if text(err) != test.err || result != test.result || handler.IsTimedOut(err) != test.timedOut {
				t.Errorf("error %v, result %q", err, result)
			}
			first, rest, _ := strings.Cut(log, "\n")
			if !strings.Contains(first, "----------- script file:") || !strings.Contains(rest, test.log) {
				t.Errorf("log %q, want %q", log, test.log)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestScriptCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("time is up"))
	defer cancel()
	_, _, err := run(ctx, t, newScripts(t, Config{}, process.Limits{}), sourceTask(job.HandlerShell, "trap '' TERM; while :; do sleep 1; done"))
	if text(err) != "time is up" {
		t.Errorf("error %v", err)
	}
}

func TestScriptRefusals(t *testing.T) {
	t.Parallel()
	s := newScripts(t, Config{MaxSource: 9}, process.Limits{})
	for _, kind := range job.HandlerKinds() {
		if _, err := s.Handler(kind); kind != job.HandlerShell && (!job.Is(err, job.Refused) || !strings.Contains(err.Error(), "install it")) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, _, err := run(t.Context(), t, s, sourceTask(job.HandlerShell, "0123456789")); !job.Is(err, job.Invalid) {
		t.Errorf("a long script: %v", err)
	}
	task := sourceTask(job.HandlerShell, "true")
	task.Param = strings.Repeat("x", 256<<10)
	if _, _, err := run(t.Context(), t, s, task); err == nil || !strings.HasPrefix(err.Error(), "start ") {
		t.Errorf("a long parameter: %v", err)
	}
	if _, err := New(Config{}); !job.Is(err, job.Invalid) {
		t.Errorf("no folder: %v", err)
	}
}

// TestFindSlow: an interpreter that takes seconds to answer, as on a machine where much starts at the
// same time, is found.
func TestFindSlow(t *testing.T) {
	t.Parallel()
	slow := candidate{kind: job.HandlerShell, suffix: ".sh", names: []string{"sh"}, ask: []string{"-c", "sleep 4; echo 9.1"}}
	if in := slow.findInterpreter(t.Context()); in == nil || in.Version != "9.1" {
		t.Errorf("it is %+v", in)
	}
}

// TestFind: each interpreter that is found runs a script; one that does not
// answer is not found.
func TestFind(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "php")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\nexit 127\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	found := Find(t.Context(), map[job.HandlerKind]string{job.HandlerPHP: broken})
	s := newScripts(t, Config{Interpreters: found}, process.Limits{})
	sources := map[job.HandlerKind]string{
		job.HandlerShell: "echo hello $2", job.HandlerPython: "import sys; print('hello', sys.argv[2])",
		job.HandlerPython2: "import sys; print 'hello', sys.argv[2]", job.HandlerNode: "console.log('hello', process.argv[3])",
		job.HandlerPowerShell: "Write-Output \"hello $($args[1])\"",
	}
	shell := false
	for _, in := range s.Kinds() {
		t.Log(in.Kind, in.Argv, in.Version)
		shell = shell || in.Kind == job.HandlerShell
		log, _, err := run(t.Context(), t, s, sourceTask(in.Kind, sources[in.Kind]))
		if err != nil || !strings.Contains(log, "hello 2") {
			t.Errorf("%s: %v: %s", in.Kind, err, log)
		}
	}
	if _, err := s.Handler(job.HandlerPHP); !shell || err == nil {
		t.Errorf("a shell: %v; the broken php: %v", shell, err)
	}
}

// TestFailureMessages: what a script of each interpreter writes about its failure is the
// message, in one line.
func TestFailureMessages(t *testing.T) {
	t.Parallel()
	mask := func(text string) string { return strings.ReplaceAll(text, "hush-hush", "***") }
	s := newScripts(t, Config{Interpreters: Find(t.Context(), nil), Mask: mask}, process.Limits{})
	for _, test := range []struct {
		name string
		kind job.HandlerKind
		// source is the script; FILE in want is its path.
		source, want string
	}{
		{"silent", job.HandlerShell, "exit 7", "exit status 7"},
		{"only output", job.HandlerShell, "echo one; echo the queue is full; exit 2", "exit status 2: the queue is full"},
		{"missing command", job.HandlerShell, "echo one\nno-such-command", "exit status 127: FILE: line 2: no-such-command: command not found"},
		{"program's error", job.HandlerShell, "set -e\ncat /no/such/file\necho never", "exit status 1: cat: /no/such/file: No such file or directory"},
		{"error and cleaning up", job.HandlerShell, "trap 'echo removed 3 files' EXIT\necho 'psql: error: connection refused' >&2; exit 3", "exit status 3: psql: error: connection refused"},
		{"set -x", job.HandlerShell, "set -ex\necho one\nfalse", "exit status 1: + false"},
		{"secret", job.HandlerShell, "echo 'login with hush-hush failed' >&2; exit 1", "exit status 1: login with *** failed"},
		{"several lines", job.HandlerShell, "printf 'fatal: \\033[31mno\\trows\\033[0m\\r\\n\\n'; exit 1", "exit status 1: fatal: no rows"},
		{"killed", job.HandlerShell, "echo half done; kill -KILL $$", "exit status 137: half done"},
		{"exception", job.HandlerPython, "print('one')\ndef f(): raise ValueError('no rows')\nf()", "exit status 1: ValueError: no rows"},
		{"chained exceptions", job.HandlerPython, "try: {}['x']\nexcept KeyError as e: raise RuntimeError('bad\\nconfig') from e", "exit status 1: RuntimeError: bad"},
		{"exit with a text", job.HandlerPython, "import sys\nprint('one')\nsys.exit('cannot connect')", "exit status 1: cannot connect"},
		{"syntax", job.HandlerPython, "x =\n", "exit status 1: SyntaxError: invalid syntax"},
		{"exception", job.HandlerNode, "console.log('one'); require('fs').readFileSync('/no/such/file')", "exit status 1: Error: ENOENT: no such file or directory, open '/no/such/file'"},
		{"rejection", job.HandlerNode, "(async () => { throw new TypeError('no rows') })()", "exit status 1: TypeError: no rows"},
		{"exception", job.HandlerPHP, "<?php ini_set('display_errors', '0'); ini_set('log_errors', '1'); function f() { throw new RuntimeException('no rows'); } echo \"one\\n\"; f();", "exit status 255: PHP Fatal error: Uncaught RuntimeException: no rows in FILE:1"},
		{"standard error", job.HandlerPHP, "<?php fwrite(STDERR, \"cannot connect\\n\"); exit(3);", "exit status 3: cannot connect"},
	} {
		t.Run(string(test.kind)+" "+test.name, func(t *testing.T) {
			t.Parallel()
			if !slices.ContainsFunc(s.Kinds(), func(i Interpreter) bool { return i.Kind == test.kind }) {
				if os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
					t.Fatalf("there is no interpreter for %s", test.kind)
				}
				t.Skipf("there is no interpreter for %s", test.kind)
			}
			task := sourceTask(test.kind, test.source)
			task.JobID = jobOf(test.name)
			log, _, err := run(t.Context(), t, s, task)
			first, _, _ := strings.Cut(log, "\n")
			_, file, _ := strings.Cut(first, "script file:")
			file, _, _ = strings.Cut(file, " ---")
			if want := strings.ReplaceAll(test.want, "FILE", file); text(err) != want {
				t.Errorf("%q, want %q; log:\n%s", text(err), want, log)
			}
		})
	}
}

// jobOf gives each case a job, and so a script file, of its own.
func jobOf(name string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return int64(h.Sum32())
}

// TestPythonPrintsAtOnce: what Python prints is in the log while the script runs.
func TestPythonPrintsAtOnce(t *testing.T) {
	t.Parallel()
	s := newScripts(t, Config{Interpreters: Find(t.Context(), nil)}, process.Limits{})
	h, err := s.Handler(job.HandlerPython)
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	seen := errors.New("seen")
	output := writer(func(p []byte) {
		if bytes.Contains(p, []byte("began")) {
			cancel(seen)
		}
	})
	task := handler.NewTask(handler.TaskConfig{Task: sourceTask(job.HandlerPython, "import time\nprint('began')\ntime.sleep(300)"), Output: output})
	if err := h.Handle(ctx, task); !errors.Is(err, seen) {
		t.Errorf("it ended with %v", err)
	}
}

type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }
