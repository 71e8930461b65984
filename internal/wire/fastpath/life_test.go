package fastpath

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/lifecycle"
)

// start serves on loopback and returns the address. It stops with the test.
func start(t *testing.T, c Config) (*Server, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return startOn(t, c, l), l.Addr().String()
}

func startOn(t *testing.T, c Config, l net.Listener) *Server {
	t.Helper()
	s := New(c)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("Serve: %v", err)
		}
	})
	return s
}

// peer is a client's end of a connection.
type peer struct {
	net.Conn
	*bufio.Reader

	t *testing.T
}

func dial(t *testing.T, address string) peer {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return peer{c, bufio.NewReader(c), t}
}

func (p peer) Read(b []byte) (int, error) { return p.Reader.Read(b) }

func (p peer) send(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.Conn, text); err != nil {
		p.t.Fatal(err)
	}
}

// receive returns the body of the next answer, and whether it is the last.
func (p peer) receive() (string, bool) {
	p.t.Helper()
	response, err := http.ReadResponse(p.Reader, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(body), response.Close
}

// ended reports whether nothing more comes.
func (p peer) ended() bool {
	_, err := p.Reader.ReadByte()
	return err != nil && !strings.Contains(err.Error(), "timeout")
}

// who answers with the server that calls it.
func who(w http.ResponseWriter, _ *http.Request) {
	if _, std := w.(http.Flusher); std {
		_, _ = io.WriteString(w, "net/http")
		return
	}
	_, _ = io.WriteString(w, "fast")
}

// TestWhoAnswers: plain requests take the fast path, and no others do. A connection of
// net/http stays there.
func TestWhoAnswers(t *testing.T) {
	t.Parallel()
	_, address := start(t, Config{HTTP: standard(http.HandlerFunc(who), io.Discard), Fast: func(path string) bool { return path != "/slow" }})
	for sent, want := range map[string]string{
		request("/", "", ""):                                       "fast",
		request("/", "XXL-JOB-ACCESS-TOKEN: x\r\n", "{}"):          "fast",
		request("/", "Connection: keep-alive\r\nA: b\r\n", "{}"):   "fast",
		request("/", "", strings.Repeat("x", maxBody)):             "fast",
		request("/", "", strings.Repeat("x", maxBody+1)):           "net/http",
		request("/slow", "", ""):                                   "net/http",
		request("/", "A: "+strings.Repeat("x", 6000)+"\r\n", ""):   "net/http",
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n":                        "net/http",
		request("/", "A: \xe4\r\n", ""):                            "net/http",
		request("/", "Upgrade: h2c\r\n", ""):                       "net/http",
		request("/", "Trailer: A\r\n", ""):                         "net/http",
		request("/", "A: b\r\nA: c\r\n", ""):                       "net/http",
		strings.Replace(request("/", "", ""), "\r\n\r", "\n\r", 1): "net/http",
	} {
		p := dial(t, address)
		p.send(sent)
		if got, _ := p.receive(); got != want {
			t.Errorf("%.300q was answered by %s, not by %s", sent, got, want)
		}
		p.send(request("/", "", ""))
		if got, _ := p.receive(); got != want {
			t.Errorf("what follows %.300q was answered by %s, not by %s", sent, got, want)
		}
	}
}

// TestLateRequests: the rest of a request is awaited for a second, then by net/http.
func TestLateRequests(t *testing.T) {
	t.Parallel()
	handed := make(chan struct{}, 1)
	server := standard(http.HandlerFunc(who), io.Discard)
	server.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			handed <- struct{}{}
		}
	}
	_, address := start(t, Config{HTTP: server})
	for _, at := range []int{1, 40, len(request("/", "", "01234")) - 3} {
		p := dial(t, address)
		p.send(request("/", "", ""))
		p.receive()
		whole := request("/", "", "01234")
		p.send(whole[:at])
		if at >= 4 { // fewer are not looked at, as in net/http
			<-handed
		}
		p.send(whole[at:])
		want := "net/http"
		if at < 4 {
			want = "fast"
		}
		if got, _ := p.receive(); got != want {
			t.Errorf("after %d bytes: %s answered", at, got)
		}
	}
}

// TestSilentConnections: connections without a request end in the times of net/http.
func TestSilentConnections(t *testing.T) {
	t.Parallel()
	server := standard(http.HandlerFunc(who), io.Discard)
	server.ReadHeaderTimeout = 30 * time.Millisecond
	_, address := start(t, Config{HTTP: server})
	if !dial(t, address).ended() {
		t.Error("a new connection stayed open")
	}
	server = standard(http.HandlerFunc(who), io.Discard)
	server.IdleTimeout = 30 * time.Millisecond
	_, address = start(t, Config{HTTP: server})
	p := dial(t, address)
	p.send(request("/", "", ""))
	p.receive()
	if !p.ended() {
		t.Error("an idle connection stayed open")
	}
	p = dial(t, address)
	p.send(request("/", "", "") + "\r\n")
	p.receive()
	if !p.ended() {
		t.Error("a connection with a line end too many stayed open")
	}
}

// TestNoLimits: a server without limits of time works.
func TestNoLimits(t *testing.T) {
	t.Parallel()
	_, address := start(t, Config{HTTP: &http.Server{Handler: http.HandlerFunc(who)}})
	p := dial(t, address)
	for range 3 {
		p.send(request("/", "", ""))
		if got, last := p.receive(); got != "fast" || last {
			t.Errorf("%s, %v", got, last)
		}
	}
}

// watched waits until a request's connection is watched, and returns what is closed when
// the watch has seen something.
func watched(s *Server) <-chan struct{} {
	watches := func() <-chan struct{} {
		s.mu.Lock()
		defer s.mu.Unlock()
		for c := range s.conns {
			c.watch.mu.Lock()
			reading := c.watch.reading
			c.watch.mu.Unlock()
			if reading != nil {
				return reading
			}
		}
		return nil
	}
	for {
		if reading := watches(); reading != nil {
			return reading
		}
		<-time.After(time.Millisecond)
	}
}

// TestCallersWhoLeave: the context of a request ends when its caller leaves, and not
// when the next request comes first.
func TestCallersWhoLeave(t *testing.T) {
	t.Parallel()
	release, canceled, entered := make(chan struct{}), make(chan error, 1), make(chan struct{}, 1)
	s, address := start(t, Config{HTTP: standard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		select {
		case <-r.Context().Done():
			canceled <- context.Cause(r.Context())
		case <-release:
			body, _ := io.ReadAll(r.Body)
			_, _ = w.Write(body)
		}
	}), io.Discard)})
	p := dial(t, address)
	for _, next := range []string{"two", "three"} {
		p.send(request("/", "", "one"))
		<-entered
		seen := watched(s)
		p.send(request("/", "", next))
		<-seen
		release <- struct{}{}
		if got, _ := p.receive(); got != "one" {
			t.Errorf("the answer is %q", got)
		}
		<-entered
		release <- struct{}{}
		if got, _ := p.receive(); got != next {
			t.Errorf("the next answer is %q, not %q", got, next)
		}
	}
	p.send(request("/", "", "left"))
	<-entered
	_ = p.Conn.Close()
	if err := <-canceled; !errors.Is(err, context.Canceled) {
		t.Errorf("the context ended with %v", err)
	}
}

// TestLongRequests: a request ends when net/http's limit for reading has passed, unless its
// handler has lifted that, before the connection is watched or while it is.
func TestLongRequests(t *testing.T) {
	t.Parallel()
	contexts, answered := make(chan context.Context), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lift := func() {
			if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
				t.Error(err)
			}
		}
		if r.URL.Path == "/early" {
			lift()
		}
		contexts <- r.Context()
		if r.URL.Path == "/watched" {
			<-contexts
			lift()
			contexts <- nil
		}
		select {
		case <-answered:
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "answered")
	})
	server := standard(h, io.Discard)
	server.ReadTimeout, server.ReadHeaderTimeout = time.Second, 0
	s, address := start(t, Config{HTTP: server})
	callers := []peer{dial(t, address), dial(t, address), dial(t, address)}
	callers[0].send(request("/watched", "", ""))
	lifted := <-contexts
	watched(s)
	contexts <- nil
	<-contexts
	callers[1].send(request("/early", "", ""))
	early := <-contexts
	callers[2].send(request("/late", "", ""))
	<-(<-contexts).Done()
	if early.Err() != nil || lifted.Err() != nil {
		t.Errorf("those without a limit ended with %v and %v", early.Err(), lifted.Err())
	}
	close(answered)
	for i, p := range callers[:2] {
		if got, _ := p.receive(); got != "answered" {
			t.Errorf("caller %d got %q", i, got)
		}
	}
}

// TestContexts: a request has the values that net/http gives it, and ends with its handler.
func TestContexts(t *testing.T) {
	t.Parallel()
	contexts := make(chan context.Context, 1)
	server := standard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { contexts <- r.Context() }), io.Discard)
	_, address := start(t, Config{HTTP: server})
	p := dial(t, address)
	p.send(request("/", "", ""))
	p.receive()
	ctx := <-contexts
	if ctx.Err() == nil || ctx.Value(http.ServerContextKey) != server || ctx.Value(http.LocalAddrContextKey).(net.Addr).String() != address {
		t.Errorf("%v: %v", ctx, ctx.Err())
	}
}

// TestPanics: a panic ends the connection and is logged, an abort is not.
func TestPanics(t *testing.T) {
	t.Parallel()
	text := new(lockedText)
	_, address := start(t, Config{HTTP: standard(http.HandlerFunc(mirror), text)})
	for _, path := range []string{"/abort", "/panic"} {
		p := dial(t, address)
		p.send(request(path, "", ""))
		if !p.ended() {
			t.Errorf("%s was answered", path)
		}
	}
	if got := text.String(); strings.Count(got, "panic serving 127.0.0.1:") != 1 || !strings.Contains(got, "on purpose") || !strings.Contains(got, "main_test.go") {
		t.Errorf("the log is %s", got)
	}
}

// TestBodiesAfterTheHandler: what a handler has kept of the body reads nothing of the
// next request.
func TestBodiesAfterTheHandler(t *testing.T) {
	t.Parallel()
	bodies := make(chan io.ReadCloser, 2)
	_, address := start(t, Config{HTTP: standard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { bodies <- r.Body }), io.Discard)})
	p := dial(t, address)
	for range 2 {
		p.send(request("/", "", "secret"))
		p.receive()
		if n, err := (<-bodies).Read(make([]byte, 9)); n != 0 || !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
}

// TestShutdown: idle connections end at once, a request under way is answered, and its
// connection ends then.
func TestShutdown(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}, 1), make(chan struct{})
	s, address := start(t, Config{HTTP: standard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/begun" {
			w.WriteHeader(http.StatusOK)
		}
		if r.URL.Path != "/" {
			entered <- struct{}{}
			<-release
		}
		who(w, r)
	}), io.Discard)})
	idle, busy, begun, silent := dial(t, address), dial(t, address), dial(t, address), dial(t, address)
	idle.send(request("/", "", ""))
	idle.receive()
	busy.send(request("/wait", "", ""))
	<-entered
	begun.send(request("/begun", "", ""))
	<-entered
	stopped := make(chan error, 1)
	go func() { stopped <- s.Shutdown(t.Context()) }()
	if !idle.ended() || !silent.ended() {
		t.Error("an idle connection stayed open")
	}
	select {
	case err := <-stopped:
		t.Errorf("Shutdown returned %v with a request under way", err)
	default:
	}
	close(release)
	if got, last := busy.receive(); got != "fast" || !last || !busy.ended() {
		t.Errorf("the request under way got %q, close %v", got, last)
	}
	if got, _ := begun.receive(); got != "fast" || !begun.ended() {
		t.Errorf("the request whose answer had begun got %q", got)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if c, err := net.Dial("tcp", address); err == nil {
		_ = c.Close()
		t.Error("the listener is open")
	}
}

// TestShutdownWithoutPatience: Shutdown ends with its context, and Close ends the
// contexts of requests.
func TestShutdownWithoutPatience(t *testing.T) {
	t.Parallel()
	entered, left := make(chan struct{}), make(chan struct{})
	s, address := start(t, Config{HTTP: standard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
		close(left)
	}), io.Discard)})
	p := dial(t, address)
	p.send(request("/", "", ""))
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	<-left
	if !p.ended() {
		t.Error("the request was answered")
	}
}

// TestMaxConns: further connections wait, those of net/http count too, and a place is
// free again when one ends.
func TestMaxConns(t *testing.T) {
	t.Parallel()
	_, address := start(t, Config{HTTP: standard(http.HandlerFunc(who), io.Discard), MaxConns: 2})
	first, second := dial(t, address), dial(t, address)
	first.send(request("/", "", ""))
	first.receive()
	second.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if got, _ := second.receive(); got != "net/http" {
		t.Fatalf("%s answered", got)
	}
	for _, full := range []peer{first, second} {
		third := dial(t, address)
		third.send(request("/", "", ""))
		_ = third.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if _, err := third.Peek(1); err == nil {
			t.Fatal("a third connection was served")
		}
		_ = third.SetReadDeadline(time.Now().Add(20 * time.Second))
		_ = full.Conn.Close()
		if got, _ := dialed(third).receive(); got != "fast" {
			t.Errorf("%s answered", got)
		}
	}
}

// dialed returns the peer with a reader that forgets an earlier time limit.
func dialed(p peer) peer { return peer{p.Conn, bufio.NewReader(p.Conn), p.t} }

// TestPeersWhoDoNotRead: an answer that the peer does not read does not hold its handler.
func TestPeersWhoDoNotRead(t *testing.T) {
	t.Parallel()
	failed := make(chan error, 1)
	server := standard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		part := make([]byte, 1<<20)
		for {
			if _, err := w.Write(part); err != nil {
				failed <- err
				return
			}
		}
	}), io.Discard)
	server.WriteTimeout = 50 * time.Millisecond
	_, address := start(t, Config{HTTP: server})
	dial(t, address).send(request("/", "", ""))
	if err := <-failed; !strings.Contains(err.Error(), "timeout") {
		t.Errorf("the handler got %v", err)
	}
}

// brokenListener fails so many times before it accepts.
type brokenListener struct {
	net.Listener

	errs chan error
}

func (b brokenListener) Accept() (net.Conn, error) {
	select {
	case err := <-b.errs:
		return nil, err
	default:
		return b.Listener.Accept()
	}
}

// passing is an error after which net/http goes on.
type passing struct{ error }

func (passing) Temporary() bool { return true }
func (passing) Timeout() bool   { return false }

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestAcceptErrors: passing errors are logged and passed over, others end the server.
func TestAcceptErrors(t *testing.T) {
	t.Parallel()
	text, l := new(lockedText), brokenListener{listen(t), make(chan error, 2)}
	l.errs <- passing{errors.New("too many open files")}
	startOn(t, Config{HTTP: standard(http.HandlerFunc(who), text)}, l)
	p := dial(t, l.Addr().String())
	p.send(request("/", "", ""))
	if got, _ := p.receive(); got != "fast" || !strings.Contains(text.String(), "too many open files") {
		t.Errorf("%s; the log is %s", got, text)
	}

	broken := brokenListener{listen(t), make(chan error, 1)}
	broken.errs <- errors.New("no such device")
	if err := New(Config{HTTP: standard(nil, io.Discard)}).Serve(broken); err == nil || err.Error() != "no such device" {
		t.Errorf("Serve: %v", err)
	}
}

// TestChunksEndConnections: the rule of lifecycle holds for what is handed over.
func TestChunksEndConnections(t *testing.T) {
	t.Parallel()
	l := listen(t)
	server := &http.Server{Handler: http.HandlerFunc(who), ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- lifecycle.ServeBy(New(Config{HTTP: server}), server, l, time.Minute)(ctx) }()
	p := dial(t, l.Addr().String())
	p.send(request("/", "", "") + "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + request("/", "", ""))
	if got, last := p.receive(); got != "fast" || last {
		t.Errorf("%s, close %v", got, last)
	}
	if got, last := p.receive(); got != "net/http" || !last || !p.ended() {
		t.Errorf("%s, close %v", got, last)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestManyAtOnce: connections share nothing.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	s, address := start(t, Config{HTTP: standard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Got", r.Header.Get("Mine"))
		_, _ = w.Write(body)
	}), io.Discard)})
	var group sync.WaitGroup
	for n := range 16 {
		p := dial(t, address)
		group.Go(func() {
			body := strings.Repeat(string(rune('a'+n)), 100*n)
			for range 100 {
				p.send(request("/", "Mine: "+body[:n]+"\r\n", body))
				response, err := http.ReadResponse(p.Reader, nil)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(response.Body)
				if string(got) != body || response.Header.Get("Got") != body[:n] || err != nil {
					t.Errorf("%q, %q, %v", got, response.Header, err)
				}
			}
		})
	}
	group.Wait()
	if err := s.Shutdown(t.Context()); err != nil || served.Load() != 1600 {
		t.Errorf("%d requests, %v", served.Load(), err)
	}
}
