package wiretest

import (
	"context"
	"errors"
	"fmt"
	"net"
)

// silentPort is an address of this machine at which nothing listens, and which no other
// program gets before it is closed. The local end of a connection holds the port.
type silentPort struct{ held, peer net.Conn }

func newSilentPort(ctx context.Context) (*silentPort, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	held, err := new(net.Dialer).DialContext(ctx, "tcp", listener.Addr().String())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("hold a port: %w", err), listener.Close())
	}
	peer, err := listener.Accept()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("hold a port: %w", err), held.Close(), listener.Close())
	}
	if tcp, ok := held.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // the port is free as soon as it is closed
	}
	p := &silentPort{held, peer}
	if err := listener.Close(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// Addr returns the address.
func (p *silentPort) Addr() net.Addr { return p.held.LocalAddr() }

// Close gives the port back.
func (p *silentPort) Close() error { return errors.Join(p.held.Close(), p.peer.Close()) }
