package guard

import (
	"bytes"
	"io"
	"net/http"
)

// replied is a carried request whose answer is held back until it is whole. Only the
// goroutine of the request uses it.
type replied struct {
	carried
	status int
	header http.Header
	body   bytes.Buffer
}

// SetStatus notes the status.
func (r *replied) SetStatus(code int) { r.status = code }

// Status returns it.
func (r *replied) Status() int { return r.status }

// SetHeader notes a header.
func (r *replied) SetHeader(name, value string) { r.headers().Set(name, value) }

// AppendHeader notes one more of a header.
func (r *replied) AppendHeader(name, value string) { r.headers().Add(name, value) }

// BodyWriter takes the body.
func (r *replied) BodyWriter() io.Writer { return &r.body }

func (r *replied) headers() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

// send answers. An answer without a status is none: the operation has answered by
// itself.
func (r *replied) send() {
	for name, values := range r.header {
		for _, value := range values {
			r.carried.AppendHeader(name, value)
		}
	}
	if r.status == 0 {
		r.status = http.StatusOK
	}
	r.carried.SetStatus(r.status)
	if r.body.Len() > 0 && r.Method() != http.MethodHead {
		_, _ = r.carried.BodyWriter().Write(r.body.Bytes())
	}
}
