package interop

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// patience bounds every wait that has no better bound.
const patience = 60 * time.Second

// server is a real Orth server on a port and a data folder of its own.
type server struct {
	t       *testing.T
	dir     string
	port    string
	flags   []string
	process *process
	token   string // what executors of all groups show
	secret  string // of the API
}

// sharedToken is that of a fleet which knows no tokens of groups.
const sharedToken = "what-all-executors-have-9f1c07"

// newServer starts a server and waits until it answers.
func newServer(t *testing.T, flags ...string) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir(), port: freePort(t), token: sharedToken}
	shared := filepath.Join(s.dir, "shared.token")
	if err := os.WriteFile(shared, []byte(sharedToken), 0o600); err != nil {
		t.Fatal(err)
	}
	s.flags = append([]string{"--admit-shared-token-file", shared}, flags...)
	if err := gently(s.start); err != nil {
		t.Fatal(err)
	}
	s.secret = s.file("api.token")
	return s
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

func (s *server) file(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data(), name))
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// admin is the address that executors are given.
func (s *server) admin() string { return "http://127.0.0.1:" + s.port + "/xxl-job-admin" }

// start starts the server, also again after a kill.
func (s *server) start() (err error) {
	args := append([]string{"server", "--data", s.data(), "--listen", "127.0.0.1:" + s.port}, s.flags...)
	s.process, err = run(s.t, "server", exec.Command(program, args...))
	if err != nil {
		return err
	}
	return await("the server answers", patience, func() error {
		res, err := http.Get("http://127.0.0.1:" + s.port)
		if err != nil {
			return err
		}
		return res.Body.Close()
	})
}

// orth runs the command line against the server.
func (s *server) orth(args ...string) (string, error) {
	cmd := exec.Command(program, append(args, "--data", s.data())...)
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, tail(exit.Stderr))
		}
		return "", fmt.Errorf("orth %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}

// get asks the API, which costs less than a command.
func (s *server) get(path string, into any) error {
	req, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+s.port+"/api/v1"+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s: %s", path, res.Status, text)
	}
	return json.Unmarshal(text, into)
}

// firing is what the tests read of a run.
type firing struct {
	ID      string `json:"id"`
	JobID   int64  `json:"job_id"`
	State   string `json:"state"`
	Final   bool   `json:"final"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Tries   int    `json:"tries"`
}

func (f firing) String() string {
	return fmt.Sprintf("run %s is %s after %d tries, message %.300q, reason %.300q", f.ID, f.State, f.Tries, f.Message, f.Reason)
}

// create makes a job that fires when it is triggered.
func (s *server) create(key, group string, flags ...string) error {
	_, err := s.orth(append([]string{"job", "create", key, "--group", group, "--manual"}, flags...)...)
	return err
}

// trigger makes a run of the job.
func (s *server) trigger(key string, flags ...string) (f firing, err error) {
	out, err := s.orth(append([]string{"job", "trigger", key, "-o", "json"}, flags...)...)
	if err != nil {
		return f, err
	}
	err = json.Unmarshal([]byte(out), &f)
	return f, err
}

// until waits until the run is as the condition wants it.
func (s *server) until(f *firing, what string, within time.Duration, condition func() bool) error {
	return await(what, within, func() error {
		if err := s.get("/runs/"+f.ID, f); err != nil {
			return err
		}
		if !condition() {
			return errors.New(f.String())
		}
		return nil
	})
}

// ended waits until the run is over, and says so when it did not end in one of
// the states.
func (s *server) ended(f *firing, states ...string) error {
	if err := s.until(f, "the run ends", patience, func() bool { return f.Final }); err != nil {
		return err
	}
	if slices.Contains(states, f.State) {
		return nil
	}
	return fmt.Errorf("%s instead of %s", f, strings.Join(states, " or "))
}

// log reads the log of a run that is over. Executors write its last lines when
// they have reported.
func (s *server) log(f firing, wants ...string) (text string, err error) {
	err = await("the log is there", 10*time.Second, func() error {
		text, err = s.orth("run", "log", f.ID)
		for _, want := range wants {
			if err == nil && !strings.Contains(text, want) {
				err = fmt.Errorf("the log of run %s has no %q: %.2000q", f.ID, want, text)
			}
		}
		return err
	})
	return text, err
}

// executor is what the tests read of an executor.
type executor struct {
	Group       string `json:"group"`
	Address     string `json:"address"`
	Unreachable string `json:"unreachable"` // why
	Dialect     string `json:"dialect"`
}

// executors returns the group's executors that are alive.
func (s *server) executors(group string) (alive []executor, err error) {
	var list struct {
		Executors []executor `json:"executors"`
	}
	if err := s.get("/executors", &list); err != nil {
		return nil, err
	}
	for _, e := range list.Executors {
		if e.Group == group {
			alive = append(alive, e)
		}
	}
	return alive, nil
}
