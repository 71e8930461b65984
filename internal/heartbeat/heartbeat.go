// Package heartbeat keeps an executor's lease alive on its servers.
//
// It knows a group, an address and an interval. It must never know tasks or a protocol. It
// asks how much the executor keeps, and sends registrations and, at the end, a
// deregistration.
package heartbeat

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/orthd/orth/job"
)

// Servers is where the executor registers. Each call has its own time limit: the
// deregistration waits for the heartbeat in flight, because a heartbeat that arrived after
// it would bring the executor back.
type Servers interface {
	// Register renews the lease.
	Register(ctx context.Context, group, address string) error
	// Deregister ends the lease.
	Deregister(ctx context.Context, group, address string) error
}

// Config configures a Heartbeat.
type Config struct {
	Servers Servers
	Group   string
	Address string // base URL under which servers reach the executor
	// Every is the longest time between two successful heartbeats; up to a tenth of it is
	// subtracted at random. Defaults to 10 s; a server of the XXL-JOB family ends a lease
	// after 90 s.
	Every time.Duration
	// Retry is the delay before a failed heartbeat is sent again; up to a fifth more is
	// random. Defaults to 2 s.
	Retry time.Duration
	// Farewell bounds the time of the last call. Defaults to 3 s.
	Farewell time.Duration
	// Keeps returns how many tasks and outcomes the executor has, including those that wait
	// for its next start. While it has some, a heartbeat replaces the deregistration, and
	// the lease runs until its end: servers record as lost what a deregistered executor
	// keeps. The heartbeat must show servers that the executor takes no more tasks; for
	// servers that do not understand that, Keeps returns 0. Defaults to none.
	Keeps func() int
	// Beaten is called with the result of each heartbeat; nil means that it arrived. It
	// must return at once. Defaults to a no-op.
	Beaten func(err error)
	Logger *slog.Logger
}

// Heartbeat is the loop of one executor.
type Heartbeat struct {
	config   Config
	leave    chan chan struct{} // has Leave's request, with the channel that Run closes
	over     chan struct{}      // closed by Run at its end
	known    bool               // Run only: the last heartbeat arrived
	refused  bool               // Run only: the servers refused the last heartbeat
	silentAt time.Time          // Run only: when a failed heartbeat was last logged
}

// logEvery is how often failed heartbeats are logged while no server answers.
const logEvery = 30 * time.Second

// New returns a Heartbeat that sends nothing before Run.
func New(c Config) *Heartbeat {
	if c.Every <= 0 {
		c.Every = 10 * time.Second
	}
	if c.Retry <= 0 {
		c.Retry = 2 * time.Second
	}
	if c.Farewell <= 0 {
		c.Farewell = 3 * time.Second
	}
	if c.Keeps == nil {
		c.Keeps = func() int { return 0 }
	}
	if c.Beaten == nil {
		c.Beaten = func(error) {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Heartbeat{config: c, leave: make(chan chan struct{}), over: make(chan struct{})}
}

// Run sends heartbeats until ctx ends, or until Leave is called and the executor keeps
// nothing, and then deregisters. It may be called once.
func (h *Heartbeat) Run(ctx context.Context) error {
	defer close(h.over)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			if n := h.farewell(ctx); n > 0 {
				h.config.Logger.Info("tasks and outcomes are kept for the next start; the lease ends by itself", "kept", n)
			}
			return nil
		case left := <-h.leave:
			kept := h.farewell(ctx)
			close(left)
			if kept == 0 {
				return nil
			}
		case <-timer.C:
			h.beat(ctx)
		}
		timer.Reset(h.wait(rand.Float64()))
	}
}

// wait returns the time until the next heartbeat; random is in [0,1).
func (h *Heartbeat) wait(random float64) time.Duration {
	if h.known {
		return h.config.Every - time.Duration(random*float64(h.config.Every)/10)
	}
	return h.config.Retry + time.Duration(random*float64(h.config.Retry)/5)
}

// beat sends one heartbeat and logs when the servers become unreachable or reachable.
func (h *Heartbeat) beat(ctx context.Context) {
	err := h.config.Servers.Register(ctx, h.config.Group, h.config.Address)
	h.config.Beaten(err)
	known := h.known
	h.known, h.refused = err == nil, job.Is(err, job.Refused)
	switch {
	case err == nil && !known:
		h.silentAt = time.Time{}
		h.config.Logger.Info("registered", "group", h.config.Group, "address", h.config.Address)
	case err != nil && ctx.Err() == nil && time.Since(h.silentAt) >= logEvery:
		h.silentAt = time.Now()
		hint := "trying again"
		if job.Is(err, job.Unauthorized) {
			hint = "the server refuses the token: give the executor a token of its group, made with 'orth group token add', or as --executor-token-file the file executor.token of the server's data folder"
		}
		h.config.Logger.Warn("no server took the registration", "error", err, "hint", hint)
	}
}

// Leave announces to the servers at once that the executor takes no more tasks. An executor
// that keeps nothing deregisters, and Run ends; otherwise heartbeats continue. Leave waits
// until the servers know, or until ctx ends.
func (h *Heartbeat) Leave(ctx context.Context) error {
	left := make(chan struct{})
	select {
	case h.leave <- left:
	case <-h.over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-left:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// farewell ends the lease, or renews it for the last time while the executor keeps
// something. It returns how much is kept. An executor that the servers refuse has no lease:
// the lease at its address may be that of another executor, which must not lose it.
func (h *Heartbeat) farewell(ctx context.Context) (kept int) {
	if h.refused {
		return h.config.Keeps()
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.config.Farewell)
	defer cancel()
	call := h.config.Servers.Deregister
	if kept = h.config.Keeps(); kept > 0 {
		call = h.config.Servers.Register
	}
	if err := call(last, h.config.Group, h.config.Address); err != nil {
		h.config.Logger.Warn("no server took the farewell; the lease will end by itself", "error", err)
	}
	return kept
}
