package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// site is one installation: a folder with a server and an executor, at fixed
// addresses, so that each can be started again.
type site struct {
	t        *testing.T
	dir      string
	server   string // host:port
	executor string // host:port
	group    string
	now      *process // the server that was started last
}

func newSite(t *testing.T) *site {
	t.Helper()
	return &site{t: t, dir: scratch(t), server: freeAddress(t), executor: freeAddress(t), group: "e2e"}
}

func (s *site) data() string { return filepath.Join(s.dir, "server") }

// startServer starts the server and waits until it answers.
func (s *site) startServer(env ...string) *process {
	s.t.Helper()
	if s.now != nil {
		s.now.kill()
	}
	p := start(s.t, "server", env, "server", "--data", s.data(), "--listen", s.server, "--log-level", "debug")
	eventually(s.t, func() error {
		select {
		case <-p.done:
			s.t.Fatalf("the server ended: %v\n%s", p.err, p.out)
		default:
		}
		if _, stderr, code := s.try("executors"); code != 0 {
			return fmt.Errorf("the server does not answer: %s", stderr)
		}
		return nil
	})
	s.now = p
	return p
}

// startExecutor starts the executor and waits until the server knows it.
func (s *site) startExecutor(env ...string) *process {
	s.t.Helper()
	p := start(s.t, "executor", env, "executor", "--servers", "http://"+s.server, "--group", s.group,
		"--executor-token-file", filepath.Join(s.data(), "executor.token"), "--listen", s.executor,
		"--data", filepath.Join(s.dir, "executor"), "--scripts", "--log-level", "debug")
	eventually(s.t, func() error {
		select {
		case <-p.done:
			return nil // a failpoint may end it early; the test finds out
		default:
		}
		if out := s.orth("executors"); !strings.Contains(out, s.executor) {
			return fmt.Errorf("the executor is not registered: %s", out)
		}
		return nil
	})
	return p
}

// try runs a client command of the program against the site.
func (s *site) try(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	return run(s.t, nil, append(args, "--data", s.data())...)
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

// trigger makes a run and returns its id.
func (s *site) trigger(key string) string {
	s.t.Helper()
	var r api.Run
	decode(s.t, s.orth("job", "trigger", key, "-o", "json"), &r)
	return fmt.Sprint(int64(r.ID))
}

// run returns one run.
func (s *site) run(id string) api.Run {
	s.t.Helper()
	var r api.Run
	decode(s.t, s.orth("run", "show", id, "-o", "json"), &r)
	return r
}

// becomes waits until the run is in the state.
func (s *site) becomes(id string, want job.State) api.Run {
	s.t.Helper()
	var r api.Run
	eventually(s.t, func() error {
		if r = s.run(id); r.State != want {
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

// lines returns the non-empty lines of a text.
func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
}
