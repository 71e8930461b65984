//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// startNative starts an executor that speaks the native protocol, and waits until
// the server reaches it.
func (s *site) startNative(pull bool, env ...string) *process {
	s.t.Helper()
	args := []string{
		"executor", "--servers", "http://" + s.server, "--group", s.group, "--dialect", "native",
		"--executor-token-file", filepath.Join(s.data(), "executor.token"), "--listen", s.executor,
		"--data", filepath.Join(s.dir, "executor"), "--scripts", "--log-level", "debug",
	}
	where := s.executor
	if pull {
		args, where = append(args, "--pull"), "pull://"+s.group+"/"
	}
	p := start(s.t, "executor", env, args...)
	eventually(s.t, func() error {
		select {
		case <-p.done:
			return nil // a failpoint may end it early; the test finds out
		default:
		}
		var list []api.Executor
		decode(s.t, s.orth("executors", "-o", "json"), &list)
		for _, e := range list {
			if strings.Contains(e.Address, where) && e.Unreachable == "" && e.Dialect == string(job.DialectNative) {
				return nil
			}
		}
		return fmt.Errorf("the executor is not there: %+v", list)
	})
	return p
}

// TestNative walks the path over the native protocol, by both transports: runs,
// retries, logs, ends, a drain, a killed executor and a killed server.
func TestNative(t *testing.T) {
	t.Parallel()
	for _, pull := range []bool{false, true} {
		t.Run(map[bool]string{false: "push", true: "pull"}[pull], func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.startServer()
			executor := s.startNative(pull)
			s.nativeRuns()
			s.nativeDrain()

			journal := filepath.Join(s.dir, "journal")
			s.orth("job", "create", "middle", "--group", s.group, "--manual", "--retries", "1", "--retry-delay", "100ms",
				"--shell", "echo $ORTH_JOB_LOG_ID >>"+journal+"; [ $(wc -l <"+journal+") -gt 1 ] || sleep 600")
			id := s.trigger("middle")
			eventually(t, func() error {
				if n := len(lines(mustRead(t, journal))); n != 1 {
					return fmt.Errorf("%d lines", n)
				}
				return nil
			})
			executor.kill()
			executor = s.startNative(pull)
			s.becomes(id, job.Succeeded)
			if ran := lines(mustRead(t, journal)); len(ran) != 2 {
				t.Errorf("the journal of the run whose executor was killed has %q, want two lines", ran)
			}

			s.orth("job", "create", "slow", "--group", s.group, "--manual", "--shell", "sleep 3; echo $ORTH_JOB_LOG_ID >>"+journal)
			id = s.trigger("slow")
			eventually(t, func() error {
				if r := s.run(id); r.AttemptID == 0 {
					return fmt.Errorf("run %s is %s", id, r.State)
				}
				return nil
			})
			s.startServer() // the one before it is killed
			if r := s.becomes(id, job.Succeeded); r.Tries != 1 {
				t.Errorf("the run over the restart of the server took %d attempts, want 1", r.Tries)
			}
			s.becomes(s.trigger("slow"), job.Succeeded)
			if ran := lines(mustRead(t, journal)); len(ran) != 4 {
				t.Errorf("the journal has %q, want four lines", ran)
			}
			if code := executor.stop(); code != 0 {
				t.Errorf("the executor's exit code is %d, want 0", code)
			}
			if out := s.orth("executors"); strings.Contains(out, s.group+" ") {
				t.Errorf("the executor said farewell and is still listed:\n%s", out)
			}
		})
	}
}

// nativeRuns has runs succeed, fail, be tried again and be ended, and reads a log.
func (s *site) nativeRuns() {
	s.t.Helper()
	s.orth("job", "create", "hello", "--group", s.group, "--manual", "--label", "k=v", "--param", "a b", "--shell", `echo "hello [$1]"`)
	id := s.trigger("hello")
	s.becomes(id, job.Succeeded)
	if log := s.orth("run", "log", id); !strings.Contains(log, "hello [a b]") {
		s.t.Errorf("the log:\n%s", log)
	}
	var many []string
	for range 20 {
		many = append(many, s.trigger("hello"))
	}
	for _, id := range many {
		s.becomes(id, job.Succeeded)
	}
	s.orth("job", "create", "twice", "--group", s.group, "--manual", "--retries", "1", "--retry-delay", "10ms", "--shell", "exit 3")
	if r := s.becomes(s.trigger("twice"), job.Failed); r.Tries != 2 {
		s.t.Errorf("the failing run took %d attempts, want 2", r.Tries)
	}
	s.orth("job", "create", "long", "--group", s.group, "--manual", "--shell", "echo begun; sleep 600")
	id = s.trigger("long")
	eventually(s.t, func() error {
		if log, _, _ := s.try("run", "log", id); !strings.Contains(log, "begun") {
			return fmt.Errorf("the script has not begun:\n%s", log)
		}
		return nil
	})
	s.orth("run", "cancel", id)
	s.becomes(id, job.Cancelled)
}

// nativeDrain has the executor take no tasks for a while.
func (s *site) nativeDrain() {
	s.t.Helper()
	var list []api.Executor
	decode(s.t, s.orth("executors", "-o", "json"), &list)
	s.orth("executors", "drain", s.group, list[0].Address)
	eventually(s.t, func() error {
		if out := s.orth("executors"); !strings.Contains(out, "draining") {
			return fmt.Errorf("it does not drain:\n%s", out)
		}
		return nil
	})
	id := s.trigger("hello")
	if r := s.run(id); r.State.Final() {
		s.t.Errorf("a draining executor took a run: %s", r.State)
	}
	s.orth("executors", "drain", s.group, list[0].Address, "--off")
	s.becomes(id, job.Succeeded)
}
