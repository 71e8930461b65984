// Package interop proves that Orth works with software that others wrote. It is a
// module of its own so that those programs never reach Orth's own go.mod.
package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait for another process.
const patience = 90 * time.Second

// TestGoExecutor lets an Orth server drive xxl-job-executor-go: it registers, a
// cron schedule triggers it, its callbacks complete the runs, a handler that
// panics makes its run fail and be tried again, and its log is read through
// the server.
func TestGoExecutor(t *testing.T) {
	dir := t.TempDir()
	orth := build(t, filepath.Join(dir, "orth"), "..", "./cmd/orth")
	peer := build(t, filepath.Join(dir, "peer"), ".", "./goexecutor")
	server, port := freePort(t), freePort(t)
	data := filepath.Join(dir, "data")
	start(t, "server", orth, "server", "--data", data, "--listen", "127.0.0.1:"+server, "--log-level", "debug")
	cli := func(args ...string) (string, error) {
		out, err := exec.Command(orth, append(args, "--data", data)...).CombinedOutput()
		return string(out), err
	}
	must := func(args ...string) string {
		t.Helper()
		out, err := cli(args...)
		if err != nil {
			t.Fatalf("orth %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
	}
	eventually(t, "the server answers", func() error {
		_, err := cli("job", "list")
		return err
	})
	token, err := os.ReadFile(filepath.Join(data, "executor.token"))
	if err != nil {
		t.Fatal(err)
	}
	// The jobs exist before the executor: their runs wait for it.
	must("job", "create", "greet", "--group", "go-peer", "--handler", "greet", "--param", "the world",
		"--cron", "0/2 * * * * ?", "--start")
	must("job", "create", "explode", "--group", "go-peer", "--handler", "explode", "--param", "a bang",
		"--manual", "--retries", "1", "--retry-delay", "200ms")
	start(t, "peer", peer, "-server", "http://127.0.0.1:"+server+"/xxl-job-admin",
		"-token", strings.TrimSpace(string(token)), "-group", "go-peer", "-port", port)

	eventually(t, "the peer is registered", func() error {
		if out := must("executors"); !strings.Contains(out, "http://127.0.0.1:"+port) {
			return fmt.Errorf("it is not in the list:\n%s", out)
		}
		return nil
	})
	var runs []run
	eventually(t, "two scheduled runs succeed", func() error {
		runs = runs[:0]
		for _, r := range list(t, must("run", "list", "--job", "greet", "-o", "json")) {
			if r.State == "succeeded" && r.Cause == "schedule" {
				runs = append(runs, r)
			}
		}
		if len(runs) < 2 {
			return fmt.Errorf("%d have", len(runs))
		}
		return nil
	})
	must("job", "stop", "greet")
	if runs[0].Message != "hello the world" {
		t.Errorf("the callback's message is %q", runs[0].Message)
	}
	if log := must("run", "log", runs[0].ID); !strings.Contains(log, "greeting the world\nshard 0 of 1\n") {
		t.Errorf("the log through /log: %q", log)
	}

	out, err := cli("job", "trigger", "explode", "--wait")
	if err == nil {
		t.Errorf("a run that failed was reported as good:\n%s", out)
	}
	failed := list(t, must("run", "list", "--job", "explode", "-o", "json"))
	if len(failed) != 1 || failed[0].State != "failed" || failed[0].Tries != 2 ||
		!strings.Contains(failed[0].Message, "the handler failed on purpose") {
		t.Fatalf("the failing job's runs: %+v", failed)
	}
	if log := must("run", "log", failed[0].ID); !strings.Contains(log, "about to fail with a bang\n") {
		t.Errorf("the failing run's log through /log: %q", log)
	}
	if log := must("run", "log", failed[0].ID, "--attempt", "1"); !strings.Contains(log, "about to fail with a bang\n") {
		t.Errorf("the first attempt's log through /log: %q", log)
	}
}

// run is what the test reads of a run.
type run struct {
	ID      string `json:"id"`
	State   string `json:"state"`
	Cause   string `json:"cause"`
	Message string `json:"message"`
	Tries   int    `json:"tries"`
}

func list(t *testing.T, text string) (runs []run) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &runs); err != nil {
		t.Fatalf("decode %q: %v", text, err)
	}
	return runs
}

// build compiles a program.
func build(t *testing.T, to, dir, what string) string {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", to, what)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", what, err, out)
	}
	return to
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

// start runs a program until the test ends.
func start(t *testing.T, name, program string, args ...string) {
	t.Helper()
	var out output
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatalf("start the %s: %v", name, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			out.mu.Lock()
			defer out.mu.Unlock()
			t.Logf("--- the %s printed:\n%s", name, out.text.String())
		}
	})
}

func eventually(t *testing.T, what string, condition func() error) {
	t.Helper()
	deadline := time.After(patience)
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := condition()
		if err == nil {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("%s: not within %s: %v", what, patience, err)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
