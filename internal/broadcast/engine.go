package broadcast

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/pace"
	"github.com/orthd/orth/job"
)

// Config configures an Engine.
type Config struct {
	Store     Store
	Completer Completer
	Canceller Canceller
	// Poll is how often the store is queried for due broadcasts that were not announced.
	// Defaults to 1 s.
	Poll time.Duration
	// Lease is how long a claimed broadcast stays hidden from other servers.
	// Defaults to 30 s.
	Lease time.Duration
	// Again is the delay before the next check of a broadcast whose shards are being
	// cancelled. Defaults to 2 s.
	Again time.Duration
	// Batch is the number of broadcasts in a claim. Defaults to 100.
	Batch int
	// Calls bounds the concurrent calls to cancel shards. Defaults to 32.
	Calls int
	// Idle reports whether this server leaves new work to others. Defaults to never.
	Idle func() bool
	// Step reports, after the commit, each broadcast that this server has ended; it must
	// return at once. Defaults to a no-op.
	Step   func()
	Logger *slog.Logger
}

func (c *Config) defaults() {
	if c.Poll <= 0 {
		c.Poll = time.Second
	}
	if c.Lease <= 0 {
		c.Lease = 30 * time.Second
	}
	if c.Again <= 0 {
		c.Again = 2 * time.Second
	}
	if c.Batch <= 0 {
		c.Batch = 100
	}
	if c.Calls <= 0 {
		c.Calls = 32
	}
	if c.Step == nil {
		c.Step = func() {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

// Engine is the loop of one server that ends broadcasts.
type Engine struct {
	config Config
	loop   *pace.Loop
	calls  chan struct{} // holds a token for each call to cancel a shard
	ending sync.WaitGroup
}

// New returns an Engine that does nothing until Run.
func New(c Config) *Engine {
	c.defaults()
	e := &Engine{config: c, calls: make(chan struct{}, c.Calls)}
	e.loop = pace.New(pace.Config{Pass: e.runTurn, Idle: c.Idle, Failed: func(err error) {
		c.Logger.Error("broadcasts stopped; trying again", "error", err)
	}})
	return e
}

// Wake announces that something happened to a broadcast: a shard has ended, or a user
// cancelled it. It never blocks; the poll finds broadcasts that were not announced.
func (e *Engine) Wake() { e.loop.Wake() }

// TakeOver makes the loop take over the work of failed servers: one was detected. It never
// blocks.
func (e *Engine) TakeOver() { e.loop.TakeOver() }

// Run ends broadcasts until ctx ends, and returns when the calls to cancel shards have
// ended too. It logs an error of the store and tries again after a second.
func (e *Engine) Run(ctx context.Context) error {
	defer e.ending.Wait()
	return e.loop.Run(ctx)
}

// runTurn makes a pass; the first one includes broadcasts claimed by a server that died.
func (e *Engine) runTurn(ctx context.Context, now time.Time, cause pace.Cause) (time.Duration, error) {
	reach := time.Duration(0)
	if cause == pace.Fresh {
		reach = e.config.Lease
	}
	more, err := e.runPass(ctx, now, reach)
	if more {
		return 0, err
	}
	return e.config.Poll, err
}

// runPass processes the broadcasts due within reach of now and reports whether there may be
// more.
func (e *Engine) runPass(ctx context.Context, now time.Time, reach time.Duration) (more bool, err error) {
	work, finished := pace.Finish(ctx)
	defer finished()
	works, err := e.config.Store.ClaimBroadcasts(work, now.Add(reach), now.Add(e.config.Lease), e.config.Batch)
	if err != nil {
		return false, fmt.Errorf("claim broadcasts: %w", err)
	}
	if len(works) > 0 {
		failpoint.Hit("broadcast/claimed")
	}
	for i := range works {
		w := &works[i]
		if err := e.advance(work, ctx, w, now); err != nil {
			return false, fmt.Errorf("broadcast of run %d: %w", w.Run.ID, err)
		}
	}
	return len(works) >= e.config.Batch, nil
}

// advance performs the next action for a broadcast. Calls to cancel shards last until the
// engine stops.
func (e *Engine) advance(ctx, running context.Context, w *Work, now time.Time) error {
	next, reason := decide(w)
	switch next {
	case settle:
		return e.settle(ctx, w, now)
	case stop:
		return e.cancelShards(ctx, running, w, reason, now)
	case rest:
	}
	return e.putOff(ctx, w, time.Time{})
}

// settle ends the run that was split.
func (e *Engine) settle(ctx context.Context, w *Work, now time.Time) error {
	var shards []job.ShardRun
	if w.Broadcast.Failed > 0 {
		var err error
		if shards, err = e.config.Store.Shards(ctx, w.Run.ID); err != nil {
			return fmt.Errorf("read the shards: %w", err)
		}
	}
	if err := e.config.Completer.Complete(ctx, []job.Outcome{outcome(w, shards, now)}); err != nil {
		return fmt.Errorf("record the end: %w", err)
	}
	e.config.Step()
	return nil
}

// cancelShards cancels the open shards, as many as there is room for at once, and checks again a
// little later: one may have failed in between, and wait for a retry.
func (e *Engine) cancelShards(ctx, running context.Context, w *Work, reason string, now time.Time) error {
	shards, err := e.config.Store.Shards(ctx, w.Run.ID)
	if err != nil {
		return fmt.Errorf("read the shards: %w", err)
	}
	for i := range shards {
		if id := shards[i].ID; !shards[i].State.Final() && shards[i].State != job.Stopping && !e.cancelShard(running, id, reason) {
			break
		}
	}
	return e.putOff(ctx, w, now.Add(e.config.Again))
}

// cancelShard starts to cancel a shard and reports whether there was room for it.
func (e *Engine) cancelShard(ctx context.Context, id int64, reason string) bool {
	select {
	case e.calls <- struct{}{}:
	default:
		return false
	}
	e.ending.Go(func() {
		defer func() { <-e.calls }()
		_, err := e.config.Canceller.CancelRun(ctx, id, reason)
		if err != nil && ctx.Err() == nil && !job.Is(err, job.Conflict) && !job.Is(err, job.NotFound) {
			e.config.Logger.Warn("a shard could not be ended; it is tried again", "run_id", id, "error", err)
		}
	})
	return true
}

func (e *Engine) putOff(ctx context.Context, w *Work, at time.Time) error {
	if err := e.config.Store.PutOff(ctx, *w, at); err != nil {
		return fmt.Errorf("put it off: %w", err)
	}
	return nil
}
