package cli_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

// door is a server that lets people in.
func door(t *testing.T, mustChange bool) (*httptest.Server, *[]string) {
	t.Helper()
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, strings.TrimSpace(r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/v1")+" "+r.Header.Get("Cookie")+r.Header.Get("Authorization")))
		w.Header().Set("Content-Type", "application/json")
		switch r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/v1") {
		case "POST /session":
			if !strings.Contains(string(body), `"password":"right"`) {
				w.Header().Set("Content-Type", api.ProblemType)
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = io.WriteString(w, `{"code":"unauthorized","detail":"the name or the password is wrong"}`)
				return
			}
			w.Header().Set("Set-Cookie", "orth=cookie; Path=/; HttpOnly")
			change := "false"
			if mustChange {
				change = "true"
			}
			_, _ = io.WriteString(w, `{"user":"ada","kind":"user","must_change":`+change+`,"grants":[]}`)
		case "POST /tokens":
			_, _ = io.WriteString(w, `{"token":"orth_the_secret","id":"5","user":"ada","key":"abc","created_at":"2030-01-01T00:00:00.000Z","expires_at":"2030-02-01T00:00:00.000Z"}`)
		case "DELETE /session", "DELETE /tokens/5":
			w.WriteHeader(http.StatusNoContent)
		case "GET /jobs":
			_, _ = io.WriteString(w, `{"jobs":[]}`)
		default:
			t.Errorf("unexpected %s %s", r.Method, r.URL)
		}
	}))
	t.Cleanup(server.Close)
	return server, &seen
}

// typing runs a command line with something on its standard input.
func typing(ctx context.Context, env map[string]string, typed string, args ...string) result {
	var out, errs bytes.Buffer
	code := cli.Execute(ctx, args, kit.Config{
		Stdout: &out, Stderr: &errs, Stdin: strings.NewReader(typed), Getenv: func(name string) string { return env[name] },
	})
	return result{code, out.String(), errs.String()}
}

// A login keeps a token and no password; a logout revokes it.
func TestLogin(t *testing.T) {
	t.Parallel()
	server, seen := door(t, false)
	path := filepath.Join(t.TempDir(), "orth", "config.yaml")
	env := map[string]string{"ORTH_CONFIG": path}
	if r := typing(t.Context(), env, "wrong\n", "login", "--server", server.URL, "--user", "ada", "--password-stdin"); r.code != 4 {
		t.Errorf("a wrong password: %+v", r)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("something was kept of a login that failed")
	}
	r := typing(t.Context(), env, "right\n", "login", "--server", server.URL, "--user", "ada", "--password-stdin")
	if r.code != 0 || !strings.Contains(r.stdout, "as ada; the token is valid until 2030-0") || !strings.HasSuffix(r.stdout, "stored in context 127.0.0.1\n") {
		t.Fatalf("%+v", r)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), "token: orth_the_secret") || strings.Contains(string(text), "right") {
		t.Errorf("the file is %s, %v", text, err)
	}
	if strings.Contains(r.stdout+r.stderr, "orth_the_secret") {
		t.Error("the token is shown")
	}
	if r := typing(t.Context(), env, "", "job", "list"); r.code != 0 {
		t.Errorf("%+v", r)
	}
	if r := typing(t.Context(), env, "", "logout"); r.code != 0 || !strings.Contains(r.stderr, "revoked and removed") {
		t.Errorf("%+v", r)
	}
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "orth_the_secret") {
		t.Errorf("the file is %s, %v", text, err)
	}
	if r := typing(t.Context(), env, "", "logout"); r.code != 3 {
		t.Errorf("%+v", r)
	}
	want := []string{
		"POST /session", "POST /session", "POST /tokens orth=cookie", "DELETE /session orth=cookie", "GET /jobs Bearer orth_the_secret", "DELETE /tokens/5 Bearer orth_the_secret",
	}
	if got := strings.Join(*seen, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the server saw\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func TestLoginRefuses(t *testing.T) {
	t.Parallel()
	server, seen := door(t, true)
	env := map[string]string{"ORTH_CONFIG": filepath.Join(t.TempDir(), "config.yaml"), "ORTH_SERVER": server.URL}
	for _, c := range []struct {
		args, typed string
		code        int
		want        string
	}{
		{"login", "", 2, "--user is required"},
		{"login --user ada", "right\n", 2, "standard input is not a terminal"},
		{"login --user ada --password-stdin", "", 1, "read the secret"},
		{"login --user ada --password-stdin --expires-in 0s", "right\n", 2, "--expires-in"},
		{"login --user ada --password-stdin --name none", "right\n", 2, "--name"},
		{"login --user ada --password-stdin", "right\n", 4, "must be changed first"},
		{"logout", "", 2, "no context is in use"},
	} {
		r := typing(t.Context(), env, c.typed, strings.Fields(c.args)...)
		if r.code != c.code || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: %+v", c.args, r)
		}
	}
	if got := strings.Join(*seen, "\n"); got != "POST /session" {
		t.Errorf("the server saw %s", got)
	}
}
