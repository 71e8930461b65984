package xxladmin

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/orthd/orth/job"
)

// Gate finds out who makes a request.
type Gate interface {
	// Admit returns a context that carries the caller: the holder of the token, or of the
	// session's secret when there is no token. With neither it is an anonymous caller,
	// which may log in. Kinds: Unauthorized, Forbidden for a page of another site, Full.
	Admit(r *http.Request, token, session string) (context.Context, error)
}

// Config sets what a Handler works with.
type Config struct {
	// Gate finds out who calls. Required.
	Gate Gate
	// API is the server's own API. A request in a context of Gate is one of who calls.
	// Required.
	API http.RoundTripper
	// Jobs, Groups and Attempts are what the caller of a context may see. Required.
	Jobs     Jobs
	Groups   Groups
	Attempts Attempts
	// Zone is the IANA name of the zone of new cron schedules, and of times that
	// have none. Defaults to UTC.
	Zone string
	// Timeout ends a request. Defaults to 20 s.
	Timeout time.Duration
	// Logger gets the errors whose text no caller may see. Defaults to discarding
	// them.
	Logger *slog.Logger
}

// Handler serves the web API of the old admins. At most four lists and logs are read at
// the same time.
type Handler struct {
	config Config
	zone   *time.Location
	routes map[string]route
	busy   chan struct{}
}

const (
	maxBusy        = 4
	defaultTimeout = 20 * time.Second
)

// New returns a handler. Kinds: Invalid for a zone that does not exist.
func New(c Config) (*Handler, error) {
	if c.Gate == nil || c.API == nil || c.Jobs == nil || c.Groups == nil || c.Attempts == nil {
		return nil, errors.New("xxladmin: Config.Gate, API, Jobs, Groups and Attempts are needed")
	}
	if c.Zone == "UTC" {
		c.Zone = ""
	}
	zone, err := time.LoadLocation(c.Zone)
	if err != nil || c.Zone == "Local" {
		return nil, job.FieldErrorf("zone", "%q is not the IANA name of a time zone, such as Asia/Shanghai", c.Zone)
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Handler{config: c, zone: zone, routes: routes(), busy: make(chan struct{}, maxBusy)}, nil
}

// adminCall is one request on its way.
type adminCall struct {
	request *http.Request
	route   route
	shown   credential
	form    form
	speech  generation
	header  http.Header // of the answer
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	c := &adminCall{request: r, shown: credentialOf(r), header: w.Header()}
	payload, err := h.serve(w, c)
	if err == nil {
		reply(w, http.StatusOK, c.speech.success(payload))
		return
	}
	h.refuse(w, c, err)
}

// serve carries a call out and returns what its answer holds.
func (h *Handler) serve(w http.ResponseWriter, c *adminCall) (any, error) {
	name, _ := nameOf(c.request.URL.Path)
	found, known := h.routes[name]
	c.route = found
	c.speech = firstOf(c.route.speech, c.shown.speech)
	if known && !c.route.takes(c.request.Method) {
		w.Header().Set("Allow", c.route.allow())
		return nil, statusError{http.StatusMethodNotAllowed, job.Errorf(job.Invalid, "%s takes %s only", name, c.route.allow())}
	}
	ctx, err := h.admit(c)
	if job.Is(err, job.Forbidden) { // a page of another site, that no script is
		err = statusError{http.StatusForbidden, err}
	}
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, statusError{http.StatusNotFound, job.Errorf(job.NotFound, "this server has no %s; of the old admin's web API it has %s", job.Clean(name, maxShownPath), h.names())}
	}
	if c.form, err = readForm(w, c.request, c.route.bodyLimit()); err != nil {
		return nil, err
	}
	c.speech = generationOf(c.route, &c.form, c.shown)
	if c.route.slow {
		select {
		case h.busy <- struct{}{}:
			defer func() { <-h.busy }()
		default:
			return nil, job.Errorf(job.Unavailable, "too many lists and logs are read at the same time: ask again")
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, h.config.Timeout, errTooSlow)
	defer cancel()
	payload, err := c.route.serve(h, ctx, c)
	if err != nil && ctx.Err() != nil && job.KindOf(err) == job.Internal {
		err = &job.Error{Kind: job.Unavailable, Message: context.Cause(ctx).Error(), Hint: "ask for less, or for a shorter time"}
	}
	return payload, err
}

var errTooSlow = errors.New("the request took too long")

// admit identifies the caller. An open route is for every caller.
func (h *Handler) admit(c *adminCall) (context.Context, error) {
	if c.route.open {
		return h.config.Gate.Admit(c.request, "", "")
	}
	if c.shown.wrong || c.shown.token == "" && c.shown.session == "" {
		return nil, notLoggedIn()
	}
	ctx, err := h.config.Gate.Admit(c.request, c.shown.token, c.shown.session)
	if job.Is(err, job.Unauthorized) {
		return nil, notLoggedIn()
	}
	return ctx, err
}

// notLoggedIn is the error for a request that does not show who makes it. Scripts look
// for the word login in it.
func notLoggedIn() error {
	return &job.Error{
		Kind: job.Unauthorized, Message: "no login: the request shows no good token or session",
		Hint: "log in at /login or /auth/doLogin with a user of this server and send the cookie, or send an API token as Authorization: Bearer TOKEN",
	}
}

// statusError is an error with an HTTP status of its own.
type statusError struct {
	status int
	error
}

// Unwrap returns the error.
func (e statusError) Unwrap() error { return e.error }

// maxShownPath and maxText bound the bytes of a foreign name, and of a whole text, in an
// answer.
const (
	maxShownPath = 100
	maxText      = 1000
)

// refuse answers that a call was not carried out. The HTTP status is 200, as with the
// old admins, but for who is not let in, for what may work later, and for requests that
// are none.
func (h *Handler) refuse(w http.ResponseWriter, c *adminCall, err error) {
	code, status, text := codeFailure, http.StatusOK, textOf(err)
	kind := job.KindOf(err)
	switch kind { //nolint:exhaustive // The others are answered alike.
	case job.Unauthorized:
		code, status = http.StatusUnauthorized, http.StatusUnauthorized
		w.Header().Set("WWW-Authenticate", `Bearer realm="orth"`)
	case job.Full:
		status = http.StatusTooManyRequests
	case job.Unavailable:
		status = http.StatusServiceUnavailable
	case job.Internal:
		status = http.StatusServiceUnavailable
		if answered := (answeredError{}); !errors.As(err, &answered) { // the API has logged its own
			h.config.Logger.Error("serve a script of the old admin", "path", c.request.URL.Path, "error", err)
		}
	}
	if own := (statusError{}); errors.As(err, &own) {
		status = own.status
	}
	if answered := (answeredError{}); errors.As(err, &answered) && answered.wait != "" {
		w.Header().Set("Retry-After", answered.wait)
	}
	reply(w, status, c.speech.refusal(code, text))
}

// textOf returns what a caller may read of an error.
func textOf(err error) string {
	e, known := errors.AsType[*job.Error](err)
	if answered := (answeredError{}); errors.As(err, &answered) {
		e, known = answered.problem, true // its text was meant for callers
	}
	if !known || e.Kind == job.Internal && e.Message == "" {
		return textInternal
	}
	text := e.Message
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return job.Clean(text, maxText)
}
