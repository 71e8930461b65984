package interop

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// peer is an executor that others wrote, with a small program of ours around it
// that has the handlers ok, fail, throw, sleep and lines.
type peer struct {
	name    string // as people know it
	version string
	tools   []string // without which it cannot be tried
	// prepare fetches and builds it, once, and returns what makes a process of it.
	prepare func() (launcher, error)
	dialect string
	// path is what it appends to the address that it registers.
	path string
	// lacks has the features that it does not have.
	lacks map[string]lack
}

// launcher makes a command that ends with the five arguments: the address of
// the admin, token, group, port, folder of logs.
type launcher func(args ...string) *exec.Cmd

// lack says why a peer does not have a feature, and what the test sees when it
// tries: a feature that is there after all is a failure of the test, unless the lack
// shows only sometimes.
type lack struct {
	why, proof string
	sometimes  bool
}

// errUnpublished says that a release cannot be had.
var errUnpublished = errors.New("not published")

func (p peer) title() string { return p.name + " " + p.version }

// group is the app name of the peer's executors.
func (p peer) group() string {
	return "peer-" + strings.NewReplacer(".", "-", " ", "-", "(", "", ")", "").Replace(p.title())
}

// member is one process of a peer.
type member struct {
	*process
	launch launcher
	args   []string
	port   string
	url    string
}

// join starts an executor of the group and waits until the server has it.
func (s *server) join(t *testing.T, p peer, launch launcher, group string) (*member, error) {
	t.Helper()
	port := freePort(t)
	m := &member{
		launch: launch, port: port, url: "http://127.0.0.1:" + port + p.path,
		args: []string{s.admin(), s.token, group, port, filepath.Join(s.dir, "logs-"+port)},
	}
	return m, gently(func() error {
		if err := m.begin(t); err != nil {
			return err
		}
		return await(p.title()+" is registered", patience, func() error { return s.has(group, m, true) })
	})
}

// begin starts the process, also again after a kill.
func (m *member) begin(t *testing.T) (err error) {
	t.Helper()
	m.process, err = run(t, "peer", m.launch(m.args...))
	return err
}

// has reports an error unless the executor is among those of the group that the
// server reaches, or is not when it should not be.
func (s *server) has(group string, m *member, wanted bool) error {
	alive, err := s.executors(group)
	if err != nil {
		return err
	}
	there := slices.ContainsFunc(alive, func(e executor) bool {
		return strings.TrimSuffix(e.Address, "/") == m.url && (e.Unreachable == "" || !wanted)
	})
	if there != wanted {
		return fmt.Errorf("%s is to be among the executors: %t; they are %+v", m.url, wanted, alive)
	}
	return nil
}

// busy asks the executor itself whether the job runs there.
func (s *server) busy(m *member, job string) (bool, error) {
	req, err := http.NewRequest(http.MethodPost, m.url+"/idleBeat", strings.NewReader(`{"jobId":`+job+`}`))
	if err != nil {
		return false, err
	}
	req.Header["XXL-JOB-ACCESS-TOKEN"] = []string{s.token}
	req.Header.Set("Content-Type", "application/json;charset=UTF-8")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	var reply struct{ Code int }
	if err := json.NewDecoder(res.Body).Decode(&reply); err != nil {
		return false, err
	}
	return reply.Code != http.StatusOK, nil
}
