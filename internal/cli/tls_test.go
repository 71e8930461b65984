package cli_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/certs/certstest"
)

// background runs a command line until the test ends, and checks that it ends well.
func background(t *testing.T, args ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan result, 1)
	go func() { ended <- orth(ctx, nil, args...) }()
	t.Cleanup(func() {
		stop()
		if r := <-ended; r.code != 0 {
			t.Errorf("%q: exit code %d, %s", args, r.code, r.stderr)
		}
	})
}

// await polls for something that loops do.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %s for %s", patience, what)
		}
	}
}

// startTLS runs a server over TLS, and returns its data folder and its URL.
func startTLS(t *testing.T, a *certstest.Authority, l certstest.Leaf) (data, url string) {
	t.Helper()
	data = t.TempDir()
	cert, key := a.Issue(t, l)
	background(t, "server", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "error",
		"--tls-cert", cert, "--tls-key", key, "--tls-client-ca", a.Path, "--tls-executor-ca", a.Path)
	var note struct {
		Address string `json:"address"`
	}
	await(t, "the server", func() bool {
		text, err := os.ReadFile(filepath.Join(data, "orth.json"))
		return err == nil && json.Unmarshal(text, &note) == nil && orth(t.Context(), nil, "version", "--data", data).code == 0
	})
	if !strings.HasPrefix(note.Address, "https://127.0.0.1:") {
		t.Fatalf("the server is at %s", note.Address)
	}
	return data, note.Address
}

// TestServerOverTLS: the command line finds out that a server of this machine speaks
// TLS, and believes others only when their authority is known.
func TestServerOverTLS(t *testing.T) {
	t.Parallel()
	ours, others := certstest.New(t), certstest.New(t)
	named := certstest.Both("server")
	named.IP, named.DNS = nil, []string{"orth.example.com"}
	far, there := startTLS(t, ours, named)
	data, url := startTLS(t, ours, certstest.Both("server"))
	file := filepath.Join(data, "api.token")
	for _, c := range []struct {
		name string
		env  map[string]string
		args []string
		want string // in the message; empty for success
	}{
		{"the note", nil, []string{"--data", data}, ""},
		{"the note, under another name", nil, []string{"--data", far}, ""},
		{"the note and its authority", nil, []string{"--data", data, "--ca", ours.Path}, ""},
		{"the note and another authority", nil, []string{"--data", data, "--ca", others.Path}, "shows a certificate that is not trusted"},
		{"the machine does not know it", nil, []string{"--server", url, "--token-file", file}, "--ca FILE or ORTH_CA"},
		{"its authority", nil, []string{"--server", url, "--token-file", file, "--ca", ours.Path}, ""},
		{"its authority by the environment", map[string]string{"ORTH_CA": ours.Path}, []string{"--server", url, "--token-file", file}, ""},
		{"another one", nil, []string{"--server", url, "--token-file", file, "--ca", others.Path}, "is not trusted"},
		{"another name", nil, []string{"--server", there, "--token-file", file, "--ca", ours.Path}, "call the server by a name that is in it"},
		{"no such file", nil, []string{"--data", data, "--ca", "none.pem"}, "--ca: cannot be read"},
		{"without TLS", nil, []string{"--server", "http" + strings.TrimPrefix(url, "https"), "--token-file", file}, "speaks TLS"},
	} {
		r := orth(t.Context(), c.env, append([]string{"job", "list"}, c.args...)...)
		if (r.code == 0) != (c.want == "") || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: exit code %d, %s; want %q", c.name, r.code, r.stderr, c.want)
		}
	}
	for protocol, major := range map[string]int{"h2": 2, "http/1.1": 1} {
		transport := &http.Transport{
			ForceAttemptHTTP2: major == 2, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ours.Pool()},
		}
		response, err := (&http.Client{Transport: transport}).Get(url + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		transport.CloseIdleConnections()
		if response.ProtoMajor != major || response.StatusCode != http.StatusOK {
			t.Errorf("%s: HTTP/%d, %s", protocol, response.ProtoMajor, response.Status)
		}
	}
	old := &tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11, RootCAs: ours.Pool()}}
	if conn, err := old.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "https://")); err == nil {
		conn.Close()
		t.Error("TLS 1.1 is spoken")
	}
}

// TestServerTLSRefusals: a server does not start with files that it cannot use, and
// says which.
func TestServerTLSRefusals(t *testing.T) {
	t.Parallel()
	a := certstest.New(t)
	cert, key := a.Issue(t, certstest.Both("server"))
	_, other := a.Issue(t, certstest.Both("other"))
	none := filepath.Join(t.TempDir(), "none.pem")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--tls-cert", cert}, []string{"--tls-cert: and tls-key belong together"}},
		{[]string{"--tls-key", key}, []string{"--tls-cert: and tls-key belong together"}},
		{[]string{"--tls-client-ca", a.Path}, []string{"--tls-client-ca: needs tls-cert"}},
		{[]string{"--tls-cert", none, "--tls-key", key}, []string{"--tls-cert: ", none}},
		{[]string{"--tls-cert", key, "--tls-key", key}, []string{"--tls-cert: ", key, "has no certificate"}},
		{[]string{"--tls-cert", cert, "--tls-key", other}, []string{"--tls-key: ", other, cert}},
		{[]string{"--tls-cert", cert, "--tls-key", key, "--tls-client-ca", key}, []string{"--tls-client-ca: ", key, "has no certificate"}},
		{[]string{"--tls-executor-ca", none}, []string{"--tls-executor-ca: ", none}},
	} {
		r := orth(t.Context(), nil, append([]string{"server", "--listen", "127.0.0.1:0", "--data", t.TempDir()}, c.args...)...)
		if r.code != 2 {
			t.Errorf("%q: exit code %d, %s", c.args, r.code, r.stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("%q: %q is missing in: %s", c.args, want, r.stderr)
			}
		}
	}
}

// TestExecutorsOverTLS: in each dialect and both transports, with a token or with a
// certificate in its place.
func TestExecutorsOverTLS(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is missing")
	}
	a := certstest.New(t)
	leaf := certstest.Both("server")
	leaf.IP = append(leaf.IP, net.IPv6loopback)
	data, url := startTLS(t, a, leaf)
	own := []string{"--executor-token-file", filepath.Join(data, "executor.token")}
	for name, c := range map[string]struct {
		args  []string
		cert  string // the common name of its own; empty for none
		wants string // in its address
	}{
		"family":              {append(own, "--dialect", "xxl-job"), "", "http://"},
		"family-both":         {append(own, "--dialect", "xxl-job", "--tls-client-ca", a.Path), "any", "https://"},
		"found":               {own, "any", "https://"},
		"push":                {append(own, "--dialect", "native"), "", "http://"},
		"push-both":           {append(own, "--dialect", "native", "--tls-client-ca", a.Path), "any", "https://"},
		"pull":                {append(own, "--pull"), "", "pull://"},
		"certified-push":      {[]string{"--dialect", "native", "--tls-client-ca", a.Path}, "certified-push", "https://"},
		"certified-pull":      {[]string{"--pull"}, "certified-pull", "pull://"},
		"certified-pull-shut": {[]string{"--pull"}, "certified-pull-shut", "pull://"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			must := func(args ...string) string {
				t.Helper()
				r := orth(t.Context(), nil, append(args, "--data", data)...)
				if r.code != 0 {
					t.Fatalf("%q: exit code %d, %s", args, r.code, r.stderr)
				}
				return r.stdout
			}
			must("job", "create", name, "--group", name, "--manual", "--shell", "echo over TLS", "--retries", "0")
			if strings.HasSuffix(name, "-shut") {
				must("group", "token", "add", name)
				must("group", "edit", name, "--own-token-only")
			}
			args := append([]string{
				"executor", "--servers", url, "--group", name, "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--scripts", "--drain-timeout", "1s",
				"--log-level", "error", "--tls-server-ca", a.Path,
			}, c.args...)
			if c.cert != "" {
				cert, key := a.Issue(t, certstest.Both(c.cert))
				args = append(args, "--tls-cert", cert, "--tls-key", key)
			}
			background(t, args...)
			await(t, "the executor", func() bool {
				var list []api.Executor
				if err := json.Unmarshal([]byte(must("executors", "-o", "json")), &list); err != nil {
					t.Fatal(err)
				}
				for _, e := range list {
					if e.Group == name && strings.HasPrefix(e.Address, c.wants) && e.Unreachable == "" {
						return true
					}
				}
				return false
			})
			r := orth(t.Context(), nil, "job", "trigger", name, "--wait", "--data", data)
			if r.code != 0 || !strings.Contains(r.stdout, "succeeded") {
				t.Errorf("exit code %d, %s%s\n%s", r.code, r.stdout, r.stderr, must("run", "list", "--job", name, "-o", "json"))
			}
		})
	}
}
