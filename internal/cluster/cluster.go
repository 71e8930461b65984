package cluster

import (
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Config says who a server is.
type Config struct {
	Store Store
	// Name is how people call the server, Address its base URL.
	Name, Address, Version string
	Started                time.Time
	// Figures returns what the server says of itself, as JSON.
	Figures func() string
	// Alone says that no other server can have the database open.
	Alone bool
	// Every is the time between two beats. Defaults to 2 s.
	Every time.Duration
	// Lease is how long a server is thought alive, and leads, without a beat. Defaults
	// to 10 s.
	Lease time.Duration
	// Drained is called, by Run, when the server is to drain, or to work again.
	Drained func(on bool)
	// Lost is called, by Run, when another server is found to be gone that did not stop
	// in good order: what it had in hand is to be taken over. Defaults to nothing.
	Lost func()
	// Told is called after something was written that other servers should look at
	// soon. Defaults to nobody.
	Told func()
	// Logger defaults to none.
	Logger *slog.Logger
}

const (
	// Kept is how long a server is shown that is gone.
	Kept = 24 * time.Hour
	// changesFor is how long changes are kept for those who watch.
	changesFor = 10 * time.Minute
	// pruneEvery is the time between two looks for what is to be forgotten.
	pruneEvery = 5 * time.Minute
	// watchFor is how long servers write down what they change after the last beat of
	// one at which somebody watches.
	watchFor = 30 * time.Second
	// leaveFor bounds the farewell.
	leaveFor = 2 * time.Second
	// margin is how much earlier a lead ends for its holder than for others, as a share
	// of the lease.
	margin = 4
)

// Cluster is the place of one server among others.
type Cluster struct {
	config Config
	life   string
	wake   chan struct{}

	draining atomic.Bool  // wished for by people
	retired  atomic.Bool  // the server stops
	restsAt  atomic.Int64 // when the others know that it drains, in Unix nanoseconds
	watching atomic.Bool  // somebody watches here
	skew     atomic.Int64
	compared atomic.Pointer[comparison] // nil before the first one
	lag      atomic.Int64               // how long the last beat took
	working  atomic.Pointer[[]string]   // the servers that work, by name; nil before the first beat

	mu        sync.Mutex
	leadUntil time.Time     // guarded by mu: by this machine's clock; zero for no lead
	term      int64         // guarded by mu
	turned    chan struct{} // guarded by mu: closed when the lead was taken or lost
	watched   time.Time     // guarded by mu: until when somebody watches anywhere, by this machine's clock
	since     time.Time     // guarded by mu: since when
	taken     bool          // guarded by mu: another server has the name
	failing   bool          // used by Run only: the last beat failed
	farewell  bool          // used by Run only: the others were told that the server stops
	pruned    time.Time     // used by Run only
	lost      time.Time     // used by Run only: when the lease of the last one ended that is gone
}

// New returns the place of a server that has not begun.
func New(c Config) *Cluster {
	if c.Every <= 0 {
		c.Every = 2 * time.Second
	}
	if c.Lease <= 0 {
		c.Lease = 10 * time.Second
	}
	if c.Drained == nil {
		c.Drained = func(bool) {}
	}
	if c.Lost == nil {
		c.Lost = func() {}
	}
	if c.Told == nil {
		c.Told = func() {}
	}
	if c.Figures == nil {
		c.Figures = func() string { return "{}" }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Cluster{config: c, life: rand.Text(), wake: make(chan struct{}, 1), turned: make(chan struct{})}
}

// Run beats until ctx ends, and says farewell. An error of the store is logged; the next
// beat tries again.
func (c *Cluster) Run(ctx context.Context) error {
	if c.config.Alone {
		<-ctx.Done()
		return nil
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-c.wake:
		case <-ctx.Done():
			return c.leave(ctx)
		}
		c.beat(ctx)
		timer.Reset(c.pause())
	}
}

// pause returns the time until the next beat: the next one is earlier when a lead would
// end before it.
func (c *Cluster) pause() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait := c.config.Every
	if c.failing {
		wait /= 2
	}
	if !c.leadUntil.IsZero() {
		wait = min(wait, max(time.Until(c.leadUntil), 0))
	}
	return wait
}

// Wake makes the server look now how things stand. It never blocks.
func (c *Cluster) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// beat says how this server stands, and hears how the others do.
func (c *Cluster) beat(ctx context.Context) {
	c.endLead()
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, c.config.Lease/2)
	defer cancel()
	beat := Beat{
		Name: c.config.Name, Life: c.life, Address: c.config.Address, Version: c.config.Version, StartedAt: c.config.Started,
		Figures: c.config.Figures(), For: c.config.Lease, Lead: !c.Draining(), Stops: c.retired.Load(),
	}
	if c.watching.Load() {
		beat.Watching = watchFor
	}
	heard, err := c.config.Store.BeatServer(ctx, beat)
	if err != nil {
		if !c.failing && ctx.Err() == nil {
			c.config.Logger.Error("the server could not say in the database that it is alive; trying again", "error", err)
		}
		c.failing = true
		return
	}
	c.failing = false
	c.lag.Store(int64(time.Since(began)))
	c.learn(&heard, began)
	if beat.Stops && !c.farewell {
		c.farewell = true
		c.config.Told()
	}
	c.measure(ctx)
	if heard.Leads && time.Since(c.pruned) >= pruneEvery {
		c.pruned = time.Now()
		if err := c.config.Store.PruneServers(ctx, heard.At.Add(-Kept), heard.At.Add(-changesFor)); err != nil {
			c.config.Logger.Warn("servers that are gone were not forgotten", "error", err)
		}
	}
}

// learn takes in what the store answered to a beat that began at an instant.
func (c *Cluster) learn(heard *Heard, began time.Time) {
	c.mu.Lock()
	if heard.Taken != "" && !c.taken {
		c.config.Logger.Error("another server has the same name, and is shown in place of this one: give each its own with --server-name",
			"name", c.config.Name, "other", heard.Taken)
	}
	c.taken = heard.Taken != ""
	before := !c.leadUntil.IsZero()
	c.leadUntil, c.term = time.Time{}, heard.Term
	if heard.Leads {
		c.leadUntil = began.Add(c.config.Lease - c.config.Lease/margin)
	}
	if before != heard.Leads {
		close(c.turned)
		c.turned = make(chan struct{})
		c.config.Logger.Info("the lead over what one server does for all has changed", "leads", heard.Leads, "term", heard.Term)
	}
	if now := time.Now(); heard.Watched.After(heard.At) {
		if !c.watched.After(now) {
			c.since = now.Add(heard.Watched.Sub(heard.At) - watchFor)
		}
		c.watched = now.Add(heard.Watched.Sub(heard.At))
	}
	c.mu.Unlock()
	if heard.Taken == "" {
		c.working.Store(&heard.Working)
	}
	if heard.Lost.After(c.lost) {
		c.lost = heard.Lost
		c.config.Lost()
	}
	if c.draining.Swap(heard.Draining) != heard.Draining && !c.retired.Load() {
		c.drains()
		c.config.Logger.Info("somebody wants this server to drain, or to work again", "draining", heard.Draining)
		c.config.Drained(heard.Draining)
		c.Wake() // the lead is given up, and the others are to see it
	}
}

// endLead ends a lead that is over by this machine's clock.
func (c *Cluster) endLead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.leadUntil.IsZero() && !c.leadUntil.After(time.Now()) {
		c.leadUntil = time.Time{}
		close(c.turned)
		c.turned = make(chan struct{})
		c.config.Logger.Warn("the lead is over: it could not be kept in the database")
	}
}

// measure compares the clocks.
func (c *Cluster) measure(ctx context.Context) {
	asked := time.Now()
	at, err := c.config.Store.Now(ctx)
	if err != nil {
		return // the next beat tells
	}
	answered := time.Now()
	skew := between(asked, answered, at)
	c.skew.Store(int64(skew))
	c.compared.Store(&comparison{here: answered, there: answered.Add(-skew).Round(0)})
}

// between returns how far this machine's clock is ahead of another one that said at
// between two instants: 0 when that may be right.
func between(asked, answered, at time.Time) time.Duration {
	switch {
	case at.Before(asked.Add(-time.Millisecond)): // it counts whole milliseconds
		return asked.Sub(at)
	case at.After(answered):
		return answered.Sub(at)
	}
	return 0
}

// leave says farewell.
func (c *Cluster) leave(ctx context.Context) error {
	c.mu.Lock()
	if !c.leadUntil.IsZero() {
		c.leadUntil = time.Time{}
		close(c.turned)
		c.turned = make(chan struct{})
	}
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveFor)
	defer cancel()
	if err := c.config.Store.LeaveServer(ctx, c.config.Name, c.life); err != nil {
		c.config.Logger.Warn("the database was not told that the server has stopped; its lease ends by itself", "error", err)
	}
	c.config.Told()
	return nil
}

// Draining reports whether the server begins nothing more, but for firings of its jobs until
// it rests.
func (c *Cluster) Draining() bool { return c.draining.Load() || c.retired.Load() }

// Resting reports whether the server drains for so long that the others know, and have taken
// over the jobs whose firings it planned.
func (c *Cluster) Resting() bool {
	return c.Draining() && time.Now().UnixNano() >= c.restsAt.Load()
}

// drains notes that the server drains from now on. The others, if there are some, hear of it
// by their next beat.
func (c *Cluster) drains() {
	at := time.Now()
	if all := c.working.Load(); all != nil && slices.ContainsFunc(*all, func(name string) bool { return name != c.config.Name }) {
		at = at.Add(c.config.Every + c.config.Every/4)
	}
	c.restsAt.Store(at.UnixNano())
}

// Retire makes the server drain for good: it stops.
func (c *Cluster) Retire() {
	if !c.retired.Swap(true) {
		if !c.draining.Load() {
			c.drains()
		}
		c.config.Drained(true)
		c.Wake()
	}
}

// Skew returns how far this machine's clock is ahead of the database's.
func (c *Cluster) Skew() time.Duration { return time.Duration(c.skew.Load()) }

// comparison is one instant by two clocks: that of this process, which no step of the
// machine's clock moves, and the database's.
type comparison struct{ here, there time.Time }

// Now returns the time by the database's clock, as far as it was compared. A step of this
// machine's clock does not move it.
func (c *Cluster) Now() time.Time {
	if at := c.compared.Load(); at != nil {
		return at.there.Add(time.Since(at.here))
	}
	return time.Now()
}

// BeatTook returns how long the last beat took.
func (c *Cluster) BeatTook() time.Duration { return time.Duration(c.lag.Load()) }

// Leads reports whether this server does what needs to be done once.
func (c *Cluster) Leads() bool {
	if c.config.Alone {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leadUntil.After(time.Now())
}

// Life names this life of the server.
func (c *Cluster) Life() string { return c.life }
