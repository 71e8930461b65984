package wiretest

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// Nothing answers at a silent port, and no other program gets it.
func TestSilentPort(t *testing.T) {
	t.Parallel()
	p, err := newSilentPort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	address := p.Addr().String()
	if conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%s: %v, %v", address, conn, err)
	}
	if taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address); err == nil {
		t.Errorf("another program got %s", taken.Addr())
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	again, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatalf("the port was not given back: %v", err)
	}
	_ = again.Close()
}
