// Package dispatcher sends runs to executors. It is the second step of the path on the
// server.
//
// It knows waiting runs, the jobs they belong to, which executors are alive, how one is
// picked, and what an executor's answer means. It must never know schedules, protocols or
// SQL. It gets runs from the planner, as a hint or with the move that makes them, and from
// the store as rows. It sends tasks to executors, and writes every answer as a row:
// accepted, waiting again with the reason, or an outcome.
//
//	Offer ──────────┐                            ┌──▶ CommitFirings ──┐
//	Take, ClaimRuns ┴▶ held (by priority) ──▶ pick ──▶ MarkDispatched ──┴──▶ lane ──▶ Send
//	                                                                         │
//	          MarkAccepted · Requeue · Outcomes ◀── settler ◀────────────────┘
//
// An offered run is no row yet: the move of the job, the run and its attempt are one
// transaction. A run that cannot be sent becomes a row that waits.
//
// An attempt is committed with its address before the task leaves, shortly (Lead) before
// the run is due, so that no commit delays a due run. A missing answer leaves the run
// dispatched: it is unknown, not failed, and upkeep resolves it. Until Check after the mark
// the attempt belongs to this package, from then on to upkeep. Neither sends or writes in
// the other's time, so that no attempt is delivered twice.
package dispatcher

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/internal/nap"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// Executors returns the live executors.
type Executors interface {
	// Alive returns the addresses of the group, sorted, without duplicates. The caller must
	// not change them.
	Alive(group int64) []string
	// AliveGroups returns the groups with at least one live executor.
	AliveGroups() []int64
	// Executor returns the executor at an address of the group with this key, and false
	// when it is not alive.
	Executor(group, address string) (job.Executor, bool)
}

// Router picks an executor.
type Router interface {
	Pick(ctx context.Context, kind job.Route, r route.Request) (route.Choice, error)
}

// Sender sends tasks to executors.
type Sender interface {
	// Together returns the most tasks in one call to the executor, at least 1.
	Together(address string) int
	// SendAll sends tasks to an executor, at most Together, and returns the result of each,
	// in their order: nil when the executor has accepted it. Kinds: Duplicate: it already
	// has the task; Refused: it rejected the task; Full: it has no room; Unreachable: the
	// task certainly did not arrive; anything else means that the result is unknown.
	SendAll(ctx context.Context, address string, tasks []job.Task) []error
}

// Outcomes records attempts that are final at once.
type Outcomes interface {
	Complete(ctx context.Context, outcomes []job.Outcome) error
}

// Config configures a Dispatcher.
type Config struct {
	Store     Store
	Acceptor  Acceptor
	Jobs      waiting.Jobs
	IDs       IDs
	Executors Executors
	Router    Router
	Sender    Sender
	Outcomes  Outcomes
	Expirer   Expirer
	// Resolver puts secrets into tasks. Defaults to none: tasks are sent unchanged.
	Resolver Resolver
	// Trials returns the trials behind runs with that cause. Required if there are any.
	Trials waiting.Trials
	// Overlaps decides about runs of a busy job. Without it each executor decides alone,
	// whatever the scope of the job's overlap.
	Overlaps Overlaps
	// Cancel cancels an active run, on any executor. It may take a while, and is called by
	// a few goroutines. Defaults to a no-op.
	Cancel func(ctx context.Context, run int64, reason string) error
	// Breaker stops calls to executors whose calls fail. Others may read it. Defaults to a
	// new one.
	Breaker *breaker.Set
	// PerGroup bounds the tasks of one group that this server is sending to its executors;
	// further runs wait. Defaults to no bound.
	PerGroup int
	// Held bounds the runs in memory, waiting or being sent. Defaults to 8,192; the others
	// wait as rows. At most half of it are claimed rows, and an eighth is reserved for
	// them: neither new firings nor a backlog of rows can starve the other.
	Held int
	// Batch is the number of runs in a transaction. Defaults to 512.
	Batch int
	// PerAddress bounds the concurrent calls to one executor that takes one task in a call.
	// Defaults to 32. More would be worse: an executor accepts tasks faster than it runs
	// them, so surplus tasks wait on its disk instead of here, and slow its runs down.
	// Executors that take more get two calls at once, of up to twice as many tasks.
	PerAddress int
	// Lead is how long before its due time a run is marked, so that the
	// commit is done when it is due. Defaults to 20 ms.
	Lead time.Duration
	// Early is the same, at least, for a firing that is committed with its mark, while its
	// job is free: many share a transaction and a call. Defaults to 100 ms; a Lead or less
	// is none.
	Early time.Duration
	// Ahead is how long before their time rows are claimed. Defaults to 2 s.
	Ahead time.Duration
	// Poll is how often the store is queried for rows that were not announced. Defaults to
	// 1 s, and to half of Ahead when it is not below Ahead.
	Poll time.Duration
	// Claim is how long a claimed row stays hidden from other dispatchers. The claim of a
	// run that still waits here then is renewed twice. Defaults to 15 s.
	Claim time.Duration
	// Check is how long after its mark upkeep checks an attempt without an answer; from
	// then on this server does not touch it. A task that has not been sent after half of it
	// is not sent any more, so the Sender's time limit must be below a quarter of it.
	// Defaults to 15 s.
	Check time.Duration
	// Now is the time by which servers agree which of them owns an attempt: that of the
	// database. Defaults to the clock of this machine.
	Now func() time.Time
	// Once reports whether an executor of a group takes an attempt at most once whatever
	// happens: such an executor is queried soon after a missing answer. Defaults to false.
	Once func(group, address string) bool
	// Settle is how long an acceptance may wait for its row: most short attempts have ended
	// by then, and need none. Defaults to 200 ms.
	Settle time.Duration
	// Undelivered is the backoff for a run that no executor took: Tries bounds how often it
	// is sent. Defaults to 12 tries, 1 s to 30 s.
	Undelivered retry.Policy
	// Nap sleeps for at most a few milliseconds, more precisely than package time can.
	// Defaults to the kernel's clock if there is one.
	Nap func(time.Duration)
	// Idle reports whether this server leaves claiming to others. It still sends the runs
	// that it holds. Defaults to false.
	Idle   func() bool
	Logger *slog.Logger
	Hooks  Hooks
}

// Hooks must return at once.
type Hooks struct {
	// Sent is called after each call to an executor, from many goroutines,
	// with the time from due to answered.
	Sent func(late time.Duration, err error)
	// Accepted is called for each attempt that an executor has accepted, before that is
	// written, with its job as it was sent.
	Accepted func(a job.Attempt, j *job.Job)
	// Expired is called by the loop for each run that expired because it has waited too
	// long.
	Expired func(r job.Run)
	// Skipped is called by the loop for each run that was skipped because of others of its
	// job.
	Skipped func(r job.Run)
	// Settled is called with moves that were offered, and whether each took effect.
	Settled func(moves []*planner.Move, done []bool)
	// Room is called by the loop when Free is positive again after it was 0.
	Room func()
	// Claimed is called by the loop after each claim, with the number of rows of each
	// requested group, and whether none is left in any of them.
	Claimed func(rows map[int64]int, all bool)
	// Kept is called by the loop with the results of claims. renewed counts claims that
	// were renewed because they were about to end. givenBack counts runs returned for any
	// server to claim, because no executor would take them or this server stops. lost
	// counts runs that another server already has.
	Kept func(renewed, givenBack, lost int)
}

func (c *Config) defaults() {
	c.Held = orElse(c.Held, 8192)
	c.Batch = orElse(c.Batch, 512)
	c.PerAddress = orElse(c.PerAddress, 32)
	c.Lead = orElse(c.Lead, 20*time.Millisecond)
	c.Early = orElse(c.Early, 100*time.Millisecond)
	c.Ahead = orElse(c.Ahead, 2*time.Second)
	c.Poll = orElse(c.Poll, time.Second)
	if c.Poll >= c.Ahead {
		c.Poll = c.Ahead / 2
	}
	c.Claim = orElse(c.Claim, 15*time.Second)
	c.Check = orElse(c.Check, 15*time.Second)
	if c.Once == nil {
		c.Once = func(string, string) bool { return false }
	}
	c.Settle = orElse(c.Settle, 200*time.Millisecond)
	if c.Undelivered.Tries == 0 {
		c.Undelivered = retry.Policy{
			Tries: 12, Initial: time.Second, Multiplier: 2, Max: 30 * time.Second, Jitter: 0.2,
		}
	}
	if c.Breaker == nil {
		c.Breaker = breaker.New(breaker.Config{})
	}
	if c.Nap == nil {
		c.Nap = nap.For
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Idle == nil {
		c.Idle = func() bool { return false }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Hooks.Sent == nil {
		c.Hooks.Sent = func(time.Duration, error) {}
	}
	if c.Hooks.Accepted == nil {
		c.Hooks.Accepted = func(job.Attempt, *job.Job) {}
	}
	if c.Hooks.Expired == nil {
		c.Hooks.Expired = func(job.Run) {}
	}
	if c.Hooks.Skipped == nil {
		c.Hooks.Skipped = func(job.Run) {}
	}
	if c.Cancel == nil {
		c.Cancel = func(context.Context, int64, string) error { return nil }
	}
	if c.Hooks.Settled == nil {
		c.Hooks.Settled = func([]*planner.Move, []bool) {}
	}
	if c.Hooks.Room == nil {
		c.Hooks.Room = func() {}
	}
	if c.Hooks.Claimed == nil {
		c.Hooks.Claimed = func(map[int64]int, bool) {}
	}
	if c.Hooks.Kept == nil {
		c.Hooks.Kept = func(int, int, int) {}
	}
}

func orElse[T int | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// Dispatcher is the dispatching loop of one server.
type Dispatcher struct {
	config  Config
	held    waiting.Held      // used by the loop only
	jobs    *waiting.JobCache // used by the loop only
	crowded bool              // used by the loop only: rows were not claimed for lack of room
	sole    bool              // used by the loop only: at most one group had executors at the last claim
	full    []int64           // used by the loop only: groups whose rows were not claimed because they hold too much
	claims  int               // used by the loop only: number of claims
	renewAt time.Time         // used by the loop only: when to look for expiring claims next
	along   along
	sent    *waiting.SentLately
	settler *settler // takes answers from the lanes
	lanes   *lanes   // takes marked runs from the loop
	probes  *probes  // picks that query executors first
	coverer *coverer // ends runs that are covered

	count   atomic.Int64 // runs in memory; up by Take and claims, down when they leave it
	claimed atomic.Int64 // those of count that were claimed
	asked   atomic.Bool  // Free returned 0 since the last call of Room

	wake chan struct{}
	mu   sync.Mutex
	in   []*waiting.HeldRun // guarded by mu: taken or picked, not yet seen by the loop
	at   time.Time          // guarded by mu: earliest announced row
	now  bool               // guarded by mu: look for rows at once
}

// New returns a Dispatcher that does nothing until Run.
func New(c Config) *Dispatcher {
	c.defaults()
	d := &Dispatcher{config: c, jobs: waiting.NewJobCache(c.Jobs), sent: waiting.NewSentLately(), wake: make(chan struct{}, 1)}
	d.settler = newSettler(d)
	d.lanes = newLanes(d)
	d.probes = newProbes(d)
	d.coverer = newCoverer(d)
	return d
}

// Holding returns how many runs are in memory, waiting or being sent.
func (d *Dispatcher) Holding() int { return int(d.count.Load()) }

// Free returns how many runs Take has room for. It returns 0 until there is room for a
// batch that is worth a transaction; then Hooks.Room is called.
func (d *Dispatcher) Free() int {
	free := d.plannable()
	if free < d.roomWorthClaiming() {
		d.asked.Store(true)
		free = d.plannable() // items that left in between did not see asked
	}
	if free < d.roomWorthClaiming() {
		return 0
	}
	return free
}

func (d *Dispatcher) plannable() int {
	return d.config.Held - d.config.Held/8 - int(d.count.Load())
}

// claimable returns how many rows a claim has room for.
func (d *Dispatcher) claimable() int {
	free := d.config.Held - int(d.count.Load())
	own := (d.config.Held+1)/2 - int(d.claimed.Load())
	return min(free, own, d.config.Batch)
}

// roomWorthClaiming is the room that is worth a transaction.
func (d *Dispatcher) roomWorthClaiming() int { return max(min(d.config.Batch, d.config.Held/64), 1) }

// forget records that the item has left the memory.
func (d *Dispatcher) forget(it *waiting.HeldRun) {
	d.count.Add(-1)
	if it.Claimed {
		d.claimed.Add(-1)
	}
}

// Take takes committed runs into memory, to be sent at their DueAt. It never blocks. The
// caller has called Free before, and hands over no run that is due only after its row
// becomes visible to others again.
func (d *Dispatcher) Take(runs []job.Run) {
	d.count.Add(int64(len(runs)))
	items := make([]*waiting.HeldRun, len(runs))
	now := time.Now()
	for i := range runs {
		items[i] = &waiting.HeldRun{Run: runs[i], Due: dueAt(&runs[i], now), Lease: runs[i].ReadyAt}
	}
	d.passToLoop(items)
}

// dueAt returns when to send a run that was handed over. Its logical time is the last
// resort: it may lie far back, or be missing.
func dueAt(r *job.Run, now time.Time) time.Time {
	switch {
	case !r.DueAt.IsZero():
		return r.DueAt
	case !r.PlannedAt.IsZero():
		return r.PlannedAt
	}
	return now
}

// passToLoop passes items to the loop.
func (d *Dispatcher) passToLoop(items []*waiting.HeldRun) {
	d.mu.Lock()
	d.in = append(d.in, items...)
	d.mu.Unlock()
	d.wakeLoop()
}

// WakeAt announces that a row becomes ready at the instant: a retry, a child, a manual run.
// It never blocks; the poll finds rows that were not announced.
func (d *Dispatcher) WakeAt(at time.Time) {
	d.mu.Lock()
	if d.at.IsZero() || at.Before(d.at) {
		d.at = at
	}
	d.mu.Unlock()
	d.wakeLoop()
}

// Wake announces that executors joined or left.
func (d *Dispatcher) Wake() {
	d.mu.Lock()
	d.now = true
	d.mu.Unlock()
	d.wakeLoop()
}

// Withdraw takes the attempt back and reports whether it was not sent and never will be.
// Its row does not change: the caller has to complete the attempt. False means that it was
// sent, or that this server does not have it.
func (d *Dispatcher) Withdraw(attempt int64) bool {
	it, ok := d.lanes.withdraw(attempt)
	if ok {
		d.forget(it)
		d.wakeLoop()
	}
	return ok
}

func (d *Dispatcher) wakeLoop() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Sent returns an attempt that this server has sent lately, and false when it does not
// remember it. Its row may have changed since: users stop runs, and other servers record
// attempts as lost.
func (d *Dispatcher) Sent(attempt int64) (waiting.Sent, bool) { return d.sent.Find(attempt) }
