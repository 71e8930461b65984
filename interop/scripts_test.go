package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScripts lets clients that others wrote for the web API of XXL-JOB's admin keep a job
// on a server of ours, with an executor of others: one for releases up to 3.2, and one for
// those from 3.3 on.
func TestScripts(t *testing.T) {
	t.Parallel()
	need(t, "node", "npm")
	for name, prepare := range map[string]func(*testing.T) (launcher, error){
		"mcp-xxl-job": func(*testing.T) (launcher, error) { return nodeProgram("admin.mjs") },
		"python-xxl-job-helper": func(t *testing.T) (launcher, error) {
			t.Helper()
			return pythonProgram(newPython(t), "admin.py", "requirements-admin.txt")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := prepare(t)
			if err != nil {
				t.Fatal(err)
			}
			playScript(t, client, filepath.Join("testdata", name+".txt"))
		})
	}
}

// newPython returns a Python of 3.12 or later, which the package wants, and skips the test
// where there is none.
func newPython(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "python3.13", "python3.12"} {
		if exec.Command(python, "-c", "import sys; sys.exit(sys.version_info < (3, 12))").Run() == nil {
			return python
		}
	}
	t.Skip("there is no Python of 3.12 or later")
	return ""
}

func playScript(t *testing.T, client launcher, answers string) {
	t.Helper()
	s := newServer(t)
	const user, password, group = "script", "correct horse battery", "scripted"
	grants := []any{map[string]string{"role": "editor", "namespace": "default", "group": "*"}}
	if err := s.ask("POST /users", map[string]any{"name": user, "password": "to be changed soon", "grants": grants}); err != nil {
		t.Fatal(err)
	}
	if err := s.ask("PUT /users/"+user+"/password", map[string]any{"password": password, "final": true}); err != nil {
		t.Fatal(err)
	}
	launch, err := prepareNode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.join(t, peer{name: "xxl-job (npm)", path: "/job"}, launch, group); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(answers, "python") { // it makes no jobs
		if err := s.create("tickets", group, "--handler", "ok", "--title", "Tickets"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := client(s.admin(), user, password, group).Output()
	if err != nil {
		t.Fatalf("the script: %v\n%s", err, got)
	}
	want, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// ask makes a request of the API: a method and a path.
func (s *server) ask(request string, body any) error {
	method, path, _ := strings.Cut(request, " ")
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(method, "http://127.0.0.1:"+s.port+"/api/v1"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.secret)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s: %s", request, answer.Status)
	}
	return nil
}
