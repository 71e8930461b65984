package control

import (
	"errors"
	"io"
	"net/http"
)

// inside carries requests to a handler of this process.
type inside struct{ handler http.Handler }

// RoundTrip has the handler answer. Its body is read while it is written.
func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	out, in := io.Pipe()
	w := &pipeWriter{in: in, header: make(http.Header), begun: make(chan struct{})}
	go func() {
		defer func() {
			if p := recover(); p != nil {
				_ = in.CloseWithError(errors.New("it broke off"))
			} else {
				_ = in.Close()
			}
			w.WriteHeader(http.StatusOK)
		}()
		i.handler.ServeHTTP(w, r)
	}()
	select {
	case <-w.begun:
	case <-r.Context().Done():
		_ = out.CloseWithError(r.Context().Err())
		return nil, r.Context().Err()
	}
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: out, ContentLength: -1, Request: r,
	}, nil
}

// pipeWriter is an answer on its way. One goroutine writes it.
type pipeWriter struct {
	in     *io.PipeWriter
	header http.Header
	begun  chan struct{} // closed with the header
	status int           // before begun is closed
	sent   http.Header   // before begun is closed
	closed bool
}

// Header is what WriteHeader sends.
func (w *pipeWriter) Header() http.Header { return w.header }

// WriteHeader begins the answer, once.
func (w *pipeWriter) WriteHeader(status int) {
	if w.closed {
		return
	}
	w.closed, w.status, w.sent = true, status, w.header.Clone()
	close(w.begun)
}

// Write sends a part of the body.
func (w *pipeWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.in.Write(b)
}
