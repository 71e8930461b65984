package sim

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/broadcast"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/wire/native"
	"github.com/orthd/orth/internal/wire/native/mailbox"
	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// The times of a server that are not its rooms' defaults: a storm is short.
const (
	leaseTTL   = 10 * time.Second
	claimFor   = 8 * time.Second
	checkAfter = 12 * time.Second
	horizon    = 2 * time.Second
	beatEvery  = 3 * time.Second
	settle     = 15 * time.Second
)

// server is the place of a server: one life after another works there.
type server struct {
	w     *world
	name  string
	ahead atomic.Int64 // how far its clock is ahead of the others, in nanoseconds
	calm  disturbance

	mu   sync.Mutex
	life *serverLife // guarded by mu; nil while it is down
}

// skew is how far the server's clock is ahead.
func (s *server) skew() time.Duration { return time.Duration(s.ahead.Load()) }

// step sets the server's clock forward, or back.
func (s *server) step(by time.Duration) { s.ahead.Add(int64(by)) }

// serverLife is one process of a server: its rooms, wired as the real one wires
// them.
type serverLife struct {
	*life
	complete *completer.Completer
	leases   *registry.Registry
	dispatch *dispatcher.Dispatcher
	plan     *planner.Planner
	due      *planner.DuePlanner
	fill     *backfill.Engine
	flow     *workflow.Engine
	barrier  *broadcast.Engine
	keep     *upkeep.Upkeep
	catalog  *jobs.Catalog
	letters  *deadletters.Keeper
	flows    *workflow.Keeper
	boxes    *mailbox.Mailboxes
	speaks   *native.ExecutorClient
	handler  http.Handler

	stop  context.CancelFunc // ends the loops in order
	ended chan struct{}      // closed when they have
}

// ready, over and expired tell the loops what others have done.
func (l *serverLife) ready(at time.Time) { l.dispatch.WakeAt(at) }

func (l *serverLife) over(run int64) {
	l.fill.Ended(run)
	l.flow.Ended(run)
}

func (l *serverLife) expired(r job.Run) {
	l.plan.Wake()
	if r.Cause == job.CauseShard {
		l.barrier.Wake()
	}
	l.over(r.ID)
}

// completed takes the end of an attempt.
func (l *serverLife) completed(s *server, c completer.Completion) {
	s.w.trace.note("%s: attempt %d of run %d %s, the run is %s", s.name, c.AttemptID, c.RunID, c.Outcome, c.RunState)
	s.w.judge.lost(s, &c)
	l.dispatch.Over(c.AttemptID)
	if !c.NextAt.IsZero() {
		l.plan.Wake()
	}
	if !c.RunState.Final() {
		return
	}
	s.w.judge.ended(c.RunID, c.RunState)
	l.over(c.RunID)
	if c.ShardOf != 0 || c.Split {
		l.barrier.Wake()
	}
}

// listener implements host.
func (s *server) listener() (*life, http.Handler) {
	if l := s.current(); l != nil {
		return l.life, l.handler
	}
	return nil, nil
}

// current returns the life that works now, or nil.
func (s *server) current() *serverLife {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.life
}

// kill ends the process at once; start makes a new one.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life != nil {
		s.w.trace.note("%s killed", s.name)
		s.life.kill()
		s.life = nil
	}
}

// leave stops the process in order: its loops end what they do and give back what they
// hold, for as long as a service manager waits.
func (s *server) leave() {
	l := s.current()
	if l == nil {
		return
	}
	s.w.trace.note("%s stops", s.name)
	l.stop()
	select {
	case <-l.ended:
	case <-time.After(15 * time.Second):
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == l {
		l.kill()
		s.life = nil
	}
}

func (s *server) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life != nil {
		return
	}
	s.w.trace.note("%s starts", s.name)
	s.life = s.begin()
}

// begin wires the rooms and runs their loops.
func (s *server) begin() *serverLife {
	l := &serverLife{life: newLife()}
	db := &door{Store: s.w.broken, name: s.name, judge: s.w.judge, life: l.life, dice: s.w.diskDice, bad: s.w.disk, skew: s.skew, ids: newBlock(s.w.seed, s.name)}
	calls := xxl.NewExecutorClient(xxl.ClientConfig{Timeout: callLimit, Transport: &wire{s.w, l.life, s.name}})
	peers := &peers{w: s.w, name: s.name, of: l, family: calls}
	s.open(l)
	log := s.w.logger.With("server", s.name)
	loops := slices.Concat(s.path(l, db, peers, log), s.beside(l, db, peers, log))
	var ctx context.Context
	ctx, l.stop = context.WithCancel(l)
	l.ended = make(chan struct{})
	var running sync.WaitGroup
	for _, loop := range loops {
		running.Go(func() {
			if err := loop(ctx); err != nil {
				s.w.t.Errorf("a loop of %s ended: %v", s.name, err)
			}
		})
	}
	s.w.background.Go(func() {
		running.Wait()
		close(l.ended)
	})
	return l
}

// loop is the Run of a room.
type loop = func(context.Context) error

// path wires the rooms that a run goes through.
func (s *server) path(l *serverLife, db *door, peers *peers, log *slog.Logger) []loop {
	l.due = planner.NewDuePlanner(planner.DueConfig{Store: db, IDs: db, Logger: log, Hooks: planner.Hooks{Left: l.ready}})
	l.complete = completer.New(completer.Config{
		Store: db, IDs: db, PlanDue: func(ctx context.Context, jobID int64) error {
			_, err := l.due.PlanDue(ctx, jobID, time.Now())
			return err
		},
		Sent: func(attempt int64) (completer.Sent, bool) {
			one, known := l.dispatch.Sent(attempt)
			return completer.Sent(one), known
		},
		Hooks: completer.Hooks{Ready: l.ready, Completed: func(c completer.Completion) { l.completed(s, c) }},
	})
	l.leases = registry.New(registry.Config{
		Store: db, Prober: peers, LeaseTTL: leaseTTL, Probe: 5 * time.Second, RestartGrace: 2 * beatEvery, Logger: log,
		Hooks: registry.Hooks{
			Changed: func() { l.dispatch.Wake() },
			Restarted: func(address string, since time.Time, holds []int64) bool {
				s.w.trace.note("%s: %s restarted, and holds %d attempts", s.name, address, len(holds))
				return l.keep.Restarted(address, since, holds)
			},
		},
	})
	l.dispatch = dispatcher.New(dispatcher.Config{
		Store: db, Acceptor: db, Jobs: db, IDs: db, Executors: l.leases, Sender: peers, Outcomes: l.complete,
		Router: route.NewSet(route.Config{Prober: peers}), Claim: claimFor, Check: checkAfter, Nap: time.Sleep,
		Expirer: db, Overlaps: db, Breaker: breaker.New(breaker.Config{}),
		Cancel: func(ctx context.Context, run int64, reason string) error {
			_, err := l.catalog.CancelRun(ctx, run, reason)
			return err
		},
		Logger: log, Hooks: dispatcher.Hooks{
			Settled: func(moves []*planner.Move, done []bool) { l.plan.Settled(moves, done) },
			Room:    func() { l.plan.Again() }, Expired: l.expired, Skipped: l.expired,
			Claimed: func(rows map[int64]int, all bool) { l.plan.Claimed(rows, all) },
		},
	})
	l.plan = planner.New(planner.Config{
		Store: db, IDs: db, Handoff: l.dispatch, Horizon: horizon, Claim: claimFor, Logger: log,
		Hooks: planner.Hooks{Left: l.ready},
	})
	return []loop{l.leases.Run, l.dispatch.Run, l.plan.Run}
}

// beside wires the rooms that stand beside the path.
func (s *server) beside(l *serverLife, db *door, peers *peers, log *slog.Logger) []loop {
	l.fill = backfill.New(backfill.Config{
		Store: db, IDs: db, Poll: 2 * time.Second, Ends: db, Lease: 10 * time.Second, Logger: log, Hooks: backfill.Hooks{Ready: l.ready},
	})
	l.flow = workflow.New(workflow.Config{Store: db, IDs: db, Ends: db, Lease: 10 * time.Second, Ready: l.ready, Logger: log})
	l.keep = upkeep.New(upkeep.Config{
		Running: db, Watcher: peers, Deadlines: db, Killer: peers, Stops: db,
		Store: db, Executors: peers, Recorder: recorder{db, l.complete}, Every: 4 * time.Second, Grace: leaseTTL,
		Linger: 20 * time.Second, Again: 3 * time.Second, Logger: log, Moves: db, Doubtful: l.leases.Doubtful, Replaced: l.leases.Replaced, Doubt: 30 * time.Second,
		Once: func(group, address string) bool {
			e, known := l.leases.Executor(group, address)
			return known && e.Incarnation != ""
		},
	})
	prune := upkeep.NewPruner(upkeep.PruneConfig{
		History: db, Remover: db, Settle: settle, Every: 10 * time.Second, Slice: 20, Logger: log,
	})
	expire := upkeep.NewExpiry(upkeep.ExpiryConfig{Store: db, Expired: l.expired, Logger: log})
	l.catalog = jobs.New(jobs.Config{
		Writer: db, Reader: db, RunWriter: db, RunReader: db, Stopper: db, Calendars: db, Pauses: db,
		Backfills: db, Broadcasts: db, IDs: db, Executors: peers,
		Due: l.due, Outcomes: l.complete, Leases: l.leases,
		Hooks: jobs.Hooks{
			Scheduled: l.plan.Wake, Ready: l.ready, Backfill: l.fill.Wake, Broadcast: func() { l.barrier.Wake() }, Ended: l.over,
			Withdraw: l.dispatch.Withdraw,
		},
	})
	l.letters = deadletters.NewKeeper(deadletters.Config{Letters: db, Jobs: l.catalog, IDs: db, Ready: l.ready})
	l.barrier = broadcast.New(broadcast.Config{
		Store: db, Completer: l.complete, Canceller: l.catalog, Lease: 10 * time.Second, Logger: log,
	})
	l.flows = workflow.NewKeeper(workflow.KeeperConfig{
		Definitions: db, Book: db, Store: db, Jobs: db, Runs: l.catalog, Wake: l.flow.Wake,
	})
	l.handler = s.front(l, xxl.NewAdminHandler(xxl.AdminConfig{Leases: l.leases, Outcomes: l.complete, Logger: log}))
	return []loop{l.keep.Run, prune.Run, expire.Run, l.fill.Run, l.flow.Run, l.barrier.Run}
}

// recorder writes what upkeep found.
type recorder struct {
	store dispatcher.Acceptor
	*completer.Completer
}

// Accepted records that an executor has the attempt.
func (r recorder) Accepted(ctx context.Context, a job.Attempt) error {
	return r.store.MarkAccepted(ctx, []dispatcher.Accepted{{AttemptID: a.ID, RunID: a.RunID, At: time.Now()}})
}
