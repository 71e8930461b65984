package client_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// raw starts a server that reads one request, writes answer and closes. An empty
// answer closes without a word.
func raw(t *testing.T, answer string) *client.Client {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { listener.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(conn, answer)
			}
			conn.Close()
		}
	}()
	return newClient(t, client.Config{Address: "http://" + listener.Addr().String(), Token: token, Timeout: 5 * time.Second})
}

func answer(status, media, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", status, media, len(body), body)
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, answer string
		kind         job.Kind
		text         string // part of the message
	}{
		{"closed without a word", "", job.Ambiguous, "did not answer"},
		{"no HTTP", "SSH-2.0-OpenSSH\r\n", job.Ambiguous, "did not answer"},
		{"half an answer", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"id\":", job.Ambiguous, "did not answer"},
		{"another site", answer("200 OK", "text/html", "<html>"), job.Refused, `answers with "text/html"`},
		{"broken JSON", answer("200 OK", "application/json", "{"), job.Refused, "JSON of another shape"},
		{"another JSON", answer("200 OK", "application/json", `{"id":[]}`), job.Refused, "JSON of another shape"},
		{"an error page", answer("404 Not Found", "text/html", "<html>"), job.NotFound, "status 404"},
		{"a proxy without a server", answer("502 Bad Gateway", "text/html", "<html>"), job.Ambiguous, "status 502"},
		{"a busy proxy", answer("503 Service Unavailable", "text/plain", ""), job.Unavailable, "status 503"},
		{"a broken problem", answer("500 Internal Server Error", "application/problem+json", "{"), job.Refused, "not JSON"},
		{
			"a problem of another version",
			answer("409 Conflict", "application/problem+json; charset=utf-8", `{"code":"brand_new","detail":"too late","colour":"red"}`), job.Conflict, "too late",
		},
		{"a redirect", "HTTP/1.1 302 Found\r\nLocation: http://example.com/login\r\nContent-Length: 0\r\n\r\n", job.Refused, "example.com/login"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := raw(t, c.answer).Trigger(t.Context(), "x", api.Trigger{})
			if !job.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v (%s), want %s with %q", err, job.KindOf(err), c.kind, c.text)
			}
			if strings.Contains(fmt.Sprintf("%+v %#v", err, err), token) {
				t.Errorf("the error shows the token: %v", err)
			}
		})
	}
}

func TestAnswerTooLarge(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		chunk := []byte(strings.Repeat(" ", 1<<20))
		for range 40 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	_, err := newClient(t, client.Config{Address: server.URL, Token: token}).Executors(t.Context())
	if !job.Is(err, job.Refused) || !strings.Contains(err.Error(), "larger than 32 MiB") {
		t.Errorf("got %v", err)
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	const address = "http://127.0.0.1:1" // a port that nobody is given
	c := newClient(t, client.Config{Address: address, Token: token})
	if _, err := c.Trigger(t.Context(), "x", api.Trigger{}); !job.Is(err, job.Unreachable) || !strings.Contains(err.Error(), "no Orth server answers at "+address) {
		t.Errorf("got %v (%s)", err, job.KindOf(err))
	}
	if err := c.Healthy(t.Context()); !job.Is(err, job.Unreachable) {
		t.Errorf("health: got %v", err)
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var peers sync.WaitGroup
		defer peers.Wait()
		var calls atomic.Int32
		hold := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { // to one that reads and says nothing
			near, far := net.Pipe()
			peers.Go(func() {
				calls.Add(1)
				_, _ = io.Copy(io.Discard, far)
			})
			return near, nil
		}}
		c := newClient(t, client.Config{Address: "http://orth.example.com", Token: token, Timeout: time.Second, HTTPClient: &http.Client{Transport: hold}})
		began := time.Now()
		if _, err := c.Trigger(t.Context(), "x", api.Trigger{}); !job.Is(err, job.Ambiguous) || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("after the timeout, and %s: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Trigger(ctx, "x", api.Trigger{}); !job.Is(err, job.Unreachable) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "given up") {
			t.Errorf("after the caller's end: %v", err)
		}
		if n := calls.Load(); n != 1 {
			t.Errorf("the server was called %d times, want once: a request must not be repeated", n)
		}
	})
}

func TestNoRedirectKeepsTheToken(t *testing.T) {
	t.Parallel()
	var leaked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Store(true) }))
	t.Cleanup(other.Close)
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	c := newClient(t, client.Config{Address: server.URL, Token: token, HTTPClient: &http.Client{Transport: server.Client().Transport}})
	if _, err := c.Version(t.Context()); !job.Is(err, job.Refused) {
		t.Errorf("got %v", err)
	}
	if leaked.Load() {
		t.Error("the client followed a redirect")
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config client.Config
		field  string
	}{
		"no address":           {client.Config{}, "address"},
		"no scheme":            {client.Config{Address: "127.0.0.1:7070"}, "address"},
		"another scheme":       {client.Config{Address: "ftp://127.0.0.1"}, "address"},
		"no host":              {client.Config{Address: "http:///x"}, "address"},
		"a user":               {client.Config{Address: "http://me:pass@127.0.0.1"}, "address"},
		"a query":              {client.Config{Address: "http://127.0.0.1?x=1"}, "address"},
		"a token of two lines": {client.Config{Address: "http://127.0.0.1", Token: "a\nb"}, "token"},
	} {
		_, err := client.New(c.config)
		if e, ok := errors.AsType[*job.Error](err); !ok || e.Kind != job.Invalid || e.Field != c.field {
			t.Errorf("%s: got %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "pass") {
			t.Errorf("%s: the error shows the password: %v", name, err)
		}
	}
}

func TestAddressWithPath(t *testing.T) {
	t.Parallel()
	var path atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { path.Store(r.URL.Path) }))
	t.Cleanup(server.Close)
	_, _ = newClient(t, client.Config{Address: server.URL + "/orth/", Token: token}).Version(t.Context())
	if path.Load() != "/orth/api/v1/version" {
		t.Errorf("called %v", path.Load())
	}
}

func TestClientHidesTheToken(t *testing.T) {
	t.Parallel()
	c := newClient(t, client.Config{Address: "http://127.0.0.1:1", Token: token})
	if text := fmt.Sprintf("%v %+v %#v", c, *c, c); strings.Contains(text, token) {
		t.Errorf("the client prints its token: %s", text)
	}
}
