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
	var err error
	for range 10 { // another program may be quicker to take a port that was given back
		if err = useSilentPort(t); err == nil {
			return
		}
	}
	t.Errorf("no port was given back, of the last one: %v", err)
}

// useSilentPort checks a port while it is silent, and returns why it cannot be had after that.
func useSilentPort(t *testing.T) error {
	t.Helper()
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
		return err
	}
	return again.Close()
}
