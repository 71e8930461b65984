package egress

import "net/netip"

// kind is what an address is good for, in words for an error.
type kind string

const (
	public    kind = "a public address"
	loopback  kind = "a loopback address"
	private   kind = "a private address"
	linkLocal kind = "a link-local address"
	metadata  kind = "the address of a cloud's metadata service"
	reserved  kind = "an unspecified, multicast or reserved address"
)

// internal reports whether the setting private opens the kind.
func (k kind) internal() bool { return k == loopback || k == private || k == linkLocal }

// addressRange is a range of addresses of one kind.
type addressRange struct {
	prefix netip.Prefix
	kind   kind
}

// spans are the ranges of the IANA special-purpose registries and the metadata
// addresses of the large clouds. The first that contains an address counts.
var spans = []addressRange{
	{netip.MustParsePrefix("169.254.169.254/32"), metadata},
	{netip.MustParsePrefix("169.254.170.2/32"), metadata},
	{netip.MustParsePrefix("169.254.170.23/32"), metadata},
	{netip.MustParsePrefix("100.100.100.200/32"), metadata},
	{netip.MustParsePrefix("168.63.129.16/32"), metadata},
	{netip.MustParsePrefix("192.0.0.192/32"), metadata},
	{netip.MustParsePrefix("fd00:ec2::/32"), metadata},
	{netip.MustParsePrefix("fd20:ce::254/128"), metadata},
	{netip.MustParsePrefix("127.0.0.0/8"), loopback},
	{netip.MustParsePrefix("::1/128"), loopback},
	{netip.MustParsePrefix("10.0.0.0/8"), private},
	{netip.MustParsePrefix("172.16.0.0/12"), private},
	{netip.MustParsePrefix("192.168.0.0/16"), private},
	{netip.MustParsePrefix("100.64.0.0/10"), private},
	{netip.MustParsePrefix("fc00::/7"), private},
	{netip.MustParsePrefix("169.254.0.0/16"), linkLocal},
	{netip.MustParsePrefix("fe80::/10"), linkLocal},
	{netip.MustParsePrefix("0.0.0.0/8"), reserved},
	{netip.MustParsePrefix("192.0.0.0/24"), reserved},
	{netip.MustParsePrefix("192.0.2.0/24"), reserved},
	{netip.MustParsePrefix("192.88.99.0/24"), reserved},
	{netip.MustParsePrefix("198.18.0.0/15"), reserved},
	{netip.MustParsePrefix("198.51.100.0/24"), reserved},
	{netip.MustParsePrefix("203.0.113.0/24"), reserved},
	{netip.MustParsePrefix("224.0.0.0/3"), reserved},
	{netip.MustParsePrefix("0.0.0.0/0"), public},
	{netip.MustParsePrefix("2001::/23"), reserved}, // Teredo and others that lead elsewhere
	{netip.MustParsePrefix("2001:db8::/32"), reserved},
	{netip.MustParsePrefix("2002::/16"), reserved}, // 6to4 leads to IPv4
	{netip.MustParsePrefix("3fff::/20"), reserved},
	{netip.MustParsePrefix("2000::/3"), public},
	{netip.MustParsePrefix("::/0"), reserved},
}

// translated is the well-known prefix of NAT64, RFC 6052.
var translated = netip.MustParsePrefix("64:ff9b::/96")

// kindOf classifies an address. One that carries another is what that is.
func kindOf(addr netip.Addr) kind {
	addr = addr.WithZone("").Unmap()
	if inner, wrapped := embedded(addr); wrapped {
		addr = inner
	}
	for _, s := range spans {
		if s.prefix.Contains(addr) {
			return s.kind
		}
	}
	return reserved
}

// embedded returns the IPv4 address that a NAT64 address leads to.
func embedded(addr netip.Addr) (netip.Addr, bool) {
	if !translated.Contains(addr) {
		return netip.Addr{}, false
	}
	bytes := addr.As16()
	return netip.AddrFrom4([4]byte(bytes[12:])), true
}
