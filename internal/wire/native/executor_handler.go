package native

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// Tasks is what an executor does with tasks.
type Tasks interface {
	// AcceptAll answers each of the tasks, in their order: nil only when it is durable and
	// will be run. After the deadline of ctx it accepts none. A Refused error is for good,
	// and because of [job.ErrDiscarded] when only the job's overlap is against it;
	// Duplicate means that the attempt is known; after Full and Unavailable the caller may
	// ask again; Ambiguous means that the task may be here or not. What tasks point to
	// stays the caller's.
	AcceptAll(ctx context.Context, tasks []*job.Task) []error
	// Busy reports whether the job runs or waits here.
	Busy(jobID int64) bool
	// CancelAttempt ends one attempt, and reports false when it has ended, or is not here
	// and is not taken any more.
	CancelAttempt(ctx context.Context, attempt int64, reason string) (bool, error)
}

// Standing is what an executor knows of an attempt.
type Standing int

// The standings.
const (
	Unknown Standing = iota // never here, or forgotten
	Waiting
	Running
	Ended // its outcome is on the way, unless it is also Rid
	Rid   // it has ended, and its outcome was delivered or is given up
)

// String returns the word of the protocol.
func (s Standing) String() string {
	switch s {
	case Waiting:
		return message.AttemptWaiting
	case Running:
		return message.AttemptRunning
	case Ended, Rid:
		return message.AttemptEnded
	case Unknown:
	}
	return message.AttemptUnknown
}

// Attempts reports the state of tasks.
type Attempts interface {
	// Standings returns how the attempts stand, in their order. An attempt whose
	// acceptance is under way is never Unknown, and one that is Unknown is not accepted
	// any more.
	Standings(ctx context.Context, attempts []int64) ([]Standing, error)
}

// Drainer is the tap of an executor.
type Drainer interface {
	// Suspend ends the taking of tasks, or lets it begin again. What was taken goes
	// on.
	Suspend(on bool)
	// Draining reports whether no tasks are taken, for whatever reason.
	Draining() bool
	Load() job.Load
}

// Logs is where run logs are read.
type Logs interface {
	// Read returns the log of the attempt triggered at that instant, from a line on.
	// A log that does not exist is a page, not an error.
	Read(attempt int64, at time.Time, fromLine int) (job.LogPage, error)
}

// Follows is where servers ask for lines.
type Follows interface {
	// Follow pushes the log of an attempt to a server for a time, from a line on, as a
	// [Follower] does. Full is the only error. A failed wish that came with a task is
	// ignored here: the server asks for what does not come.
	Follow(f Follow) error
}

// ExecutorConfig sets what an ExecutorHandler serves. Keys to Logs must be set.
type ExecutorConfig struct {
	// Keys are the tokens that servers may sign with.
	Keys signing.Keys
	// Certificates identifies the servers' certificates that replace a signature. Defaults
	// to nil: none.
	Certificates signing.Certificates
	// Incarnation is that of this executor: requests that are meant for another one
	// are refused.
	Incarnation string
	Tasks       Tasks
	Attempts    Attempts
	Drainer     Drainer
	Logs        Logs
	// Follows brings the logs that servers follow. Defaults to none; it speaks minor
	// version 0 then.
	Follows Follows
	// Kinds are the kinds of handler that the operator allows. A task of another
	// kind is refused, and Tasks is not asked. Defaults to all.
	Kinds []job.HandlerKind
	// MaxRequests is how many requests are served at the same time; a quarter of it
	// is kept for logs, questions and cancels. Defaults to 128.
	MaxRequests int
	// Logger gets the errors whose text no caller may see. Defaults to discarding
	// them.
	Logger *slog.Logger
}

// ExecutorHandler answers the requests of servers, those that they post and those
// that a [Puller] fetches. A request that finds no place is answered with 429; a
// caller without a token gets 401 and nothing is done for it.
type ExecutorHandler struct {
	config   ExecutorConfig
	minor    int
	verifier *signing.Verifier
	tasks    signing.Slots
	logs     signing.Slots
	control  signing.Slots
}

// defaultRequests is how many requests an executor serves at the same time. Each
// may carry hundreds of tasks.
const defaultRequests = 128

// NewExecutorHandler returns a handler.
func NewExecutorHandler(c ExecutorConfig) *ExecutorHandler {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.MaxRequests <= 0 {
		c.MaxRequests = defaultRequests
	}
	small := max(c.MaxRequests/8, 1)
	minor := 0
	if c.Follows != nil {
		minor = message.MinorTasks
	}
	return &ExecutorHandler{
		config: c, minor: minor, verifier: signing.NewVerifier(signing.VerifierConfig{Keys: c.Keys, Certificates: c.Certificates, Self: c.Incarnation}),
		tasks: make(signing.Slots, max(c.MaxRequests-2*small, 1)), logs: make(signing.Slots, small), control: make(signing.Slots, small),
	}
}

// versions begins the path of each major version.
const versions = "/orth/v"

// Serves reports whether an executor's request target is one of this protocol, of
// whichever major version.
func Serves(target string) bool { return strings.HasPrefix(post.CleanPath(target), versions) }

// ServesBelow reports whether a server's request path is one of this protocol, of
// whichever major version, at the root or below a base path.
func ServesBelow(path string) bool { return strings.Contains(post.CleanPath(path), versions) }

// ServeHTTP implements http.Handler.
func (h *ExecutorHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(post.CleanPath(r.RequestURI), message.PathPrefix)
	signing.SetVersion(w, r, h.minor)
	places, serve := h.route(name)
	known := ok && serve != nil && r.Method == http.MethodPost
	in, ok := signing.Entrance{Verifier: h.verifier, Places: places, Known: known, Minor: h.minor, Name: name, Problem: h.problem}.Admit(w, r)
	if !ok {
		return
	}
	defer places.Release()
	status, answer, off := h.do(r.Context(), name, serve, asked{body: in.Body, sentAt: in.Session.SignedAt})
	in.Session.Off = off
	if r.Context().Err() != nil {
		// It is unknown whether it was done, so there is no answer.
		panic(http.ErrAbortHandler)
	}
	in.Session.Write(w, r, status, answer)
}

// problem translates an error, and logs one whose text is not for callers, unless the
// caller has hung up.
func (h *ExecutorHandler) problem(ctx context.Context, name string, err error) message.Problem {
	p, known := message.ProblemOf(err)
	if !known && ctx.Err() == nil {
		h.config.Logger.Error("serve a request of a server", "name", name, "error", err)
	}
	return p
}

// asked is a request that is served.
type asked struct {
	body []byte
	// sentAt is when it left, by this clock and as its sender knows it; zero when the
	// request does not carry it.
	sentAt time.Time
	// held is how long it has waited at the server for a pull.
	held time.Duration
}

// deed is what is done for requests with one name: its answer, or an error that
// becomes a problem.
type deed func(ctx context.Context, in asked) ([]byte, error)

// of is a deed for which it does not matter when the request left.
func of(serve func(ctx context.Context, body []byte) ([]byte, error)) deed {
	return func(ctx context.Context, in asked) ([]byte, error) { return serve(ctx, in.body) }
}

// route returns what is done for a name, and the places of such requests; nil for a
// name that is not known.
func (h *ExecutorHandler) route(name string) (signing.Slots, deed) {
	switch name {
	case message.NameTasks:
		return h.tasks, h.accept
	case message.NameLog:
		return h.logs, of(h.log)
	case message.NameFollow:
		if h.minor >= message.MinorLogs {
			return h.logs, of(h.follow)
		}
	case message.NameAttempts:
		return h.control, of(h.standings)
	case message.NameCancel:
		return h.control, of(h.cancel)
	case message.NameBusy:
		return h.control, of(h.busy)
	case message.NameDrain:
		return h.control, of(h.drain)
	case message.NameBeat:
		return h.control, of(h.beat)
	}
	return nil, nil
}

// fetched answers a request that came with a pull, and that its sender waits for until
// ctx ends.
func (h *ExecutorHandler) fetched(ctx context.Context, c message.Command) (status int, answer []byte) {
	places, serve := h.route(c.Name)
	if serve == nil {
		p := signing.UnknownName(http.MethodPost, c.Name, h.minor)
		return p.Status, message.AppendProblem(nil, p)
	}
	if !places.Take() {
		p := h.problem(ctx, c.Name, signing.NoSlot(cap(places)))
		return p.Status, message.AppendProblem(nil, p)
	}
	defer places.Release()
	status, answer, _ = h.do(ctx, c.Name, serve, asked{body: c.Body, held: c.Held})
	return status, answer
}

// do serves a request. off: only its time is wrong.
func (h *ExecutorHandler) do(ctx context.Context, name string, serve deed, in asked) (status int, answer []byte, off bool) {
	answer, err := serve(ctx, in)
	if err != nil {
		p := h.problem(ctx, name, err)
		return p.Status, message.AppendProblem(nil, p), errors.Is(err, errUntimely)
	}
	return http.StatusOK, answer, false
}
