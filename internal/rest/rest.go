// Package rest is the door for programs and people: the native HTTP API,
// version 1.
//
// It knows HTTP, JSON, the token, and how the words of package job look from
// outside. It decides nothing: a request comes in, one question goes to the
// commands or the queries, and their answer or a problem goes out. It must never know SQL, the
// wire of executors, or how they answer.
//
//	request ─▶ headers ─▶ panics ─▶ token ─▶ limits ─▶ route ─▶ validate ─▶ jobs, queries
//
// Everything lives under /api/v1 and needs the token, but for /healthz, which
// needs none and tells nothing.
package rest

import (
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/accounts"
	"github.com/orthd/orth/internal/rest/alarms"
	"github.com/orthd/orth/internal/rest/browser"
	"github.com/orthd/orth/internal/rest/executors"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/jobs"
	"github.com/orthd/orth/internal/rest/overview"
	"github.com/orthd/orth/internal/rest/runs"
	"github.com/orthd/orth/internal/rest/workflows"
	"github.com/orthd/orth/internal/tries"
)

// HealthPath answers 200 while the server runs.
const HealthPath = "/healthz"

// Config configures the API.
type Config struct {
	// Jobs and the others answer: commands and queries behind narrow views. Required.
	Jobs      jobs.Jobs
	Runs      runs.Runs
	Logs      runs.RunLogs
	Executors executors.Executors
	Calendars workflows.Calendars
	Pauses    workflows.Pauses
	Firings   jobs.Firings
	Backfills workflows.Backfills
	Workflows workflows.Workflows
	// Breakers reports open circuit breakers. Defaults to nil: none is reported.
	Breakers executors.Breakers
	// Groups stores the settings of groups. Required.
	Groups executors.Groups
	// Tokens keeps the tokens of groups. Required.
	Tokens executors.Tokens
	// Secrets keeps named secrets. Required.
	Secrets workflows.Secrets
	// Drains drains executors. Required.
	Drains executors.Drains
	// Cleaner removes runs before their time. Required.
	Cleaner runs.Cleaner
	// Stats counts what ended. Required.
	Stats overview.Stats
	// Overview returns what exists. Required.
	Overview overview.Overview
	// Dashboards return the activity of a time. Defaults to nil: there is none.
	Dashboards overview.Dashboards
	// Events streams changes. Defaults to nil: there is none.
	Events overview.Events
	// Servers are those of the database. Defaults to none.
	Servers executors.Servers
	// Settings lists what is set at this server. Defaults to nothing.
	Settings func() []api.Setting
	// DeadLetters are the runs that ended badly for good. Required.
	DeadLetters runs.DeadLetters
	// Revisions are jobs as they were saved. Required.
	Revisions jobs.Revisions
	// History keeps what other schedulers have done. Required.
	History jobs.HistoryKeeper
	// Trials tries jobs. Required.
	Trials jobs.Trials
	// Broadcasts are the runs that were split into shards. Required.
	Broadcasts runs.Broadcasts
	// AlarmRules, AlarmChannels and AlarmSilences are the definitions of alarms.
	// Required.
	AlarmRules    alarms.AlarmRules
	AlarmChannels alarms.AlarmChannels
	AlarmSilences alarms.AlarmSilences
	// Alarms are what they have raised, and the messages about it. Required.
	Alarms alarms.Alarms
	// Explanations explain runs and jobs. Required.
	Explanations runs.Explanations
	// Lists finds jobs and runs, Attempts attempts, GroupKeeper groups. Required.
	Lists interface {
		jobs.JobLists
		runs.RunLists
	}
	Attempts    runs.AttemptFinder
	GroupKeeper executors.GroupKeeper
	// Users keeps users, Grants what they were granted, and APITokens their tokens.
	// Required.
	Users     accounts.Users
	Grants    accounts.Grants
	APITokens accounts.APITokens
	// Imports takes over what other schedulers have. Defaults to nil: nothing is.
	Imports overview.Imports
	// Places finds the place of objects. Required.
	Places guard.Places
	// Ledger keeps the audit log and the idempotency keys. Required.
	Ledger interface {
		guard.Ledger
		overview.LedgerReader
	}
	// Token is that of the server itself, whose bearer may do everything. Required:
	// there is no API without a token.
	Token redacted.Text
	// Callers knows whose the other tokens are. Defaults to nil: there are no others.
	Callers guard.Callers
	// Sessions knows who has signed in with a browser, and SignIn how that is done.
	// Default to nothing: browsers cannot.
	Sessions accounts.Sessions
	SignIn   accounts.SignIn
	// Browser configures the API for browsers.
	Browser browser.Config
	// Metrics shows the figures of the server to those that may see all of it.
	// Defaults to nil: there is no such page.
	Metrics http.Handler
	// Unready returns why the server does not do its work. Defaults to nil: it does.
	Unready func() []api.Unready
	// Profiles allows profiles of the process. Defaults to false.
	Profiles bool
	// Hooks default to none.
	Hooks guard.Hooks
	// Version is the server's, as in GET /version. Defaults to "dev".
	Version string
	// Timeout ends a request. Defaults to 30 s.
	Timeout time.Duration
	// Rates bound how many requests come a second. See there for the defaults.
	Rates guard.Rates
	// Guesses counts wrong tokens. Defaults to a limiter of the pace [tries.Tokens].
	Guesses *tries.Limiter
	// Streams bounds the logs that are followed and downloaded at the same time.
	// Defaults to 256.
	Streams int
	// Viewers bounds the streams of events and of summaries that are read at the same
	// time, and ViewersEach those of one credential but the server's own. They default
	// to 1,000 and 20.
	Viewers, ViewersEach int
	// Stopping is closed when the server is about to stop: then streams end, and who
	// reads them comes back. Defaults to nil: they end with their requests.
	Stopping <-chan struct{}
	// Logger gets what users must not see, once, with the id they are given.
	// Defaults to none.
	Logger *slog.Logger
}

// server answers what is no operation. It is read-only after New.
type server struct {
	*guard.Guard

	config Config
}

// New returns the API.
func New(c Config) (*API, error) {
	switch {
	case c.Jobs == nil || c.Runs == nil || c.Logs == nil || c.Executors == nil || c.Revisions == nil || c.History == nil || c.Trials == nil:
		return nil, errors.New("rest: Config.Jobs, Runs, Executors, Revisions, History and Trials are needed")
	case c.Calendars == nil || c.Pauses == nil || c.Firings == nil || c.Backfills == nil:
		return nil, errors.New("rest: Config.Calendars, Pauses, Firings and Backfills are needed")
	case c.Lists == nil || c.Attempts == nil || c.GroupKeeper == nil:
		return nil, errors.New("rest: Config.Lists, Attempts and GroupKeeper are needed")
	case c.Explanations == nil:
		return nil, errors.New("rest: Config.Explanations is needed")
	case c.Groups == nil || c.Tokens == nil || c.Secrets == nil:
		return nil, errors.New("rest: Config.Groups, Tokens and Secrets are needed")
	case c.Cleaner == nil || c.Drains == nil:
		return nil, errors.New("rest: Config.Cleaner and Drains are needed")
	case c.Stats == nil || c.Overview == nil:
		return nil, errors.New("rest: Config.Stats and Overview are needed")
	case c.Workflows == nil:
		return nil, errors.New("rest: Config.Workflows is needed")
	case c.DeadLetters == nil:
		return nil, errors.New("rest: Config.DeadLetters is needed")
	case c.Broadcasts == nil:
		return nil, errors.New("rest: Config.Broadcasts is needed")
	case c.AlarmRules == nil || c.AlarmChannels == nil || c.AlarmSilences == nil || c.Alarms == nil:
		return nil, errors.New("rest: Config.AlarmRules, AlarmChannels, AlarmSilences and Alarms are needed")
	case c.Places == nil:
		return nil, errors.New("rest: Config.Places is needed")
	case c.Users == nil || c.Grants == nil || c.APITokens == nil:
		return nil, errors.New("rest: Config.Users, Grants and APITokens are needed")
	case c.Ledger == nil:
		return nil, errors.New("rest: Config.Ledger is needed")
	case c.Token.IsZero():
		return nil, errors.New("rest: Config.Token is missing: the API is never open to everyone")
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Timeout <= 0 {
		c.Timeout = 30 * time.Second
	}
	if c.Unready == nil {
		c.Unready = func() []api.Unready { return nil }
	}
	g, err := guard.New(guard.Config{
		Places: c.Places, Jobs: c.Jobs, Revisions: c.Revisions, Ledger: c.Ledger, Token: c.Token, Callers: c.Callers, Sessions: c.Sessions, Browser: c.Browser,
		Hooks: c.Hooks, Timeout: c.Timeout, Rates: c.Rates, Guesses: c.Guesses, Logger: c.Logger,
	})
	if err != nil {
		return nil, err
	}
	c.register(g)
	s := &server{g, c}
	if err := s.Describe(); err != nil {
		return nil, err
	}
	docs, err := s.docs()
	if err != nil {
		return nil, err
	}
	health := http.NewServeMux()
	health.HandleFunc("GET "+HealthPath, guard.ServeHealth)
	all := http.NewServeMux()
	all.Handle(HealthPath, s.Routed(health))
	all.Handle(guard.Prefix+openAPIPath, docs)
	all.Handle(guard.Prefix+docsPath, docs)
	all.Handle(guard.Prefix+docsPath+"/", docs)
	all.Handle("GET "+ReadyPath, s.serveReady())
	if c.Metrics != nil {
		all.Handle("GET "+MetricsPath, s.serveMetrics())
	}
	return &API{g, g.Around(all)}, nil
}

// register adds all operations.
func (c *Config) register(g *guard.Guard) {
	jobs.Register(g, jobs.Config{
		Jobs: c.Jobs, Lists: c.Lists, Triggers: c.Runs, Revisions: c.Revisions, History: c.History, Trials: c.Trials, Firings: c.Firings, Spaces: c.Overview,
		Places: c.Places,
	})
	runs.Register(g, runs.Config{
		Runs: c.Runs, Logs: c.Logs, Lists: c.Lists, Attempts: c.Attempts, Broadcasts: c.Broadcasts, DeadLetters: c.DeadLetters, Cleaner: c.Cleaner,
		Explanations: c.Explanations, Jobs: c.Jobs, Places: c.Places, Timeout: c.Timeout, Streams: c.Streams, Stopping: c.Stopping,
	})
	executors.Register(g, executors.Config{
		Groups: c.Groups, Executors: c.Executors, GroupKeeper: c.GroupKeeper, Tokens: c.Tokens, Drains: c.Drains, Places: c.Places, Breakers: c.Breakers,
		Servers: c.Servers, Token: c.Token, Version: c.Version,
	})
	workflows.Register(g, workflows.Config{
		Workflows: c.Workflows, Calendars: c.Calendars, Pauses: c.Pauses, Backfills: c.Backfills, Secrets: c.Secrets, Jobs: c.Jobs, Places: c.Places,
	})
	alarms.Register(g, alarms.Config{
		Alarms: c.Alarms, AlarmRules: c.AlarmRules, AlarmChannels: c.AlarmChannels, AlarmSilences: c.AlarmSilences,
	})
	accounts.Register(g, accounts.Config{Users: c.Users, Grants: c.Grants, APITokens: c.APITokens, Sessions: c.Sessions, SignIn: c.SignIn})
	overview.Register(g, overview.Config{
		Overview: c.Overview, Stats: c.Stats, Ledger: c.Ledger, Grants: c.Grants, Settings: c.Settings, Dashboards: c.Dashboards, Events: c.Events,
		Imports: c.Imports, Profiles: c.Profiles, Viewers: c.Viewers, ViewersEach: c.ViewersEach, Stopping: c.Stopping,
	})
}

// API is the handler of the API. Doors that take requests of other shapes ask it who
// makes them, and make requests of it in the caller's place.
type API struct {
	*guard.Guard

	handler http.Handler
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }
