package app

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// as asks the server with a token, and returns the status and the answer.
func (r *rig) as(token, method, path, body string) (int, string) {
	r.Helper()
	was := r.api
	r.api = token
	defer func() { r.api = was }()
	return r.send(method, "/api/v1"+path, "", body)
}

// The first start makes an administrator whose password is in a file until it is
// changed, and never in the log; later starts make none.
func TestFirstUser(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	path := filepath.Join(data, firstPasswordFile)
	log := &journal{}
	r, stop := serveAt(t, data, log)
	until(t, "the file with the password", func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	password, err := credential.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the first user", func() bool {
		_, err := r.users.User(t.Context(), users.FirstName)
		return err == nil
	})
	user, err := r.users.Check(t.Context(), users.FirstName, password)
	if err != nil || !user.MustChange || !user.Administers() {
		t.Fatalf("the first user is %+v, %v", user, err)
	}
	if strings.Contains(log.String(), password.Reveal()) {
		t.Error("the password is in the log")
	}
	stop()
	r, stop = serveAt(t, data, log)
	until(t, "the second start", func() bool {
		status, _ := r.send(http.MethodGet, "/api/v1/users", "", "")
		return status == http.StatusOK
	})
	if _, err := r.users.Check(t.Context(), users.FirstName, password); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	fresh := redacted.New("winding stairs 47")
	if changed, err := r.users.ChangePassword(t.Context(), users.FirstName, password, fresh); err != nil || changed.MustChange {
		t.Fatalf("changed: %+v, %v", changed, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	stop()
}

func TestNoFirstUser(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := beginWith(t, Config{Data: data, Listen: "127.0.0.1:0", NoFirstUser: true, FirstUser: func(FirstUser) { t.Error("somebody was made") }})
	if err := s.firstRun(s.users)(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.users.User(t.Context(), users.FirstName); !job.Is(err, job.NotFound) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(data, firstPasswordFile)); err == nil {
		t.Error("there is a password")
	}
}

// A service works with its token in its own place, from being made to being disabled.
func TestServiceWorks(t *testing.T) {
	t.Parallel()
	r, stop := serveAt(t, t.TempDir(), &journal{})
	defer stop()
	status, answer := r.send(http.MethodPost, "/api/v1/users", "",
		`{"name":"ci","kind":"service","grants":[{"role":"editor","namespace":"default","group":"ours"}]}`)
	if status != http.StatusCreated {
		t.Fatalf("make a service: %d %s", status, answer)
	}
	status, answer = r.send(http.MethodPost, "/api/v1/users/ci/tokens", "", `{"label":"test"}`)
	var made struct{ ID, Token string }
	if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusCreated {
		t.Fatalf("make a token: %d %s", status, answer)
	}
	job := func(group string) string {
		return `{"key":"` + strings.ToLower(group) + `","group":"` + group + `","schedule":{"kind":"manual"},"handler":{"kind":"named","name":"h"}}`
	}
	for _, c := range []struct {
		method, path, body string
		want               int
	}{
		{http.MethodGet, "/me", "", http.StatusOK},
		{http.MethodPost, "/jobs", job("ours"), http.StatusCreated},
		{http.MethodPost, "/jobs", job("theirs"), http.StatusForbidden},
		{http.MethodGet, "/jobs/ours", "", http.StatusOK},
		{http.MethodGet, "/users", "", http.StatusForbidden},
		{http.MethodPost, "/grants", `{"user":"ci","role":"admin","namespace":"*","group":"*"}`, http.StatusForbidden},
		{http.MethodGet, "/tokens", "", http.StatusOK},
	} {
		if status, answer := r.as(made.Token, c.method, c.path, c.body); status != c.want {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.path, status, answer, c.want)
		}
	}
	if status, answer := r.send(http.MethodPost, "/api/v1/users/ci/disable", "", ""); status != http.StatusOK {
		t.Fatalf("disable: %d %s", status, answer)
	}
	if status, answer := r.as(made.Token, http.MethodGet, "/me", ""); status != http.StatusUnauthorized {
		t.Errorf("the next request of a disabled service: %d %s", status, answer)
	}
	if status, answer := r.send(http.MethodDelete, "/api/v1/users/ci", "", ""); status != http.StatusNoContent {
		t.Errorf("remove: %d %s", status, answer)
	}
	if strings.Contains(r.log.String(), made.Token) {
		t.Error("the token is in the log")
	}
}
