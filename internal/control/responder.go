package control

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// MaxBody is the most bytes of a request's body.
const MaxBody = 64 << 10

const (
	serveFor = time.Minute
	writeFor = 30 * time.Second // a part of an answer
	jsonType = "application/json"
	copyType = "application/octet-stream"
)

// Responder answers requests. It is made by [NewResponder] and is safe for concurrent use.
type Responder struct {
	program string
	logger  *slog.Logger
	slots   chan struct{} // one for each request under way
	tooSlow error         // why the context of a request that takes too long ends
}

// NewResponder returns what answers for a program, which errors call by that word. It answers up to atOnce requests at once,
// and refuses more. A nil logger discards.
func NewResponder(program string, atOnce int, logger *slog.Logger) *Responder {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return &Responder{
		program: program, logger: logger, slots: make(chan struct{}, atOnce),
		tooSlow: job.Errorf(job.Unavailable, "the %s took longer than %s", program, serveFor),
	}
}

// Server returns the server of a listener, with bounds for those who are slow. The handler is one of Bounded.
func (r *Responder) Server(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(r.logger.Handler(), slog.LevelDebug),
	}
}

// Bounded bounds the requests under way, and the body of each to 64 KiB.
func (r *Responder) Bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
		default:
			r.Fail(w, in, &job.Error{
				Kind: job.Full, Message: fmt.Sprintf("the %s answers %d requests already", r.program, cap(r.slots)),
				Hint: "try again when one of them has ended",
			})
			return
		}
		in.Body = http.MaxBytesReader(w, in.Body, MaxBody)
		next.ServeHTTP(w, in)
	})
}

// JSON sends what fn returns as JSON. The context of its request ends after a minute, or with the caller.
func (r *Responder) JSON(fn func(*http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		ctx, cancel := context.WithTimeoutCause(in.Context(), serveFor, r.tooSlow)
		defer cancel()
		value, err := fn(in.WithContext(ctx))
		var text []byte
		if err == nil {
			text, err = encode(value)
		}
		if err != nil {
			r.Fail(w, in, err)
			return
		}
		r.Send(w, http.StatusOK, jsonType, text)
	})
}

// Copy sends what fn writes, as it is written. When it fails on the way the connection breaks, so that nobody takes a part for
// the whole.
func (r *Responder) Copy(fn func(ctx context.Context, w io.Writer) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		out := &slowWriter{w: w, control: http.NewResponseController(w)}
		err := fn(in.Context(), out)
		switch {
		case err == nil:
		case !out.started:
			r.Fail(w, in, err)
		default:
			r.logger.Warn("copy_broke_off", "path", in.URL.Path, "error", err)
			panic(http.ErrAbortHandler)
		}
	})
}

// Fail answers with a problem. What goes wrong inside is logged under an id that the caller is given.
func (r *Responder) Fail(w http.ResponseWriter, in *http.Request, err error) {
	if in.Context().Err() != nil {
		return // nobody is left to read it
	}
	p := api.NewProblem(err)
	if p.Code == job.Internal {
		p.ID = "e-" + strings.ToLower(rand.Text()[:16])
		p.Detail = fmt.Sprintf("something went wrong inside the %s; its log tells more under the id given here", r.program)
		r.logger.Error("control_request_failed", "error_id", p.ID, "path", in.URL.Path, "error", err)
	}
	text, err := encode(p)
	if err != nil { // A Problem can always be encoded.
		text = nil
	}
	r.Send(w, p.Status, api.ProblemType, text)
}

// Send sends a text with a line end.
func (r *Responder) Send(w http.ResponseWriter, status int, media string, text []byte) {
	// Without a deadline, as inside the process, the answer goes out as well.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeFor))
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

// slowWriter allows each part of an answer some time, and notes the start.
type slowWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	started bool
}

// Write sends a part.
func (s *slowWriter) Write(b []byte) (int, error) {
	if !s.started {
		s.started = true
		s.w.Header().Set("Content-Type", copyType)
	}
	if err := s.control.SetWriteDeadline(time.Now().Add(writeFor)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return s.w.Write(b)
}

// DecodeBody reads the body of a request: one JSON value of known fields, and nothing behind it. Errors are job.Invalid.
func DecodeBody(in *http.Request, into any) error {
	if media := mediaOf(in.Header); media != jsonType {
		return job.Errorf(job.Invalid, "the body is %q and must be %s", media, jsonType)
	}
	body := json.NewDecoder(in.Body)
	body.DisallowUnknownFields()
	if err := body.Decode(into); err != nil {
		return job.Errorf(job.Invalid, "the body cannot be read: %w", err)
	}
	if _, err := body.Token(); !errors.Is(err, io.EOF) {
		return job.Errorf(job.Invalid, "something stands behind the body's value")
	}
	return nil
}

// encode writes JSON without escaping <, > and &, of which scripts are full.
func encode(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
