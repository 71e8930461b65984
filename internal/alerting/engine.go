package alerting

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/pace"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Config configures an Engine.
type Config struct {
	Store       Store
	Definitions Definitions
	Sender      Sender
	// Health receives the delivery results of channels. Optional.
	Health Health
	// Logs provides the last log lines of runs. Optional.
	Logs Logs
	// Render renders title and text of a message from a channel's template. Defaults to
	// none: the sender gets the message without them.
	Render func(t words.Template, m words.Message) (title, text string, err error)
	// Holder identifies this server among those on the same database. Required.
	Holder string
	// Links builds the addresses of console pages. Defaults to none: messages have no
	// links.
	Links Links
	// Poll is the interval between two searches for work. Defaults to 1 s.
	Poll time.Duration
	// Lease is how long this server may decide without renewing its lease, and how long the
	// others wait after it dies. Defaults to 15 s.
	Lease time.Duration
	// Batch is the maximum number of events in a transaction. A pass takes fewer when they
	// match many rules. Defaults to 200.
	Batch int
	// Senders bounds the messages that are sent concurrently, one per channel; at most 50.
	// Defaults to 16.
	Senders int
	// Timeout bounds one try to send a message. Defaults to 10 s.
	Timeout time.Duration
	// Claim is how long a message that this server sends is hidden from others. It is at
	// least three times Timeout, which is the default.
	Claim time.Duration
	// GiveUp is how long a message is retried. Defaults to 24 h.
	GiveUp time.Duration
	// Keep is the retention of resolved alarms and finished messages. Defaults to 30 days.
	Keep time.Duration
	// Idle reports whether this server neither decides nor sends, because others do.
	// Defaults to never.
	Idle   func() bool
	Logger *slog.Logger
}

func (c *Config) defaults() {
	bound := func(value *time.Duration, otherwise time.Duration) {
		if *value <= 0 {
			*value = otherwise
		}
	}
	bound(&c.Poll, time.Second)
	bound(&c.Lease, 15*time.Second)
	bound(&c.Timeout, 10*time.Second)
	bound(&c.GiveUp, 24*time.Hour)
	bound(&c.Keep, 30*24*time.Hour)
	c.Claim = max(c.Claim, 3*c.Timeout)
	if c.Batch <= 0 {
		c.Batch = 200
	}
	if c.Senders <= 0 {
		c.Senders = 16
	}
	c.Senders = min(c.Senders, 50)
	c.Links.setDefaults()
	if c.Idle == nil {
		c.Idle = func() bool { return false }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

// Engine turns events into alarms and messages, and sends the messages. Each server runs
// one.
type Engine struct {
	config   Config
	deciding *pace.Loop
	sending  *pace.Loop
	tries    sync.WaitGroup

	// Owned by the deciding loop.
	fence  int64
	until  time.Time // of the lease; zero when another server has it
	pruned time.Time

	mu   sync.Mutex
	busy map[int64]bool // channels with a message being sent; guarded by mu
}

// New returns an engine. It does nothing until Run.
func New(c Config) *Engine {
	c.defaults()
	e := &Engine{config: c, busy: make(map[int64]bool)}
	e.deciding = pace.New(pace.Config{Pass: e.decide, Failed: func(err error) {
		c.Logger.Error("evaluating alarms failed; retrying", "error", err)
	}})
	e.sending = pace.New(pace.Config{Pass: e.sendDue, Idle: c.Idle, Failed: func(err error) {
		c.Logger.Error("sending alarm messages failed; retrying", "error", err)
	}})
	return e
}

// Wake announces new events. It never blocks. The poll finds events that were not
// announced.
func (e *Engine) Wake() { e.deciding.Wake() }

// Run works until ctx ends, and returns after the tries to send that are under way. It logs
// an error of the store and retries after a second.
func (e *Engine) Run(ctx context.Context) error {
	defer e.tries.Wait()
	var loops sync.WaitGroup
	defer loops.Wait()
	loops.Go(func() { _ = e.sending.Run(ctx) }) // a loop has no error
	defer e.releaseLease(ctx)
	return e.deciding.Run(ctx)
}

// decide runs a pass of the deciding loop.
func (e *Engine) decide(ctx context.Context, now time.Time, cause pace.Cause) (time.Duration, error) {
	if e.config.Idle() {
		e.releaseLease(ctx)
		return e.config.Poll, nil
	}
	if cause == pace.Fresh {
		e.until = time.Time{}
	}
	held, err := e.acquireLease(ctx, now)
	if err != nil || !held {
		return e.config.Poll, err
	}
	wait, err := e.runPass(ctx, now)
	if job.Is(err, job.Conflict) { // another server decides, or the cursor has moved
		e.until = time.Time{}
		return e.config.Poll, nil
	}
	if err == nil && now.Sub(e.pruned) >= time.Hour {
		err = e.prune(ctx, now)
	}
	return wait, err
}

// runPass reads events and due rows, evaluates them, and commits the changes in one
// transaction. It returns how long to wait for the next pass.
func (e *Engine) runPass(ctx context.Context, now time.Time) (time.Duration, error) {
	work, err := e.readWork(ctx, now)
	if err != nil {
		return 0, err
	}
	d := work.eval
	if d.from.Definitions != d.book.version {
		d.reviewAll, d.to.Definitions = true, d.book.version
	}
	for i := range work.states {
		d.evaluateDue(d.states[work.states[i]])
	}
	for i := range work.events {
		if len(d.entries) > 4*e.config.Batch {
			break // the next pass evaluates the rest
		}
		d.evaluate(&work.events[i])
	}
	for _, at := range work.alarms {
		if a := d.alarms[at]; a != nil && !a.LookAt.After(now) {
			d.review(a)
		}
	}
	d.deliver(work.groups)
	changes, some := d.changes(e.fence)
	if !some {
		return work.waitTime(now, e.config.Poll), nil
	}
	failpoint.Hit("alarm/decided")
	if err := e.config.Store.CommitAlarms(ctx, changes); err != nil {
		return 0, fmt.Errorf("commit the alarms of %s: %w", plural.Count(len(work.events), "event"), err)
	}
	failpoint.Hit("alarm/committed")
	if len(changes.Messages) > 0 {
		e.sending.Wake()
	}
	return 0, nil
}

// prune removes alarms and messages past their retention, a bounded number each hour.
func (e *Engine) prune(ctx context.Context, now time.Time) error {
	for range 100 {
		n, err := e.config.Store.PruneAlarms(ctx, now.Add(-e.config.Keep), e.config.Batch)
		if err != nil {
			return fmt.Errorf("remove old alarms: %w", err)
		}
		if n == 0 {
			e.pruned = now
			return nil
		}
	}
	return nil
}
