package egress

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// secure is the scheme that keeps what is sent from others.
const secure = "https"

// policy is the content of Allow and Private. It is never written after newPolicy.
type policy struct {
	names    []nameRule
	prefixes []prefixRule
	private  bool
	all      bool // any host, by name
	// allowName and privateName are what refusals call the settings.
	allowName, privateName string
}

// nameRule permits a host, or with below every host under it.
type nameRule struct {
	name  string
	below bool
	port  string // empty: any
}

// prefixRule permits addresses, whatever range they are in.
type prefixRule struct {
	prefix netip.Prefix
	port   string // empty: any
}

func newPolicy(allow []string, private bool) (policy, error) {
	p := policy{private: private, all: len(allow) == 0, allowName: "allow", privateName: "private"}
	for _, entry := range allow {
		if strings.TrimSpace(entry) == "*" {
			p.all = true
			// The rule makes every host a named one: redirects may go anywhere.
			p.names = append(p.names, nameRule{below: true})
			continue
		}
		if err := p.add(strings.TrimSpace(entry)); err != nil {
			return policy{}, err
		}
	}
	return p, nil
}

func (p *policy) add(entry string) error {
	host, port := entry, ""
	if prefix, ok := parsePrefix(entry); ok {
		p.prefixes = append(p.prefixes, prefixRule{prefix, ""})
		return nil
	}
	if i := strings.LastIndexByte(entry, ':'); i >= 0 {
		host, port = entry[:i], entry[i+1:]
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return job.FieldErrorf("allow", "%q ends in no port: write host, host:port, an address or a range as 10.1.0.0/16", entry)
		}
	}
	bare := strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if prefix, ok := parsePrefix(bare); ok {
		p.prefixes = append(p.prefixes, prefixRule{prefix, port})
		return nil
	}
	name, below := strings.CutPrefix(host, "*.")
	name = normal(name)
	if !isName(name) {
		return job.FieldErrorf("allow", "%q is no host: write a name (not an address with http://), *.name, an address, "+
			"a range as 10.1.0.0/16, or *; names in other scripts in their xn-- form", entry)
	}
	p.names = append(p.names, nameRule{name, below, port})
	return nil
}

func parsePrefix(text string) (netip.Prefix, bool) {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Masked(), true
	}
	if addr, err := netip.ParseAddr(text); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	return netip.Prefix{}, false
}

// isName reports whether text can be a host's name on the wire.
func isName(text string) bool {
	return text != "" && len(text) <= 253 &&
		!strings.ContainsFunc(text, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
		})
}

func normal(host string) string { return strings.TrimSuffix(strings.ToLower(host), ".") }

func hostOf(u *url.URL) string { return normal(u.Hostname()) }

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == secure:
		return "443"
	}
	return "80"
}

// checkURL refuses an address by its form and its name. An address that only a
// range may permit passes: checkAddress judges it.
func (p *policy) checkURL(u *url.URL) error {
	host, port := hostOf(u), portOf(u)
	switch {
	case u.Scheme != "http" && u.Scheme != secure:
		return retry.Permanent(job.Errorf(job.Refused, "%q is no scheme that may be called: use http or https", u.Scheme))
	case host == "":
		return retry.Permanent(job.Errorf(job.Refused, "the address names no host: write http://host/path"))
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return p.checkAddress(host, port, net.JoinHostPort(addr.String(), port))
	}
	if Numeric(host) {
		return retry.Permanent(job.Errorf(job.Refused, "%q ends in a number and is no address: write addresses as 10.1.2.3 or [fd00::1]", host))
	}
	if !isName(host) {
		return retry.Permanent(job.Errorf(job.Refused, "%q is no host's name: write names in other scripts in their xn-- form", host))
	}
	if !p.permits(host, port) && len(p.prefixes) == 0 {
		return refusedHost(host, port)
	}
	return nil
}

// named reports whether Allow names the host, or a range that its literal
// address is in.
func (p *policy) named(u *url.URL) bool {
	host, port := hostOf(u), portOf(u)
	for _, r := range p.names {
		if r.matches(host, port) {
			return true
		}
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && p.namesAddress(addr, port)
}

func (p *policy) permits(host, port string) bool {
	if p.all {
		return true
	}
	for _, r := range p.names {
		if r.matches(host, port) {
			return true
		}
	}
	return false
}

func (r nameRule) matches(host, port string) bool {
	switch {
	case r.port != "" && r.port != port:
		return false
	case r.below:
		return r.name == "" || strings.HasSuffix(host, "."+r.name)
	}
	return host == r.name
}

// namesAddress reports whether Allow names the address, in any form that
// reaches the same machine.
func (p *policy) namesAddress(addr netip.Addr, port string) bool {
	addr = addr.WithZone("").Unmap()
	inner, wrapped := embedded(addr)
	for _, r := range p.prefixes {
		if (r.port == "" || r.port == port) && (r.prefix.Contains(addr) || wrapped && r.prefix.Contains(inner)) {
			return true
		}
	}
	return false
}

// checkAddress judges the address that a connection to host is about to be made
// to. It is called for every candidate.
func (p *policy) checkAddress(host, port, candidate string) error {
	at, err := netip.ParseAddrPort(candidate)
	if err != nil {
		return retry.Permanent(job.Errorf(job.Refused, "the address %q of %s cannot be judged: %w", candidate, host, err))
	}
	addr := at.Addr().WithZone("").Unmap()
	host = normal(host)
	if p.namesAddress(addr, port) {
		return nil
	}
	if !p.permits(host, port) {
		return refusedHost(host, port)
	}
	kind := kindOf(addr)
	if kind == public || p.private && kind.internal() {
		return nil
	}
	what := addr.String()
	if what != host {
		what += " (the address of " + host + ")"
	}
	hint := "an operator who wants such calls names the address in " + p.allowName
	if kind.internal() {
		hint += " or sets " + p.privateName
	}
	return retry.Permanent(job.Errorf(job.Refused, "%s is %s, which may not be called: %s", what, kind, hint))
}

func refusedHost(host, port string) error {
	return retry.Permanent(job.Errorf(job.Refused, "%s, port %s, is not among the hosts that may be called: "+
		"an operator names it in allow", host, port))
}
