// Package registry knows which executors are alive.
//
// It knows groups, addresses and leases: an executor that beats has a lease, one
// whose lease has ended is thought dead. It must never know routes, tasks,
// protocols or SQL. Beats come in from the doors; the addresses that may be
// picked go out, from memory. The rows are the truth and are read again every
// second, so that all servers see the same executors; a farewell that came
// to this server counts at once, and a newcomer as soon as the rows are read.
//
// Whoever registers is asked back: an executor that this server cannot reach
// keeps its lease and is picked only while none of its group can be reached.
// Addresses that users enter need not register: they are alive while they answer.
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

// Config says how long executors live.
type Config struct {
	Store Store
	// Facts keeps what executors tell about themselves. Defaults to nobody: then it is
	// refused as job.Unavailable.
	Facts Facts
	// Prober asks executors back. Defaults to none: then all count as
	// reachable, and addresses that were entered by hand as silent.
	Prober Prober
	// LeaseTTL is how long a beat counts of an executor that does not say how
	// often it beats, and the most for one that does. Defaults to 90 s: executors
	// of the XXL-JOB family beat every 30 s.
	LeaseTTL time.Duration
	// Refresh is how often the rows are read. Defaults to 1 s. Between two
	// readings there is 20 times as long as a reading took, up to 3 s.
	Refresh time.Duration
	// Probe is how often an executor that registered is asked back, and
	// ProbeManual how often one that was entered by hand. They default to 30 s
	// and 10 s.
	Probe       time.Duration
	ProbeManual time.Duration
	// Now is the time of leases: that of the database, because several servers read what one
	// has written. Defaults to the clock of this machine.
	Now func() time.Time
	// RestartGrace is how long an executor that has restarted must have been
	// alone on its address before what it does not hold is announced.
	// Defaults to 18 s, two beats of an executor of Orth, so that two
	// executors behind one address are noticed first.
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
	// Changed is called when executors came or went.
	Changed func()
	// Restarted announces that the process at an address is another one since
	// an instant, and has these attempts of those that it was given before: all
	// others are gone. It reports whether somebody sees to it; otherwise it is
	// announced again with the next beat. The callee must not change holds.
	Restarted func(address string, since time.Time, holds []int64) (taken bool)
	// Reached says that an executor that was asked back answers: for the first
	// time, as a new process, or after it gave no answer.
	Reached func(address string)
}

// lookGap is the least time between two readings of the rows, so that a
// thousand executors that come at once are not a thousand readings; restOf is
// how many times as long as a reading the time after it is, up to mostRest: a
// database that was slow once must not be left alone for long.
const (
	lookGap  = 50 * time.Millisecond
	restOf   = 20
	mostRest = 3 * time.Second
)

// Registry is the view of one server.
type Registry struct {
	config Config
	view   atomic.Pointer[view]  // written under mu
	rules  atomic.Pointer[rules] // nil until they were read
	looks  chan struct{}         // asks Run to read the rows now
	looked chan struct{}         // closed by Run after its first look at them
	asks   chan struct{}         // asks the probes to look who is due
	heard  chan heard            // dialects that answers told, for Run to write

	mu    sync.Mutex
	left  map[seat]struct{}  // guarded by mu: who said farewell since the last reading began
	reach map[string]probing // guarded by mu, by address: what came of asking back
	lives map[string]*life   // guarded by mu, by address: processes that were heard of
}

// seat is an executor's place in a group.
type seat struct{ group, address string }

// New returns a registry that knows nobody until Run has read the rows.
func New(c Config) *Registry {
	c.defaults()
	r := &Registry{
		config: c, looks: make(chan struct{}, 1), looked: make(chan struct{}), asks: make(chan struct{}, 1), heard: make(chan heard, maxHeard),
		left: make(map[seat]struct{}), reach: make(map[string]probing), lives: make(map[string]*life),
	}
	r.view.Store(&view{})
	return r
}

// Register takes a beat: the executor is alive for a lease from now on, and is
// what it says of itself. What cannot be read of that is left out: it must not
// keep an executor away. Kinds: Invalid, Full, Unavailable; Conflict when another
// process beats from the address, and came first.
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
		r.look()
	}
	r.follow(&e, &l, now)
	return nil
}

// leastLease is the shortest lease: two beats of an executor of Orth may get lost,
// and one that dies is gone half a minute after its last one.
const leastLease = 25 * time.Second

// Lease returns how long a beat counts of an executor that beats so often; zero is
// one that does not say.
func (r *Registry) Lease(every time.Duration) time.Duration { return r.lease(&job.Life{Every: every}) }

// lease returns how long a beat counts.
func (r *Registry) lease(l *job.Life) time.Duration {
	if l.Every <= 0 {
		return r.config.LeaseTTL
	}
	return min(max(5*l.Every/2, leastLease), r.config.LeaseTTL)
}

// Deregister takes a farewell: when it returns nothing is sent to the executor
// any more by this server. An executor nobody knows is no error.
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
	r.look()
	return nil
}

// Alive returns the addresses of the group that may be picked, sorted: those
// that this server can reach, or all with a lease when it can reach none. The
// caller must not change them.
func (r *Registry) Alive(group int64) []string { return r.view.Load().byGroup[group] }

// AliveGroups returns the groups with an executor that may be picked, sorted.
func (r *Registry) AliveGroups() []int64 {
	return slices.Sorted(maps.Keys(r.view.Load().byGroup))
}

// Executors returns the executors that are alive and those that were entered by
// hand, by group and address. The caller owns the slice, and must not change
// what its elements point to.
func (r *Registry) Executors() []job.Executor { return slices.Clone(r.view.Load().executors) }

func (r *Registry) look() { nudge(r.looks) }

// nudge leaves a hint, if there is none yet.
func nudge(hints chan<- struct{}) {
	select {
	case hints <- struct{}{}:
	default:
	}
}

// Looked is closed once Run has looked at the rows for the first time. Until then there
// seems to be no executor: who answers questions about them waits for it.
func (r *Registry) Looked() <-chan struct{} { return r.looked }

// Run keeps the view until ctx ends. It is called once. When the rows cannot be read the view
// stays as it is: a database that is slow for a moment must not empty it.
func (r *Registry) Run(ctx context.Context) error {
	var asking sync.WaitGroup
	defer asking.Wait()
	asking.Go(func() { r.note(ctx) })
	if r.config.Prober != nil {
		asking.Go(func() { r.probe(ctx) })
	}
	for first := true; ; first = false {
		began := time.Now()
		if err := r.read(ctx); err != nil && ctx.Err() == nil {
			r.config.Logger.Error("executors could not be read; the last known ones stay", "error", err)
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

func (r *Registry) read(ctx context.Context) error {
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
	changed := r.show(executors)
	r.forget()
	r.mu.Unlock()
	r.changed(changed)
	return nil
}

// show makes the executors the view and reports whether somebody came or went.
// The caller holds mu.
func (r *Registry) show(executors []job.Executor) bool {
	next := newView(executors, r.left, r.reach)
	before := r.view.Swap(next)
	r.warn(before, next)
	return !maps.EqualFunc(before.byGroup, next.byGroup, slices.Equal) || len(before.executors) != len(next.executors)
}

// reshow shows the same executors, as far as they have not left, as they can be
// reached now.
func (r *Registry) reshow() {
	r.mu.Lock()
	changed := r.show(r.view.Load().executors)
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
