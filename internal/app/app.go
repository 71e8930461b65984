// Package app is the server: its rooms and doors, wired by hand.
//
// It knows every part of the server and in which order they start and stop. It
// must never decide anything about jobs, runs or executors. A Config comes in; a
// running server goes out.
package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/app/executors"
	"github.com/orthd/orth/internal/app/oldadmin"
	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/broadcast"
	"github.com/orthd/orth/internal/cluster"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/logbook/keeping"
	"github.com/orthd/orth/internal/news"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/internal/secrets"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/internal/wire/fastpath"
	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/native/mailbox"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/internal/wire/xxladmin"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// Server is one server. Build it with New, call Run once, then it is over.
type Server struct {
	config   Config
	store    store.Store
	database *database // what store is
	listener net.Listener
	metrics  net.Listener // nil when figures are shown at listener alone
	sealer   *credential.Sealer
	jobs     *jobs.Catalog
	queries  *queries.Catalog
	letters  *deadletters.Keeper
	released func() // wakes the dispatcher; runs have been let go
	lost     func() // takes over what a server had in hand that is gone
	// workflows is behind the API.
	workflows *workflow.Keeper
	parts     []lifecycle.Part
	// boxes and natives reach executors of the native protocol.
	boxes   *mailbox.Mailboxes
	natives *native.ExecutorClient
	taps    executors.Drainer
	pruner  *upkeep.Pruner
	// keeper keeps the logs of attempts; self is how executors of the native protocol
	// name this server.
	keeper *keeping.Keeper
	// divider looks after the partitions of their packs in the database.
	divider *keeping.Divider
	// logs is the store of their text, nil when that is the database.
	logs io.Closer
	// masks hide secrets in that text; vault has those that jobs refer to.
	masks  *masks
	vault  *secrets.Book
	alarms *alarming
	self   string
	// started is when the server was opened.
	started time.Time
	// news streams the changes to readers.
	news *news.News
	// users are behind the API.
	users   *users.Users
	signing *signing
	// auditFile gets a copy of the audit log; nil when it is not configured.
	auditFile *auditFile
	// meters, gauges and ready are for those who watch over this server.
	meters *meters
	gauges gauges
	ready  readiness
	// cluster is this server's membership among those of its database, tally the figures
	// that it shares with them.
	cluster *cluster.Cluster
	calls   *calls
	tally   tally
	spans   *spans
	// serveTLS is nil when nothing is encrypted, callTLS when calls to executors
	// are made as by default.
	serveTLS, callTLS *tls.Config
	// web answers all requests.
	web *http.Server
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
	s := &Server{meters: newMeters(), started: time.Now()}
	if err := s.keepAuditFile(&c); err != nil {
		return nil, err
	}
	c.Logger = slog.New(traceLog{Handler: c.Logger.Handler(), traceOf: func(run int64) string { return s.spans.traceOf(run) }})
	s.config = c
	db, err := openDatabase(&c, sqlstore.Hooks{
		Committed: s.wrote, Audited: s.auditFile.take, Changed: s.changed, Watched: s.watched,
		Released: func() { s.released() }, Told: func() { s.alarms.engine.Wake(); s.calls.out(callAlarms) },
		Wanted: func(e *alarm.Event) bool { return s.alarms.needs.wanted(e) },
		Timed:  func(e *alarm.Event) bool { return s.alarms.needs.timed(e) },
	})
	if err != nil {
		s.auditFile.close()
		return nil, err
	}
	s.store, s.database, s.gauges.database = db, db, db.load
	if err := s.open(); err != nil {
		s.auditFile.close()
		return nil, errors.Join(err, s.closeStores())
	}
	return s, nil
}

func (s *Server) open() error {
	c := &s.config
	var err error
	if c.ExecutorToken.IsZero() {
		if c.ExecutorToken, err = credential.LoadOrCreateServer(filepath.Join(c.Data, "executor.token")); err != nil {
			return err
		}
	}
	if c.APIToken.IsZero() {
		if c.APIToken, err = credential.LoadOrCreate(filepath.Join(c.Data, "api.token")); err != nil {
			return err
		}
	}
	if err := c.checkSecrets(); err != nil {
		return err
	}
	if s.sealer, err = credential.OpenSealer(filepath.Join(c.Data, "secrets.key")); err != nil {
		return err
	}
	if err := s.secure(); err != nil {
		return err
	}
	var listening net.ListenConfig
	if s.listener, err = listening.Listen(context.Background(), "tcp", c.Listen); err != nil {
		return job.Errorf(job.Conflict, "listen on %s: %w; choose another address with --listen", c.Listen, err)
	}
	if err := s.listenForMetrics(); err != nil {
		return errors.Join(err, s.listener.Close())
	}
	if err := s.wire(); err != nil {
		return errors.Join(err, s.closeListeners())
	}
	if err := s.note(); err != nil {
		return errors.Join(err, s.closeListeners())
	}
	return nil
}

// URL returns the base URL of the server on this machine.
func (s *Server) URL() string {
	host, port, _ := net.SplitHostPort(s.listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return s.scheme() + "://" + net.JoinHostPort(host, port)
}

// ExecutorToken returns the key that the token of each group is made of: executors of
// Orth take it in place of that.
func (s *Server) ExecutorToken() redacted.Text { return s.config.ExecutorToken }

// Jobs returns the commands behind the API, for a program that holds the server.
// They work only while Run runs.
func (s *Server) Jobs() *jobs.Catalog { return s.jobs }

// Queries returns the queries behind the API, for a program that holds the server.
func (s *Server) Queries() *queries.Catalog { return s.queries }

// Run serves until ctx ends, then stops in order, and returns nil after a good
// stop.
func (s *Server) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { s.ready.stopping.Store(true) })()
	group := lifecycle.New(lifecycle.Config{DrainFor: s.config.DrainFor, Logger: s.config.Logger}, s.parts...)
	err := group.Run(ctx)
	s.unnote()
	if closing := s.closeStores(); closing != nil {
		err = errors.Join(err, fmt.Errorf("close the database and the store of logs: %w", closing))
	}
	return err
}

// wire connects the rooms: the parts list of a server.
func (s *Server) wire() error {
	c, db := s.config, s.store
	log := func(room string) *slog.Logger { return c.Logger.With("room", room) }

	var err error
	s.joinCluster(log)
	if s.spans, err = s.newSpans(); err != nil {
		return err
	}
	s.meters.trace = s.spans.traceOf
	speak := new(executors.Dialects)
	breakers := breaker.New(breaker.Config{})
	var keep *upkeep.Upkeep // hooks look it up when called
	peers := s.reach(speak, func(address string) { keep.Refused(address) })
	logs, err := s.keepLogs(peers)
	if err != nil {
		return err
	}
	if err := s.openVault(); err != nil {
		return err
	}
	// Hints go to loops that are built later: hooks look them up when called.
	var plan *planner.Planner
	var dispatch *dispatcher.Dispatcher
	var fill *backfill.Engine
	var flow *workflow.Engine
	var barrier *broadcast.Engine
	ready := func(at time.Time) { dispatch.WakeAt(at); s.hand() }
	s.released = func() { ready(time.Now()) }
	over := func(run int64) { fill.Ended(run); flow.Ended(run) }

	ended := endings{
		log:  log("completer"),
		plan: func() { plan.Wake() }, fill: over, barrier: func() { barrier.Wake() },
	}
	givenUp := s.givenUp(ended)
	if s.alarms, err = s.newAlarming(log); err != nil {
		return err
	}
	due := s.duePlanner(ready, log("planner"))
	complete := completer.New(completer.Config{
		Store: db, IDs: db, PlanDue: s.planDue(due), Watch: s.alarms.needs, Sent: sentBy(&dispatch), Mask: s.masks.named.Text, MaskFailure: s.masks.Text, CleanLog: s.keeper.Clean, Begins: func() { dispatch.Along() },
		Hooks: s.endHooks(ended, ready, func(attempt int64) { dispatch.Over(attempt) }),
	})
	leases := registry.New(registry.Config{
		Store: db, Facts: db, Prober: peers, LeaseTTL: c.LeaseTTL, Now: s.cluster.Now, Logger: log("registry"),
		Hooks: s.comings(breakers, func() { dispatch.Wake() }, func(address string, since time.Time, holds []int64) bool {
			return keep.Restarted(address, since, holds)
		}),
	})
	s.news = s.newNews(leases, log)
	ours := func(group, address string) bool {
		e, known := leases.Executor(group, address)
		return known && e.Incarnation != ""
	}
	groups := executorauth.NewGroups(executorauth.Config{
		Store: db, Sealer: s.sealer, Key: c.ExecutorToken, Shared: c.AdmitSharedToken, Admitted: c.AdmitDefaultTokens, Guesses: s.limiter(doorExecutors, log("auth")), Address: intent.Address, Executors: leases, Logger: log("auth"),
	})
	speak.Leases, speak.Groups, s.taps = leases, groups, executors.Drainer{Leases: leases, Peers: peers}
	s.users = s.newUsers()
	if s.signing, err = s.newSigning(log); err != nil {
		return err
	}
	dispatch = dispatcher.New(dispatcher.Config{
		Store: db, Acceptor: db, Jobs: db, IDs: db, Executors: leases,
		Router: route.NewSet(route.Config{Prober: executors.Prober{Prober: peers, Breakers: breakers}}), Sender: s.spans.sender(peers), Outcomes: complete,
		Expirer: db, Trials: db, Resolver: s.vault, Overlaps: db, Breaker: breakers, PerGroup: c.PerGroup, Once: ours,
		Cancel: func(ctx context.Context, run int64, reason string) error {
			_, err := s.jobs.CancelRun(ctx, run, reason)
			return err
		},
		Now: s.cluster.Now, Idle: s.cluster.Draining, Logger: log("dispatcher"), Hooks: dispatcher.Hooks{
			Accepted: func(a job.Attempt, j *job.Job) { s.accepted(a, j, ours, keep) },
			Room:     func() { plan.Again() }, Expired: givenUp, Skipped: givenUp, Sent: s.sent,
			Claimed: func(rows map[int64]int, all bool) {
				s.meters.claim(rows)
				plan.Claimed(rows, all)
			},
			Kept: s.meters.kept, Settled: func(moves []*planner.Move, done []bool) { plan.Settled(moves, done) },
		},
	})
	s.gauges.executors, s.gauges.breakers, s.gauges.held = leases.Executors, breakers.All, dispatch.Holding
	plan = planner.New(planner.Config{
		Store: db, IDs: db, Handoff: s.spans.handoff(dispatch), CatchUpRate: c.CatchUpRate, Mine: s.mine(), Idle: s.cluster.Resting, Logger: log("planner"),
		Hooks: planner.Hooks{Left: s.left(ready), Planned: s.planned, Turned: s.turned},
	})
	fill = backfill.New(backfill.Config{
		Store: db, IDs: db, Ends: s.endsElsewhere(), Idle: s.cluster.Draining, Logger: log("backfill"), Hooks: s.meters.backfills(ready),
	})
	flow = workflow.New(s.meters.workflows(workflow.Config{Store: db, IDs: db, Ends: s.endsElsewhere(), Idle: s.cluster.Draining, Logger: log("workflow"), Ready: ready}))
	keep = upkeep.New(upkeep.Config{
		Running: db, Watcher: peers, Deadlines: db, Killer: peers, Stops: db,
		Store: db, Executors: peers, Recorder: recorder{db, complete}, Resolver: s.vault, Grace: c.LeaseTTL, Logger: log("upkeep"),
		Now: s.cluster.Now, Once: ours, Moves: db, Doubtful: leases.Doubtful, Replaced: leases.Replaced, Idle: s.cluster.Draining,
	})
	s.alarms.troubles = append(s.alarms.troubles, keep.Warnings)
	s.pruner = upkeep.NewPruner(upkeep.PruneConfig{History: db, Remover: db, KeepFor: c.KeepRuns, Logger: log("pruner")})
	expire := upkeep.NewExpiry(upkeep.ExpiryConfig{Store: db, Expired: givenUp, Idle: s.cluster.Draining, Logger: log("expiry")})
	s.jobs = jobs.New(jobs.Config{
		Writer: db, Reader: db, RunWriter: db, RunReader: db, Stopper: db, Calendars: db, Almanac: calendars{}, Pauses: db, Backfills: db, IDs: db,
		Broadcasts: db, Groups: db, Trials: db, Secrets: s.vault, KeepRuns: c.KeepRuns, Executors: peers, Outcomes: complete, Leases: leases,
		Now: s.cluster.Now, Due: due,
		Hooks: jobs.Hooks{Scheduled: func() { plan.Wake(); s.calls.out(callJobs) }, Ready: ready, Backfill: fill.Wake, Broadcast: ended.barrier, Ended: over, Withdraw: dispatch.Withdraw},
	})
	s.buildQueries(leases, logs, ready)
	barrier = broadcast.New(broadcast.Config{Store: db, Completer: complete, Canceller: s.jobs, Idle: s.cluster.Draining, Step: s.meters.barrier, Logger: log("broadcast")})
	s.workflows = workflow.NewKeeper(workflow.KeeperConfig{
		Definitions: db, Book: db, Store: db, Jobs: db, Runs: s.jobs, Wake: flow.Wake,
	})
	door, err := s.doors(leases, groups, complete, breakers)
	if err != nil {
		return err
	}
	s.answer(dispatch, plan)
	s.lost = func() { s.meters.takeovers.Add(1); fill.TakeOver(); flow.TakeOver(); barrier.TakeOver() }
	s.masks.sources = []newSecrets{tokensOf(groups), s.alarms.secrets}
	start := newGate(s.database)
	s.parts = s.loops(&rooms{start, leases, groups, door, keep, expire, dispatch, plan, fill, flow, barrier})
	return nil
}

// buildQueries makes what reads the database for the API; ready announces runs that are
// redriven.
func (s *Server) buildQueries(leases *registry.Registry, logs queries.Logs, ready func(at time.Time)) {
	db := s.store
	s.queries = queries.New(queries.Config{
		Reader: db, RunReader: db, Calendars: db, Pauses: db, Backfills: db, Broadcasts: db, DeadLetters: db, History: db, Stats: db,
		Leases: leases, Logs: logs, Lists: db, Tried: db, Revisions: db,
	})
	s.letters = deadletters.NewKeeper(deadletters.Config{Letters: db, Jobs: s.queries, IDs: db, Ready: ready})
}

// gate holds loops back until what an earlier process had claimed is visible
// again, if this server is alone on its database. Where there may be others, claims end
// by themselves.
type gate struct {
	db   *database
	open chan struct{}
}

func newGate(db *database) *gate { return &gate{db: db, open: make(chan struct{})} }

// Run opens the gate, and ends.
func (g *gate) Run(ctx context.Context) error {
	if g.db.alone {
		if err := g.db.ReleaseClaims(ctx); err != nil {
			return fmt.Errorf("release what an earlier server had claimed: %w", err)
		}
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

// maxConns is how many plain connections the server's port holds.
const maxConns = 65_536

// doors builds the HTTP side and returns its loop.
func (s *Server) doors(
	leases *registry.Registry, groups *executorauth.Groups, complete *completer.Completer, breakers *breaker.Set,
) (func(context.Context) error, error) {
	stopping := make(chan struct{})
	api, err := rest.New(rest.Config{
		Stopping: stopping, Places: s.store, Imports: s.config.Imports, Ledger: s.store,
		Users: s.users, Grants: s.users, APITokens: s.users, Callers: s.users,
		Sessions: s.signing.sessions, SignIn: s.signing.ways, Browser: s.signing.browser,
		Breakers: breakers, Groups: leases,
		Tokens: warner{groups, s.alarms},
		Alarms: s.store, AlarmRules: s.alarms.book, AlarmChannels: s.alarms.book, AlarmSilences: s.alarms.book,
		Secrets:  s.vault,
		Cleaner:  s.pruner,
		Drains:   s.taps,
		Stats:    s.queries,
		Overview: queries.NewOverview(s.store, leases), Events: s.news, Dashboards: queries.NewDashboards(s.store, s.queries), Servers: servers{s}, Settings: s.config.settings,
		Jobs: s.jobs, Runs: s.jobs, Logs: s.queries, Executors: s.queries, Calendars: s.jobs, Pauses: s.jobs,
		Firings: s.queries, Backfills: s.jobs, Workflows: s.workflows,
		Broadcasts: s.jobs, Revisions: s.queries, History: s.jobs, Trials: s.jobs, DeadLetters: s.letters, Lists: s.queries, Attempts: s.queries, GroupKeeper: s.jobs,
		Metrics: s.metricsPage(), Unready: s.unready, Profiles: s.config.Profiles, Hooks: s.meters.restHooks(),
		Explanations: s.queries, Token: s.config.APIToken, Guesses: s.limiter(doorAPI, s.config.Logger.With("room", "rest")), Version: s.config.Version, Logger: s.config.Logger.With("room", "rest"),
	})
	if err != nil {
		return nil, err
	}
	admin := xxl.NewAdminHandler(xxl.AdminConfig{
		Leases:   countedLeases{leases, dialectXXL, s.meters},
		Outcomes: counted{complete, dialectXXL, s.meters}, Credentials: groups, Speeches: executors.Forks(),
		JobCalls: oldadmin.JobCalls{Catalog: s.jobs, Jobs: s.store, Leases: leases, Zone: s.config.XXLJobZone}.Door(),
		Logger:   s.config.Logger.With("room", "wire"),
	})
	natively := native.NewServerHandler(native.ServerConfig{
		Keys: groups, Certificates: groups, Leases: countedLeases{leases, dialectNative, s.meters},
		Outcomes: counted{complete, dialectNative, s.meters}, Mailboxes: s.boxes, Batch: s.natives.Batch, Lease: leases.Lease, Chunks: s.keeper, Facts: leases, Self: s.self,
		Version: s.config.Version, Logger: s.config.Logger.With("room", "wire"),
	})
	old := oldadmin.Finder{Lists: s.queries, GroupLists: s.jobs, Jobs: s.store, Groups: s.store, Leases: leases}
	scripts, err := xxladmin.New(xxladmin.Config{
		Gate: api, API: api, Jobs: old, Groups: oldadmin.GroupFinder{Finder: old}, Attempts: oldadmin.LogFinder{Logs: s.queries, Log: s.store, Jobs: s.store, Told: s.store, Places: s.store},
		Zone: s.config.XXLJobZone, Logger: s.config.Logger.With("room", "wire"),
	})
	if err != nil {
		return nil, err
	}
	pages, err := s.config.console()
	if err != nil {
		return nil, err
	}
	door := front{api: api, native: natively, wire: admin, admin: scripts, console: pages, secure: api.Secure, spokenFor: api.SpokenFor, before: s.config.publicPath(), version: s.config.Version}
	s.web = &http.Server{
		Handler: door, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 90 * time.Second,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(s.config.Logger.Handler(), slog.LevelDebug),
	}
	s.web.RegisterOnShutdown(s.boxes.Close)
	s.web.RegisterOnShutdown(func() { close(stopping) })
	entrance := fastpath.New(fastpath.Config{HTTP: s.web, Fast: door.forExecutorsAlone, MaxConns: maxConns})
	return lifecycle.ServeBy(entrance, s.web, s.secured(s.listener), 5*time.Second), nil
}
