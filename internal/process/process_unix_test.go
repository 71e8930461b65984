//go:build unix

package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
)

// patience is a time limit that no test reaches on a busy machine.
const patience = 20 * time.Second

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

// await polls until the output has a line of its own with the text.
func (b *buffer) await(t *testing.T, text string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !strings.Contains("\n"+b.String(), "\n"+text+"\n") {
		if time.Now().After(deadline) {
			t.Fatalf("no line %q in the output:\n%s", text, b.String())
		}
		<-time.After(2 * time.Millisecond)
	}
}

// newSpawner skips the test where the machine lacks what c asks for.
func newSpawner(t *testing.T, c Config) *Spawner {
	t.Helper()
	if c.TempRoot == "" {
		c.TempRoot = t.TempDir()
	}
	s, err := New(c)
	if job.Is(err, job.Unavailable) {
		if os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func shell(source string, output io.Writer) Command {
	return Command{Path: "/bin/sh", Args: []string{"-c", source}, Env: Inherited(nil), Output: output}
}

func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("ORTH_REQUIRE_TOOLS") != "" {
			t.Fatal(err)
		}
		t.Skipf("%s is not installed", program)
	}
}

// kinds are the isolations that this system may have.
func kinds() []string {
	if runtime.GOOS == "linux" {
		return []string{cgroup2, cgroup1, group}
	}
	return []string{group}
}

// trees are programs that try to live on. Each prints the number of one that must die, then
// ready, and then ends or does not. A program that prints its own number does so into $(),
// which waits for it, and goes on with the output of the tree.
var trees = []struct{ name, source, need string }{
	{"background", "sleep 300 & echo $!; echo ready", ""},
	{"own group", "set -m; sleep 300 & echo $!; set +m; echo ready", ""},
	{"new session", "exec 3>&1; echo $(setsid sh -c 'echo $$; exec sleep 300 >&3' &); echo ready", "setsid"},
	{"nohup", "nohup sleep 300 >/dev/null 2>&1 & echo $!; echo ready", "nohup"},
	{"double fork", "(sleep 300 & echo $!); echo ready", ""},
	{"daemon", "exec 3>&1; echo $( (setsid sh -c 'trap \"\" TERM HUP; echo $$; exec >&3; while :; do sleep 1; done' &) ); echo ready", "setsid"},
	{"deaf", "(trap '' TERM; while :; do sleep 1; done) & echo $!; echo ready", ""},
	{"holds the output", "exec 3>&1; echo $(sh -c 'echo $$; exec >&3; while :; do echo more; sleep 0.1; done' &); echo ready", ""},
	{"stopped", "sleep 300 & echo $!; kill -STOP $!; echo ready", ""},
}

// TestTreeDies: nothing of a tree lives on after the normal end of the main
// child, nor after a cancelled one, whatever holds the tree together.
func TestTreeDies(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newSpawner(t, Config{Isolation: kind, Grace: 50 * time.Millisecond})
			for _, tree := range trees {
				if runtime.GOOS != "linux" && tree.need == "setsid" {
					continue // only Linux promises that
				}
				t.Run(tree.name+" at the end", func(t *testing.T) {
					t.Parallel()
					if tree.need != "" {
						needs(t, tree.need)
					}
					treeDies(t, s, tree.source, false)
				})
				t.Run(tree.name+" when cancelled", func(t *testing.T) {
					t.Parallel()
					if tree.need != "" {
						needs(t, tree.need)
					}
					treeDies(t, s, strings.Replace(tree.source, "echo ready", "trap '' TERM; echo ready", 1)+"\nwhile :; do sleep 1; done", true)
				})
			}
		})
	}
}

func treeDies(t *testing.T, s *Spawner, source string, cancelled bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	output := new(buffer)
	done := make(chan error, 1)
	var exit Exit
	go func() {
		var err error
		exit, err = s.Run(ctx, shell(source, output))
		done <- err
	}()
	output.await(t, "ready")
	if cancelled {
		cancel()
	}
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatal("the tree holds the run")
	}
	if want := map[bool]int{false: 0, true: 128 + 9}[cancelled]; exit.Value != want {
		t.Errorf("exit %d, want %d", exit.Value, want)
	}
	expectGone(t, firstNumber(t, output))
}

func firstNumber(t *testing.T, output *buffer) int {
	t.Helper()
	for line := range strings.Lines(output.String()) {
		if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			return pid
		}
	}
	t.Fatalf("no process number in the output:\n%s", output)
	return 0
}

// expectGone waits until a killed process has been reaped by its parent.
func expectGone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for alive(pid) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatalf("process %d lives on", pid)
		}
		<-time.After(2 * time.Millisecond)
	}
}

// alive reports false for a zombie too: it waits for its parent, not for us.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return runtime.GOOS != "linux"
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

// TestForkLoop: a tree that grows all the time comes to its end.
func TestForkLoop(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newSpawner(t, Config{Isolation: kind, Grace: 20 * time.Millisecond})
			output := new(buffer)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := s.Run(ctx, shell("trap '' TERM; echo ready; while :; do (sleep 300 &) ; sleep 0.01; done", output))
				done <- err
			}()
			output.await(t, "ready")
			<-time.After(100 * time.Millisecond)
			cancel()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	s := newSpawner(t, Config{})
	t.Log(s.Isolation())
	for _, test := range []struct {
		name, source, input, output string
		exit                        int
	}{
		{"success", "echo a; echo b >&2; echo c", "", "a\nb\nc\n", 0},
		{"value", "exit 3", "", "", 3},
		{"signal", "kill -9 $$", "", "", 137},
		{"input", "cat", "some input", "some input", 0},
		{"input not read", "exit 0", strings.Repeat("x", 1<<20), "", 0},
		{"no input", "cat; echo end", "", "end\n", 0},
		{"no mark of ours twice", "env | grep -c ^ORTH_PROCESS_MARK=", "", "1\n", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			output := new(buffer)
			c := shell(test.source, output)
			c.Env = append(c.Env, "ORTH_PROCESS_MARK=another")
			if test.input != "" {
				c.Input = strings.NewReader(test.input)
			}
			exit, err := s.Run(t.Context(), c)
			if err != nil || exit != (Exit{Value: test.exit}) || output.String() != test.output {
				t.Errorf("%+v, %v, output %q", exit, err, output)
			}
		})
	}
}

// TestExitMessage: a failure is described by the exit value, the limit that was broken, and
// the child's output.
func TestExitMessage(t *testing.T) {
	t.Parallel()
	for want, test := range map[string]struct {
		exit Exit
		why  string
	}{
		"exit status 3":                                 {Exit{Value: 3}, ""},
		"exit status 3: no rows":                        {Exit{Value: 3}, "no rows"},
		"exit status 137: killed: it used more":         {Exit{Value: 137, Reason: "killed: it used more"}, ""},
		"exit status 1: it wanted more; no more memory": {Exit{Value: 1, Reason: "it wanted more"}, "no more memory"},
	} {
		if got := test.exit.Message(test.why); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestGentleEnd: a tree is asked to end, all of it, and may do so in order.
func TestGentleEnd(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newSpawner(t, Config{Isolation: kind, Grace: 20 * time.Second})
			output := new(buffer)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan Exit, 1)
			go func() {
				exit, _ := s.Run(ctx, shell("trap 'wait; echo asked; exit 7' TERM\nsh -c 'echo ready; exec sleep 300' & wait", output))
				done <- exit
			}()
			output.await(t, "ready")
			cancel()
			if exit := <-done; exit.Value != 7 {
				t.Errorf("%+v", exit)
			}
			output.await(t, "asked")
		})
	}
}

func TestRunErrors(t *testing.T) {
	t.Parallel()
	s := newSpawner(t, Config{})
	cancelled, cancel := context.WithCancelCause(t.Context())
	why := errors.New("no longer wanted")
	cancel(why)
	if _, err := s.Run(cancelled, shell("true", nil)); !errors.Is(err, why) {
		t.Errorf("cancelled before: %v", err)
	}
	if _, err := s.Run(t.Context(), Command{Path: "/no/such/program"}); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("no program: %v", err)
	}
	c := shell("true", nil)
	c.Dir = "/no/such/folder"
	if _, err := s.Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "working folder /no/such/folder") {
		t.Errorf("no folder: %v", err)
	}
	if runtime.GOOS == "linux" {
		c = shell("true", nil)
		c.Args = append(c.Args, strings.Repeat("x", 128<<10))
		if _, err := s.Run(t.Context(), c); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "131072 bytes") {
			t.Errorf("too long: %v", err)
		}
	}
}

func TestPrivateFolders(t *testing.T) {
	t.Parallel()
	s := newSpawner(t, Config{PrivateTemp: true})
	output, result := new(buffer), new(buffer)
	c := shell(`echo "$TMPDIR"; ls -ld "$TMPDIR" | cut -c1-10; mkdir "$TMPDIR/a"; echo x >"$TMPDIR/a/b"; chmod 0 "$TMPDIR/a"
		echo done >"$ORTH_JOB_RESULT_FILE"`, output)
	c.Result = result
	if exit, err := s.Run(t.Context(), c); err != nil || exit.Value != 0 {
		t.Fatal(exit, err)
	}
	dir, mode, _ := strings.Cut(strings.TrimSpace(output.String()), "\n")
	if !strings.HasPrefix(dir, s.config.TempRoot) || mode != "drwx------" {
		t.Errorf("folder %s of mode %s", dir, mode)
	}
	if entries, err := os.ReadDir(s.config.TempRoot); err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
	if result.String() != "done\n" {
		t.Errorf("result %q", result)
	}
}

// TestResults: only a plain file of the child's own counts, and its first part.
func TestResults(t *testing.T) {
	t.Parallel()
	s := newSpawner(t, Config{})
	secret := filepath.Join(s.config.TempRoot, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, source string
		size         int
	}{
		{"none", "true", 0},
		{"long", `head -c 100000 /dev/zero >"$ORTH_JOB_RESULT_FILE"`, 100_000},
		{"too long", `head -c 1100000 /dev/zero >"$ORTH_JOB_RESULT_FILE"`, MaxResult + 1 + len(fmt.Sprintf(cutResult, 1_100_000, MaxResult))},
		{"link", `ln -s ` + secret + ` "$ORTH_JOB_RESULT_FILE"`, 0},
		{"second name", `ln ` + secret + ` "$ORTH_JOB_RESULT_FILE"`, 0},
		{"folder", `mkdir "$ORTH_JOB_RESULT_FILE"`, 0},
		{"pipe", `mkfifo "$ORTH_JOB_RESULT_FILE"`, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			result := new(buffer)
			c := shell(test.source, nil)
			c.Result = result
			if exit, err := s.Run(t.Context(), c); err != nil || exit.Value != 0 || len(result.String()) != test.size {
				t.Errorf("%+v, %v, a result of %d bytes", exit, err, len(result.String()))
			}
		})
	}
}

func TestUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		if _, err := New(Config{User: "root"}); !job.Is(err, job.Invalid) {
			t.Errorf("another user without root: %v", err)
		}
		t.Skip("only root can run children as others")
	}
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newSpawner(t, Config{
				User: "65534:65534", PrivateTemp: true, Isolation: kind, TempRoot: os.TempDir(),
			})
			output, result := new(buffer), new(buffer)
			c := shell(`id -u; id -g; echo "$HOME" | grep -c root; echo x >"$TMPDIR/x" && echo r >"$ORTH_JOB_RESULT_FILE"`, output)
			c.Result, c.Dir = result, "/"
			exit, err := s.Run(t.Context(), c)
			if err != nil || exit.Value != 0 || output.String() != "65534\n65534\n0\n" || result.String() != "r\n" {
				t.Errorf("%+v, %v, output %q, result %q", exit, err, output, result)
			}
		})
	}
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{User: "65534:65534", TempRoot: closed}); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "may not enter") {
		t.Errorf("a closed folder: %v", err)
	}
	for _, wrong := range []string{"no-such-user-here", "x:1", "1:x"} {
		if _, err := New(Config{User: wrong}); !job.Is(err, job.Invalid) {
			t.Errorf("user %q: %v", wrong, err)
		}
	}
}

// What a child has written before its end is read, also when the time that is left for that
// is over already: the machine may have stood still in between. It is read when another
// process holds the pipe, too.
func TestOutputAfterAStandstill(t *testing.T) {
	t.Parallel()
	s := newSpawner(t, Config{Linger: time.Nanosecond, Isolation: group})
	for source, want := range map[string]string{
		"echo done":                            "done\n",
		"head -c 60000 /dev/zero | tr '\\0' x": strings.Repeat("x", 60_000),
	} {
		for range 30 {
			var out buffer
			if _, err := s.Run(t.Context(), shell(source, &out)); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != want {
				t.Fatalf("%s: read %d bytes, want %d", source, len(got), len(want))
			}
		}
	}
}
