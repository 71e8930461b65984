//go:build unix

package http1

import (
	"errors"
	"net"
	"syscall"
)

// Supported reports whether this system can detect at once, before a request is written,
// that a kept connection is over. Without that a request would be lost to every peer that
// closes idle connections; use net/http there.
const Supported = true

// probe asks a socket whether there is something to read, without waiting.
type probe struct {
	raw  syscall.RawConn
	look func(fd uintptr) bool
	calm bool // nothing was there
}

// prepare prepares the probe for c. Without a socket it is never silent.
func (p *probe) prepare(c net.Conn) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return
	}
	var one [1]byte
	p.raw = raw
	p.look = func(fd uintptr) bool {
		n, err := -1, error(syscall.EINTR)
		for errors.Is(err, syscall.EINTR) {
			n, err = syscall.Read(int(fd), one[:])
		}
		p.calm = n < 0 && (errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EWOULDBLOCK))
		return true // never wait
	}
}

// silent reports whether the connection is open and has nothing to read.
func (p *probe) silent() bool {
	p.calm = false
	return p.raw != nil && p.raw.Read(p.look) == nil && p.calm
}
