package http1

import (
	"context"
	"crypto/tls"
	"net"
	"syscall"
	"time"
)

// conn is one connection. One goroutine at a time has it.
type conn struct {
	place  connKey
	socket *socket
	stream net.Conn  // socket, or TLS over it
	abort  func()    // ends what waits on it, from any goroutine
	since  time.Time // when it was kept
	probe  probe
}

// socket counts what was handed to the network. Only the goroutine that has the
// connection writes.
type socket struct {
	net.Conn

	written int64
}

// Write implements net.Conn.
func (s *socket) Write(b []byte) (int, error) {
	n, err := s.Conn.Write(b)
	s.written += int64(n)
	return n, err
}

// reaching returns what opens a TCP connection before a deadline.
func reaching(control func(network, address string, c syscall.RawConn) error) func(context.Context, string, time.Time) (net.Conn, error) {
	return func(ctx context.Context, address string, deadline time.Time) (net.Conn, error) {
		dialer := net.Dialer{Deadline: deadline, Control: control}
		return dialer.DialContext(ctx, "tcp", address)
	}
}

// dialConn opens a connection whose deadline is set.
func (c *Client) dialConn(ctx context.Context, p connKey, deadline time.Time) (*conn, error) {
	raw, err := c.reach(ctx, p.address, deadline)
	if err != nil {
		return nil, err
	}
	return openConn(ctx, raw, p, c.tls, deadline)
}

// openConn makes a connection of a raw one, and shakes hands where TLS is wanted.
func openConn(ctx context.Context, raw net.Conn, p connKey, config *tls.Config, deadline time.Time) (*conn, error) {
	c := &conn{place: p, socket: &socket{Conn: raw}}
	c.stream = c.socket
	c.abort = func() { _ = raw.SetDeadline(time.Unix(1, 0)) }
	c.probe.prepare(raw)
	if err := raw.SetDeadline(deadline); err != nil {
		c.closeNow()
		return nil, err
	}
	if p.name == "" {
		return c, nil
	}
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName = p.name
	}
	secure := tls.Client(c.socket, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		c.closeNow()
		return nil, err
	}
	c.stream = secure
	return c, nil
}

// ready sets the deadline of a kept connection and reports whether it can carry one more
// request: the peer has not closed it, and has sent nothing unasked.
func (c *conn) ready(deadline time.Time) bool {
	if c.place.name != "" { // TLS may have read further than the last answer
		var one [1]byte
		if c.stream.SetReadDeadline(time.Unix(1, 0)) != nil {
			return false
		}
		if _, err := c.stream.Read(one[:]); !expired(err) {
			return false
		}
	}
	return c.stream.SetDeadline(deadline) == nil && c.probe.silent()
}

// close ends a connection that carries nothing.
func (c *conn) close() { _ = c.stream.Close() }

// closeNow ends a connection at once: TLS would wait to send its close to a peer that does not
// read.
func (c *conn) closeNow() { _ = c.socket.Close() }
