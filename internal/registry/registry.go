// Package registry tracks which executors are alive.
//
// It knows groups, addresses and leases: an executor that sends heartbeats has a lease, and
// counts as dead once its lease has ended. It must never know routes, tasks, protocols or
// SQL. Executor endpoints pass heartbeats in; the registry returns the addresses that may
// be picked, from memory. The rows are authoritative and are read again every second, so
// that all servers see the same executors. A deregistration at this server takes effect at
// once, and a new executor as soon as the rows are read.
//
// Each server probes the executors that register. An executor that this server cannot reach
// keeps its lease, and is picked only while no executor of its group is reachable. Manual
// addresses need not register: they are alive while they answer.
package registry

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/job"
)

// Config configures a Registry.
type Config struct {
	Store Store
	// Facts stores what executors report about themselves. Defaults to none: reports are
	// refused as job.Unavailable.
	Facts Facts
	// Prober probes executors. Defaults to none: then all count as reachable, and manual
	// addresses as silent.
	Prober Prober
	// LeaseTTL is how long a heartbeat counts for an executor that does not report its
	// interval, and the maximum for one that does. Defaults to 90 s: executors of the
	// XXL-JOB family send a heartbeat every 30 s.
	LeaseTTL time.Duration
	// Refresh is how often the rows are read. Defaults to 1 s. The pause between two reads
	// is 20 times the duration of a read, up to 3 s.
	Refresh time.Duration
	// Probe is how often an executor that registered is probed, and ProbeManual how often a
	// manual one is. They default to 30 s and 10 s.
	Probe       time.Duration
	ProbeManual time.Duration
	// Now is the time of leases: that of the database, because several servers read what
	// one has written. Defaults to the clock of this machine.
	Now func() time.Time
	// RestartGrace is how long an executor that has restarted must have been alone on its
	// address before the attempts that it does not hold are announced. Defaults to 18 s,
	// two heartbeats of an executor of Orth, so that two executors behind one address are
	// noticed first.
	RestartGrace time.Duration
	Logger       *slog.Logger
	Hooks        Hooks
}

func (c *Config) defaults() {
	if c.LeaseTTL <= 0 {
		c.LeaseTTL = 90 * time.Second
	}
	if c.Refresh <= 0 {
		c.Refresh = time.Second
	}
	if c.Probe <= 0 {
		c.Probe = 30 * time.Second
	}
	if c.ProbeManual <= 0 {
		c.ProbeManual = 10 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.RestartGrace <= 0 {
		c.RestartGrace = 18 * time.Second
	}
	if c.Facts == nil {
		c.Facts = noFacts{}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Hooks.Changed == nil {
		c.Hooks.Changed = func() {}
	}
	if c.Hooks.Restarted == nil {
		c.Hooks.Restarted = func(string, time.Time, []int64) bool { return true }
	}
	if c.Hooks.Reached == nil {
		c.Hooks.Reached = func(string) {}
	}
}

// Hooks must return at once.
type Hooks struct {
	// Changed is called when executors joined or left.
	Changed func()
	// Restarted announces that another process is at an address since an instant, and has
	// these attempts of those sent there before: all others are gone. It reports whether
	// the callee handles it; otherwise it is announced again with the next heartbeat. The
	// callee must not change holds.
	Restarted func(address string, since time.Time, holds []int64) (taken bool)
	// Reached announces that a probed executor answers: for the first time, as a new
	// process, or after it gave no answer.
	Reached func(address string)
}

// lookGap is the least time between two reads of the rows, so that a thousand executors
// that register at once do not cause a thousand reads. restOf is the pause after a read, in
// durations of that read, up to mostRest: a database that was slow once must be read again
// soon.
const (
	lookGap  = 50 * time.Millisecond
	restOf   = 20
	mostRest = 3 * time.Second
)

// Registry is the view of one server.
type Registry struct {
	config Config
	view   atomic.Pointer[executorView] // written under mu
	rules  atomic.Pointer[rules]        // nil until they were read
	looks  chan struct{}                // asks Run to read the rows now
	looked chan struct{}                // closed by Run after its first read of the rows
	asks   chan struct{}                // asks the probes to check what is due
	heard  chan heard                   // detected dialects, for Run to write

	mu    sync.Mutex
	left  map[seat]struct{}  // guarded by mu: executors that deregistered since the last read began
	reach map[string]probing // guarded by mu, by address: results of probes
	lives map[string]*life   // guarded by mu, by address: known processes
}

// seat is an executor's place in a group.
type seat struct{ group, address string }

// New returns a Registry that is empty until Run has read the rows.
func New(c Config) *Registry {
	c.defaults()
	r := &Registry{
		config: c, looks: make(chan struct{}, 1), looked: make(chan struct{}), asks: make(chan struct{}, 1), heard: make(chan heard, maxHeard),
		left: make(map[seat]struct{}), reach: make(map[string]probing), lives: make(map[string]*life),
	}
	r.view.Store(&executorView{})
	return r
}

// Register applies a heartbeat: the executor is alive for a lease from now on, with the
// properties that it reports. Unreadable properties are dropped: they must not keep an
// executor away. Kinds: Invalid, Full, Unavailable; Conflict when another process sends
// heartbeats from the address, and came first.
func (r *Registry) Register(ctx context.Context, b job.Beat) error {
	if err := job.CheckGroup("group", b.Group); err != nil {
		return err
	}
	address, err := r.rewrite(ctx, b.Group, b.Address)
	if err != nil {
		return fmt.Errorf("register %s in group %s: %w", b.Address, b.Group, err)
	}
	if err := checkHost("address", address); err != nil {
		return err
	}
	now := r.config.Now()
	l := readableLife(b.Life)
	e := job.Executor{
		Group: b.Group, Address: address, LeaseUntil: now.Add(r.lease(&l)), RegisteredAt: now, SeenAt: now,
		Features: readable(b.Features, job.MaxFeatures, job.MaxFeature), Handlers: readable(b.Handlers, job.MaxHandlers, job.MaxHandlerName),
		Incarnation: l.Incarnation, StartedAt: l.StartedAt, Load: l.Load, TokenID: b.TokenID, Draining: l.Draining,
		Instance: l.Instance, Holds: l.Holds, Whole: l.Whole,
	}
	if b.Dialect != "" {
		e.Dialect, e.DialectBy = b.Dialect, job.DialectSeen
	}
	if address != b.Address {
		e.RegisteredAs = b.Address
	}
	sent := e
	if e, err = r.config.Store.PutLease(ctx, e); err != nil {
		if job.Is(err, job.Conflict) {
			r.refuse(&sent, now, err)
		}
		return fmt.Errorf("register %s in group %s: %w", b.Address, b.Group, err)
	}
	shown, known := r.Executor(e.Group, e.Address)
	if !known {
		r.askAgain(address)
	}
	if !known || shown.Dialect != e.Dialect || shown.TokenID != e.TokenID || shown.Draining != e.Draining ||
		shown.Incarnation != e.Incarnation { // requests may name what changed
		r.requestRead()
	}
	r.follow(&e, &l, now)
	return nil
}

// leastLease is the shortest lease: two heartbeats of an executor of Orth may be lost, and
// an executor that dies is dropped half a minute after its last one.
const leastLease = 25 * time.Second

// Lease returns how long a heartbeat counts for an executor with this interval; zero means
// that it does not report one.
func (r *Registry) Lease(every time.Duration) time.Duration { return r.lease(&job.Life{Every: every}) }

// lease returns how long a heartbeat counts.
func (r *Registry) lease(l *job.Life) time.Duration {
	if l.Every <= 0 {
		return r.config.LeaseTTL
	}
	return min(max(5*l.Every/2, leastLease), r.config.LeaseTTL)
}

// Deregister removes an executor: after it returns, this server sends nothing to the
// executor any more. An unknown executor is no error.
func (r *Registry) Deregister(ctx context.Context, group, address string) error {
	reached, err := r.rewrite(ctx, group, address)
	if err != nil {
		return fmt.Errorf("deregister %s from group %s: %w", address, group, err)
	}
	// The rules may have changed since it registered, so both places are left.
	for _, a := range slices.Compact([]string{reached, address}) {
		if err := r.config.Store.DropLease(ctx, group, a); err != nil {
			return fmt.Errorf("deregister %s from group %s: %w", address, group, err)
		}
		r.mu.Lock()
		r.left[seat{group, a}] = struct{}{}                             // a reading under way may have seen the lease
		r.reach[a] = probing{at: time.Now(), wrong: "it said farewell"} // counts for one entered by hand
		r.mu.Unlock()
	}
	r.reshow()
	r.requestRead()
	return nil
}

// Alive returns the addresses of the group that may be picked, sorted: those that this
// server can reach, or all with a lease when it can reach none. The caller must not change
// them.
func (r *Registry) Alive(group int64) []string { return r.view.Load().byGroup[group] }

// AliveGroups returns the groups with an executor that may be picked, sorted.
func (r *Registry) AliveGroups() []int64 {
	return slices.Sorted(maps.Keys(r.view.Load().byGroup))
}

// Executors returns the executors that are alive and the manual ones, by group and address.
// The caller owns the slice, and must not change what its elements point to.
func (r *Registry) Executors() []job.Executor { return slices.Clone(r.view.Load().executors) }

func (r *Registry) requestRead() { nudge(r.looks) }

// nudge sends a hint, if none is pending.
func nudge(hints chan<- struct{}) {
	select {
	case hints <- struct{}{}:
	default:
	}
}

// Looked is closed once Run has read the rows for the first time. Until then the registry
// seems empty: callers that answer questions about executors wait for it.
func (r *Registry) Looked() <-chan struct{} { return r.looked }

// Run updates the view until ctx ends. It is called once. When the rows cannot be read the
// view does not change: a database that is slow for a moment must not empty it.
func (r *Registry) Run(ctx context.Context) error {
	var asking sync.WaitGroup
	defer asking.Wait()
	asking.Go(func() { r.writeDialects(ctx) })
	if r.config.Prober != nil {
		asking.Go(func() { r.probe(ctx) })
	}
	for first := true; ; first = false {
		began := time.Now()
		if err := r.readExecutors(ctx); err != nil && ctx.Err() == nil {
			r.config.Logger.Error("could not read executors; the last known ones stay", "error", err)
		}
		if first {
			close(r.looked)
		}
		rest := min(max(lookGap, restOf*time.Since(began)), mostRest)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(rest):
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(r.config.Refresh - rest):
		case <-r.looks:
		}
	}
}

func (r *Registry) readExecutors(ctx context.Context) error {
	r.mu.Lock()
	clear(r.left)
	r.mu.Unlock()
	if err := r.readRules(ctx); err != nil {
		return err
	}
	executors, err := r.config.Store.Leases(ctx, r.config.Now())
	if err != nil {
		return fmt.Errorf("read leases: %w", err)
	}
	r.mu.Lock()
	changed := r.setView(executors)
	r.forget()
	r.mu.Unlock()
	r.changed(changed)
	return nil
}

// setView makes the executors the view and reports whether one joined or left. The caller
// holds mu.
func (r *Registry) setView(executors []job.Executor) bool {
	next := newView(executors, r.left, r.reach)
	before := r.view.Swap(next)
	r.logConflicts(before, next)
	return !maps.EqualFunc(before.byGroup, next.byGroup, slices.Equal) || len(before.executors) != len(next.executors)
}

// reshow updates the view with the current reachability of the same executors, without
// those that left.
func (r *Registry) reshow() {
	r.mu.Lock()
	changed := r.setView(r.view.Load().executors)
	r.mu.Unlock()
	r.changed(changed)
}

// changed announces a change of the view.
func (r *Registry) changed(really bool) {
	if really {
		nudge(r.asks)
		r.config.Hooks.Changed()
	}
}
