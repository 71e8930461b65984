package native

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/orthd/orth/internal/wire/native/mailbox"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
)

// Leases is where executors register.
type Leases interface {
	// Register renews the executor's lease. It checks nothing of the beat but its size.
	Register(ctx context.Context, b job.Beat) error
	// Deregister ends it. An unknown one is no error.
	Deregister(ctx context.Context, group, address string) error
}

// Facts receives the facts of executors.
type Facts interface {
	// TakeFacts keeps them until the next ones. job.NotFound means that no such executor is
	// registered, job.Full that it sent some just now.
	TakeFacts(ctx context.Context, group, address string, f job.Facts) error
}

// Outcomes is where outcomes go.
type Outcomes interface {
	// CompleteAs returns nil when every outcome is durable or not needed: repeated, or of
	// an attempt that is unknown or not the caller's.
	CompleteAs(ctx context.Context, caller job.Caller, outcomes []job.Outcome) error
}

// Chunks is where the lines go that executors bring.
type Chunks interface {
	// Put takes lines of an attempt from a caller that claims to be the executor at
	// address. wanted is false when no more of the attempt is to come: it has no follower,
	// or it is not the caller's.
	Put(caller job.Caller, address string, attempt int64, page job.LogPage) (wanted bool)
}

// ServerConfig sets what a ServerHandler serves. Keys to Outcomes must be set.
type ServerConfig struct {
	// Keys are the tokens that executors may sign with.
	Keys signing.Keys
	// Certificates identifies the executors' certificates that replace a signature.
	// Defaults to nil: none.
	Certificates signing.Certificates
	Leases       Leases
	Outcomes     Outcomes
	// Chunks take the lines of attempts that this server follows. Defaults to none;
	// it speaks minor version 0 then.
	Chunks Chunks
	// Facts receives the facts of executors. Optional; without it, or without Chunks, a
	// lower minor version is spoken.
	Facts Facts
	// Self names this server among those that an executor knows, at most 64 bytes: the
	// same as in [ClientConfig]. It must be set when Chunks is.
	Self string
	// Mailboxes are where executors that pull get their commands. Defaults to ones that
	// stay empty.
	Mailboxes *mailbox.Mailboxes
	// Batch is called with how many tasks an executor accepts in one request, 0 when it
	// does not report it. Optional.
	Batch func(address string, tasks int)
	// Lease returns how long a beat counts of an executor that beats so often. Defaults to
	// none: the answer omits it.
	Lease func(every time.Duration) time.Duration
	// Version is the server's.
	Version string
	// MaxRequests is how many requests are served at the same time, besides pulls. Defaults
	// to 512.
	MaxRequests int
	// MaxPulls is how many pulls are open at the same time. Defaults to 4,096.
	MaxPulls int
	// Logger gets the errors whose text no caller may see. Defaults to discarding
	// them.
	Logger *slog.Logger
}

// ServerHandler serves a server to executors of this protocol. A request that finds
// no place is answered with 429; a caller without a token gets 401 and nothing is
// done for it. Outcomes are answered after they are durable.
type ServerHandler struct {
	config   ServerConfig
	minor    int
	verifier *signing.Verifier
	requests signing.Slots
	pulls    signing.Slots
}

const (
	defaultServerRequests = 512
	defaultPulls          = 4096
)

// NewServerHandler returns a handler.
func NewServerHandler(c ServerConfig) *ServerHandler {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Mailboxes == nil {
		c.Mailboxes = mailbox.New(mailbox.Config{})
	}
	if c.Batch == nil {
		c.Batch = func(string, int) {}
	}
	if c.Lease == nil {
		c.Lease = func(time.Duration) time.Duration { return 0 }
	}
	minor := 0
	switch {
	case c.Chunks != nil && c.Facts != nil:
		minor = message.MinorFacts
	case c.Chunks != nil:
		minor = message.MinorTasks
	}
	return &ServerHandler{
		config: c, minor: minor, verifier: signing.NewVerifier(signing.VerifierConfig{Keys: c.Keys, Certificates: c.Certificates}),
		requests: make(signing.Slots, cmp.Or(max(c.MaxRequests, 0), defaultServerRequests)),
		pulls:    make(signing.Slots, cmp.Or(max(c.MaxPulls, 0), defaultPulls)),
	}
}

// ServeHTTP implements http.Handler.
func (h *ServerHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(signing.SignedPath(r.RequestURI), message.PathPrefix)
	signing.SetVersion(w, r, h.minor)
	places, serve := h.route(name, message.ParseMinor(r.Header.Get(message.HeaderProtocol)))
	known := ok && serve != nil && r.Method == http.MethodPost
	in, ok := signing.Entrance{Verifier: h.verifier, Places: places, Known: known, Minor: h.minor, Name: name, Problem: h.problem}.Admit(w, r)
	if !ok {
		return
	}
	defer places.Release()
	if name == message.NamePull { // it lasts longer than a body may take to come
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a writer without one has no limit either
	}
	answer, err := serve(r.Context(), in.Caller, in.Body)
	if err != nil {
		in.Session.Refuse(w, r, h.problem(r.Context(), name, err))
		return
	}
	in.Session.Write(w, r, http.StatusOK, answer)
}

// problem translates an error. It logs an error whose text is not for callers, or that
// means an unavailable room, unless the caller has hung up. Pulls are unavailable only
// because this server stops.
func (h *ServerHandler) problem(ctx context.Context, name string, err error) message.Problem {
	p, known := message.ProblemOf(err)
	if ctx.Err() == nil && (!known || job.Is(err, job.Unavailable) && name != message.NamePull) {
		h.config.Logger.Error("serve a request of an executor", "name", name, "error", err)
	}
	return p
}

// wish is what is done for an executor's requests with one name: the answer, or an
// error that becomes a problem.
type wish func(ctx context.Context, caller job.Caller, body []byte) ([]byte, error)

// route returns what is done for a name, and the places of such requests; nil for a
// name that is not known. minor is what the caller speaks.
func (h *ServerHandler) route(name string, minor int) (signing.Slots, wish) {
	switch name {
	case message.NameRegister:
		return h.requests, h.register
	case message.NameFarewell:
		return h.requests, h.farewell
	case message.NameOutcomes:
		return h.requests, h.outcomes
	case message.NamePull:
		return h.pulls, h.pull(minor)
	case message.NameAnswers:
		return h.requests, h.answers
	case message.NameLogs:
		if h.minor >= message.MinorLogs {
			return h.requests, h.logs
		}
	case message.NameFacts:
		if h.minor >= message.MinorFacts {
			return h.requests, h.facts
		}
	}
	return nil, nil
}

func (h *ServerHandler) register(ctx context.Context, caller job.Caller, body []byte) ([]byte, error) {
	r, err := message.DecodeRegistration(body)
	if err != nil {
		return nil, err
	}
	if err := caller.Speaks(r.Beat.Group); err != nil {
		return nil, err
	}
	r.Beat.TokenID = caller.TokenID
	if err := h.config.Leases.Register(ctx, r.Beat); err != nil {
		return nil, err
	}
	h.config.Batch(r.Beat.Address, r.Batch)
	return message.AppendRegistered(nil, message.Registered{
		Address: r.Beat.Address, Lease: h.config.Lease(r.Beat.Life.Every), At: time.Now(), Server: h.config.Version,
	}), nil
}

// facts receives the facts of an executor.
func (h *ServerHandler) facts(ctx context.Context, caller job.Caller, body []byte) ([]byte, error) {
	m, err := message.DecodeFacts(body)
	if err != nil {
		return nil, err
	}
	if err := caller.Speaks(m.Group); err != nil {
		return nil, err
	}
	return []byte(message.EmptyAnswer), h.config.Facts.TakeFacts(ctx, m.Group, m.Address, m.Facts)
}

func (h *ServerHandler) farewell(ctx context.Context, caller job.Caller, body []byte) ([]byte, error) {
	f, err := message.DecodeFarewell(body)
	if err != nil {
		return nil, err
	}
	if err := caller.Speaks(f.Group); err != nil {
		return nil, err
	}
	return []byte(message.EmptyAnswer), h.config.Leases.Deregister(ctx, f.Group, f.Address)
}

func (h *ServerHandler) outcomes(ctx context.Context, caller job.Caller, body []byte) ([]byte, error) {
	outcomes, err := message.DecodeOutcomes(body)
	if err != nil {
		return nil, err
	}
	if len(outcomes) == 0 {
		return []byte(message.EmptyAnswer), nil
	}
	now := time.Now().UTC()
	for i := range outcomes {
		// A clock that is wrong must not end it before it began or after now.
		if o := &outcomes[i]; o.EndedAt.Before(o.TriggeredAt) || o.EndedAt.IsZero() || o.EndedAt.After(now) {
			o.EndedAt = now
		}
	}
	err = h.config.Outcomes.CompleteAs(ctx, caller, outcomes)
	if job.Is(err, job.NotFound) || job.Is(err, job.Duplicate) || job.Is(err, job.Conflict) {
		err = nil // unknown and repeated ones are answered like the others
	}
	return []byte(message.EmptyAnswer), err
}

// pull serves the pulls of an executor that speaks the minor version.
func (h *ServerHandler) pull(minor int) wish {
	return func(ctx context.Context, caller job.Caller, body []byte) ([]byte, error) {
		begun := time.Now()
		p, err := message.DecodePull(body)
		if err != nil {
			return nil, err
		}
		if err := caller.Speaks(p.Group); err != nil {
			return nil, err
		}
		address := message.PullAddress(p.Group, p.Instance)
		commands, err := h.config.Mailboxes.Pull(ctx, address, p)
		if err != nil {
			return nil, err
		}
		h.config.Mailboxes.Met(address, min(minor, h.minor))
		return message.AppendCommands(nil, message.Pulled{Commands: commands, Waited: time.Since(begun)}), nil
	}
}

// logs takes the lines that an executor brings, of attempts that are the caller's.
func (h *ServerHandler) logs(_ context.Context, caller job.Caller, body []byte) ([]byte, error) {
	r, err := message.DecodeLogs(body)
	if err != nil {
		return nil, err
	}
	if r.Server != h.config.Self {
		return message.AppendLogsAnswer(nil, message.LogsAnswer{Server: h.config.Self}), nil
	}
	answer := message.LogsAnswer{Taken: true}
	for _, c := range r.Chunks {
		if !h.config.Chunks.Put(caller, r.Address, c.Attempt, c.Page) {
			answer.Stop = append(answer.Stop, c.Attempt)
		}
	}
	return message.AppendLogsAnswer(nil, answer), nil
}

func (h *ServerHandler) answers(_ context.Context, caller job.Caller, body []byte) ([]byte, error) {
	a, err := message.DecodeAnswers(body)
	if err != nil {
		return nil, err
	}
	if err := caller.Speaks(a.Group); err != nil {
		return nil, err
	}
	h.config.Mailboxes.Answer(message.PullAddress(a.Group, a.Instance), a.Answers)
	return []byte(message.EmptyAnswer), nil
}
