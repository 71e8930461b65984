package outbox

import (
	"log/slog"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// Limits of what is kept and sent.
const (
	DefaultBatch    = 500
	DefaultCapacity = 1_000_000
	// MaxMessage is the characters of a message that are kept; a longer one is
	// cut with a visible mark.
	MaxMessage = 50_000
	// maxBatchBytes ends a batch early, so that a few long messages do not make a request
	// that a server rejects for its size.
	maxBatchBytes = 1 << 20
)

// Config configures an [Outbox].
type Config struct {
	// Store is the durable file; its writer must be running while outcomes
	// are put and sent.
	Store *queue.Store
	// Queue is the store's queue for outcomes, used by this outbox alone.
	Queue *queue.Queue
	// Capacity is the most outcomes that may wait. At the bound no task is
	// accepted, and no outcome is dropped. Defaults to [DefaultCapacity]; the
	// Queue's own capacity must not be lower.
	Capacity int
	// Send delivers a batch.
	Send Sender
	// Batch is the most outcomes sent at once. Defaults to [DefaultBatch].
	Batch int
	// Interval is the least time from one batch to the next, or a fifth of that when Enough
	// have arrived, so that many short tasks do not make a request each. An outcome that
	// arrives later than that is sent at once. Defaults to 50 ms; negative means no wait.
	Interval time.Duration
	// Enough is how many outcomes make a batch that leaves sooner. Defaults to 64, and to
	// Batch when that is less.
	Enough int
	// Last is how long a call in flight may continue when the context of Run or Flush ends:
	// outcomes that a server accepts then are not sent again. Defaults to 5 s; negative
	// means that it ends at once.
	Last time.Duration
	// Backoff is the delay after a failure, unless [Outbox.Answers] ends it. The last delay
	// is repeated for ever, because no outcome is given up while a server is away. Defaults
	// to one second, doubling up to 30 seconds, with a jitter of a fifth.
	Backoff retry.Policy
	// Logger logs failures and rejections. Defaults to none.
	Logger *slog.Logger
	// Hooks default to none.
	Hooks Hooks
}

func (c Config) withDefaults() (Config, error) {
	switch {
	case c.Store == nil:
		return c, job.FieldErrorf("store", "is missing")
	case c.Queue == nil:
		return c, job.FieldErrorf("queue", "is missing")
	case c.Send == nil:
		return c, job.FieldErrorf("send", "is missing")
	}
	if c.Capacity <= 0 {
		c.Capacity = DefaultCapacity
	}
	if c.Batch <= 0 {
		c.Batch = DefaultBatch
	}
	if c.Enough <= 0 {
		c.Enough = min(64, c.Batch)
	}
	if c.Interval == 0 {
		c.Interval = 50 * time.Millisecond
	}
	if c.Last == 0 {
		c.Last = 5 * time.Second
	}
	if c.Backoff.IsZero() {
		c.Backoff = retry.Policy{Initial: time.Second, Multiplier: 2, Max: 30 * time.Second, Jitter: 0.2}
	}
	if c.Backoff.Tries <= 0 {
		c.Backoff.Tries = retry.MaxTries
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Hooks.Sent == nil {
		c.Hooks.Sent = func(int) {}
	}
	if c.Hooks.Failed == nil {
		c.Hooks.Failed = func(error, time.Duration) {}
	}
	if c.Hooks.Refused == nil {
		c.Hooks.Refused = func(int64, error) {}
	}
	return c, nil
}

// Hooks are called by the goroutine of Run or Flush and must return quickly. A
// nil one is skipped.
type Hooks struct {
	// Sent: a server accepted this many outcomes, and they were removed.
	Sent func(outcomes int)
	// Failed: a batch could not be sent or removed; the next try is after the wait.
	Failed func(err error, wait time.Duration)
	// Refused: a server understood this outcome and rejected it, so it became a dead
	// letter.
	Refused func(attemptID int64, reason error)
}
