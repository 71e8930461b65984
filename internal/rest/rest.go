// Package rest is the door for programs and people: the native HTTP API,
// version 1.
//
// It knows HTTP, JSON, the token, and how the words of package job look from
// outside. It decides nothing: a request comes in, one question goes to the
// catalog, and its answer or a problem goes out. It must never know SQL, the
// wire of executors, or how the catalog answers.
//
//	request ─▶ headers ─▶ panics ─▶ token ─▶ limits ─▶ route ─▶ validate ─▶ catalog
//
// Everything lives under /api/v1 and needs the token, but for /healthz, which
// needs none and tells nothing.
package rest

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/internal/secret"
)

// Prefix is where the API lives. A server routes this tree and [HealthPath] to
// the handler that [New] returns.
const Prefix = "/api/v1"

// HealthPath answers 200 while the server runs.
const HealthPath = "/healthz"

// maxBody bounds the body of a request, in bytes. A script of the largest size
// fits, escaped.
const maxBody = 1 << 20

// Config says what the API works with.
type Config struct {
	// Jobs and the others answer: one catalog behind narrow views. Required.
	Jobs      Jobs
	Runs      Runs
	Executors Executors
	Calendars Calendars
	Pauses    Pauses
	Firings   Firings
	Backfills Backfills
	Workflows Workflows
	// Breakers tells which executors are left alone. Defaults to nil: none is
	// said to be.
	Breakers Breakers
	// Groups keeps what users say about the addresses of groups. Required.
	Groups Groups
	// Tokens keeps the tokens of groups. Required.
	Tokens Tokens
	// Stats counts what ended. Required.
	Stats Stats
	// DeadLetters are the runs that ended badly for good. Required.
	DeadLetters DeadLetters
	// Broadcasts are the runs that were split into shards. Required.
	Broadcasts Broadcasts
	// Explanations tell why. Required.
	Explanations Explanations
	// Token is what every request must carry as a bearer. Required: there is
	// no API without a token.
	Token secret.Text
	// Version is the server's, as GET /version tells it. Defaults to "dev".
	Version string
	// Timeout ends a request. Defaults to 30 s.
	Timeout time.Duration
	// Logger gets what users must not see, once, with the id they are given.
	// Defaults to none.
	Logger *slog.Logger
}

// The groups of operations in the OpenAPI document.
const (
	tagJobs      = "jobs"
	tagRuns      = "runs"
	tagCalendars = "calendars"
	tagPauses    = "pauses"
	tagBackfills = "backfills"
)

// server holds what the operations share. It is read-only after New.
type server struct {
	config  Config
	api     huma.API
	openapi []byte
	newJobs *huma.Schema // of a new job
}

// New returns the handler of the API.
func New(c Config) (http.Handler, error) {
	switch {
	case c.Jobs == nil || c.Runs == nil || c.Executors == nil:
		return nil, errors.New("rest: Config.Jobs, Runs and Executors are needed")
	case c.Calendars == nil || c.Pauses == nil || c.Firings == nil || c.Backfills == nil:
		return nil, errors.New("rest: Config.Calendars, Pauses, Firings and Backfills are needed")
	case c.Explanations == nil:
		return nil, errors.New("rest: Config.Explanations is needed")
	case c.Groups == nil:
		return nil, errors.New("rest: Config.Groups is needed")
	case c.Tokens == nil:
		return nil, errors.New("rest: Config.Tokens is needed")
	case c.Stats == nil:
		return nil, errors.New("rest: Config.Stats is needed")
	case c.Workflows == nil:
		return nil, errors.New("rest: Config.Workflows is needed")
	case c.DeadLetters == nil:
		return nil, errors.New("rest: Config.DeadLetters is needed")
	case c.Broadcasts == nil:
		return nil, errors.New("rest: Config.Broadcasts is needed")
	case c.Token.IsZero():
		return nil, errors.New("rest: Config.Token is missing: the API is never open to everyone")
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.Timeout <= 0 {
		c.Timeout = 30 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &server{config: c}
	mux := http.NewServeMux()
	s.api = newAPI(mux, s.transform)
	s.registerJobs()
	s.registerRuns()
	s.registerFirings()
	s.registerCalendars()
	s.registerPauses()
	s.registerBackfills()
	s.registerBroadcasts()
	s.registerDeadLetters()
	s.registerWorkflows()
	s.registerStats()
	s.registerExplanations()
	s.registerRest()
	s.registerTokens()
	if err := s.describe(); err != nil {
		return nil, err
	}
	mux.HandleFunc("GET "+Prefix+"/openapi.json", s.serveOpenAPI)
	health := http.NewServeMux()
	health.HandleFunc("GET "+HealthPath, serveHealth)
	all := http.NewServeMux()
	all.Handle(HealthPath, s.routed(health))
	all.Handle("/", s.authorized(s.limited(s.routed(mux))))
	return s.guarded(all), nil
}
