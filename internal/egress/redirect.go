package egress

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// checkRedirect decides whether the next request of a chain is made, and takes
// from it what belongs to another host.
func (c *Client) checkRedirect(req *http.Request, via []*http.Request) error {
	if c.redirects < 0 {
		return http.ErrUseLastResponse
	}
	if len(via) > c.redirects {
		return retry.Permanent(job.Errorf(job.Refused, "more than %d redirects, the last one to %s: call the final address, "+
			"or raise max_redirects", c.redirects, req.URL.Host))
	}
	if err := c.checkRequest(req); err != nil {
		return err
	}
	first := via[0].URL
	if hostOf(first) != hostOf(req.URL) && !c.policy.named(req.URL) {
		return retry.Permanent(job.Errorf(job.Refused, "%s redirects to another host, %s: call that host, or name it in allow",
			first.Host, req.URL.Host))
	}
	if slices.ContainsFunc(append(via[1:], req), func(r *http.Request) bool { return !sameOrigin(first, r.URL) }) {
		keepHarmless(req.Header)
	}
	return nil
}

// sameOrigin reports whether credentials for one address are safe at the other:
// the same host and port, and no step from https to http.
func sameOrigin(from, to *url.URL) bool {
	if hostOf(from) != hostOf(to) || from.Scheme == secure && to.Scheme != secure {
		return false
	}
	upgrade := portOf(from) == "80" && to.Scheme == secure && portOf(to) == "443"
	return upgrade || portOf(from) == portOf(to)
}

// keepHarmless removes every header that may hold a credential: not only Authorization and
// Cookie, but also those with unforeseeable names.
func keepHarmless(h http.Header) {
	for name := range h {
		switch name {
		case "Accept", "Accept-Language", "Accept-Encoding", "Content-Type", "Content-Language", "Content-Encoding", "User-Agent":
		default:
			delete(h, name)
		}
	}
}
