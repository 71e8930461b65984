package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/job"
)

// guarded sets the headers of every response and turns a panic into a problem
// with an id; the stack goes to the log only.
func (s *server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		w := &writer{ResponseWriter: plain}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
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

// authorized lets only requests with the token pass.
func (s *server) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.authorize(r.Header.Values("Authorization")); err != nil {
			w.Header().Set("WWW-Authenticate", `Bearer realm="orth"`)
			writeProblem(w, api.NewProblem(err))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// authorize reports what is wrong with the Authorization headers of a request.
func (s *server) authorize(headers []string) error {
	wrong := &job.Error{
		Kind: job.Unauthorized,
		Hint: "send the header \"Authorization: Bearer TOKEN\"; the orth command takes --token-file, ORTH_TOKEN " +
			"or --data with the server's data folder",
	}
	if len(headers) == 0 {
		wrong.Message = "the request carries no token"
		return wrong
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") {
		wrong.Message = "the request must carry one Authorization header of the scheme Bearer"
		return wrong
	}
	if !secret.New(strings.TrimSpace(token)).Equal(s.config.Token) {
		wrong.Message = "the token is not the one of this server"
		return wrong
	}
	return nil
}

// limited bounds the body and the time of a request.
func (s *server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeoutCause(r.Context(), s.config.Timeout, errTooSlow)
		defer cancel()
		r = r.WithContext(ctx)
		// One byte more, so that the one who reads sees that there is more.
		r.Body = http.MaxBytesReader(w, r.Body, maxBody+1)
		next.ServeHTTP(w, r)
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
