package fastpath

import (
	"bytes"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
)

// maxFields is how many fields a plain request has at most.
const maxFields = 32

// parseResult is what the bytes of a request are.
type parseResult int

const (
	plain   parseResult = iota
	partial             // a plain request may become of them
	odd                 // a request for net/http
	over                // nothing: the connection has ended
)

// bufferRange is a part of the buffer.
type bufferRange struct{ from, to int }

// field is a line of the head.
type field struct{ name, value bufferRange }

const (
	begins  = "POST /"
	version = " HTTP/1.1\r"
)

// Kinds of bytes.
const (
	inToken = 1 << iota
	inPath
	inHost
)

// kinds has the kinds of each byte. It is never changed.
var kinds = func() (k [256]uint8) {
	for c := range k {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' && c < 0x80 || '0' <= c && c <= '9'
		if letter || c < 0x80 && strings.IndexByte("!#$%&'*+-.^_`|~", byte(c)) >= 0 {
			k[c] |= inToken
		}
		if letter || c < 0x80 && strings.IndexByte("._-/", byte(c)) >= 0 {
			k[c] |= inPath
		}
		if letter || c < 0x80 && strings.IndexByte(".:-[]", byte(c)) >= 0 {
			k[c] |= inHost
		}
	}
	return k
}()

// allOfKind reports whether every byte is of a kind.
func allOfKind[T string | []byte](text T, kind uint8) bool {
	for i := range len(text) {
		if kinds[text[i]]&kind == 0 {
			return false
		}
	}
	return true
}

// printable reports whether a value has nothing but visible ASCII and blanks.
func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// scanHead finds the parts of the head at the beginning of b, and its size. The first byte
// that no plain head has decides.
func scanHead(b []byte, fields *[maxFields]field) (target bufferRange, count, size int, v parseResult) {
	if n := min(len(b), len(begins)); string(b[:n]) != begins[:n] {
		return target, 0, 0, odd
	}
	at := bytes.IndexByte(b, '\n') + 1
	if at == 0 {
		return target, 0, 0, unfinished(b)
	}
	target = bufferRange{len(begins) - 1, at - 1 - len(version)}
	if target.to <= target.from || string(b[target.to:at-1]) != version || !allOfKind(b[target.from:target.to], inPath) {
		return target, 0, 0, odd
	}
	for {
		n := bytes.IndexByte(b[at:], '\n')
		switch {
		case n < 0:
			return target, 0, 0, unfinished(b)
		case n == 0 || b[at+n-1] != '\r' || at+n > maxHead:
			return target, 0, 0, odd
		case n == 1:
			return target, count, at + 2, plain
		}
		line := b[at : at+n-1]
		colon := bytes.IndexByte(line, ':')
		if colon < 1 || count == maxFields || !allOfKind(line[:colon], inToken) || !printable(line[colon:]) {
			return target, 0, 0, odd
		}
		value := bufferRange{at + colon + 1, at + n - 1}
		for value.from < value.to && b[value.from] == ' ' {
			value.from++
		}
		for value.from < value.to && b[value.to-1] == ' ' {
			value.to--
		}
		fields[count] = field{bufferRange{at, at + colon}, value}
		count++
		at += n + 1
	}
}

func unfinished(b []byte) parseResult {
	if len(b) > maxHead {
		return odd
	}
	return partial
}

// exchange is what one request needs, in one piece.
type exchange struct {
	url  url.URL
	body body
}

// parse makes a request of what scan has found, or nil when it is not plain.
func (c *conn) parse(target bufferRange, count, size int) (*http.Request, *exchange) {
	text := string(c.buf[:size]) // all texts of the request are parts of it
	path := text[target.from:target.to]
	if !c.server.fast(path) {
		return nil, nil
	}
	r := &c.base
	r.Host, r.ContentLength = "", -1
	header, values := make(http.Header, count), make([]string, count)
	for i, f := range c.fields[:count] {
		name, value := c.names[i].canonical(text[f.name.from:f.name.to]), text[f.value.from:f.value.to]
		switch name {
		case "Host":
			if r.Host != "" || value == "" || !allOfKind(value, inHost) {
				return nil, nil
			}
			r.Host = value
			continue
		case "Content-Length":
			if r.ContentLength = length(value); r.ContentLength < 0 {
				return nil, nil
			}
		case "Connection":
			if !strings.EqualFold(value, "keep-alive") {
				return nil, nil
			}
		case "Transfer-Encoding", "Expect", "Upgrade", "Trailer", "Pragma":
			return nil, nil
		}
		values[i] = value
		known := len(header)
		if header[name] = values[i : i+1 : i+1]; len(header) == known { // it came twice
			return nil, nil
		}
	}
	if r.Host == "" || r.ContentLength < 0 {
		return nil, nil
	}
	x := &exchange{url: url.URL{Path: path}}
	r.URL, r.RequestURI, r.Header, r.Body = &x.url, path, header, &x.body
	if r.ContentLength == 0 {
		r.Body = http.NoBody
	}
	return r, x
}

// spelling is how the peer writes the name of a field. Requests of a connection have
// the same names in the same order, mostly.
type spelling struct{ written, name string }

// canonical returns the name as net/http has it.
func (s *spelling) canonical(written string) string {
	if s.written != written {
		written = strings.Clone(written)
		*s = spelling{written, textproto.CanonicalMIMEHeaderKey(written)}
	}
	return s.name
}

// length reads a Content-Length, and returns -1 for one that is not plain.
func length(value string) int64 {
	if value == "" || len(value) > 5 || len(value) > 1 && value[0] == '0' {
		return -1
	}
	n := 0
	for i := range len(value) {
		if value[i] < '0' || value[i] > '9' {
			return -1
		}
		n = 10*n + int(value[i]-'0')
	}
	if n > maxBody {
		return -1
	}
	return int64(n)
}

// body is a request's body, which lies in the connection's buffer until the handler
// has returned.
type body struct {
	rest   []byte
	closed bool
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.closed:
		return 0, http.ErrBodyReadAfterClose
	case len(b.rest) == 0:
		return 0, io.EOF
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.closed, b.rest = true, nil
	return nil
}
