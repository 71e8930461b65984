package lifecycle_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/lifecycle"
)

// listen returns a listener on a free port of loopback.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestServeLetsRequestsEnd(t *testing.T) {
	t.Parallel()
	l := listen(t)
	entered, release := make(chan struct{}), make(chan struct{})
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-release
		_, _ = io.WriteString(w, "done")
	})}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- lifecycle.Serve(server, l, time.Minute)(ctx) }()
	answer := make(chan string, 1)
	go func() {
		resp, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			answer <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answer <- string(body)
	}()
	<-entered
	stop()
	close(release)
	if got := <-answer; got != "done" {
		t.Errorf("the request under way was answered %q", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("a stop in order says %v", err)
	}
}

func TestServeClosesWhatLasts(t *testing.T) {
	t.Parallel()
	l := listen(t)
	entered := make(chan struct{})
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	})}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- lifecycle.Serve(server, l, time.Millisecond)(ctx) }()
	gone := make(chan error, 1)
	go func() {
		resp, err := http.Get("http://" + l.Addr().String())
		if err == nil {
			resp.Body.Close()
		}
		gone <- err
	}()
	<-entered
	stop()
	if err := <-ended; err != nil {
		t.Errorf("a stop in order says %v", err)
	}
	if err := <-gone; err == nil {
		t.Error("the request that lasted was answered")
	}
}

func TestServeFails(t *testing.T) {
	t.Parallel()
	l := listen(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := lifecycle.Serve(&http.Server{ReadHeaderTimeout: time.Second}, l, time.Second)(t.Context()); err == nil {
		t.Error("a closed listener was served")
	}
}

// S08: what stands behind a request whose end can be read in two ways is not read as a
// request: the connection ends.
func TestServeClosesAfterChunks(t *testing.T) {
	t.Parallel()
	listener := listen(t)
	var asked atomic.Int64
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "hi")
	})}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- lifecycle.Serve(server, listener, time.Minute)(ctx) }()
	for name, c := range map[string]struct {
		request string
		asked   int64
	}{
		"both":          {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 1},
		"chunks":        {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", 1},
		"a length":      {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi", 2},
		"two lengths":   {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi", 0},
		"other codings": {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", 0},
	} {
		asked.Store(0)
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, c.request+"GET /smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answers, err := io.ReadAll(conn)
		if n := asked.Load(); err != nil || n != c.asked {
			t.Errorf("%s: %d requests were served, not %d: %q, %v", name, n, c.asked, answers, err)
		}
		_ = conn.Close()
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
