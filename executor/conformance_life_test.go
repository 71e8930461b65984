package executor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orthd/orth/executor"
)

// scripted is a case that needs a shell.
func scripted(try func(t *testing.T, s *subject, j int64)) func(t *testing.T, s *subject, j int64) {
	return func(t *testing.T, s *subject, j int64) { //nolint:thelper // it is a case, no helper
		needs(t, "sh")
		try(t, s, j)
	}
}

// needs skips a test on a machine without the program, unless that is meant to
// be noticed.
func needs(t *testing.T, program string) {
	t.Helper()
	_, err := exec.LookPath(program)
	switch {
	case err == nil:
	case os.Getenv("ORTH_REQUIRE_TOOLS") != "":
		t.Fatalf("%s is missing: %v", program, err)
	default:
		t.Skipf("%s is missing", program)
	}
}

// pulse is a pipe that a script and all its children hold open: it shows the test when the
// script runs, and when nothing of it is left.
type pulse struct {
	path string
	file *os.File
}

func newPulse(t *testing.T) *pulse {
	t.Helper()
	needs(t, "mkfifo")
	p := &pulse{path: filepath.Join(t.TempDir(), "pulse")}
	if out, err := exec.CommandContext(t.Context(), "mkfifo", p.path).CombinedOutput(); err != nil {
		t.Fatalf("mkfifo: %v, %s", err, out)
	}
	p.open(t, os.O_RDWR)
	t.Cleanup(func() { _ = p.file.Close() })
	return p
}

func (p *pulse) open(t *testing.T, flag int) {
	t.Helper()
	file, err := os.OpenFile(p.path, flag, 0)
	if err == nil {
		err = file.SetReadDeadline(time.Now().Add(patience))
	}
	if err != nil {
		t.Fatal(err)
	}
	p.file = file
}

// script announces itself and then never ends; nor does its child.
func (p *pulse) script() string {
	return fmt.Sprintf("exec 9>'%s'\necho here >&9\nsleep 300 &\nwait\n", p.path)
}

// beats waits until the script runs.
func (p *pulse) beats(t *testing.T) {
	t.Helper()
	if _, err := p.file.Read(make([]byte, 16)); err != nil {
		t.Fatalf("wait for the script: %v", err)
	}
	first := p.file
	p.open(t, os.O_RDONLY|syscall.O_NONBLOCK)
	_ = first.Close() // from here on only the script holds the other end
}

// stops waits until nothing of the script is left.
func (p *pulse) stops(t *testing.T) {
	t.Helper()
	if _, err := p.file.Read(make([]byte, 16)); !errors.Is(err, io.EOF) {
		t.Errorf("wait for the end of the script's processes: %v", err)
	}
}

func TestConformanceScriptsOff(t *testing.T) {
	t.Parallel()
	s := start(t, newAdmin(t), func(c *executor.Config) { c.Scripts = false })
	for glue, title := range map[string]string{
		"GLUE_SHELL": "Shell", "GLUE_PYTHON": "Python3", "GLUE_GROOVY": "Java",
	} {
		r := shell(1, 11, "exit 0").with(func(r *run) { r.Glue = glue })
		s.run(t, r, refusal("fail, current glue type [GLUE("+title+")] not supported.")) // R21
	}
	s.run(t, bean(1, 12, "demo"), success)
	s.admin.want(t, 12, "200")
}

// TestConformanceDrain: a stopping executor answers beats and tasks with a no
// that servers can act on, while what runs goes on.
func TestConformanceDrain(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	s := start(t, a, func(c *executor.Config) { c.DrainFor = patience })
	s.run(t, bean(1, 11, "hold"), success)
	s.started(t, 11)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.stop()
	}()
	a.await(t, "the farewell", func() bool {
		return slices.ContainsFunc(a.calls, func(c call) bool { return c.path == "/api/registryRemove" })
	})
	// The farewell comes first, so for a moment tasks are still taken.
	const stopping = `{"code":500,"msg":"executor cannot take the task now: the executor is stopping`
	deadline := time.Now().Add(patience)
	for id := int64(21); ; id++ {
		got := s.try(t, bean(id, id, "demo"))
		if strings.HasPrefix(got, stopping) {
			break
		}
		if got != success || time.Now().After(deadline) {
			t.Fatalf("a run while it stops: %s", got)
		}
	}
	if got := s.ask(t, "/beat", ""); !strings.HasPrefix(got, stopping) {
		t.Errorf("a beat while it stops: %s", got)
	}
	s.release(11)
	<-stopped
	a.want(t, 11, "200")
}

// TestConformanceRestart: what waited when an executor stopped runs after its
// start, and what ended before is not taken again.
func TestConformanceRestart(t *testing.T) {
	t.Parallel()
	a, data := newAdmin(t), t.TempDir()
	in := func(c *executor.Config) { c.Data, c.DrainFor = data, time.Millisecond }
	s := start(t, a, in)
	s.run(t, bean(1, 11, "hold"), success)
	s.started(t, 11)
	s.run(t, bean(1, 12, "demo"), success)
	s.stop()
	a.want(t, 11, "500 web container destroy and kill the job. [job running, killed]")
	s = start(t, a, in)
	a.want(t, 12, "200")
	for _, id := range []int64{11, 12} {
		s.run(t, bean(1, id, "demo"), refusal(fmt.Sprintf("repeat trigger job, logId:%d", id)))
	}
}

// TestConformanceIdle covers R20: a job without work is forgotten, and its
// handler is prepared again for the next run.
func TestConformanceIdle(t *testing.T) {
	t.Parallel()
	s := start(t, newAdmin(t), func(c *executor.Config) { c.IdleAfter = time.Millisecond })
	for id := range int64(2) {
		s.run(t, bean(1, id+11, "inited"), success)
		s.admin.want(t, id+11, "200")
		s.await(t, "the end of the idle job", func() bool { return s.destroyed == int(id+1) })
	}
	busy(t, s, 1, false)
	if got := s.ask(t, "/kill", `{"jobId":1}`); got != killedAlready {
		t.Errorf("kill of a job that is forgotten: %s", got)
	}
}

// TestConformanceEndOfTest guards the harness: an executor that has ended does not answer.
func TestConformanceEndOfTest(t *testing.T) {
	t.Parallel()
	s := start(t, newAdmin(t), nil)
	s.stop()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/beat", nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultTransport.RoundTrip(request); err == nil {
		_ = response.Body.Close()
		t.Error("it answers")
	}
}
