package http1

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	defaultTimeout        = 3 * time.Second
	defaultMaxIdle        = 4096
	defaultMaxIdlePerHost = 64
	defaultIdleFor        = time.Minute
)

// MaxBody is the largest body of a request, in bytes: so much goes into the buffers of a
// connection although the peer does not read yet. A larger one needs a concurrent reader,
// for the answer of a peer that refuses before it has read all.
const MaxBody = 64 << 10

// maxKept is the largest buffer that is kept for the next request.
const maxKept = 16 << 10

// Config sets how a Client calls.
type Config struct {
	// Timeout ends a call, from the look-up of the name to the last byte of
	// the answer. Defaults to 3 s.
	Timeout time.Duration
	// MaxIdle is the connections kept to all peers together. Defaults to 4,096.
	MaxIdle int
	// MaxIdlePerHost is the connections kept to each peer. Defaults to 64.
	MaxIdlePerHost int
	// IdleFor is how long an unused connection is kept. Defaults to 1 min.
	IdleFor time.Duration
	// TLS sets the trusted authorities and the client certificate for https addresses.
	// Defaults to the machine's roots.
	TLS *tls.Config
	// Control judges each address before a connection to it is made, as that of a
	// [net.Dialer] does. Defaults to taking all.
	Control func(network, address string, c syscall.RawConn) error
}

// Client posts requests. Its methods may be used from many goroutines. Close it
// at the end.
type Client struct {
	timeout time.Duration
	tls     *tls.Config
	reach   func(ctx context.Context, address string, deadline time.Time) (net.Conn, error)
	idle    pool
	papers  sync.Pool
}

// New returns a client.
func New(c Config) *Client {
	client := &Client{timeout: positive(c.Timeout, defaultTimeout), reach: reaching(c.Control), idle: pool{
		max: positive(c.MaxIdle, defaultMaxIdle), perHost: positive(c.MaxIdlePerHost, defaultMaxIdlePerHost),
		idleFor: positive(c.IdleFor, defaultIdleFor), conns: make(map[connKey][]*conn),
	}}
	if c.TLS != nil {
		client.tls = c.TLS.Clone()
	} else {
		client.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	client.tls.NextProtos = nil // this is HTTP/1.1 and nothing else
	return client
}

func positive[T int | time.Duration](n, otherwise T) T {
	if n > 0 {
		return n
	}
	return otherwise
}

// Close closes the unused connections, and from then on keeps none. Calls under way are not
// touched.
func (c *Client) Close() { c.idle.close() }

// Request is one request. The client keeps nothing of it.
type Request struct {
	Target *Target
	Extra  []byte // further header lines, each with "\r\n" at its end
	Body   []byte // at most MaxBody
	Limit  int64  // the largest body of an answer, in bytes
	// Want are the headers of the answer that matter to the caller: their names in
	// lower case. Framing headers cannot be asked for.
	Want []string
}

// Answer is what came back.
type Answer struct {
	Status int // any that is final
	Body   []byte
	// Got are the values of the headers that the request wants, in its order; ""
	// for one that did not come, and nil when none did.
	Got []string
}

// PostError is the error of a request without an answer. It wraps
// context.DeadlineExceeded when the time was over and context.Canceled when
// the caller left.
type PostError struct {
	Left bool // a byte of the request was handed to the network
	Err  error
}

// Error implements error.
func (e *PostError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *PostError) Unwrap() error { return e.Err }

// paper is what one call reads and writes with.
type paper struct {
	reader *bufio.Reader
	text   []byte
}

// Post sends the request and reads the whole answer. Every error is a
// *[PostError].
func (c *Client) Post(ctx context.Context, r *Request) (Answer, error) {
	if len(r.Body) > MaxBody || !goodFields(r.Extra) {
		return Answer{}, &PostError{Err: errors.New("the request is too large or has a malformed header")}
	}
	now := time.Now()
	deadline := now.Add(c.timeout)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	p, ok := c.papers.Get().(*paper)
	if !ok {
		p = &paper{reader: bufio.NewReader(nil)}
	}
	defer c.release(p)
	p.write(r)
	kept := c.idle.takeConn(r.Target.place, now, deadline)
	for {
		if ctx.Err() != nil {
			if kept != nil {
				c.idle.putConn(kept)
			}
			return Answer{}, &PostError{Err: ctx.Err()}
		}
		connection := kept
		if kept == nil {
			var err error
			if connection, err = c.dialConn(ctx, r.Target.place, deadline); err != nil {
				return Answer{}, &PostError{Err: reason(ctx, err)}
			}
		}
		answer, left, err := c.carry(ctx, connection, p, r)
		if err == nil {
			return answer, nil
		}
		if left || kept == nil || expired(err) {
			return Answer{}, &PostError{Left: left, Err: reason(ctx, err)}
		}
		kept = nil // it was over before a byte left: once more, on a new one
	}
}

// write puts the whole request on the paper.
func (p *paper) write(r *Request) {
	text := p.text[:0]
	text = append(text, r.Target.head...)
	text = strconv.AppendInt(text, int64(len(r.Body)), 10)
	text = append(append(text, "\r\n"...), r.Target.rest...)
	text = append(append(text, r.Extra...), "\r\n"...)
	text = append(text, r.Body...)
	p.text = text
}

func (c *Client) release(p *paper) {
	p.reader.Reset(nil)
	if cap(p.text) > maxKept {
		p.text = nil
	}
	c.papers.Put(p)
}

// carry sends what is on the paper and reads the answer. The connection's
// deadline is set. It is kept or closed afterwards.
func (c *Client) carry(ctx context.Context, k *conn, p *paper, r *Request) (a Answer, left bool, err error) {
	stop := func() bool { return true }
	if ctx.Done() != nil {
		stop = context.AfterFunc(ctx, k.abort)
	}
	before := k.socket.written
	_, err = k.stream.Write(p.text)
	left = k.socket.written != before
	again := false
	if err == nil {
		p.reader.Reset(k.stream)
		a, again, err = readAnswer(p.reader, r.Limit, r.Want)
		again = again && err == nil && p.reader.Buffered() == 0
	}
	if !stop() || !again { // an abort that has begun may set a deadline later
		k.closeNow()
	} else {
		c.idle.putConn(k)
	}
	return a, left, err
}

// reason describes, in the context's words, why a call ended.
func reason(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case expired(err):
		return context.DeadlineExceeded
	}
	return err
}

func expired(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded)
}
