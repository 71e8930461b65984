package xxl

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// adminContent is what admins call their JSON. Clients insist on it.
const adminContent = "application/json"

// Leases is where executors register.
type Leases interface {
	// Register renews the executor's lease. It checks nothing of the beat but its size.
	Register(ctx context.Context, b job.Beat) error
	// Deregister ends it. An unknown one is no error.
	Deregister(ctx context.Context, group, address string) error
}

// Outcomes is where callbacks go.
type Outcomes interface {
	// CompleteAs returns nil when every outcome is durable or not needed: repeated, or of
	// an attempt that is unknown or not the caller's.
	CompleteAs(ctx context.Context, caller job.Caller, outcomes []job.Outcome) error
}

// Credentials identifies callers by their tokens.
type Credentials interface {
	// Caller returns who shows a token that is taken, or Unauthorized. The empty one is
	// that of who shows none.
	Caller(ctx context.Context, token string) (job.Caller, error)
	// Wrong counts an unknown token, and returns the error to answer. Kinds: Unauthorized,
	// Full.
	Wrong(ctx context.Context, token string) error
}

// AdminConfig sets what an AdminHandler serves.
type AdminConfig struct {
	// Token is what executors must show where there are no Credentials. Defaults to "":
	// everyone may call, so the owner of the listener must restrict access.
	Token    string
	Leases   Leases
	Outcomes Outcomes
	// Credentials identifies tokens, in place of Token. Defaults to nil: the Token opens
	// all groups.
	Credentials Credentials
	// JobCalls serves the calls about jobs. Defaults to none of them.
	JobCalls JobCalls
	// Speeches are dialects besides those of XXL-JOB, by which callers are recognized and
	// in which they are answered. Defaults to none.
	Speeches []dialect.Speech
	// Logger gets the errors whose text no caller may see. Defaults to
	// discarding them.
	Logger *slog.Logger
}

// AdminHandler serves a server to executors of this dialect, at /api/ and at
// the context paths that other admins have in front of it. What the server cannot
// do at present is answered with HTTP status 503, everything else with 200; both
// with a reply. A callback is answered after it is durable: an executor keeps
// and repeats what was not answered with code 200. Do not put a mux in front
// of it: some executors ask for //api/… or /api/registry/, which a mux would
// redirect, and the body of a POST is lost on the way.
type AdminHandler struct {
	config     AdminConfig
	credential credential
	visits     visits
	bodies     bodies
	jobRate    callRate
}

// NewAdminHandler returns a handler. Leases and Outcomes must be set.
func NewAdminHandler(c AdminConfig) *AdminHandler {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &AdminHandler{config: c, credential: newCredential(c.Token), visits: newVisits(c.Speeches)}
}

// maxUntrusted is how much of a body is read for a caller without the token:
// enough to see that there is one.
const maxUntrusted = 4 << 10

// ServeHTTP implements http.Handler.
func (h *AdminHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header()[dialect.HeaderTakes] = []string{dialect.FieldLog}
	name, api := apiName(r.URL.Path)
	v := h.visits.of(r)
	switch {
	case r.Method != http.MethodPost:
		v.reply.deny(w, dialect.TextMethod)
		return
	case !api:
		v.reply.deny(w, pathUnknown(r.URL.Path))
		return
	case strings.TrimSpace(name) == "":
		v.reply.deny(w, dialect.TextPathEmpty)
		return
	}
	var stranger error
	if v.caller, stranger = h.caller(r); stranger == nil || job.Is(stranger, job.Unauthorized) {
		if err := v.checkGroup(r.Header, h.open()); err != nil {
			stranger = err
		}
	}
	limit := int64(maxBody)
	if stranger != nil {
		limit = maxUntrusted
	}
	body, err := h.bodies.read(r, limit)
	if err == nil {
		defer h.bodies.release(body)
	}
	switch {
	case err == nil && len(bytes.TrimSpace(body.Bytes())) == 0:
		v.reply.deny(w, dialect.TextBodyEmpty)
	case job.Is(stranger, job.Unauthorized):
		v.reply.deny(w, v.refusal())
	case job.Is(stranger, job.Refused):
		text, _ := message(stranger)
		v.reply.deny(w, text)
	case stranger != nil:
		h.fail(w, r, v, name, stranger)
	case errors.Is(err, errTooLarge):
		v.reply.deny(w, dialect.TextAPIError+dialect.TextMalformed+"the body is over 5 MiB")
	case err != nil:
		v.reply.deny(w, dialect.TextAPIError+"the body did not arrive")
	default:
		h.route(w, r, v, name, body.Bytes())
	}
}

// caller returns the caller, by the tokens shown under either name, or by showing none.
// Kinds: Unauthorized, Full after too many wrong ones, and Unavailable when the token
// cannot be checked.
func (h *AdminHandler) caller(r *http.Request) (job.Caller, error) {
	if h.config.Credentials == nil {
		if !h.credential.allows(r.Header) {
			return job.Caller{}, job.Errorf(job.Unauthorized, dialect.TextToken)
		}
		return job.Caller{}, nil
	}
	shown := shownTokens(r.Header)
	for _, token := range shown {
		caller, err := h.config.Credentials.Caller(r.Context(), token)
		if !job.Is(err, job.Unauthorized) {
			return caller, err
		}
	}
	refused := job.Errorf(job.Unauthorized, dialect.TextToken)
	for _, token := range shown {
		if token == "" { // to show none is no guess
			continue
		}
		if err := h.config.Credentials.Wrong(r.Context(), token); !job.Is(err, job.Unauthorized) {
			return job.Caller{}, err
		}
	}
	return job.Caller{}, refused
}

// open reports whether no caller needs a token.
func (h *AdminHandler) open() bool { return h.config.Credentials == nil && !h.credential.required }

// apiName returns the last part of /api/{name}, and false for another path.
// Slashes that peers double or add when they join addresses do not count.
func apiName(path string) (string, bool) {
	path = UnderContext(path)
	if path == "api" {
		return "", true
	}
	return strings.CutPrefix(path, dialect.PathAPI[1:])
}

// UnderContext returns a path without its superfluous slashes, the slash in front and
// the context path.
func UnderContext(path string) string {
	path = strings.TrimPrefix(post.CleanPath(path), "/")
	for _, prefix := range dialect.ContextPaths() {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			return rest
		}
	}
	return path
}

// ServesAdmin reports whether a path is one at which executors call a server, at the
// root or below the context paths of the old admins.
func ServesAdmin(path string) bool {
	_, is := apiName(path)
	return is
}

func (h *AdminHandler) route(w http.ResponseWriter, r *http.Request, v visit, name string, body []byte) {
	var err error
	switch name {
	case dialect.APIRegistry:
		err = h.register(v.caller, body, func(group, address string) error {
			return h.config.Leases.Register(r.Context(), job.Beat{
				Group: group, Address: address, Features: dialect.ReadFeatures(r.Header), Life: dialect.ReadLife(r.Header),
				Dialect: v.dialect, TokenID: v.caller.TokenID,
			})
		})
	case dialect.APIRegistryRemove:
		err = h.register(v.caller, body, func(group, address string) error {
			return h.config.Leases.Deregister(r.Context(), group, address)
		})
	case dialect.APICallback:
		err = h.complete(r, v.caller, body)
	default:
		if h.isJobCall(name) {
			h.serveJobCall(w, r, v.caller, name, body)
			return
		}
		v.reply.deny(w, pathUnknown(name))
		return
	}
	switch {
	case err == nil:
		answer(w, adminContent, v.reply.success)
	case job.Is(err, job.Refused):
		text, _ := message(err)
		v.reply.deny(w, text)
	default:
		h.fail(w, r, v, name, err)
	}
}

// fail answers that a request was not carried out. When a retry may succeed, the HTTP
// status shows it too: every executor of this dialect treats any other status than 200 as a
// failure, and some of them read nothing else.
func (h *AdminHandler) fail(w http.ResponseWriter, r *http.Request, v visit, name string, err error) {
	text, known := message(err)
	again := !known || job.Is(err, job.Unavailable) || job.Is(err, job.Full)
	if r.Context().Err() == nil && (!known || job.Is(err, job.Unavailable)) { // a caller that has hung up reads no answer
		h.config.Logger.Error("serve a request of an executor", "name", name, "error", err)
	}
	refusal := v.reply.refusal(dialect.TextAPIError + text)
	if again {
		answerStatus(w, http.StatusServiceUnavailable, adminContent, refusal)
		return
	}
	answer(w, adminContent, refusal)
}

// register renews or ends a lease, whichever put does.
func (h *AdminHandler) register(caller job.Caller, body []byte, put func(group, address string) error) error {
	reg, err := dialect.DecodeRegistration(body)
	if err != nil {
		return malformed(err)
	}
	if dialect.Blank(reg.Group) || dialect.Blank(reg.Key) || dialect.Blank(reg.Value) {
		return job.Errorf(job.Refused, dialect.TextIllegal)
	}
	if reg.Group != dialect.RegistryGroupExecutor {
		return nil // admins store it and never read it
	}
	if _, err := post.ParseAddress(reg.Value); err != nil {
		return job.Errorf(job.Refused, dialect.TextIllegal)
	}
	if err := caller.Speaks(reg.Key); err != nil {
		return err
	}
	return put(reg.Key, reg.Value)
}

func (h *AdminHandler) complete(r *http.Request, caller job.Caller, body []byte) error {
	outcomes, err := dialect.DecodeOutcomes(body)
	if err != nil {
		return malformed(err)
	}
	if len(outcomes) == 0 {
		return nil
	}
	now := time.Now().UTC()
	for i := range outcomes {
		outcomes[i].EndedAt = now // the dialect has no word for it
	}
	dialect.ReadFailures(r.Header, outcomes)
	err = h.config.Outcomes.CompleteAs(r.Context(), caller, outcomes)
	switch job.KindOf(err) {
	case job.NotFound, job.Duplicate, job.Conflict:
		return nil // unknown and repeated ones are answered like the others
	default:
		return err
	}
}

// malformed marks an error of the body's text, which no repetition mends.
func malformed(err error) error {
	text, _ := message(err)
	return job.Errorf(job.Invalid, "%s%s", dialect.TextMalformed, text)
}
