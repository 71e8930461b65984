package fastpath

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// heldUnknown is the bytes of a body that are held back while its length is not
	// declared; net/http too sends more in chunks.
	heldUnknown = 2 << 10
	// heldDeclared is the same for a declared length.
	heldDeclared = 16 << 10
	// writeFor is how long a peer may take to read an answer when the server has
	// no limit.
	writeFor = 30 * time.Second
)

// responseWriter is the [http.ResponseWriter] of a connection, used for one request after the
// other.
type responseWriter struct {
	conn   *conn
	header http.Header
	names  []string // of header, sorted

	status   int // 0 before WriteHeader
	declared int64
	written  int64 // bytes of the body, those included that were too many
	close    bool  // the connection ends with this answer
	typed    bool  // needs no Content-Type
	dated    bool
	chunked  bool
	sent     bool // the head is
	err      error

	head []byte // the status line and fields, as they were when WriteHeader was called
	body []byte // not sent yet

	second int64 // of date
	date   []byte
}

func (a *responseWriter) reset() {
	clear(a.header)
	a.status, a.declared, a.written, a.err = 0, -1, 0, nil
	a.close, a.typed, a.dated, a.chunked, a.sent = false, false, false, false, false
	a.head, a.body = resetBuffer(a.head), resetBuffer(a.body)
}

// resetBuffer returns a buffer for the next answer, and drops a large one.
func resetBuffer(b []byte) []byte {
	if cap(b) > keptBuffer {
		return nil
	}
	return b[:0]
}

// Header implements http.ResponseWriter.
func (a *responseWriter) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *responseWriter) WriteHeader(status int) {
	switch {
	case status < 100 || status > 999:
		panic(fmt.Sprintf("invalid WriteHeader code %v", status)) // in net/http's words
	case a.status != 0 || status < 200:
		return
	}
	a.status = status
	a.head = append(a.head, "HTTP/1.1 "...)
	if text := http.StatusText(status); text != "" {
		a.head = append(append(append(strconv.AppendInt(a.head, int64(status), 10), ' '), text...), "\r\n"...)
	} else {
		a.head = fmt.Appendf(a.head, "%03d status code %d\r\n", status, status)
	}
	a.names = a.names[:0]
	for name := range a.header {
		a.names = append(a.names, name)
	}
	slices.Sort(a.names)
	draining := a.conn.server.draining.Load()
	a.close = draining
	for _, name := range a.names {
		if a.keeps(name, a.header[name], draining) {
			a.head = appendField(a.head, name, a.header[name])
		}
	}
	if draining {
		a.head = append(a.head, "Connection: close\r\n"...)
	}
	a.typed = a.typed || !a.bodyAllowed()
}

// keeps reports whether a field of the handler is sent, and notes what it decides.
func (a *responseWriter) keeps(name string, values []string, draining bool) bool {
	first := ""
	if len(values) > 0 {
		first = values[0]
	}
	switch name {
	case "Content-Length":
		n, err := strconv.ParseInt(first, 10, 64)
		if first != "" && (err != nil || n < 0) {
			a.conn.server.logf("http: invalid Content-Length of %q", first)
		}
		if err != nil || n < 0 || !a.bodyAllowed() {
			return false
		}
		a.declared = n
	case "Content-Type":
		a.typed = true
		return a.status != http.StatusNotModified
	case "Content-Encoding":
		a.typed = a.typed || first != ""
	case "Date":
		a.dated = true
	case "Connection":
		a.close = a.close || first == "close"
		return !draining
	case "Transfer-Encoding": // the framing is not the handler's
		return false
	}
	return !strings.HasPrefix(name, http.TrailerPrefix)
}

// appendField appends the lines of a field as net/http writes them.
func appendField(dst []byte, name string, values []string) []byte {
	if name == "" || !allOfKind(name, inToken) {
		return dst
	}
	for _, value := range values {
		dst = append(append(dst, name...), ": "...)
		from := len(dst)
		dst = append(dst, value...)
		for i, c := range dst[from:] {
			if c == '\r' || c == '\n' {
				dst[from+i] = ' '
			}
		}
		for len(dst) > from && blank(dst[len(dst)-1]) {
			dst = dst[:len(dst)-1]
		}
		if cut := from; cut < len(dst) && blank(dst[cut]) {
			for blank(dst[cut]) {
				cut++
			}
			dst = slices.Delete(dst, from, cut)
		}
		dst = append(dst, "\r\n"...)
	}
	return dst
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

func (a *responseWriter) bodyAllowed() bool {
	return a.status != http.StatusNoContent && a.status != http.StatusNotModified
}

// Write implements http.ResponseWriter.
func (a *responseWriter) Write(p []byte) (int, error) { return holdPart(a, p) }

// WriteString implements io.StringWriter.
func (a *responseWriter) WriteString(s string) (int, error) { return holdPart(a, s) }

// SetReadDeadline sets the limit of the request, for http.ResponseController.
func (a *responseWriter) SetReadDeadline(until time.Time) error { return a.conn.watch.limit(until) }

// holdPart takes a part of the body, and sends what is held when it gets too much.
func holdPart[T string | []byte](a *responseWriter, p T) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if !a.bodyAllowed() {
		return 0, http.ErrBodyNotAllowed
	}
	a.written += int64(len(p))
	limit := heldUnknown
	if a.declared >= 0 {
		if a.written > a.declared {
			return 0, http.ErrContentLength
		}
		limit = heldDeclared
	}
	a.body = append(a.body, p...)
	if len(a.body) > limit {
		a.flush(false)
	}
	if a.err != nil {
		return 0, a.err
	}
	return len(p), nil
}

// finish sends what is left, and reports whether the connection may carry another
// request.
func (a *responseWriter) finish() bool {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	a.flush(true)
	whole := a.declared < 0 || a.declared == a.written
	return a.err == nil && !a.close && whole
}

// flush sends what is held, and the head before it. last: nothing follows.
func (a *responseWriter) flush(last bool) {
	out := a.head[:0]
	if !a.sent {
		a.sent = true
		a.endHead(last)
		out = a.head
	}
	if a.chunked && len(a.body) > 0 {
		out = append(strconv.AppendInt(out, int64(len(a.body)), 16), "\r\n"...)
		a.body = append(a.body, "\r\n"...)
	}
	if a.chunked && last {
		a.body = append(a.body, "0\r\n\r\n"...)
	}
	if len(a.body) <= heldDeclared {
		out, a.body = append(out, a.body...), a.body[:0]
	}
	a.writeBytes(out)
	a.writeBytes(a.body)
	a.head, a.body = out[:0], a.body[:0]
}

// endHead appends what net/http adds to the fields of a handler.
func (a *responseWriter) endHead(last bool) {
	if !a.dated {
		now := time.Now()
		if second := now.Unix(); second != a.second || a.date == nil {
			a.second, a.date = second, now.UTC().AppendFormat(a.date[:0], http.TimeFormat)
		}
		a.head = append(append(append(a.head, "Date: "...), a.date...), "\r\n"...)
	}
	if a.bodyAllowed() && a.declared < 0 {
		if last {
			a.head = append(strconv.AppendInt(append(a.head, "Content-Length: "...), int64(len(a.body)), 10), "\r\n"...)
		} else {
			a.chunked = true
			a.head = append(a.head, "Transfer-Encoding: chunked\r\n"...)
		}
	}
	if !a.typed && len(a.body) > 0 {
		a.head = append(append(append(a.head, "Content-Type: "...), http.DetectContentType(a.body)...), "\r\n"...)
	}
	a.head = append(a.head, "\r\n"...)
}

// writeBytes writes bytes to the connection, unless a write has failed.
func (a *responseWriter) writeBytes(b []byte) {
	if len(b) == 0 || a.err != nil {
		return
	}
	limit := a.conn.server.http.WriteTimeout
	if limit <= 0 {
		limit = writeFor
	}
	if now := time.Now(); a.conn.writing.Before(now.Add(limit - min(slack, limit/2))) {
		a.conn.writing = now.Add(limit)
		_ = a.conn.SetWriteDeadline(a.conn.writing)
	}
	_, a.err = a.conn.stream.Write(b)
}
