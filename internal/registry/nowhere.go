package registry

import (
	"net/netip"
	"net/url"

	"github.com/orthd/orth/job"
)

// checkHost refuses an address at which there is no executor and may be something
// else: who can make a server call a cloud's metadata service, or whatever listens
// on all addresses of the server's own machine, has come far. A name is not looked
// up: what it leads to may be another thing at each call.
func checkHost(field, address string) error {
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") { // others are not called
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
			return checkIP(field, ip.WithZone("").Unmap())
		}
	}
	return nil
}

func checkIP(field string, ip netip.Addr) error {
	var what string
	switch {
	case ip.IsUnspecified():
		what = "all addresses of a machine"
	case ip.IsMulticast() || ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		what = "many machines"
	case ip.IsLinkLocalUnicast(), ip == netip.MustParseAddr("fd00:ec2::254"), ip == netip.MustParseAddr("100.100.100.200"),
		ip == netip.MustParseAddr("168.63.129.16"):
		what = "a link-local address, or a cloud's metadata service"
	default:
		return nil
	}
	return job.FieldErrorf(field, "%s is %s, and no executor can be called there: give the address of its machine", ip, what)
}
