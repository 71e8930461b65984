//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// TestBadJobs refuses jobs that could never work, says which word is wrong, and
// writes nothing.
func TestBadJobs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	create := func(args ...string) []string {
		return append([]string{"job", "create", "bad", "--group", s.group, "--handler", "h"}, args...)
	}
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"minute 61", create("--cron", "0 61 * * * ?"), []string{"--cron", "minute", "61"}},
		{"four fields", create("--cron", "* * * *"), []string{"--cron", "field"}},
		{"unknown name", create("--cron", "0 0 0 ? FOO MON"), []string{"--cron", "month", "FOO"}},
		{"31 February", create("--cron", "0 0 0 31 2 ?"), []string{"--cron", "never"}},
		{"unknown zone", create("--cron", "0 0 0 * * ?", "--zone", "Mars/Olympus"), []string{"--zone", "Mars/Olympus"}},
		{"too often", create("--every", "1ms"), []string{"--every", "100ms"}},
		{"started and manual", create("--manual", "--enable"), []string{"manual"}},
		{"key", []string{"job", "create", "Bad Key", "--group", s.group, "--handler", "h", "--manual"}, []string{"Bad Key"}},
		{"route", create("--manual", "--route", "nearest"), []string{"route", "nearest"}},
		{"no such job", []string{"job", "trigger", "nothing"}, []string{"nothing"}},
		{"no such run", []string{"run", "show", "999"}, []string{"999"}},
	} {
		stdout, stderr, code := s.try(c.args...)
		if code == 0 {
			t.Errorf("%s: accepted: %s", c.name, stdout)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: the error lacks %q: %s", c.name, want, stderr)
			}
		}
		noStack(t, c.name, stderr)
	}
	if out := s.orth("job", "list", "-o", "json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("refused jobs were written: %s", out)
	}
	if _, stderr, code := run(t, nil, "job", "list", "--server", "http://"+s.server, "--token", "wrong"); code != 4 || !strings.Contains(stderr, "token") {
		t.Errorf("a wrong token: exit code %d, %s", code, stderr)
	}
	if _, stderr, code := run(t, nil, "job", "list", "--server", "http://"+freeAddress(t), "--token", "any"); code != 6 || !strings.Contains(stderr, "orth server") {
		t.Errorf("no server: exit code %d, %s", code, stderr)
	}
}

// TestBadTasks shows what becomes of work that an executor cannot do.
func TestBadTasks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.startServer()
	s.startExecutor()
	s.orth("job", "create", "unknown", "--group", s.group, "--manual", "--handler", "nobody")
	if r := s.becomes(s.trigger("unknown"), job.Failed); !strings.Contains(r.Message, "job handler [nobody] not found.") {
		t.Errorf("an unknown handler says %q", r.Message)
	}
	s.orth("job", "create", "exit", "--group", s.group, "--manual", "--shell", "echo before; echo 'no such customer' >&2; exit 3")
	id := s.trigger("exit")
	if r := s.becomes(id, job.Failed); r.Message != "exit status 3: no such customer" {
		t.Errorf("exit 3 says %q", r.Message)
	}
	if log := s.orth("run", "log", id); !strings.Contains(log, "before\n") {
		t.Errorf("the log of a failed script: %s", log)
	}

	token := groupToken(mustRead(t, filepath.Join(s.data(), "executor.token")), s.group)
	task := `{"jobId":77,"executorHandler":"","executorBlockStrategy":"SERIAL_EXECUTION","logId":123456,"logDateTime":1795226987336,` +
		`"glueType":"GLUE_SHELL","glueSource":"true","glueUpdatetime":1795226987000,"broadcastIndex":0,"broadcastTotal":1}`
	for _, c := range []struct {
		name, url, token, body string
		status                 int
		want                   string
	}{
		{"first /run", s.executor + "/run", token, task, 200, `{"code":200,"msg":"Success"}`},
		{"the same attempt again", s.executor + "/run", token, task, 200, `{"code":500,"msg":"repeat trigger job, logId:123456"}`},
		{"wrong token", s.executor + "/run", "wrong", task, 200, `{"code":500,"msg":"The access token is wrong."}`},
		{"empty token", s.executor + "/run", "", task, 200, `{"code":500,"msg":"The access token is wrong."}`},
		{"malformed JSON", s.executor + "/run", token, `{"jobId":`, 200, `"msg":"request error:`},
		{"unknown path", s.executor + "/nope", token, "{}", 200, `{"code":500,"msg":"invalid request, uri-mapping(/nope) not found."}`},
		{"body over the limit", s.executor + "/run", token, strings.Repeat(" ", 5<<20+1), 413, ""},
		{"wrong token at the server", s.server + "/api/registry", "wrong", "{}", 200, "The access token is wrong."},
		{"empty token at the server", s.server + "/api/callback", "", "[]", 200, "The access token is wrong."},
		{"malformed JSON at the server", s.server + "/api/callback", token, "[{", 200, `"code":500`},
		{"blank key", s.server + "/api/registry", token, `{"registryGroup":"EXECUTOR","registryKey":"","registryValue":"http://127.0.0.1:1/"}`, 200, "Illegal Argument."},
		{"unknown name at the server", s.server + "/api/nope", token, "{}", 200, "invalid request, uri-mapping(nope) not found."},
	} {
		status, body := post(t, "http://"+c.url, c.token, c.body)
		if status != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: HTTP %d %s, want %d and %s", c.name, status, body, c.status, c.want)
		}
		noStack(t, c.name, body)
	}
}

// TestBadFolders refuses folders that are in use or cannot be used.
func TestBadFolders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	server := s.startServer()
	plain := filepath.Join(s.dir, "plain")
	mustWrite(t, plain, "not a database")
	broken := t.TempDir()
	mustWrite(t, filepath.Join(broken, "orth.db"), strings.Repeat("not a database ", 1000))
	for _, c := range []struct {
		name string
		code int
		args []string
		want []string
	}{
		{"a second server", 5, []string{"--data", s.data()}, []string{s.data(), fmt.Sprint(server.cmd.Process.Pid)}},
		{"a file as folder", 6, []string{"--data", plain}, []string{plain}},
		{"below a file", 6, []string{"--data", filepath.Join(plain, "x")}, []string{plain}},
		{"not a database", 2, []string{"--data", broken}, []string{"orth.db"}},
		{"port in use", 5, []string{"--data", t.TempDir(), "--listen", s.server}, []string{s.server, "--listen"}},
		{"no port", 2, []string{"--data", t.TempDir(), "--listen", "nowhere"}, []string{"listen", "nowhere"}},
		{"known secret", 2, []string{"--data", t.TempDir(), "--executor-token", "default_token"}, []string{"executor-token", "well-known"}},
		{"short secret for everybody", 2, []string{"--data", t.TempDir(), "--listen", "0.0.0.0:0", "--admit-shared-token", "short-one"}, []string{"admit-shared-token", "loopback"}},
		{"unknown setting", 2, []string{"--config", plain}, []string{plain}},
	} {
		args := append([]string{"server"}, c.args...)
		if c.args[0] == "--data" && len(c.args) == 2 {
			args = append(args, "--listen", freeAddress(t))
		}
		stdout, stderr, code := run(t, nil, args...)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d; %s%s", c.name, code, c.code, stdout, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: the error lacks %q: %s", c.name, want, stderr)
			}
		}
		noStack(t, c.name, stderr)
	}
	if _, stderr, code := run(t, nil, "executor", "--servers", "http://"+s.server, "--group", "g", "--scripts",
		"--data", t.TempDir(), "--listen", freeAddress(t)); code != 2 || !strings.Contains(stderr, "token") {
		t.Errorf("scripts without a token: exit code %d, %s", code, stderr)
	}
}

func post(t *testing.T, url, token, body string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header["XXL-JOB-ACCESS-TOKEN"] = []string{token}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

func noStack(t *testing.T, name, text string) {
	t.Helper()
	for _, sign := range []string{"goroutine ", ".go:", "panic:"} {
		if strings.Contains(text, sign) {
			t.Errorf("%s: the answer looks like a stack trace: %s", name, text)
		}
	}
}
