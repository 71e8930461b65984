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

// Config configures a Cluster.
type Config struct {
	Store Store
	// Name is the name people use for the server, Address its base URL.
	Name, Address, Version string
	Started                time.Time
	// Figures returns the server's figures as JSON.
	Figures func() string
	// Alone means that no other server can have the database open.
	Alone bool
	// Every is the heartbeat interval. Defaults to 2 s.
	Every time.Duration
	// Lease is how long a server counts as alive, and leads, without a heartbeat. Defaults
	// to 10 s.
	Lease time.Duration
	// Drained is called by Run when the server starts to drain, or resumes work.
	Drained func(on bool)
	// Lost is called by Run when another server has failed without a clean stop: other
	// servers must take over its work. Defaults to a no-op.
	Lost func()
	// Told is called after a write that other servers should read soon. Defaults to a
	// no-op.
	Told func()
	// Logger defaults to a logger that discards.
	Logger *slog.Logger
}

const (
	// Kept is how long lists include a server that has failed.
	Kept = 24 * time.Hour
	// changesFor is the retention of changes for watchers.
	changesFor = 10 * time.Minute
	// pruneEvery is the time between two prunings.
	pruneEvery = 5 * time.Minute
	// watchFor is how long servers record changes after the last heartbeat of a server with
	// a watcher.
	watchFor = 30 * time.Second
	// leaveFor is the time limit for deregistration.
	leaveFor = 2 * time.Second
	// margin is how much earlier a lead ends for its holder than for others: the lease
	// divided by margin.
	margin = 4
)

// Cluster is the membership of one server among the servers of a database.
type Cluster struct {
	config Config
	life   string
	wake   chan struct{}

	draining atomic.Bool  // requested by people
	retired  atomic.Bool  // the server stops
	restsAt  atomic.Int64 // when the others know that it drains, in Unix nanoseconds
	watching atomic.Bool  // this server has a watcher
	skew     atomic.Int64
	compared atomic.Pointer[comparison] // nil before the first comparison
	lag      atomic.Int64               // duration of the last heartbeat
	working  atomic.Pointer[[]string]   // names of the working servers; nil before the first heartbeat

	mu        sync.Mutex
	leadUntil time.Time     // guarded by mu: by this machine's clock; zero without the lead
	term      int64         // guarded by mu
	turned    chan struct{} // guarded by mu: closed when the lead is won or lost
	watched   time.Time     // guarded by mu: until when any server has a watcher, by this machine's clock
	since     time.Time     // guarded by mu: since when any server has one
	taken     bool          // guarded by mu: another server has the name
	failing   bool          // used by Run only: the last heartbeat failed
	farewell  bool          // used by Run only: the server has announced its stop to the others
	pruned    time.Time     // used by Run only
	lost      time.Time     // used by Run only: when the lease of the latest failed server ended
}

// New returns a Cluster that sends nothing before Run.
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

// Run sends heartbeats until ctx ends, and then deregisters the server. It logs errors of
// the store and tries again with the next heartbeat.
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

// pause returns the time until the next heartbeat: earlier than usual when a lead would end
// before it.
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

// Wake triggers a heartbeat now. It never blocks.
func (c *Cluster) Wake() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// beat sends a heartbeat and applies the answer.
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
			c.config.Logger.Error("could not write the server's heartbeat to the database; trying again", "error", err)
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
			c.config.Logger.Warn("could not remove old servers and changes", "error", err)
		}
	}
}

// learn applies the store's answer to a heartbeat that was sent at began.
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
		c.config.Logger.Info("the lead has changed", "leads", heard.Leads, "term", heard.Term)
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
		c.config.Logger.Info("a user drains this server, or lets it resume work", "draining", heard.Draining)
		c.config.Drained(heard.Draining)
		c.Wake() // release the lead, so that the others see it
	}
}

// endLead ends the lead when it has expired by this machine's clock.
func (c *Cluster) endLead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.leadUntil.IsZero() && !c.leadUntil.After(time.Now()) {
		c.leadUntil = time.Time{}
		close(c.turned)
		c.turned = make(chan struct{})
		c.config.Logger.Warn("lost the lead: could not renew it in the database")
	}
}

// measure compares this machine's clock with the database's.
func (c *Cluster) measure(ctx context.Context) {
	asked := time.Now()
	at, err := c.config.Store.Now(ctx)
	if err != nil {
		return // the next heartbeat reports the error
	}
	answered := time.Now()
	skew := between(asked, answered, at)
	c.skew.Store(int64(skew))
	c.compared.Store(&comparison{here: answered, there: answered.Add(-skew).Round(0)})
}

// between returns how far this machine's clock is ahead of another clock. The other one
// returned at, between the two local instants; 0 when it may be right.
func between(asked, answered, at time.Time) time.Duration {
	switch {
	case at.Before(asked.Add(-time.Millisecond)): // it counts whole milliseconds
		return asked.Sub(at)
	case at.After(answered):
		return answered.Sub(at)
	}
	return 0
}

// leave deregisters the server.
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
		c.config.Logger.Warn("could not deregister the server; its lease will expire", "error", err)
	}
	c.config.Told()
	return nil
}

// Draining reports whether the server starts no new work, except firings of its jobs until
// it rests.
func (c *Cluster) Draining() bool { return c.draining.Load() || c.retired.Load() }

// Resting reports whether the server has drained long enough for the others to know, and to
// have taken over the jobs whose firings it planned.
func (c *Cluster) Resting() bool {
	return c.Draining() && time.Now().UnixNano() >= c.restsAt.Load()
}

// drains records that the server drains from now on. Other servers learn it with their next
// heartbeat.
func (c *Cluster) drains() {
	at := time.Now()
	if all := c.working.Load(); all != nil && slices.ContainsFunc(*all, func(name string) bool { return name != c.config.Name }) {
		at = at.Add(c.config.Every + c.config.Every/4)
	}
	c.restsAt.Store(at.UnixNano())
}

// Retire drains the server for good, because it stops.
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

// comparison is one instant by two clocks: the monotonic clock of this process, which no
// step of the machine's clock moves, and the database's.
type comparison struct{ here, there time.Time }

// Now returns the time by the database's clock, as of the last comparison. A step of this
// machine's clock does not move it.
func (c *Cluster) Now() time.Time {
	if at := c.compared.Load(); at != nil {
		return at.there.Add(time.Since(at.here))
	}
	return time.Now()
}

// BeatTook returns the duration of the last heartbeat.
func (c *Cluster) BeatTook() time.Duration { return time.Duration(c.lag.Load()) }

// Leads reports whether this server is the leader.
func (c *Cluster) Leads() bool {
	if c.config.Alone {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leadUntil.After(time.Now())
}

// Life returns the identifier of this process of the server.
func (c *Cluster) Life() string { return c.life }
