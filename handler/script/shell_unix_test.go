//go:build unix

package script

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// buffer is a run log in memory.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// await polls until the log has a line of its own with the text.
func (b *buffer) await(t *testing.T, text string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !strings.Contains(b.String(), text+"\n") {
		if time.Now().After(deadline) {
			t.Fatalf("no line %q in the log:\n%s", text, b.String())
		}
		<-time.After(5 * time.Millisecond)
	}
}

func newShell(t *testing.T, c Config) *Shell {
	t.Helper()
	c.Dir = t.TempDir()
	c.Zone = time.UTC
	s, err := NewShell(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sourceTask(source string) job.Task {
	return job.Task{
		AttemptID: 41, JobID: 7, Param: `a b "c" $HOME`,
		Handler:     job.Handler{Kind: job.HandlerShell, Source: source, SourceAt: time.UnixMilli(1700000000123)},
		TriggeredAt: time.UnixMilli(1795225000671), ShardIndex: 2, ShardTotal: 5,
	}
}

func start(ctx context.Context, s *Shell, task job.Task) (log *buffer, done chan error) {
	log, done = new(buffer), make(chan error, 1)
	go func() { done <- s.Handle(ctx, handler.NewTask(handler.TaskConfig{Task: task, Output: log})) }()
	return log, done
}

func run(t *testing.T, s *Shell, task job.Task) (log string, err error) {
	t.Helper()
	l, done := start(t.Context(), s, task)
	err = <-done
	return l.String(), err
}

func TestShellExits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, source, log, err string }{
		{"arguments", `echo "[$1][$2][$3] $#"`, "[a b \"c\" $HOME][2][5] 3\n", ""},
		{"empty source", "", "", ""},
		{"exit value", "exit 3", "", "script exit value(3) is failed"},
		{"signal", "kill -KILL $$", "", "script exit value(137) is failed"},
		{"both outputs in order", "for i in 1 2 3; do echo out$i; echo err$i >&2; done", "out1\nerr1\nout2\nerr2\nout3\nerr3\n", ""},
		{"no input", "cat; echo end", "end\n", ""},
		{"syntax error", "if", "syntax error", "script exit value(2) is failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log, err := run(t, newShell(t, Config{}), sourceTask(test.source))
			if got := text(err); got != test.err {
				t.Errorf("error %q, want %q", got, test.err)
			}
			first, rest, _ := strings.Cut(log, "\n")
			if !strings.Contains(first, "----------- script file:") || !strings.HasSuffix(first, "7_1700000000123.sh -----------") {
				t.Errorf("first line %q", first)
			}
			if !strings.Contains(rest, test.log) {
				t.Errorf("log %q, want %q", rest, test.log)
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

func TestShellEnvironment(t *testing.T) {
	t.Setenv("ORTH_TEST_SECRET", "secret")
	t.Setenv("ORTH_TEST_KEPT", "kept")
	t.Setenv("LC_ORTH", "locale")
	s := newShell(t, Config{Keep: []string{"ORTH_TEST_KEPT"}})
	log, err := run(t, s, sourceTask("env"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(log, "\n")
	for _, want := range []string{
		"ORTH_JOB_ID=7", `ORTH_JOB_PARAM=a b "c" $HOME`, "ORTH_JOB_LOG_ID=41", "ORTH_LOG_ID=41",
		"ORTH_JOB_SCHEDULE_TIME=", "ORTH_JOB_TRIGGER_TIME=2026-11-21T01:36:40.671Z",
		"ORTH_JOB_SHARD_INDEX=2", "ORTH_JOB_SHARD_TOTAL=5", "PATH=" + os.Getenv("PATH"),
		"ORTH_TEST_KEPT=kept", "LC_ORTH=locale",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, log)
		}
	}
	if strings.Contains(log, "secret") {
		t.Error("the script sees a variable that is not allowed")
	}
}

func TestShellPlannedTime(t *testing.T) {
	t.Parallel()
	task := sourceTask(`echo "<$ORTH_JOB_SCHEDULE_TIME>"`)
	task.PlannedAt = time.UnixMilli(1795225000000)
	log, err := run(t, newShell(t, Config{}), task)
	if err != nil || !strings.Contains(log, "<2026-11-21T01:36:40Z>\n") {
		t.Errorf("log %q, error %v", log, err)
	}
}

func TestShellWithoutShell(t *testing.T) {
	t.Parallel()
	s := newShell(t, Config{})
	s.find = func() (string, error) { return filepath.Join(s.config.Dir, "missing"), nil }
	log, err := run(t, s, sourceTask("true"))
	if text(err) != "script exit value(-1) is failed" || !strings.Contains(log, "start the script: ") {
		t.Errorf("log %q, error %v", log, err)
	}
	s.find = func() (string, error) { return "", errors.New("no shell here") }
	log, err = run(t, s, sourceTask("true"))
	if text(err) != "script exit value(-1) is failed" || !strings.Contains(log, "no shell here") {
		t.Errorf("log %q, error %v", log, err)
	}
}

func TestShellWithoutFolder(t *testing.T) {
	t.Parallel()
	s := newShell(t, Config{})
	if err := os.RemoveAll(s.config.Dir); err != nil {
		t.Fatal(err)
	}
	log, err := run(t, s, sourceTask("true"))
	if text(err) != "script exit value(-1) is failed" || !strings.Contains(log, "write the script file") {
		t.Errorf("log %q, error %v", log, err)
	}
}

// TestShellCancel: the script and its children are asked to end and do so in
// order; the error is why the context ended.
func TestShellCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	log, done := start(ctx, newShell(t, Config{}), sourceTask(
		"trap 'wait; echo asked; exit 0' TERM\nsleep 300 & echo $!; echo ready; wait"))
	log.await(t, "ready")
	why := errors.New("no longer wanted")
	cancel(why)
	if err := <-done; !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	log.await(t, "asked")
	expectGone(t, child(t, log))
}

// TestShellKill: a script that ignores the request is killed after the grace,
// and so are its children.
func TestShellKill(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := newShell(t, Config{Grace: 50 * time.Millisecond})
	log, done := start(ctx, s, sourceTask(
		"trap '' TERM\n(trap '' TERM; while :; do sleep 1; done) & echo $!; echo ready; while :; do sleep 1; done"))
	log.await(t, "ready")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	expectGone(t, child(t, log))
}

// TestShellLeavesNobody: a background child neither holds the run nor lives on.
func TestShellLeavesNobody(t *testing.T) {
	t.Parallel()
	log, done := start(t.Context(), newShell(t, Config{}), sourceTask("sleep 300 & echo $!"))
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a background child holds the run")
	}
	expectGone(t, child(t, log))
}

// TestShellOutsideGroup: a process that has left the group holds the output,
// and the run ends all the same.
func TestShellOutsideGroup(t *testing.T) {
	t.Parallel()
	s := newShell(t, Config{Linger: 50 * time.Millisecond})
	log, done := start(t.Context(), s, sourceTask(
		"set -m\nsleep 300 & echo $!\nset +m")) // job control gives it a group of its own
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a process outside the group holds the run")
	}
	pid := child(t, log)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the process that left the group: %v", err)
	}
}

// child returns the number that the script wrote first.
func child(t *testing.T, log *buffer) int {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			return pid
		}
	}
	t.Fatalf("no process number in the log:\n%s", log.String())
	return 0
}

// expectGone waits until a killed process has been reaped by whoever has it.
func expectGone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for alive(pid) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d lives on", pid)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// alive reports false for a zombie too: it waits for its parent, not for us.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

func TestShellBulkOutput(t *testing.T) {
	t.Parallel()
	log, err := run(t, newShell(t, Config{}), sourceTask("seq 1 20000"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log, "\n"); n != 20001 || !strings.HasSuffix(log, "\n20000\n") {
		t.Errorf("%d lines, want 20001", n)
	}
}

func TestNewShellNeedsDir(t *testing.T) {
	t.Parallel()
	if _, err := NewShell(Config{}); !job.Is(err, job.Invalid) {
		t.Errorf("error %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewShell(Config{Dir: file}); err == nil {
		t.Error("a file was taken for a folder")
	}
}
