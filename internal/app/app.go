// Package app is the server: its rooms and doors, wired by hand.
//
// It knows every part of the server and in which order they start and stop. It
// must never decide anything about jobs, runs or executors. A Config comes in; a
// running server goes out.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/orthd/orth/internal/auth"
	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/broadcast"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/internal/secret"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// Server is one server. Build it with New, call Run once, then it is over.
type Server struct {
	config   Config
	store    store.Store
	listener net.Listener
	catalog  *catalog.Catalog
	released func() // wakes the dispatcher; runs have been let go
	// workflows is behind the API.
	workflows *workflow.Keeper
	parts     []lifecycle.Part
}

// New opens the data folder, binds the port and wires the rooms; nothing works
// before Run. Kinds: Invalid for the configuration, Conflict when another
// server uses the folder or the port is taken, Unavailable when the folder
// cannot be used.
func New(c Config) (*Server, error) {
	c.defaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	s := &Server{config: c}
	db, err := sqlite.Open(filepath.Join(c.Data, "orth.db"), sqlite.Config{
		Logger: c.Logger.With("room", "store"), Hooks: sqlstore.Hooks{Released: func() { s.released() }},
	})
	if err != nil {
		return nil, err
	}
	s.store = db
	if err := s.open(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func (s *Server) open() error {
	c := &s.config
	var err error
	if c.ExecutorToken.IsZero() {
		if c.ExecutorToken, err = secret.LoadOrCreate(filepath.Join(c.Data, "executor.token")); err != nil {
			return err
		}
	}
	if c.APIToken.IsZero() {
		if c.APIToken, err = secret.LoadOrCreate(filepath.Join(c.Data, "api.token")); err != nil {
			return err
		}
	}
	if err := c.checkSecrets(); err != nil {
		return err
	}
	var listening net.ListenConfig
	if s.listener, err = listening.Listen(context.Background(), "tcp", c.Listen); err != nil {
		return job.Errorf(job.Conflict, "listen on %s: %w; choose another address with --listen", c.Listen, err)
	}
	if err := s.wire(); err != nil {
		return errors.Join(err, s.listener.Close())
	}
	if err := s.note(); err != nil {
		return errors.Join(err, s.listener.Close())
	}
	return nil
}

// URL returns the base URL of the server on this machine.
func (s *Server) URL() string {
	host, port, _ := net.SplitHostPort(s.listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// ExecutorToken returns the secret that executors must know.
func (s *Server) ExecutorToken() secret.Text { return s.config.ExecutorToken }

// Catalog returns the room behind the API, for a program that holds the server.
// Its writes work only while Run runs.
func (s *Server) Catalog() *catalog.Catalog { return s.catalog }

// Run serves until ctx ends, then stops in order, and returns nil after a good
// stop.
func (s *Server) Run(ctx context.Context) error {
	group := lifecycle.New(lifecycle.Config{DrainFor: s.config.DrainFor, Logger: s.config.Logger}, s.parts...)
	err := group.Run(ctx)
	s.unnote()
	if closing := s.store.Close(); closing != nil {
		err = errors.Join(err, fmt.Errorf("close the database: %w", closing))
	}
	return err
}

// wire connects the rooms: the parts list of a server.
func (s *Server) wire() error {
	c, db := s.config, s.store
	log := func(room string) *slog.Logger { return c.Logger.With("room", room) }

	calls := xxl.NewExecutorClient(xxl.ClientConfig{Token: c.ExecutorToken.Reveal(), Timeout: c.ExecutorTimeout})
	breakers := breaker.New(breaker.Config{})
	peers := executors{calls}

	// Hints go to loops that are built later: hooks look them up when called.
	var plan *planner.Planner
	var dispatch *dispatcher.Dispatcher
	var fill *backfill.Engine
	var flow *workflow.Engine
	var keep *upkeep.Upkeep
	var barrier *broadcast.Engine
	ready := func(at time.Time) { dispatch.WakeAt(at) }
	over := func(run int64) { fill.Ended(run); flow.Ended(run) }

	ended := endings{
		log:  log("completer"),
		plan: func() { plan.Wake() }, fill: over, barrier: func() { barrier.Wake() },
	}
	complete := completer.New(completer.Config{
		Store: db, IDs: db, Hooks: completer.Hooks{Ready: ready, Completed: func(c completer.Completion) {
			dispatch.Over(c.AttemptID)
			ended.tell(c)
		}, Buried: ended.buried, Foreign: ended.foreign},
	})
	groups := auth.NewGroups(auth.Config{Store: db, Logger: log("auth")})
	leases := registry.New(registry.Config{
		Store: db, Prober: calls, LeaseTTL: c.LeaseTTL, Logger: log("registry"),
		Hooks: registry.Hooks{
			Changed: func() { dispatch.Wake() },
			Restarted: func(address string, since time.Time, holds []int64) bool {
				return keep.Restarted(address, since, holds)
			},
		},
	})
	ours := func(group, address string) bool {
		e, known := leases.Executor(group, address)
		return known && e.Incarnation != ""
	}
	dispatch = dispatcher.New(dispatcher.Config{
		Store: db, Acceptor: db, Jobs: db, IDs: db, Executors: leases,
		Router: route.NewSet(route.Config{Prober: prober{calls, breakers}}), Sender: peers, Outcomes: complete,
		Expirer: db, Overlaps: db, Breaker: breakers, PerGroup: c.PerGroup, Once: ours,
		Cancel: func(ctx context.Context, run int64, reason string) error {
			_, err := s.catalog.CancelRun(ctx, run, reason)
			return err
		},
		Logger: log("dispatcher"), Hooks: dispatcher.Hooks{
			Room: func() { plan.Wake() }, Expired: ended.expired, Skipped: ended.expired,
			Claimed: func(rows map[int64]int, all bool) { plan.Claimed(rows, all) },
		},
	})
	s.released = func() { dispatch.WakeAt(time.Now()) }
	plan = planner.New(planner.Config{
		Store: db, IDs: db, Handoff: dispatch, CatchUpRate: c.CatchUpRate, Logger: log("planner"),
		Hooks: planner.Hooks{Left: ready},
	})
	fill = backfill.New(backfill.Config{
		Store: db, IDs: db, Logger: log("backfill"), Hooks: backfill.Hooks{Ready: ready},
	})
	flow = workflow.New(workflow.Config{Store: db, IDs: db, Logger: log("workflow"), Ready: ready})
	keep = upkeep.New(upkeep.Config{
		Running: db, Watcher: peers, Deadlines: db, Killer: peers, Stops: db,
		Store: db, Executors: peers, Recorder: recorder{db, complete}, Grace: c.LeaseTTL, Logger: log("upkeep"),
		Once: ours,
	})
	prune := upkeep.NewPruner(upkeep.PruneConfig{History: db, Remover: db, KeepFor: c.KeepRuns, Logger: log("pruner")})
	expire := upkeep.NewExpiry(upkeep.ExpiryConfig{Store: db, Expired: ended.expired, Logger: log("expiry")})
	s.catalog = catalog.New(catalog.Config{
		Stats: db, Writer: db, Reader: db, RunWriter: db, RunReader: db, Stopper: db, Calendars: db, Almanac: calendars{}, Pauses: db, Backfills: db, DeadLetters: db, IDs: db,
		Broadcasts: db, History: db, Executors: peers, Outcomes: complete, Leases: leases,
		Hooks: catalog.Hooks{Scheduled: plan.Wake, Ready: ready, Backfill: fill.Wake, Broadcast: ended.barrier, Ended: over, Withdraw: dispatch.Withdraw},
	})
	barrier = broadcast.New(broadcast.Config{Store: db, Completer: complete, Canceller: s.catalog, Logger: log("broadcast")})
	s.workflows = workflow.NewKeeper(workflow.KeeperConfig{
		Definitions: db, Book: db, Store: db, Jobs: db, Runs: s.catalog, Wake: flow.Wake,
	})
	door, err := s.doors(leases, groups, complete, breakers)
	if err != nil {
		return err
	}
	start := newGate(db)
	s.parts = []lifecycle.Part{
		{Name: "store", Run: db.Run},
		{Name: "gate", Run: start.Run},
		{Name: "registry", Run: leases.Run},
		{Name: "auth", Run: groups.Run},
		{Name: "http", Run: door},
		{Name: "upkeep", Run: start.behind(keep.Run)},
		{Name: "pruner", Run: start.behind(prune.Run)},
		{Name: "expiry", Run: start.behind(expire.Run)},
		{Name: "dispatcher", Run: start.behind(dispatch.Run)},
		{Name: "planner", Run: start.behind(plan.Run)},
		{Name: "backfill", Run: start.behind(fill.Run)},
		{Name: "workflow", Run: start.behind(flow.Run)},
		{Name: "broadcast", Run: start.behind(barrier.Run)},
	}
	return nil
}

// gate holds loops back until what an earlier process had claimed is visible
// again: this server is alone on its database.
type gate struct {
	db   store.Store
	open chan struct{}
}

func newGate(db store.Store) *gate { return &gate{db: db, open: make(chan struct{})} }

// Run opens the gate, and ends.
func (g *gate) Run(ctx context.Context) error {
	if err := g.db.ReleaseClaims(ctx); err != nil {
		return fmt.Errorf("release what an earlier server had claimed: %w", err)
	}
	close(g.open)
	return nil
}

// behind returns the loop, begun once the gate is open.
func (g *gate) behind(loop func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-g.open:
			return loop(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}

// doors builds the HTTP side and returns its loop.
func (s *Server) doors(
	leases *registry.Registry, groups *auth.Groups, complete *completer.Completer, breakers *breaker.Set,
) (func(context.Context) error, error) {
	api, err := rest.New(rest.Config{
		Breakers: breakers,
		Groups:   leases,
		Tokens:   groups,
		Stats:    s.catalog,
		Jobs:     s.catalog, Runs: s.catalog, Executors: s.catalog, Calendars: s.catalog, Pauses: s.catalog,
		Firings: s.catalog, Backfills: s.catalog, Workflows: s.workflows,
		Broadcasts: s.catalog, DeadLetters: s.catalog,
		Explanations: s.catalog, Token: s.config.APIToken, Version: s.config.Version, Logger: s.config.Logger.With("room", "rest"),
	})
	if err != nil {
		return nil, err
	}
	admin := xxl.NewAdminHandler(xxl.AdminConfig{
		Token: s.config.ExecutorToken.Reveal(), Leases: leases, Outcomes: complete, Credentials: groups,
		Logger: s.config.Logger.With("room", "wire"),
	})
	server := &http.Server{
		Handler:           front{api: api, wire: admin, version: s.config.Version},
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 90 * time.Second,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelDebug),
	}
	return lifecycle.Serve(server, s.listener, 5*time.Second), nil
}
