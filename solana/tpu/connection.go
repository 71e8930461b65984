package tpu

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
)

const (
	protocol     = "solana-tpu"
	idle         = 30 * time.Second
	keepAlive    = time.Second
	handshake    = 2 * time.Second
	firstPause   = 1600 * time.Millisecond // four slots
	longestPause = 30 * time.Second        // leaders allow eight connections a minute
	streamWait   = time.Second             // for a stream, when all that a leader allows are open
)

// errPaused is that a connection failed a short while ago, and is not made again yet.
var errPaused = errors.New("the leader is left alone for a while after a connection failed")

// connection is the one to a leader. One goroutine at a time dials it, for all that need
// it.
type connection struct {
	addr   netip.AddrPort
	server string // its name by convention, of address and port
	tls    *tls.Config

	making chan struct{} // held by who makes it

	mu     sync.Mutex
	quic   *quic.Conn // nil: there is none
	made   time.Time
	failed int       // in a row; a connection that did not last has failed
	until  time.Time // when it may be made again
	used   time.Time
}

func newConnection(addr netip.AddrPort, config *tls.Config) *connection {
	return &connection{addr: addr, server: fmt.Sprintf("%s.%d.sol", addr.Addr(), addr.Port()), tls: config, making: make(chan struct{}, 1)}
}

// openConn returns the open connection. After it has ended, the next dial may have to wait: a
// leader that refuses clients accepts connections and closes them.
func (c *connection) openConn(now time.Time) *quic.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = now
	if c.quic == nil {
		return nil
	}
	if c.quic.Context().Err() == nil {
		return c.quic
	}
	c.quic = nil
	if now.Sub(c.made) < longestPause {
		c.pause()
	} else {
		c.failed = 0
	}
	return nil
}

// connect makes the connection when there is none and it may be made.
func (c *connection) connect(ctx context.Context, socket *quic.Transport) (*quic.Conn, error) {
	if q := c.openConn(time.Now()); q != nil {
		return q, nil
	}
	select {
	case c.making <- struct{}{}:
		defer func() { <-c.making }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if q := c.openConn(time.Now()); q != nil { // made by who was here before
		return q, nil
	}
	c.mu.Lock()
	wait := time.Until(c.until)
	c.mu.Unlock()
	if wait > 0 {
		return nil, errPaused
	}
	config := c.tls.Clone()
	config.ServerName = c.server
	within, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	q, err := socket.Dial(within, net.UDPAddrFromAddrPort(c.addr), config, &quic.Config{
		MaxIdleTimeout: idle, KeepAlivePeriod: keepAlive, HandshakeIdleTimeout: handshake, MaxIncomingStreams: -1, MaxIncomingUniStreams: -1,
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			c.pause()
		}
		return nil, fmt.Errorf("connect: %w", err)
	}
	c.quic, c.made = q, time.Now()
	return q, nil
}

// pause is called with mu held.
func (c *connection) pause() {
	c.until = time.Now().Add(min(firstPause<<min(c.failed, 5), longestPause))
	c.failed++
}

// sendBytes hands the bytes over, and returns when they are on their way, whole.
func sendBytes(ctx context.Context, q *quic.Conn, wire []byte) error {
	within, cancel := context.WithTimeout(ctx, streamWait)
	defer cancel()
	stream, err := q.OpenUniStreamSync(within)
	if err != nil {
		return fmt.Errorf("open a stream: %w", err)
	}
	if deadline, ok := within.Deadline(); ok {
		_ = stream.SetWriteDeadline(deadline)
	}
	if _, err := stream.Write(wire); err != nil {
		stream.CancelWrite(0)
		return fmt.Errorf("write: %w", err)
	}
	if err := stream.Close(); err != nil {
		return fmt.Errorf("end the stream: %w", err)
	}
	return nil
}

// close ends the connection.
func (c *connection) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.quic != nil {
		_ = c.quic.CloseWithError(0, "")
		c.quic = nil
	}
}
