package fastpath

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxHead is the bytes of a plain request's line and fields.
	maxHead = 4 << 10
	// maxBody is the bytes of a plain request's body.
	maxBody = 64 << 10
	// firstBuffer is the buffer of a connection; a larger one is kept up to keptBuffer.
	firstBuffer = 4 << 10
	keptBuffer  = 16 << 10
	// partialFor is how long the rest of a request may take that has begun. Then net/http,
	// with limits of its own, reads on.
	partialFor = time.Second
	// slack is by how much a limit may be shorter, which spares a system call a request.
	slack = time.Second
)

// The states of a connection.
const (
	waiting int32 = iota // for a request, or for the rest of one
	busy                 // a request is served
	closed               // or handed over
)

// conn is one connection of the fast path. Its goroutine has all but state.
type conn struct {
	stream

	front  *front
	server *Server
	state  atomic.Int32
	ctx    context.Context
	cancel context.CancelFunc

	buf     []byte    // what was read and not served
	served  bool      // a request was
	until   time.Time // the read deadline that is set; zero for none
	writing time.Time // the write deadline that is set
	base    http.Request
	fields  [maxFields]field
	names   [maxFields]spelling
	answer  responseWriter
	watch   watch
}

func newConn(f *front, raw stream) *conn {
	c := &conn{stream: raw, front: f, server: f.server}
	c.ctx, c.cancel = context.WithCancel(context.WithValue(f.server.base, http.LocalAddrContextKey, raw.LocalAddr()))
	c.base = http.Request{Method: http.MethodPost, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
	if remote := raw.RemoteAddr(); remote != nil {
		c.base.RemoteAddr = remote.String()
	}
	c.answer.conn, c.answer.header = c, make(http.Header)
	c.watch.conn = c
	return c
}

// serve serves requests until the connection is over or goes to net/http.
func (c *conn) serve() {
	defer c.server.remove(c)
	defer c.closeConn()
	for {
		r, size, next := c.readRequest()
		switch {
		case next == odd && c.state.CompareAndSwap(waiting, closed):
			c.handOver()
			return
		case next != plain || !c.state.CompareAndSwap(waiting, busy):
			return
		}
		keep := c.serveOne(r)
		c.consume(size)
		c.state.Store(waiting)
		if !keep || c.server.draining.Load() {
			return
		}
	}
}

// closeConn closes a connection that was not handed over, and what was made for it.
func (c *conn) closeConn() {
	c.cancel()
	if c.stream == nil {
		return
	}
	_ = c.stream.Close()
	<-c.server.slots
}

// handOver gives the connection to net/http.
func (c *conn) handOver() {
	h := &handed{stream: c.stream, unread: c.buf, slots: c.server.slots}
	c.stream, c.buf = nil, nil
	if !c.front.handToHTTP(accepted{conn: h}) {
		_ = h.Close()
	}
}

// closeIdle closes the connection unless a request is served.
func (c *conn) closeIdle() {
	if c.state.CompareAndSwap(waiting, closed) {
		_ = c.stream.Close()
	}
}

// close closes the connection unless it is handed over.
func (c *conn) close() {
	if c.state.Swap(closed) != closed {
		_ = c.stream.Close()
	}
}

// readRequest reads the next request, and the bytes that it takes.
func (c *conn) readRequest() (*http.Request, int, parseResult) {
	limit := c.server.head // net/http too gives a new connection so long for its first request
	if c.served {
		limit = c.server.idle
		// As net/http after a POST, for clients that send a line end too many.
		for len(c.buf) < 4 {
			if c.readWithin(limit) != nil {
				return nil, 0, over
			}
		}
		c.consume(lineEnds(c.buf[:4]))
	}
	for len(c.buf) == 0 {
		if c.readWithin(limit) != nil {
			return nil, 0, over
		}
	}
	began := time.Time{}
	for {
		target, count, size, next := scanHead(c.buf, &c.fields)
		if next == plain {
			r, x := c.parse(target, count, size)
			if x == nil {
				return nil, 0, odd
			}
			size, next = c.awaitBody(r, x, size, &began)
			return r, size, next
		}
		if next == odd || !c.awaitMore(&began) {
			return nil, 0, odd
		}
	}
}

// awaitBody waits for the request's body.
func (c *conn) awaitBody(r *http.Request, x *exchange, head int, began *time.Time) (int, parseResult) {
	size := head + int(r.ContentLength)
	for len(c.buf) < size {
		if !c.awaitMore(began) {
			return 0, odd
		}
	}
	x.body.rest = c.buf[head:size]
	return size, plain
}

// awaitMore waits for more of a request that has begun, and reports false when it
// is late or the connection is over.
func (c *conn) awaitMore(began *time.Time) bool {
	if began.IsZero() {
		*began = time.Now()
		c.until = began.Add(partialFor)
		_ = c.SetReadDeadline(c.until)
	}
	return c.receive() == nil
}

// readWithin reads what comes within the limit; 0 is none.
func (c *conn) readWithin(limit time.Duration) error {
	now := time.Now()
	switch {
	case limit == 0 && !c.until.IsZero():
		c.until = time.Time{}
		_ = c.SetReadDeadline(c.until)
	case limit > 0 && (c.until.Before(now.Add(limit-min(slack, limit/2))) || c.until.After(now.Add(limit))):
		c.until = now.Add(limit)
		_ = c.SetReadDeadline(c.until)
	}
	return c.receive()
}

// receive reads once into the buffer.
func (c *conn) receive() error {
	if len(c.buf) == cap(c.buf) {
		grown := make([]byte, len(c.buf), max(firstBuffer, 2*cap(c.buf)))
		copy(grown, c.buf)
		c.buf = grown
	}
	n, err := c.stream.Read(c.buf[len(c.buf):cap(c.buf)])
	c.buf = c.buf[:len(c.buf)+n]
	if n > 0 {
		return nil
	}
	return err
}

// consume drops the first bytes of the buffer.
func (c *conn) consume(n int) {
	rest := c.buf[n:]
	if cap(c.buf) > keptBuffer && len(rest) <= firstBuffer {
		c.buf = make([]byte, 0, firstBuffer)
	}
	c.buf = append(c.buf[:0], rest...)
}

// lineEnds counts CR and LF at the beginning.
func lineEnds(b []byte) (n int) {
	for n < len(b) && (b[n] == '\r' || b[n] == '\n') {
		n++
	}
	return n
}

// serveOne calls the handler and sends the answer. It reports whether the connection
// may carry another request.
func (c *conn) serveOne(r *http.Request) (keep bool) {
	ctx, cancel := context.WithCancel(c.ctx)
	c.served = true
	c.watch.begin(cancel)
	c.answer.reset()
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler { //nolint:errorlint // As net/http compares it.
			stack := make([]byte, 64<<10)
			c.server.logf("http: panic serving %v: %v\n%s", r.RemoteAddr, cause, stack[:runtime.Stack(stack, false)])
		}
		cancel()
		c.watch.endWatch()
	}()
	r = r.WithContext(ctx)
	c.server.http.Handler.ServeHTTP(&c.answer, r)
	cancel()
	_ = r.Body.Close()
	return c.answer.finish()
}

// watchAfter is how long a request is served before its connection is watched. The end of
// most comes sooner and costs no goroutine. A stopped timer may still wake the process at
// its time: so that time is long compared with the pause between two requests.
const watchAfter = 500 * time.Millisecond

// watch ends the context of a request whose caller leaves.
type watch struct {
	conn  *conn
	timer *time.Timer // nil before the first request

	mu      sync.Mutex
	cancel  context.CancelFunc // guarded by mu; nil while no request is served
	reading chan struct{}      // guarded by mu: closed when the read has ended; nil without one
	until   time.Time          // guarded by mu: how long the request may take; zero for no limit
	one     [1]byte            // what was read instead of an end
	got     bool
}

func (w *watch) begin(cancel context.CancelFunc) {
	until := time.Time{}
	if d := w.conn.server.http.ReadTimeout; d > 0 { // net/http too cancels then
		until = time.Now().Add(d)
	}
	w.mu.Lock()
	w.cancel, w.until = cancel, until
	w.mu.Unlock()
	if w.timer == nil {
		w.timer = time.AfterFunc(watchAfter, w.watchConn)
	} else {
		w.timer.Reset(watchAfter)
	}
}

// watchConn waits on the connection for the caller's leave. The next request may come first:
// its first byte is kept.
func (w *watch) watchConn() {
	w.mu.Lock()
	cancel := w.cancel
	if cancel == nil || w.reading != nil {
		w.mu.Unlock()
		return
	}
	reading := make(chan struct{})
	w.reading = reading
	_ = w.conn.SetReadDeadline(w.until)
	w.mu.Unlock()
	defer close(reading)
	n, err := w.conn.stream.Read(w.one[:])
	w.got = n == 1
	if n == 0 && err != nil {
		cancel()
	}
}

// limit has the request take until an instant, the zero time for no limit.
func (w *watch) limit(until time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.until = until; w.reading == nil {
		return nil
	}
	return w.conn.SetReadDeadline(until)
}

// endWatch ends the watch of a request that is served.
func (w *watch) endWatch() {
	w.timer.Stop()
	w.mu.Lock()
	reading := w.reading
	w.cancel, w.reading = nil, nil
	w.mu.Unlock()
	if reading == nil {
		return
	}
	_ = w.conn.SetReadDeadline(time.Unix(1, 0))
	<-reading
	w.conn.until = time.Unix(1, 0)
	if w.got {
		w.conn.buf, w.got = append(w.conn.buf, w.one[0]), false
	}
}
