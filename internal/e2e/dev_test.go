//go:build unix

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// TestDev is a newcomer's first minute: everything in one process, samples that
// run and are retried, commands that find the server, Ctrl-C.
func TestDev(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dev := start(t, "dev", nil, "dev", "--data", s.data(), "--listen", s.server)
	eventually(t, func() error {
		if !strings.Contains(dev.out.String(), "run list") {
			return fmt.Errorf("it has not said how to see the runs: %s", dev.out)
		}
		return nil
	})
	eventually(t, func() error {
		if succeeded(s.runs("sample-shell")) == 0 || succeeded(s.runs("sample-go")) == 0 {
			return fmt.Errorf("the samples have not run: %s", s.orth("run", "list"))
		}
		for _, r := range s.runs("sample-retry") {
			if r.Tries > 1 {
				return nil
			}
		}
		return fmt.Errorf("no run was tried again: %s", s.orth("run", "list"))
	})
	eventually(t, func() error {
		if succeeded(s.runs("sample-once")) == 0 || succeeded(s.runs("sample-after")) == 0 {
			return fmt.Errorf("the samples have not run: %s", s.orth("run", "list"))
		}
		return nil
	})
	if out := s.orth("job", "show", "sample-once"); !strings.Contains(out, "ended") {
		t.Errorf("a job that has fired its only time is shown as %s", out)
	}
	if out := s.orth("job", "next", "sample-calendar", "--count", "3"); !strings.Contains(out, "cn") {
		t.Errorf("the preview does not name the calendar: %s", out)
	}
	if out := s.orth("job", "trigger", "sample-go", "--param", "you", "--wait"); !strings.Contains(out, "hello you") {
		t.Errorf("a run by hand says %q", out)
	}
	if err := dev.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	dev.wait()
	if code := dev.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("Ctrl-C ended it with code %d, want 0", code)
	}
	if strings.Contains(dev.out.String(), "goroutine ") {
		t.Error("it printed a stack trace")
	}
}

// TestFollowAndCancel reads a log while it grows and ends a run that would last.
func TestFollowAndCancel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	s.startExecutor()
	s.orth("job", "create", "slow", "--group", s.group, "--manual", "--shell", "echo one; sleep 1; echo two; exec sleep 300")
	id := s.trigger("slow")
	s.becomes(id, job.Running)
	follow := start(t, "follow", nil, "run", "log", id, "--follow", "--data", s.data())
	eventually(t, func() error {
		if !strings.Contains(follow.out.String(), "two\n") {
			return fmt.Errorf("the log so far: %s", follow.out)
		}
		return nil
	})
	s.orth("run", "cancel", id)
	s.becomes(id, job.Cancelled)
	follow.wait()
	second := s.trigger("slow")
	s.becomes(second, job.Running) // the lane is free again
	s.orth("run", "cancel", second)
}

// TestWaitingForAnExecutor keeps a due run until an executor comes, and says
// what it waits for.
func TestWaitingForAnExecutor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	s.orth("job", "create", "wait", "--group", s.group, "--manual", "--shell", "true")
	id := s.trigger("wait")
	if r := s.run(id); r.Final || !strings.Contains(r.Reason, "no executor of group "+s.group) {
		t.Errorf("the run is %s, the reason is %q", r.State, r.Reason)
	}
	s.startExecutor()
	s.becomes(id, job.Succeeded)
}

// TestHealth answers without a token, and everything else does not.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	for path, want := range map[string]int{"/healthz": 200, "/": 200, "/api/v1/jobs": 401, "/api/v1/openapi.json": 200} {
		resp, err := http.Get("http://" + s.server + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s answers %d, want %d", path, resp.StatusCode, want)
		}
	}
}

// TestRetriesAndChildren runs a job that fails twice and then starts its child,
// once.
func TestRetriesAndChildren(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	s.startExecutor()
	count := s.dir + "/count"
	s.orth("job", "create", "child", "--group", s.group, "--manual", "--shell", "true")
	s.orth("job", "create", "parent", "--group", s.group, "--manual", "--child", "child", "--retries", "3", "--retry-delay", "50ms",
		"--shell", "echo x >>"+count+"; test $(wc -l <"+count+") -ge 3")
	id := s.trigger("parent")
	if r := s.becomes(id, job.Succeeded); r.Tries != 3 {
		t.Errorf("it took %d attempts, want 3", r.Tries)
	}
	var children []api.Run
	eventually(t, func() error {
		if children = s.runs("child"); len(children) == 0 || !children[0].Final {
			return fmt.Errorf("the child's runs: %+v", children)
		}
		return nil
	})
	if len(children) != 1 || children[0].Cause != job.CauseParent || fmt.Sprint(int64(children[0].CauseID)) != id {
		t.Errorf("the child's runs: %+v", children)
	}
	if took := children[0].EndedAt.Sub(children[0].CreatedAt.Time); took > time.Minute { // on a busy machine; else it is a fraction of a second
		t.Errorf("the child waited %s", took)
	}
}

// TestEnds runs a job to an end that its retries do not cover, one that meets
// itself and one over its deadline: each starts the children of its end.
func TestEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	s.startExecutor()
	s.orth("job", "create", "alarm", "--group", s.group, "--manual", "--shell", "true", "--param", "own")
	create := func(key string, more ...string) {
		s.orth(append([]string{
			"job", "create", key, "--group", s.group, "--manual", "--child", "alarm:failure=" + key + " {{state}} {{param}}",
			"--param", "p",
		}, more...)...)
	}
	create("narrow", "--shell", "exit 7", "--retries", "3", "--retry-on", "lost")
	gate := filepath.Join(s.dir, "gate")
	create("strict", "--shell", "until [ -e "+gate+" ]; do sleep 0.1; done", "--overlap", "discard")
	create("endless", "--shell", "sleep 600", "--deadline", "10s", "--retries", "3") // it must have begun by then
	narrow, busy, met, endless := s.trigger("narrow"), s.trigger("strict"), s.trigger("strict"), s.trigger("endless")
	if r := s.becomes(narrow, job.Failed); r.Tries != 1 || !strings.Contains(r.Reason, "only after losses") {
		t.Errorf("after %d attempts: %q", r.Tries, r.Reason)
	}
	if r := s.becomes(met, job.Skipped); r.Tries != 0 || !strings.Contains(r.Reason, "is still running (discard)") {
		t.Errorf("after %d attempts: %q", r.Tries, r.Reason)
	}
	mustWrite(t, gate, "")
	s.becomes(busy, job.Succeeded)
	if r := s.becomes(endless, job.Lost); r.Tries != 1 || r.Reason != "the deadline of 10s has passed" {
		t.Errorf("after %d attempts: %q", r.Tries, r.Reason)
	}
	eventually(t, func() error {
		var params []string
		for _, r := range s.runs("alarm") {
			if r.Param != nil {
				params = append(params, *r.Param)
			}
		}
		slices.Sort(params)
		if want := []string{"endless lost p", "narrow failed p"}; !slices.Equal(params, want) {
			return fmt.Errorf("the children's parameters: %q, want %q", params, want)
		}
		return nil
	})
}
