//go:build unix

package http1

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// patience is a time limit that no test reaches on a busy machine.
const patience = 20 * time.Second

// peer is a listener whose connections are served by a function.
type peer struct {
	url    string
	opened atomic.Int64
}

// listen serves each connection with handle until the test ends. handle gets
// the number of the connection, from 1 on.
func listen(t *testing.T, handle func(conn net.Conn, n int64)) *peer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{url: "http://" + listener.Addr().String()}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer conn.Close()
				handle(conn, p.opened.Add(1))
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		group.Wait()
	})
	return p
}

// answering answers every request with text until the caller leaves.
func answering(text string) func(net.Conn, int64) {
	return func(conn net.Conn, _ int64) {
		r := bufio.NewReader(conn)
		for read(r) == nil {
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
		}
	}
}

// read passes over one request.
func read(r *bufio.Reader) error {
	request, err := http.ReadRequest(r)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, request.Body)
	return err
}

func client(t *testing.T, c Config) *Client {
	t.Helper()
	if c.Timeout == 0 {
		c.Timeout = patience
	}
	made := New(c)
	t.Cleanup(made.Close)
	return made
}

func at(t *testing.T, address string) *Target {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	target, ok := NewTarget(u, "agent", []byte("X-Always: 1\r\n"))
	if !ok {
		t.Fatalf("no target for %s", address)
	}
	return target
}

func request(t *testing.T, address, body string) *Request {
	t.Helper()
	return &Request{Target: at(t, address), Body: []byte(body), Limit: limit}
}

const hi = ok + "Content-Length: 2\r\n\r\nhi"

// TestByteForByte pins what leaves, and that net/http reads it.
func TestByteForByte(t *testing.T) {
	t.Parallel()
	got := make(chan string, 1)
	p := listen(t, func(conn net.Conn, _ int64) {
		var text strings.Builder
		if read(bufio.NewReader(io.TeeReader(conn, &text))) == nil {
			got <- text.String()
			_, _ = io.WriteString(conn, hi)
		}
	})
	r := request(t, p.url+"/a%20b/run?x=1", "body")
	r.Extra = []byte("X-Extra: 2\r\n")
	a, err := client(t, Config{}).Post(t.Context(), r)
	if err != nil || a.Status != 200 || string(a.Body) != "hi" {
		t.Errorf("%+v, %v", a, err)
	}
	want := "POST /a%20b/run?x=1 HTTP/1.1\r\nHost: " + strings.TrimPrefix(p.url, "http://") +
		"\r\nUser-Agent: agent\r\nContent-Length: 4\r\nX-Always: 1\r\nX-Extra: 2\r\n\r\nbody"
	if text := <-got; text != want {
		t.Errorf("sent %q; want %q", text, want)
	}
}

// TestKept: which answers leave a connection for the next request.
func TestKept(t *testing.T) {
	t.Parallel()
	for name, c := range answers() {
		if c.status == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			last := !c.keep || strings.Contains(name, "second")
			p := listen(t, func(conn net.Conn, _ int64) {
				r := bufio.NewReader(conn)
				for read(r) == nil {
					_, err := io.WriteString(conn, c.text)
					if err != nil || last {
						return
					}
				}
			})
			caller := client(t, Config{})
			for range 3 {
				if a, err := caller.Post(t.Context(), request(t, p.url, "x")); err != nil || a.Status != c.status || string(a.Body) != c.body {
					t.Fatalf("%+v, %v", a, err)
				}
			}
			want := int64(1)
			if last {
				want = 3
			}
			if n := p.opened.Load(); n != want {
				t.Errorf("%d connections for 3 requests; want %d", n, want)
			}
		})
	}
}

// TestStale: a kept connection that the peer has closed, or on which it has sent something
// unasked, costs no request.
func TestStale(t *testing.T) {
	t.Parallel()
	for name, farewell := range map[string]string{
		"closed":       "",
		"told to wait": "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n",
	} {
		over := make(chan struct{})
		var requests atomic.Int64
		p := listen(t, func(conn net.Conn, _ int64) {
			if read(bufio.NewReader(conn)) == nil {
				requests.Add(1)
				_, _ = io.WriteString(conn, hi)
				_, _ = io.WriteString(conn, farewell)
				_ = conn.Close()
				over <- struct{}{}
			}
		})
		caller := client(t, Config{})
		for range 5 {
			if _, err := caller.Post(t.Context(), request(t, p.url, "x")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			<-over
		}
		if n := requests.Load(); n != 5 || p.opened.Load() != 5 {
			t.Errorf("%s: %d requests came on %d connections; want 5 on 5", name, n, p.opened.Load())
		}
	}
}

// TestSentAgain: a kept connection that takes not one byte is no loss, and one
// that has taken some is never tried again.
func TestSentAgain(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	p := listen(t, func(conn net.Conn, _ int64) {
		if read(bufio.NewReader(conn)) == nil {
			_, _ = io.WriteString(conn, hi)
			<-done // the end of what it reads is not answered with its own
		}
	})
	t.Cleanup(func() { close(done) }) // before the listener waits
	caller := client(t, Config{})
	r := request(t, p.url, "x")
	for n := range int64(3) {
		if _, err := caller.Post(t.Context(), r); err != nil || p.opened.Load() != n+1 {
			t.Fatalf("%d connections, %v", p.opened.Load(), err)
		}
		kept := caller.idle.pop(r.Target.place)
		if tcp, ok := kept.socket.Conn.(*net.TCPConn); !ok || tcp.CloseWrite() != nil {
			t.Fatal("the connection cannot be closed for writing")
		}
		caller.idle.putConn(kept)
	}
	if _, err := client(t, Config{Timeout: time.Nanosecond}).Post(t.Context(), r); left(err) {
		t.Errorf("a call without time: %v", err)
	}
	silent := listen(t, func(conn net.Conn, n int64) {
		r := bufio.NewReader(conn)
		_ = read(r)
		if n == 1 {
			_, _ = io.WriteString(conn, hi)
			_ = read(r)
		}
	})
	if _, err := caller.Post(t.Context(), request(t, silent.url, "x")); err != nil {
		t.Fatal(err)
	}
	if _, err := caller.Post(t.Context(), request(t, silent.url, "x")); !left(err) || silent.opened.Load() != 1 {
		t.Errorf("%d connections, %v; want one, and an error after the request left", silent.opened.Load(), err)
	}
}

func left(err error) bool {
	f, ok := errors.AsType[*PostError](err)
	return ok && f.Left
}

// TestFailures: what is known of a request that failed, and why it did.
func TestFailures(t *testing.T) {
	t.Parallel()
	const nobody = "http://127.0.0.1:1" // a port that nobody is given
	done := make(chan struct{})
	silent := listen(t, func(conn net.Conn, _ int64) {
		_ = read(bufio.NewReader(conn))
		<-done
	})
	reset := listen(t, func(conn net.Conn, _ int64) {
		_ = read(bufio.NewReader(conn))
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	})
	t.Cleanup(func() { close(done) })
	ended, end := context.WithCancel(t.Context())
	end()
	for name, c := range map[string]struct {
		config Config
		ctx    context.Context
		url    string
		left   bool
		cause  error // nil: any
	}{
		"nobody listens":       {Config{}, t.Context(), nobody, false, nil},
		"no such name":         {Config{}, t.Context(), "http://orth.invalid", false, nil},
		"the caller left":      {Config{}, ended, silent.url, false, context.Canceled},
		"reset":                {Config{}, t.Context(), reset.url, true, nil},
		"no time from the off": {Config{Timeout: 1}, t.Context(), silent.url, false, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, c.config).Post(c.ctx, request(t, c.url, "x"))
			f, ok := errors.AsType[*PostError](err)
			if !ok || f.Left != c.left || c.cause != nil && !errors.Is(err, c.cause) {
				t.Errorf("%v (%+v); want left %v, cause %v", err, f, c.left, c.cause)
			}
		})
	}
	_, err := client(t, Config{}).Post(t.Context(), request(t, silent.url, strings.Repeat("x", MaxBody+1)))
	if err == nil || left(err) {
		t.Errorf("a body over the limit: %v", err)
	}
	bad := request(t, silent.url, "x")
	bad.Extra = []byte("X: a\r\n\r\nPOST /other HTTP/1.1\r\n")
	if _, err := client(t, Config{}).Post(t.Context(), bad); err == nil || left(err) {
		t.Errorf("a request inside a header: %v", err)
	}
}

// TestSilence: a peer that sends nothing, or nothing final, holds up a caller until the
// caller's deadline, and not a moment longer.
func TestSilence(t *testing.T) {
	t.Parallel()
	const limit = 50 * time.Millisecond
	quiet := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	drips := func(conn net.Conn) {
		for err := read(bufio.NewReader(conn)); err == nil; time.Sleep(time.Millisecond) {
			_, err = io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n")
		}
	}
	for name, c := range map[string]struct {
		peer   func(net.Conn)
		config Config
		limit  time.Duration // the caller's own
		url    string
		left   bool
	}{
		"silence":             {quiet, Config{Timeout: limit}, time.Hour, "http://x", true},
		"the caller's limit":  {quiet, Config{Timeout: time.Hour}, limit, "http://x", true},
		"for ever not final":  {drips, Config{Timeout: limit}, time.Hour, "http://x", true},
		"silence instead TLS": {quiet, Config{Timeout: limit}, time.Hour, "https://x", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var peers sync.WaitGroup
				defer peers.Wait()
				caller := client(t, c.config)
				caller.reach = func(context.Context, string, time.Time) (net.Conn, error) {
					near, far := net.Pipe()
					peers.Go(func() { c.peer(far) })
					return near, nil
				}
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				began := time.Now()
				_, err := caller.Post(ctx, request(t, c.url, "x"))
				if !errors.Is(err, context.DeadlineExceeded) || left(err) != c.left || time.Since(began) != limit {
					t.Errorf("%v after %s; want left %v after %s", err, time.Since(began), c.left, limit)
				}
			})
		})
	}
}

// TestCallerLeaves: a caller that leaves while it waits is let go at once, and
// its connection is not used again.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	asked, done := make(chan struct{}), make(chan struct{})
	p := listen(t, func(conn net.Conn, n int64) {
		r := bufio.NewReader(conn)
		if n > 1 {
			answering(hi)(conn, n)
			return
		}
		_ = read(r)
		close(asked)
		<-done
	})
	t.Cleanup(func() { close(done) })
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	caller := client(t, Config{})
	if _, err := caller.Post(ctx, request(t, p.url, "x")); !left(err) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	again, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 2 {
		if _, err := caller.Post(again, request(t, p.url, "x")); err != nil {
			t.Error(err)
		}
	}
	if n := p.opened.Load(); n != 2 {
		t.Errorf("%d connections; want 2", n)
	}
}

// TestTogether: many callers share connections, and each gets its own answer.
func TestTogether(t *testing.T) {
	t.Parallel()
	p := listen(t, func(conn net.Conn, _ int64) {
		r := bufio.NewReader(conn)
		for {
			request, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			body, _ := io.ReadAll(request.Body)
			_, _ = io.WriteString(conn, ok+"Content-Length: 4\r\n\r\n"+string(body))
		}
	})
	caller := client(t, Config{})
	var group sync.WaitGroup
	for n := range 16 {
		group.Go(func() {
			body := strings.Repeat(string(rune('a'+n)), 4)
			for range 50 {
				if a, err := caller.Post(t.Context(), request(t, p.url, body)); err != nil || string(a.Body) != body {
					t.Errorf("caller %d: %q, %v", n, a.Body, err)
					return
				}
			}
		})
	}
	group.Wait()
	if n := p.opened.Load(); n > 16 {
		t.Errorf("%d connections for 16 callers", n)
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]connKey{
		"http://h/":            {"h:80", ""},
		"https://h/":           {"h:443", "h"},
		"http://h:9/x":         {"h:9", ""},
		"https://[::1]:9/x":    {"[::1]:9", "::1"},
		"http://a_b.c-d/":      {"a_b.c-d:80", ""},
		"ftp://h/":             {},
		"http://h:/":           {},
		"http://u@h/":          {},
		"http://höst/":         {},
		"http://[fe80::1%25e]": {},
		"http:///":             {},
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		target, ok := NewTarget(u, "a", nil)
		if ok != (want != connKey{}) || ok && target.place != want {
			t.Errorf("%s: %+v, %v; want %+v", address, target, ok, want)
		}
	}
	for _, fields := range []string{"X: 1", "X 1\r\n", ": 1\r\n", "X: a\nb\r\n", "X: \x00\r\n", "X : 1\r\n", "\r\n", "X: 1\r\n\r\n"} {
		if _, ok := NewTarget(&url.URL{Scheme: "http", Host: "h"}, "a", []byte(fields)); ok {
			t.Errorf("the fields %q were taken", fields)
		}
	}
}
