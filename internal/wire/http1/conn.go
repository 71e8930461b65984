package http1

import (
	"context"
	"crypto/tls"
	"net"
	"time"
)

// conn is one connection. One goroutine at a time has it.
type conn struct {
	place  place
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

// dial opens a connection whose deadline is set.
func dial(ctx context.Context, p place, config *tls.Config, deadline time.Time) (*conn, error) {
	dialer := net.Dialer{Deadline: deadline}
	raw, err := dialer.DialContext(ctx, "tcp", p.address)
	if err != nil {
		return nil, err
	}
	c := &conn{place: p, socket: &socket{Conn: raw}}
	c.stream = c.socket
	c.abort = func() { _ = raw.SetDeadline(time.Unix(1, 0)) }
	c.probe.open(raw)
	if err := raw.SetDeadline(deadline); err != nil {
		c.drop()
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
		c.drop()
		return nil, err
	}
	c.stream = secure
	return c, nil
}

// ready sets the deadline of a kept connection and reports whether it can carry
// one more request: the peer has not closed it, and has said nothing unasked.
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

// drop ends a connection at once: TLS would wait to say farewell to a peer that
// does not read.
func (c *conn) drop() { _ = c.socket.Close() }
