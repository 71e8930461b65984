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

// Config says what the engine works with.
type Config struct {
	Store       Store
	Definitions Definitions
	Sender      Sender
	// Health is told how channels do. Defaults to nobody.
	Health Health
	// Logs has the last lines of runs. Defaults to none.
	Logs Logs
	// Render makes title and text of a message from a channel's template. Defaults to
	// none: the sender gets the message without them.
	Render func(t words.Template, m words.Message) (title, text string, err error)
	// Holder tells this server from others on the same database. Needed.
	Holder string
	// Links are the addresses of the console's pages. Defaults to none: messages have no
	// links.
	Links Links
	// Poll is how often is looked for work that nobody announced. Defaults to 1 s.
	Poll time.Duration
	// Lease is how long this server may decide without asking again, and how long
	// others wait when it dies. Defaults to 15 s.
	Lease time.Duration
	// Batch is the number of events in a transaction, as long as these have not to do
	// with many rules. Defaults to 200.
	Batch int
	// Senders bounds the messages that are being sent at once, one to a channel; at
	// most 50. Defaults to 16.
	Senders int
	// Timeout bounds a try to send a message. Defaults to 10 s.
	Timeout time.Duration
	// Claim is how long a message that this server sends is hidden from others; at
	// least three times the Timeout, which it defaults to.
	Claim time.Duration
	// GiveUp is how long a message is tried. Defaults to 24 h.
	GiveUp time.Duration
	// Keep is how long alarms and messages that are over are kept. Defaults to 30
	// days.
	Keep time.Duration
	// Idle reports whether this server decides and sends nothing, because others do. Defaults to
	// never.
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
	c.Links.fill()
	if c.Idle == nil {
		c.Idle = func() bool { return false }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

// Engine turns events into alarms and messages, and sends these. One runs in each
// server.
type Engine struct {
	config Config
	desk   *pace.Loop
	post   *pace.Loop
	trying sync.WaitGroup

	// Of the deciding loop.
	fence  int64
	until  time.Time // of the lease; zero when another server has it
	pruned time.Time

	mu   sync.Mutex
	busy map[int64]bool // channels that a message is being sent to; guarded by mu
}

// New returns an engine that does nothing until Run.
func New(c Config) *Engine {
	c.defaults()
	e := &Engine{config: c, busy: make(map[int64]bool)}
	e.desk = pace.New(pace.Config{Pass: e.decide, Failed: func(err error) {
		c.Logger.Error("alarms are not looked at; trying again", "error", err)
	}})
	e.post = pace.New(pace.Config{Pass: e.mail, Idle: c.Idle, Failed: func(err error) {
		c.Logger.Error("alarm messages are not sent; trying again", "error", err)
	}})
	return e
}

// Wake announces that there are new events. It never blocks; what nobody announced is
// found by the poll.
func (e *Engine) Wake() { e.desk.Wake() }

// Run works until ctx ends, and returns when the tries to send that were under way
// have ended too. An error of the store is logged and tried again after a second.
func (e *Engine) Run(ctx context.Context) error {
	defer e.trying.Wait()
	var loops sync.WaitGroup
	defer loops.Wait()
	loops.Go(func() { _ = e.post.Run(ctx) }) // a loop has no error
	defer e.letGo(ctx)
	return e.desk.Run(ctx)
}

// decide makes a pass of the deciding half.
func (e *Engine) decide(ctx context.Context, now time.Time, cause pace.Cause) (time.Duration, error) {
	if e.config.Idle() {
		e.letGo(ctx)
		return e.config.Poll, nil
	}
	if cause == pace.Fresh {
		e.until = time.Time{}
	}
	held, err := e.hold(ctx, now)
	if err != nil || !held {
		return e.config.Poll, err
	}
	wait, err := e.pass(ctx, now)
	if job.Is(err, job.Conflict) { // another server decides, or the cursor has moved
		e.until = time.Time{}
		return e.config.Poll, nil
	}
	if err == nil && now.Sub(e.pruned) >= time.Hour {
		err = e.prune(ctx, now)
	}
	return wait, err
}

// pass reads what there is to decide about, decides, and writes it in a transaction.
// It returns how long nothing will be to do.
func (e *Engine) pass(ctx context.Context, now time.Time) (time.Duration, error) {
	work, err := e.read(ctx, now)
	if err != nil {
		return 0, err
	}
	d := work.desk
	if d.from.Definitions != d.book.version {
		d.lookAgain, d.to.Definitions = true, d.book.version
	}
	for i := range work.states {
		d.due(d.states[work.states[i]])
	}
	for i := range work.events {
		if len(d.entries) > 4*e.config.Batch {
			break // the next pass hears the rest
		}
		d.hear(&work.events[i])
	}
	for _, at := range work.alarms {
		if a := d.alarms[at]; a != nil && !a.LookAt.After(now) {
			d.review(a)
		}
	}
	d.deliver(work.bunches)
	changes, some := d.changes(e.fence)
	if !some {
		return work.wait(now, e.config.Poll), nil
	}
	failpoint.Hit("alarm/decided")
	if err := e.config.Store.CommitAlarms(ctx, changes); err != nil {
		return 0, fmt.Errorf("write what became of %s: %w", plural.Count(len(work.events), "event"), err)
	}
	failpoint.Hit("alarm/committed")
	if len(changes.Messages) > 0 {
		e.post.Wake()
	}
	return 0, nil
}

// prune forgets what has been over for long, some of it each hour.
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
