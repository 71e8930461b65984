package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// binary is the program under test, built once by TestMain.
var binary string

func TestMain(m *testing.M) {
	if role := os.Getenv(workerRole); role != "" {
		os.Exit(work(role))
	}
	flag.Parse()
	if testing.Short() {
		// Real processes mostly wait for one another: in short mode a few of them show that the program works.
		if run := flag.Lookup("test.run"); run.Value.String() == "" {
			_ = run.Value.Set("^Test(Path|Ends|BadJobs)$")
		}
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "orth-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "orth"+exeSuffix)
	build := exec.Command("go", "build", "-tags", "failpoints", "-o", binary, "../../cmd/orth")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// patience bounds every wait for another process. It is long because machines
// that run tests are busy; nothing waits that long when all is well.
const patience = 3 * time.Minute

// process is a started program.
type process struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	out  *output
	done chan struct{} // closed once the process has ended
	err  error         // what Wait said; read after done
}

// output keeps what a process prints.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start runs the program until it is stopped, at the latest when the test ends.
func start(t *testing.T, name string, env []string, args ...string) *process {
	t.Helper()
	return startFile(t, name, binary, env, args...)
}

// startFile is start for another program.
func startFile(t *testing.T, name, file string, env []string, args ...string) *process {
	t.Helper()
	p := &process{t: t, name: name, out: &output{}, done: make(chan struct{})}
	p.cmd = exec.Command(file, args...)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("--- %s printed:\n%s", name, p.out)
		}
	})
	return p
}

// wait waits for the process to end by itself.
func (p *process) wait() {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("%s did not end within %s", p.name, patience)
	}
}

// kill ends the process the way a power cut does: it can do nothing about it.
func (p *process) kill() {
	p.t.Helper()
	_ = p.cmd.Process.Kill()
	p.wait()
}

// killedItself waits until a failpoint has killed the process.
func (p *process) killedItself() {
	p.t.Helper()
	p.wait()
	var exit *exec.ExitError
	if !errors.As(p.err, &exit) || exit.ExitCode() != -1 {
		p.t.Fatalf("%s ended with %v, want a kill by its failpoint", p.name, p.err)
	}
}

// ask asks the process to end; whoever asks twice ends it at once.
func (p *process) ask() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatalf("stop %s: %v", p.name, err)
	}
}

// stop asks the process to end and returns its exit code.
func (p *process) stop() int {
	p.t.Helper()
	p.ask()
	return p.ended()
}

// ended waits for the process to end by itself and returns its exit code.
func (p *process) ended() int {
	p.t.Helper()
	p.wait()
	return p.cmd.ProcessState.ExitCode()
}

// run runs the program to its end and returns what it printed and its code.
func run(t *testing.T, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("run %v: %v", args, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// eventually waits until the condition holds; otherwise the test fails with
// what the condition said last.
func eventually(t *testing.T, condition func() error) {
	t.Helper()
	within(t, patience, condition)
}

// within is eventually with a patience of its own.
func within(t *testing.T, patience time.Duration, condition func() error) {
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

// given counts the ports that freeAddress has tried.
var given atomic.Uint32

// freeAddress returns a loopback address that nothing listens on, another one each
// time. Its port is below those that systems give to whoever asks for any: no server
// and no outgoing call of another test can take it before it is used. Until the test
// ends no other test has it, also of another run beside this one: not even while the
// process that listens there is away. The sign of that is the UDP port of its number.
func freeAddress(t *testing.T) string {
	t.Helper()
	const first, many = 20_000, 12_000
	for range many {
		port := first + (uint32(os.Getpid())*131+given.Add(1))%many
		address := fmt.Sprintf("127.0.0.1:%d", port)
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
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// scratch is a folder for the data of processes, removed when the test ends. The
// children of a killed process die a moment after it and may still write there:
// the removal is tried again until nothing comes back.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "orth-e2e-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { within(t, patience, func() error { return os.RemoveAll(dir) }) })
	return dir
}
