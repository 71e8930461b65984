package egress

import (
	"net/netip"
	"strings"
	"syscall"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// Nowhere reports what an address is at which no service can be that an operator
// runs: a metadata service, a link-local or a reserved address, judged by the same
// list as calls of jobs. It returns false for public and private ones and for this
// machine.
func Nowhere(addr netip.Addr) (what string, nowhere bool) {
	k := kindOf(addr)
	return string(k), k != public && k != private && k != loopback
}

// CheckReach refuses a connection to an address that is nowhere, when the socket exists
// and before it connects, whatever name led there. It is the Control of a [net.Dialer].
func CheckReach(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return retry.Permanent(job.Errorf(job.Refused, "the address %q cannot be judged: %w", address, err))
	}
	if what, nowhere := Nowhere(at.Addr()); nowhere {
		return retry.Permanent(job.Errorf(job.Refused, "%s is %s, which may not be called", at.Addr(), what))
	}
	return nil
}

// Numeric reports whether a host is an address that is not written as one: it ends in
// a number, as no name does, and resolvers of some machines make an address of it, such
// as 127.0.0.1 of 2130706433 and 0x7f.1.
func Numeric(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil || host == "" {
		return false
	}
	host = normal(host)
	last := host[strings.LastIndexByte(host, '.')+1:]
	digits, isHex := strings.CutPrefix(last, "0x")
	return !strings.ContainsFunc(digits, func(r rune) bool {
		return (r < '0' || r > '9') && (!isHex || r < 'a' || r > 'f')
	})
}
