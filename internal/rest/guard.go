package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/job"
)

// guarded sets the headers of every response and turns a panic into a problem
// with an id; the stack goes to the log only.
func (s *server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		w := &writer{ResponseWriter: plain}
		s.secure(w.Header(), r)
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			if reason == http.ErrAbortHandler { //nolint:errorlint // The sentinel is compared by net/http too.
				panic(reason)
			}
			p := api.NewProblem(fmt.Errorf("panic: %v", reason))
			p.ID = newErrorID()
			s.config.Logger.ErrorContext(r.Context(), "request panicked",
				"error_id", p.ID, "method", r.Method, "path", r.URL.Path,
				"panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
			if w.started {
				panic(http.ErrAbortHandler) // The client must see that the answer is not whole.
			}
			writeProblem(w, p)
		}()
		next.ServeHTTP(w, r)
	})
}

// Callers finds out who calls.
type Callers interface {
	// Caller returns who holds a token. Kinds: Unauthorized.
	Caller(ctx context.Context, token string) (access.Principal, error)
}

// authorized lets only requests pass that show who makes them.
func (s *server) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(s.browser.visiting(r))
		caller, err := s.caller(r)
		if err != nil {
			if late := s.strangerPaid(w, r, err); late != nil {
				err = late
			}
			if job.KindOf(err) == job.Unauthorized {
				w.Header().Set("WWW-Authenticate", `Bearer realm="orth"`)
			}
			writeProblem(w, s.problem(r.Context(), "authorize", err).Problem)
			return
		}
		next.ServeHTTP(w, r.WithContext(intent.WithCaller(r.Context(), caller)))
	})
}

// caller returns who makes a request: who holds its token, when it has one, whatever
// cookie a browser adds; else who holds the session of its cookie, as long as it comes
// from a page of this server.
func (s *server) caller(r *http.Request) (access.Principal, error) {
	text := s.browser.session(r)
	headers := r.Header.Values("Authorization")
	switch {
	case len(headers) > 0:
	case s.opens(r):
		return access.Principal{}, s.browser.check(r)
	case text != "" && s.config.Sessions != nil:
		if err := s.browser.check(r); err != nil {
			return access.Principal{}, err
		}
		return s.config.Sessions.Caller(r.Context(), text)
	}
	return s.bearer(r.Context(), headers)
}

// opens reports whether a request is one of an operation that needs no credentials.
func (s *server) opens(r *http.Request) bool {
	op := s.routes[r.Method+" "+r.URL.Path]
	return op != nil && op.Right == open
}

// bearer returns who calls by the Authorization headers of a request. The token of
// the server itself may do everything.
func (s *server) bearer(ctx context.Context, headers []string) (access.Principal, error) {
	if len(headers) == 0 {
		return access.Principal{}, unauthorized("the request carries no token")
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return access.Principal{}, unauthorized("the request must carry one Authorization header of the scheme Bearer")
	}
	return s.holder(ctx, strings.TrimSpace(token))
}

// holder returns who holds a token.
func (s *server) holder(ctx context.Context, token string) (access.Principal, error) {
	if redacted.New(token).Equal(s.config.Token) {
		if wait := s.config.Guesses.Wait(visitOf(ctx).address, time.Now()); s.weak && wait > 0 {
			return access.Principal{}, tries.TooOften(wait) // as a wrong one is answered
		}
		return access.Root(), nil
	}
	if s.config.Callers == nil {
		return access.Principal{}, unauthorized("the token is not the one of this server")
	}
	caller, err := s.config.Callers.Caller(ctx, token)
	if job.KindOf(err) == job.Unauthorized {
		return caller, unauthorized("the token is not one of this server, or not any more")
	}
	return caller, err
}

// unauthorized is the error for a request that does not show who makes it.
func unauthorized(message string) error {
	return &job.Error{
		Kind: job.Unauthorized, Message: message,
		Hint: "send the header \"Authorization: Bearer TOKEN\"; the orth command has one after 'orth login', " +
			"and takes --token-file, ORTH_TOKEN, or --data with the server's data folder",
	}
}

// limited routes requests to operations, and bounds the body and the time of each. Streams
// bound themselves.
func (s *server) limited(mux *http.ServeMux) http.Handler {
	routed := s.routed(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := s.config.Timeout
		if _, pattern := mux.Handler(r); strings.HasPrefix(pattern, r.Method+" ") {
			limit = s.routes[pattern].limit(limit)
		}
		if limit != s.config.Timeout {
			// The connection's own deadline would end it. A writer without one has no
			// limit either.
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		}
		if limit > 0 {
			ctx, cancel := context.WithTimeoutCause(r.Context(), limit, errTooSlow)
			defer cancel()
			r = r.WithContext(ctx)
			// Who does not read the answer holds nothing for long.
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit + streamWrite))
		}
		// One byte more, so that the one who reads sees that there is more.
		r.Body = http.MaxBytesReader(w, r.Body, maxBody+1)
		routed.ServeHTTP(w, r)
	})
}

// errTooSlow is why the context of a request that takes too long ends.
var errTooSlow = errors.New("the request took too long")

// routed answers requests for which mux has no route with a problem instead of
// plain text.
func (s *server) routed(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plain, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		answer := probe{header: http.Header{}}
		plain.ServeHTTP(&answer, r)
		p := api.NewProblem(job.Errorf(job.NotFound, "there is nothing at %s", r.URL.Path))
		p.Hint = "see " + Prefix + "/openapi.json for all paths"
		if allow := answer.header.Get("Allow"); answer.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", allow)
			p = api.NewProblem(job.Errorf(job.Invalid, "%s does not take %s, only %s", r.URL.Path, r.Method, allow))
			p.Status = http.StatusMethodNotAllowed
		}
		writeProblem(w, p)
	})
}

// writer remembers whether the response has started. Only the goroutine of the
// request uses it.
type writer struct {
	http.ResponseWriter
	started bool
}

// WriteHeader notes the start of the response.
func (w *writer) WriteHeader(status int) {
	w.started = true
	w.ResponseWriter.WriteHeader(status)
}

// Write notes the start of the response.
func (w *writer) Write(b []byte) (int, error) {
	w.started = true
	return w.ResponseWriter.Write(b)
}

// Unwrap leads http.ResponseController to the connection.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// probe takes the answer of a mux that has no route: its status and headers.
type probe struct {
	header http.Header
	status int
}

// Header returns the headers of the answer.
func (p *probe) Header() http.Header { return p.header }

// WriteHeader keeps the status of the answer.
func (p *probe) WriteHeader(status int) { p.status = status }

// Write drops the text of the answer.
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
