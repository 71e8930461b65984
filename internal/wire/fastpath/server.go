package fastpath

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// defaultMaxConns is the connections of a server without another limit.
const defaultMaxConns = 8192

// Config sets what a Server serves.
type Config struct {
	// HTTP has the handler, the time limits and the log, and serves all that is not
	// plain. Its hooks for connections and its base context count for those alone.
	HTTP *http.Server
	// Fast reports whether requests to a path may take the fast path. Defaults to all.
	Fast func(path string) bool
	// MaxConns is how many connections are open at the same time, those of net/http
	// included. Further ones wait in the listener's backlog. Connections of TLS are not
	// counted. Defaults to 8,192.
	MaxConns int
}

// Server serves one listener. Its methods mean what those of http.Server mean.
type Server struct {
	http  *http.Server
	fast  func(path string) bool
	slots chan struct{} // one for each counted connection
	idle  time.Duration // limits of net/http, set by Serve; 0 for none
	head  time.Duration

	base     context.Context // of all requests
	cancel   context.CancelFunc
	draining atomic.Bool

	mu    sync.Mutex
	conns map[*conn]struct{} // guarded by mu: those of the fast path
	empty chan struct{}      // closed when the server drains and has no conns
}

// New returns a server. Config.HTTP must be set.
func New(c Config) *Server {
	if c.Fast == nil {
		c.Fast = func(string) bool { return true }
	}
	if c.MaxConns <= 0 {
		c.MaxConns = defaultMaxConns
	}
	s := &Server{
		http: c.HTTP, fast: c.Fast, slots: make(chan struct{}, c.MaxConns),
		conns: make(map[*conn]struct{}), empty: make(chan struct{}),
	}
	s.base, s.cancel = context.WithCancel(context.WithValue(context.Background(), http.ServerContextKey, c.HTTP))
	return s
}

// positive returns the limit, or the other one when it is not set.
func positive(limit, otherwise time.Duration) time.Duration {
	if limit != 0 {
		return max(limit, 0)
	}
	return max(otherwise, 0)
}

// Serve accepts connections until the listener fails or the server is closed. It
// may be called once.
func (s *Server) Serve(l net.Listener) error {
	s.idle = positive(s.http.IdleTimeout, s.http.ReadTimeout)
	s.head = positive(s.http.ReadHeaderTimeout, s.http.ReadTimeout)
	f := &front{Listener: l, server: s, results: make(chan accepted), done: make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f.accept()
	}()
	err := s.http.Serve(f)
	_ = f.Close()
	<-ended
	if !errors.Is(err, http.ErrServerClosed) {
		_ = s.Close()
	}
	return err
}

// Shutdown closes the listener and idle connections, and waits for requests under way
// until ctx ends.
func (s *Server) Shutdown(ctx context.Context) error {
	rest := make(chan error, 1)
	go func() { rest <- s.http.Shutdown(ctx) }()
	s.stopAccepting((*conn).closeIdle)
	var err error
	select {
	case <-s.empty:
	case <-ctx.Done():
		err = ctx.Err()
	}
	return errors.Join(<-rest, err)
}

// Close closes the listener and all connections. It does not wait for handlers, whose
// contexts end.
func (s *Server) Close() error {
	s.cancel()
	s.stopAccepting((*conn).close)
	return s.http.Close()
}

// stopAccepting lets no further connection in and calls end for those that are open.
func (s *Server) stopAccepting(end func(*conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.draining.Swap(true) && len(s.conns) == 0 {
		close(s.empty)
	}
	for c := range s.conns {
		end(c)
	}
}

// addConn counts a connection in, and reports false when the server stops.
func (s *Server) addConn(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining.Load() {
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

func (s *Server) remove(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if s.draining.Load() && len(s.conns) == 0 {
		close(s.empty)
	}
}

func (s *Server) logf(format string, args ...any) {
	if s.http.ErrorLog != nil {
		s.http.ErrorLog.Printf(format, args...)
		return
	}
	log.Printf(format, args...)
}

// front is the listener that net/http sees: only connections for it come out.
type front struct {
	net.Listener

	server  *Server
	results chan accepted
	once    sync.Once
	done    chan struct{} // closed when the listener is
}

// accepted is a result of Accept.
type accepted struct {
	conn net.Conn
	err  error
}

// Accept implements net.Listener.
func (f *front) Accept() (net.Conn, error) {
	select {
	case a := <-f.results:
		return a.conn, a.err
	case <-f.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (f *front) Close() (err error) {
	f.once.Do(func() {
		close(f.done)
		err = f.Listener.Close()
	})
	return err
}

// handToHTTP hands a result to net/http, and reports false when that has closed the listener.
func (f *front) handToHTTP(a accepted) bool {
	select {
	case f.results <- a:
		return true
	case <-f.done:
		return false
	}
}

// accept takes connections until the listener is closed. Errors go to net/http, which
// pauses after passing ones before it asks again.
func (f *front) accept() {
	for {
		select {
		case f.server.slots <- struct{}{}:
		case <-f.done:
			return
		}
		raw, err := f.Listener.Accept()
		if err == nil {
			f.serve(raw)
			continue
		}
		<-f.server.slots
		if !f.handToHTTP(accepted{err: err}) {
			return
		}
	}
}

// serve starts the goroutine of a connection, which has a slot.
func (f *front) serve(raw net.Conn) {
	plain, ok := raw.(stream)
	if _, secure := raw.(interface{ ConnectionState() tls.ConnectionState }); !ok || secure {
		<-f.server.slots
		if !f.handToHTTP(accepted{conn: raw}) {
			_ = raw.Close()
		}
		return
	}
	c := newConn(f, plain)
	if !f.server.addConn(c) {
		c.closeConn()
		return
	}
	go c.serve()
}

// stream is a connection whose sides can be closed apart, as net/http needs it after
// some errors.
type stream interface {
	net.Conn
	CloseWrite() error
}

// handed is a connection on its way through net/http.
type handed struct {
	stream

	unread []byte // comes before what the connection has
	once   sync.Once
	slots  chan struct{}
}

// Read implements net.Conn.
func (h *handed) Read(p []byte) (int, error) {
	if len(h.unread) == 0 {
		return h.stream.Read(p)
	}
	n := copy(p, h.unread)
	if h.unread = h.unread[n:]; len(h.unread) == 0 {
		h.unread = nil
	}
	return n, nil
}

// Close implements net.Conn.
func (h *handed) Close() error {
	h.once.Do(func() { <-h.slots })
	return h.stream.Close()
}
