package sim

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/registry"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

// The times of a server that are not its rooms' defaults: a storm is short.
const (
	leaseTTL   = 10 * time.Second
	claimFor   = 8 * time.Second
	checkAfter = 12 * time.Second
	horizon    = 2 * time.Second
	beatEvery  = 3 * time.Second
)

// server is the place of a server: one life after another works there.
type server struct {
	w    *world
	name string

	mu   sync.Mutex
	life *serverLife // guarded by mu; nil while it is down
}

// serverLife is one process of a server: its rooms, wired as the real one wires
// them.
type serverLife struct {
	*life
	complete *completer.Completer
	leases   *registry.Registry
	catalog  *catalog.Catalog
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
	db := &door{Store: s.w.store, life: l.life, dice: s.w.diskDice, bad: s.w.disk}
	peers := &peers{w: s.w, name: s.name, life: l.life}
	log := s.w.logger.With("server", s.name)
	var plan *planner.Planner
	var dispatch *dispatcher.Dispatcher
	var fill *backfill.Engine
	var keep *upkeep.Upkeep
	ready := func(at time.Time) { dispatch.WakeAt(at) }
	expired := func(r job.Run) { plan.Wake(); fill.Ended(r.ID) }
	l.complete = completer.New(completer.Config{Store: db, IDs: db, Hooks: completer.Hooks{
		Ready: ready,
		Completed: func(c completer.Completion) {
			s.w.trace.note("%s: attempt %d of run %d %s, the run is %s", s.name, c.AttemptID, c.RunID, c.Outcome, c.RunState)
			if !c.NextAt.IsZero() {
				plan.Wake()
			}
			if c.RunState.Final() {
				s.w.judge.ended(c.RunID, c.RunState)
				fill.Ended(c.RunID)
			}
		},
	}})
	l.leases = registry.New(registry.Config{
		Store: db, Prober: peers, LeaseTTL: leaseTTL, Probe: 5 * time.Second, RestartGrace: 2 * beatEvery, Logger: log,
		Hooks: registry.Hooks{
			Changed: func() { dispatch.Wake() },
			Restarted: func(address string, since time.Time, holds []int64) bool {
				s.w.trace.note("%s: %s restarted, and holds %d attempts", s.name, address, len(holds))
				return keep.Restarted(address, since, holds)
			},
		},
	})
	breakers := breaker.New(breaker.Config{})
	dispatch = dispatcher.New(dispatcher.Config{
		Store: db, Acceptor: db, Jobs: db, IDs: db, Executors: l.leases, Sender: peers, Outcomes: l.complete,
		Router: route.NewSet(route.Config{Prober: peers}), Claim: claimFor, Check: checkAfter, Nap: time.Sleep,
		Expirer: db, Breaker: breakers,
		Logger: log, Hooks: dispatcher.Hooks{Room: func() { plan.Wake() }, Expired: expired},
	})
	plan = planner.New(planner.Config{Store: db, IDs: db, Handoff: dispatch, Horizon: horizon, Claim: claimFor, Logger: log})
	fill = backfill.New(backfill.Config{
		Store: db, IDs: db, Poll: 2 * time.Second, Lease: 10 * time.Second, Logger: log, Hooks: backfill.Hooks{Ready: ready},
	})
	keep = upkeep.New(upkeep.Config{
		Running: db, Watcher: peers, Deadlines: db, Killer: peers,
		Store: db, Executors: peers, Recorder: recorder{db, l.complete}, Every: 4 * time.Second, Grace: leaseTTL,
		Linger: 20 * time.Second, Again: 3 * time.Second, Logger: log,
	})
	expire := upkeep.NewExpiry(upkeep.ExpiryConfig{Store: db, Expired: expired, Logger: log})
	l.catalog = catalog.New(catalog.Config{
		Stats: db, History: db, Writer: db, Reader: db, RunWriter: db, RunReader: db, Calendars: db, Pauses: db, Backfills: db, IDs: db,
		Executors: peers, Outcomes: l.complete, Leases: l.leases,
		Hooks: catalog.Hooks{Scheduled: plan.Wake, Ready: ready, Backfill: fill.Wake, Ended: fill.Ended, Withdraw: dispatch.Withdraw},
	})
	for _, loop := range []func(context.Context) error{l.leases.Run, keep.Run, expire.Run, dispatch.Run, plan.Run, fill.Run} {
		s.w.background.Go(func() {
			if err := loop(l); err != nil {
				s.w.t.Errorf("a loop of %s ended: %v", s.name, err)
			}
		})
	}
	return l
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

// peers are the executors as one life of a server reaches them.
type peers struct {
	w    *world
	name string
	life *life
}

// call has a process at the address serve a request of this server.
func (p *peers) call(ctx context.Context, address string, serve func(context.Context, *process) error) error {
	if err := p.life.pass(ctx); err != nil {
		return job.Errorf(job.Ambiguous, "call %s: %w", address, err)
	}
	host := p.w.machine(address)
	err := p.w.network.call(ctx, p.name, host.name, func(ctx context.Context) error {
		to := host.current()
		if to == nil {
			return errDown
		}
		if err := to.pass(ctx); err != nil {
			return errGone
		}
		err := serve(ctx, to)
		if to.pass(ctx) != nil {
			return errGone
		}
		return err
	})
	if gone := p.life.pass(ctx); gone != nil {
		return job.Errorf(job.Ambiguous, "call %s: %w", address, gone)
	}
	return err
}

// Send brings a task to an executor.
func (p *peers) Send(ctx context.Context, address string, t job.Task) error {
	err := p.call(ctx, address, func(ctx context.Context, to *process) error {
		err := to.runner.Accept(ctx, t)
		if t.Overlap == job.OverlapDiscard && job.Is(err, job.Refused) {
			err = job.Errorf(job.Refused, "%w: %w", job.ErrDiscarded, err)
		}
		p.w.trace.note("%s: attempt %d of run %d from %s: %s", to.name, t.AttemptID, t.RunID, p.name, answer(err))
		return err
	})
	p.w.trace.note("%s: attempt %d of run %d to %s: %s", p.name, t.AttemptID, t.RunID, address, answer(err))
	return err
}

func answer(err error) string {
	if err == nil {
		return "accepted"
	}
	return string(job.KindOf(err))
}

// Holds asks in the two steps that the wire has: a log is proof that the executor
// has the attempt, an idle job without one that it never had.
func (p *peers) Holds(ctx context.Context, address string, a job.Attempt) (bool, error) {
	var logged atomic.Bool
	err := p.call(ctx, address, func(_ context.Context, to *process) error {
		logged.Store(to.logs.has(a.ID))
		return nil
	})
	if err != nil || logged.Load() {
		return logged.Load(), err
	}
	busy, err := p.IdleBeat(ctx, address, a.JobID)
	if err == nil && busy {
		err = job.Errorf(job.Unavailable, "executor %s is busy with job %d", address, a.JobID)
	}
	return false, err
}

// Beat asks whether an executor is there.
func (p *peers) Beat(ctx context.Context, address string) error {
	return p.call(ctx, address, func(context.Context, *process) error { return nil })
}

// IdleBeat asks whether an executor has the job.
func (p *peers) IdleBeat(ctx context.Context, address string, jobID int64) (bool, error) {
	var busy atomic.Bool
	err := p.call(ctx, address, func(_ context.Context, to *process) error {
		busy.Store(to.runner.Busy(jobID))
		return nil
	})
	return busy.Load(), err
}

// KillAttempt ends an attempt on behalf of a user.
func (p *peers) KillAttempt(ctx context.Context, address string, _, attempt int64) error {
	return p.call(ctx, address, func(ctx context.Context, to *process) error {
		to.runner.CancelAttempt(ctx, attempt, "a user ended it")
		return nil
	})
}

// Busy is IdleBeat for upkeep.
func (p *peers) Busy(ctx context.Context, address string, jobID int64) (bool, error) {
	return p.IdleBeat(ctx, address, jobID)
}

// LastLine is not asked: these executors say when they restart.
func (p *peers) LastLine(context.Context, string, job.Attempt, int) (int, error) {
	return 0, job.Errorf(job.Unavailable, "logs have no lines here")
}

// ReadLog returns nothing: nobody reads logs here.
func (p *peers) ReadLog(context.Context, string, int64, time.Time, int) (job.LogPage, error) {
	return job.LogPage{}, nil
}
