package guard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/browser"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/job"
)

// Config configures a guard. What has no default is required.
type Config struct {
	// Places finds the place of objects, Jobs and Revisions what parameters of runs mean.
	Places    Places
	Jobs      JobReader
	Revisions RevisionReader
	// Ledger keeps the audit log and the idempotency keys.
	Ledger Ledger
	// Token is that of the server itself, whose bearer may do everything.
	Token redacted.Text
	// Callers knows whose the other tokens are, Sessions those of browsers. Default to nil:
	// there are no others.
	Callers, Sessions Callers
	// Browser configures the API for browsers.
	Browser browser.Config
	// Hooks default to none.
	Hooks Hooks
	// Timeout ends a request. Defaults to 30 s.
	Timeout time.Duration
	// Rates bound how many requests come a second. See there for the defaults.
	Rates Rates
	// Guesses counts wrong tokens. Defaults to a limiter of the pace [tries.Tokens].
	Guesses *tries.Limiter
	// Logger gets what users must not see, once, with the id they are given. Defaults to none.
	Logger *slog.Logger
}

// Guard stands before all operations: it knows them, and serves those requests that are
// good. It is read-only once they are added.
type Guard struct {
	config   Config
	api      huma.API
	routes   map[string]*Op // by method and path, as the mux has them
	underway underway
	browser  *browser.Browser
	meter    *meter
	weak     bool // the token can be guessed
	// secured are the headers of every answer. They are read-only.
	secured map[string][]string
	inner   http.Handler // all operations, for who is known
}

// New returns a guard of no operations.
func New(c Config) (*Guard, error) {
	if c.Timeout <= 0 {
		c.Timeout = 30 * time.Second
	}
	if c.Guesses == nil {
		c.Guesses = tries.NewLimiter(tries.Config{})
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	c.Hooks.fill()
	b, err := browser.New(c.Browser)
	if err != nil {
		return nil, err
	}
	s := &Guard{config: c, routes: map[string]*Op{}, browser: b, secured: secured(), meter: newMeter(c.Rates), weak: credential.Guessable(c.Token)}
	mux := http.NewServeMux()
	s.api = newAPI(mux, s.transform)
	s.inner = s.limited(mux)
	return s, nil
}

// Document returns the OpenAPI document.
func (g *Guard) Document() *huma.OpenAPI { return g.api.OpenAPI() }

// Schemas returns where the document keeps the types.
func (g *Guard) Schemas() huma.Registry { return g.api.OpenAPI().Components.Schemas }

// Logger returns where users cannot look.
func (g *Guard) Logger() *slog.Logger { return g.config.Logger }

// Around returns the handler of a server: others stand beside the operations, and what all
// answers have in common is around them.
func (g *Guard) Around(mux *http.ServeMux) http.Handler {
	mux.Handle("/", g.Authorized(g.inner))
	return g.browser.Forwarded(g.measured(g.guarded(mux)))
}

// guarded sets the headers of every response and turns a panic into a problem
// with an id; the stack goes to the log only.
func (g *Guard) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(plain http.ResponseWriter, r *http.Request) {
		w := &writer{ResponseWriter: plain}
		g.secure(w.Header(), r)
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
			g.config.Logger.ErrorContext(r.Context(), "request panicked",
				"error_id", p.ID, "method", r.Method, "path", r.URL.Path,
				"panic", fmt.Sprint(reason), "stack", string(debug.Stack()))
			if w.started {
				panic(http.ErrAbortHandler) // The client must see that the answer is not whole.
			}
			WriteProblem(w, p)
		}()
		next.ServeHTTP(w, r)
	})
}

// Callers finds out who calls.
type Callers interface {
	// Caller returns who holds a token. Kinds: Unauthorized.
	Caller(ctx context.Context, token string) (access.Principal, error)
}

// Authorized lets only requests pass that show who makes them.
func (g *Guard) Authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(g.browser.Visiting(r))
		caller, err := g.Caller(r)
		if err != nil {
			if late := g.strangerPaid(w, r, err); late != nil {
				err = late
			}
			if job.KindOf(err) == job.Unauthorized {
				w.Header().Set("WWW-Authenticate", `Bearer realm="orth"`)
			}
			WriteProblem(w, g.Problem(r.Context(), "authorize", err).Problem)
			return
		}
		next.ServeHTTP(w, r.WithContext(intent.WithCaller(r.Context(), caller)))
	})
}

// Caller returns who makes a request: who holds its token, when it has one, whatever
// cookie a browser adds; else who holds the session of its cookie, as long as it comes
// from a page of this server.
func (g *Guard) Caller(r *http.Request) (access.Principal, error) {
	text := g.browser.Session(r)
	headers := r.Header.Values("Authorization")
	switch {
	case len(headers) > 0:
	case g.opens(r):
		return access.Principal{}, g.browser.Check(r)
	case text != "" && g.config.Sessions != nil:
		if err := g.browser.Check(r); err != nil {
			return access.Principal{}, err
		}
		return g.config.Sessions.Caller(r.Context(), text)
	}
	return g.bearer(r.Context(), headers)
}

// opens reports whether a request is one of an operation that needs no credentials.
func (g *Guard) opens(r *http.Request) bool {
	op := g.routes[r.Method+" "+r.URL.Path]
	return op != nil && op.Right == Open
}

// bearer returns who calls by the Authorization headers of a request. The token of
// the server itself may do everything.
func (g *Guard) bearer(ctx context.Context, headers []string) (access.Principal, error) {
	if len(headers) == 0 {
		return access.Principal{}, unauthorized("the request carries no token")
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return access.Principal{}, unauthorized("the request must carry one Authorization header of the scheme Bearer")
	}
	return g.holder(ctx, strings.TrimSpace(token))
}

// holder returns who holds a token.
func (g *Guard) holder(ctx context.Context, token string) (access.Principal, error) {
	if redacted.New(token).Equal(g.config.Token) {
		if wait := g.config.Guesses.Wait(browser.VisitOf(ctx).Address, time.Now()); g.weak && wait > 0 {
			return access.Principal{}, tries.TooOften(wait) // as a wrong one is answered
		}
		return access.Root(), nil
	}
	if g.config.Callers == nil {
		return access.Principal{}, unauthorized("the token is not the one of this server")
	}
	caller, err := g.config.Callers.Caller(ctx, token)
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
func (g *Guard) limited(mux *http.ServeMux) http.Handler {
	routed := g.Routed(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := g.config.Timeout
		if _, pattern := mux.Handler(r); strings.HasPrefix(pattern, r.Method+" ") {
			limit = g.routes[pattern].limit(limit)
		}
		if limit != g.config.Timeout {
			// The connection's own deadline would end it. A writer without one has no
			// limit either.
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		}
		if limit > 0 {
			ctx, cancel := context.WithTimeoutCause(r.Context(), limit, ErrTooSlow)
			defer cancel()
			r = r.WithContext(ctx)
			// Who does not read the answer holds nothing for long.
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit + StreamWrite))
		}
		// One byte more, so that the one who reads sees that there is more.
		r.Body = http.MaxBytesReader(w, r.Body, maxBody+1)
		routed.ServeHTTP(w, r)
	})
}

// ErrTooSlow is why the context of a request that takes too long ends.
var ErrTooSlow = errors.New("the request took too long")

// Routed answers requests for which mux has no route with a problem instead of
// plain text.
func (g *Guard) Routed(mux *http.ServeMux) http.Handler {
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
		WriteProblem(w, p)
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

// maxBody bounds the body of a request, in bytes. A script of the largest size
// fits, escaped.
const maxBody = 1 << 20
