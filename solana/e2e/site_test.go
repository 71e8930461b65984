//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// buildServer compiles orth once: the program of the module above this one.
var buildServer = sync.OnceValues(func() (string, error) {
	return compile(filepath.Join("..", ".."), "./cmd/orth")
})

// compile compiles a program of the module in a folder and returns its file.
func compile(module, pkg string) (string, error) {
	file := filepath.Join(programs, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-o", file, pkg)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return file, nil
}

// process is a started program.
type process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	out  *bytes.Buffer // read after done
	done chan struct{} // closed once the process has ended
}

// start runs a program until it is stopped, at the latest when the test ends.
func start(t *testing.T, file string, args ...string) *process {
	t.Helper()
	p := &process{t: t, name: filepath.Base(file), out: &bytes.Buffer{}, done: make(chan struct{})}
	p.cmd = exec.Command(file, args...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", p.name, err)
	}
	go func() {
		_ = p.cmd.Wait() // the exit code tells
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("--- %s printed:\n%s", p.name, p.out)
		}
	})
	return p
}

// stop asks the process to end and returns its exit code.
func (p *process) stop() int {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatalf("stop %s: %v", p.name, err)
	}
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("%s did not end within %s", p.name, patience)
	}
	return p.cmd.ProcessState.ExitCode()
}

// site is a folder with a server at a fixed address, so that it can be started again.
type site struct {
	t       *testing.T
	dir     string
	program string // orth
	server  string // host:port
}

func newSite(t *testing.T) *site {
	t.Helper()
	file, err := buildServer()
	if err != nil {
		t.Fatal(err)
	}
	return &site{t: t, dir: t.TempDir(), program: file, server: freeAddress(t)}
}

func (s *site) data() string { return filepath.Join(s.dir, "server") }

// startServer starts the server and waits until it answers.
func (s *site) startServer() *process {
	s.t.Helper()
	p := start(s.t, s.program, "server", "--data", s.data(), "--listen", s.server, "--log-level", "debug")
	eventually(s.t, func() error {
		select {
		case <-p.done:
			s.t.Fatalf("the server ended: %v\n%s", p.cmd.ProcessState, p.out)
		default:
		}
		if _, stderr, code := s.try("executors"); code != 0 {
			return fmt.Errorf("the server does not answer: %s", stderr)
		}
		return nil
	})
	return p
}

// try runs a client command of the program against the site.
func (s *site) try(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.program, append(args, "--data", s.data())...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		s.t.Fatalf("run %v: %v", args, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// orth is try for commands that must succeed.
func (s *site) orth(args ...string) string {
	s.t.Helper()
	stdout, stderr, code := s.try(args...)
	if code != 0 {
		s.t.Fatalf("orth %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// runs returns the runs of a job, the oldest first.
func (s *site) runs(key string) []api.Run {
	s.t.Helper()
	var list []api.Run
	decode(s.t, s.orth("run", "list", "--job", key, "--limit", "1000", "-o", "json"), &list)
	slices.Reverse(list)
	return list
}

// becomes waits until the run is in the state.
func (s *site) becomes(id string, want job.State) api.Run {
	s.t.Helper()
	var r api.Run
	eventually(s.t, func() error {
		if decode(s.t, s.orth("run", "show", id, "-o", "json"), &r); r.State != want {
			return fmt.Errorf("run %s is %s (%s %s), want %s", id, r.State, r.Reason, r.Message, want)
		}
		return nil
	})
	return r
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("decode %q: %v", text, err)
	}
}

// eventually waits until the condition holds; otherwise the test fails with the condition's
// last error.
func eventually(t *testing.T, condition func() error) {
	t.Helper()
	deadline := time.After(patience)
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := condition()
		if err == nil {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("after %s: %v", patience, err)
		}
	}
}

// tried counts the ports that freeAddress has tried.
var tried atomic.Uint32

// freeAddress returns a loopback address that nothing listens on, below the ports that systems
// assign themselves. Until the test ends no other test gets it, in this process or another: the
// UDP port of the same number marks it, as in internal/e2e.
func freeAddress(t *testing.T) string {
	t.Helper()
	const first, many = 20_000, 12_000
	for range many {
		address := fmt.Sprintf("127.0.0.1:%d", first+(uint32(os.Getpid())*131+tried.Add(1))%many)
		taken, err := net.ListenPacket("udp", address)
		if err != nil {
			continue
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			_ = taken.Close()
			continue
		}
		t.Cleanup(func() { _ = taken.Close() })
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return address
	}
	t.Fatal("no port is free")
	return ""
}

func mustWrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
