package http1

import (
	"bytes"
	"net"
	"net/url"
	"strings"
)

// connKey is what connections are kept by.
type connKey struct {
	address string // host:port, as it is dialled
	name    string // that the peer's certificate must have; empty without TLS
}

// Target is where requests go: an address, a path, and the header lines that
// all of them have. It never changes and may be shared.
type Target struct {
	place connKey
	head  []byte // up to and with "Content-Length: "
	rest  []byte // the lines after it
}

// NewTarget returns a target for u. fields are header lines that each end in
// "\r\n"; Host, User-Agent and Content-Length are not among them. It returns
// false when this package cannot call u or write the fields.
func NewTarget(u *url.URL, agent string, fields []byte) (*Target, bool) {
	secure := u.Scheme == "https"
	if !secure && u.Scheme != "http" || !plainHost(u.Host) || !goodFields(fields) || u.User != nil {
		return nil, false
	}
	port := u.Port()
	switch {
	case port != "":
	case secure:
		port = "443"
	default:
		port = "80"
	}
	t := &Target{place: connKey{address: net.JoinHostPort(u.Hostname(), port)}, rest: fields}
	if secure {
		t.place.name = u.Hostname()
	}
	t.head = append(t.head, "POST "+u.RequestURI()+" HTTP/1.1\r\nHost: "+u.Host+"\r\nUser-Agent: "+agent+"\r\nContent-Length: "...)
	return t, true
}

// plainHost reports whether a host, which may have a port, goes on the wire as
// it is: no zones, no letters beyond ASCII.
func plainHost(host string) bool {
	return host != "" && !strings.HasSuffix(host, ":") && !strings.ContainsFunc(host, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune("-._:[]", r)
	})
}

// goodFields reports whether text is whole header lines.
func goodFields(text []byte) bool {
	for len(text) > 0 {
		line, more, whole := bytes.Cut(text, []byte("\r\n"))
		name, value, found := bytes.Cut(line, []byte{':'})
		if !whole || !found || !goodName(name) || bytes.IndexByte(name, ' ') >= 0 || !goodValue(value) {
			return false
		}
		text = more
	}
	return true
}
