package xxl

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// adminContent is what admins call their JSON. Clients insist on it.
const adminContent = "application/json"

// Leases is where executors register.
type Leases interface {
	// Register renews the executor's lease. Of what the beat says nothing is
	// checked but its size.
	Register(ctx context.Context, b job.Beat) error
	// Deregister ends it. An unknown one is no error.
	Deregister(ctx context.Context, group, address string) error
}

// Outcomes is where callbacks go.
type Outcomes interface {
	// Complete returns nil when every outcome is durable or not needed:
	// repeated, or of an attempt that nobody knows.
	Complete(ctx context.Context, outcomes []job.Outcome) error
}

// AdminConfig says what an AdminHandler serves.
type AdminConfig struct {
	// Token is what executors must show. Defaults to "": everyone may call,
	// so whoever opens the listener must care for that.
	Token    string
	Leases   Leases
	Outcomes Outcomes
	// Logger gets the errors whose text no caller may see. Defaults to
	// discarding them.
	Logger *slog.Logger
}

// AdminHandler serves a server to executors of this dialect, at /api/ and at
// the context paths that other admins have in front of it. Every reply has HTTP
// status 200. A callback is answered after it is durable: an executor keeps
// and repeats what was not answered with code 200. Do not put a mux in front
// of it: some executors ask for //api/…, which a mux would redirect.
type AdminHandler struct {
	config     AdminConfig
	credential credential
	bodies     bodies
}

// NewAdminHandler returns a handler. Leases and Outcomes must be set.
func NewAdminHandler(c AdminConfig) *AdminHandler {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &AdminHandler{config: c, credential: newCredential(c.Token)}
}

// maxUntrusted is how much of a body is read for a caller without the token:
// enough to see that there is one.
const maxUntrusted = 4 << 10

// ServeHTTP implements http.Handler.
func (h *AdminHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, api := apiName(r.URL.Path)
	switch {
	case r.Method != http.MethodPost:
		deny(w, textMethod)
		return
	case !api:
		deny(w, pathUnknown(r.URL.Path))
		return
	case strings.TrimSpace(name) == "":
		deny(w, textPathEmpty)
		return
	}
	allowed, limit := h.credential.allows(r.Header), int64(maxBody)
	if !allowed {
		limit = maxUntrusted
	}
	body, err := h.bodies.read(r, limit)
	if err == nil {
		defer h.bodies.release(body)
	}
	switch {
	case err == nil && len(bytes.TrimSpace(body.Bytes())) == 0:
		deny(w, textBodyEmpty)
	case !allowed:
		deny(w, textToken)
	case errors.Is(err, errTooLarge):
		deny(w, textAPIError+textMalformed+"the body is over 5 MiB")
	case err != nil:
		deny(w, textAPIError+"the body did not arrive")
	default:
		h.route(w, r, name, body.Bytes())
	}
}

// apiName returns the last part of /api/{name}, and false for another path.
// Slashes that peers double when they join addresses do not count.
func apiName(path string) (string, bool) {
	path = strings.TrimLeft(path, "/")
	for _, prefix := range contextPaths() {
		if rest, ok := strings.CutPrefix(path, prefix); ok {
			path = strings.TrimLeft(rest, "/")
			break
		}
	}
	if path == "api" {
		return "", true
	}
	name, ok := strings.CutPrefix(path, pathAPI[1:])
	return strings.TrimLeft(name, "/"), ok
}

func (h *AdminHandler) route(w http.ResponseWriter, r *http.Request, name string, body []byte) {
	var err error
	switch name {
	case apiRegistry:
		err = h.register(body, func(group, address string) error {
			return h.config.Leases.Register(r.Context(), job.Beat{
				Group: group, Address: address, Features: readFeatures(r.Header), Life: readLife(r.Header),
			})
		})
	case apiRegistryRemove:
		err = h.register(body, func(group, address string) error {
			return h.config.Leases.Deregister(r.Context(), group, address)
		})
	case apiCallback:
		err = h.complete(r, body)
	default:
		deny(w, pathUnknown(name))
		return
	}
	switch {
	case err == nil:
		answer(w, adminContent, adminSuccess)
	case job.Is(err, job.Refused):
		text, _ := message(err)
		deny(w, text)
	default:
		text, known := message(err)
		if !known || job.Is(err, job.Unavailable) {
			h.config.Logger.Error("serve a request of an executor", "name", name, "error", err)
		}
		deny(w, textAPIError+text)
	}
}

// register renews or ends a lease, whichever put does.
func (h *AdminHandler) register(body []byte, put func(group, address string) error) error {
	reg, err := decodeRegistration(body)
	if err != nil {
		return malformed(err)
	}
	if blank(reg.group) || blank(reg.key) || blank(reg.value) {
		return job.Errorf(job.Refused, textIllegal)
	}
	if reg.group != registryGroupExecutor {
		return nil // admins store it and nobody reads it
	}
	if _, err := parseAddress(reg.value); err != nil {
		return job.Errorf(job.Refused, textIllegal)
	}
	return put(reg.key, reg.value)
}

func (h *AdminHandler) complete(r *http.Request, body []byte) error {
	outcomes, err := decodeOutcomes(body)
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
	readFailures(r.Header, outcomes)
	err = h.config.Outcomes.Complete(r.Context(), outcomes)
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
	return job.Errorf(job.Invalid, "%s%s", textMalformed, text)
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func deny(w http.ResponseWriter, text string) {
	answer(w, adminContent, string(appendAdminRefusal(nil, text)))
}
