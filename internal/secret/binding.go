package secret

import (
	"net"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// minBeyondLoopback is the shortest secret, in bytes, with which something may
// listen beyond loopback.
const minBeyondLoopback = 16

// known are secrets that products of this family shipped or that everybody
// tries first. They protect nothing.
func known() []string {
	return []string{
		"default_token", "orth-secret-token", "xxl-job", "xxl_job", "orth", "orth_token", "token", "secret", "password",
		"changeme", "change_me", "admin", "123456", "test",
	}
}

// WellKnown reports whether a text is one of those.
func WellKnown(t Text) bool { return slices.Contains(known(), strings.ToLower(t.Reveal())) }

// CheckBinding reports why something that the secret protects must not listen
// on host: a known secret is refused everywhere, a missing or short one
// beyond loopback. field names the secret's setting in the error.
func CheckBinding(field string, t Text, host string) error {
	if WellKnown(t) {
		return job.FieldErrorf(field, "is a well-known value that protects nothing; use a random one of at least %d characters", minBeyondLoopback)
	}
	if Loopback(host) {
		return nil
	}
	if len(t.Reveal()) < minBeyondLoopback {
		return job.FieldErrorf(field, "must have at least %d characters to listen beyond loopback (on %q); listen on 127.0.0.1 or set a random one",
			minBeyondLoopback, host)
	}
	return nil
}

// Loopback reports whether host is reachable from this machine only. The empty
// host means every interface, so it is not.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
