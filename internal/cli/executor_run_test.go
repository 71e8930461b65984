package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestExecutorHelp(t *testing.T) {
	t.Parallel()
	r := orth(t.Context(), nil, "executor", "--help")
	if r.code != 0 || r.stderr != "" {
		t.Errorf("exit code %d, standard error %s", r.code, r.stderr)
	}
	compare(t, "executor-help", r.stdout)
}

// TestExecutorRefusals: what an operator is told when an executor cannot begin
// names the flag.
func TestExecutorRefusals(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, args := range []string{
		"",
		"--group a~b",
		"--group reports --listen 0.0.0.0:0",
		"--group reports --scripts",
		"--group reports --commands ls",
		"--group reports --servers localhost",
		"--group reports --kill-grace 2m",
		"--group reports --max-memory 5parsecs",
		"--group reports --drain never",
		"--group reports --interpreters perl=/usr/bin/perl",
		"--group reports --interpreters javascript=/usr/bin/node",
		"--group reports --calls --call-hosts http://example.com/",
		"--group reports --tls-cert cert.pem",
		"--group reports --log-level loud",
		"--group reports extra",
	} {
		words := append([]string{"executor", "--data", filepath.Join(t.TempDir(), "data")}, strings.Fields(args)...)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "~", " ")
		}
		r := orth(t.Context(), nil, words...)
		fmt.Fprintf(&text, "$ orth executor %s\n== exit code %d\n%s%s\n", strings.ReplaceAll(args, "~", " "), r.code, r.stdout, r.stderr)
	}
	compare(t, "executor-refusals", text.String())
}

// TestExecutorStops: a stop is a good end, also when a script outlasts the time
// that it has to end.
func TestExecutorStops(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is missing")
	}
	address, outcome := make(chan string, 1), make(chan string, 1)
	began := filepath.Join(t.TempDir(), "began")
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/api/registry":
			var says struct{ RegistryValue string }
			_ = json.Unmarshal(body, &says)
			select {
			case address <- says.RegistryValue:
			default:
			}
		case "/api/callback":
			select {
			case outcome <- string(body):
			default: // it comes again when the stop cuts its sending off
			}
		}
		_, _ = io.WriteString(w, `{"code":200}`)
	}))
	t.Cleanup(admin.Close)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan result, 1)
	go func() {
		ended <- orth(ctx, nil, "executor", "--group", "app-x", "--servers", admin.URL, "--data", t.TempDir(), "--listen", "127.0.0.1:0",
			"--executor-token", token, "--commands", "sh", "--drain-timeout", "10ms", "--kill-grace", "10ms", "--log-level", "error",
			"--metrics-listen", "127.0.0.1:0")
	}()
	ask := func(path, body string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Xxl-Job-Access-Token", token)
		request.Close = true
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if text, _ := io.ReadAll(response.Body); !strings.Contains(string(text), `"code":200`) {
			t.Fatalf("%s: %s", path, text)
		}
	}
	within(t, address, "registration", func(url string) {
		param := fmt.Sprintf(`sh -c "trap '' TERM; echo >'%s'; while :; do sleep 1; done"`, began)
		body, err := json.Marshal(map[string]any{
			"jobId": 1, "executorHandler": "commandJobHandler", "executorParams": param, "logId": 11, "logDateTime": 1,
			"glueType": "BEAN", "executorBlockStrategy": "SERIAL_EXECUTION", "broadcastTotal": 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		ask(url+"run", string(body))
	})
	for deadline := time.Now().Add(patience); ; <-time.After(2 * time.Millisecond) {
		if _, err := os.Stat(began); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the script did not begin")
		}
	}
	stop()
	within(t, ended, "end", func(r result) {
		if r.code != 0 || r.stderr != "" {
			t.Errorf("exit code %d, %s", r.code, r.stderr)
		}
		if !strings.HasPrefix(r.stdout, "Orth executor of group app-x listens on 127.0.0.1:0 ") {
			t.Errorf("standard output %q", r.stdout)
		}
	})
	within(t, outcome, "outcome", func(text string) {
		if !strings.Contains(text, `"logId":11`) || !strings.Contains(text, `"handleCode":500`) {
			t.Errorf("the script was reported as %s", text)
		}
	})
}

// patience is how long tests wait for others: machines are busy.
const patience = 2 * time.Minute

// within takes what comes from a channel, in time.
func within[T any](t *testing.T, from <-chan T, what string, do func(T)) {
	t.Helper()
	select {
	case got := <-from:
		do(got)
	case <-time.After(patience):
		t.Fatalf("waited %s for the %s", patience, what)
	}
}
