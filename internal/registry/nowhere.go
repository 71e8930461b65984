package registry

import (
	"net/netip"
	"net/url"

	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/job"
)

// checkHost rejects addresses that no executor has and that are a target of server-side
// request forgery: a cloud's metadata service, or the unspecified address, which reaches
// services of the server's own machine. It does not resolve names: a name may resolve
// differently at each call, and is checked then.
func checkHost(field, address string) error {
	u, err := url.Parse(address)
	if called := err == nil && (u.Scheme == "http" || u.Scheme == schemeTLS); !called {
		return nil
	}
	ip, err := netip.ParseAddr(u.Hostname())
	switch {
	case err == nil:
		if what, nowhere := egress.Nowhere(ip); nowhere {
			return job.FieldErrorf(field, "%s is %s, and no executor can be called there: give the address of its machine", ip, what)
		}
	case egress.Numeric(u.Hostname()):
		return job.FieldErrorf(field, "%s ends in a number and is no address, and no executor can be called there: write it as 10.1.2.3 or [fd00::1]",
			job.Clean(u.Hostname(), job.MaxAddress))
	}
	return nil
}
