package outbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// Sender delivers outcomes to a server.
type Sender interface {
	// SendOutcomes returns nil when a server has accepted every outcome of the batch.
	// job.Refused and job.Invalid mean that a server understood the batch and rejects it
	// permanently. job.Forbidden means that it rejects some of it from this sender, which
	// may change. After any other error the whole batch is sent again, so a server must
	// tolerate a repeated outcome. The call must end when ctx does, and also when a server
	// does not answer.
	SendOutcomes(ctx context.Context, batch []job.Outcome) error
}

// Outbox sends outcomes, the oldest first, until a server has accepted them.
type Outbox struct {
	config Config
	// noted is came, for transactions.
	noted func()
	// wake holds one hint that there are outcomes to send.
	wake chan struct{}
	// waiting is how many outcomes arrived since the store was last read. enough holds one
	// hint that they are Config.Enough.
	waiting atomic.Int64
	enough  chan struct{}
	// back holds one hint that a server answers.
	back chan struct{}
	// turn is held by the sender, Run or Flush, so that they never send at the same time.
	turn chan struct{}
	// sent is when the last batch began to be sent, the zero time when it was full. Used by
	// the holder of turn.
	sent  time.Time
	aside aside // used by the holder of turn
}

// New returns an Outbox on a queue of a store. It returns job.Invalid when a part is
// missing.
func New(c Config) (*Outbox, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	o := &Outbox{
		config: c, wake: make(chan struct{}, 1), enough: make(chan struct{}, 1), back: make(chan struct{}, 1), turn: make(chan struct{}, 1),
	}
	o.noted = o.noteArrival
	return o, nil
}

// Put adds an outcome as part of the caller's transaction and sends it after the commit.
// The first outcome of an attempt wins: a second one changes nothing while the first waits,
// is a dead letter or is still remembered. A full outbox returns job.Full: no task may end
// until a server is back.
func (o *Outbox) Put(tx *queue.Tx, out job.Outcome) error {
	it, err := itemOf(out)
	if err != nil {
		return err
	}
	switch err := o.config.Queue.Push(tx, it); {
	case job.Is(err, job.Duplicate):
		return nil
	case err != nil:
		return err
	}
	tx.OnCommit(o.noted)
	return nil
}

// noteArrival records the arrival of an outcome.
func (o *Outbox) noteArrival() {
	if o.waiting.Add(1) == int64(o.config.Enough) {
		select {
		case o.enough <- struct{}{}:
		default:
		}
	}
	o.Wake()
}

// Room returns a job.Full error when that many more outcomes would not fit: a task is
// accepted only while its outcome has a place.
func (o *Outbox) Room(tx *queue.Tx, outcomes int) error {
	held, err := o.config.Queue.Stats(tx)
	if err != nil {
		return fmt.Errorf("count the outbox: %w", err)
	}
	if waiting := held.Scheduled + held.Processing; waiting+outcomes > o.config.Capacity {
		return job.Errorf(job.Full, "%d outcomes wait for a server and %d more may come, at most %d are kept: "+
			"no task is taken until a server is back", waiting, outcomes-1, o.config.Capacity)
	}
	return nil
}

// Wake makes the outbox read its queue: for callers that add items to the queue without
// Put.
func (o *Outbox) Wake() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Answers reports that a server has answered another request: the delay after a failure
// ends. It never blocks, and is for callers that reach servers every few seconds at most.
func (o *Outbox) Answers() {
	select {
	case o.back <- struct{}{}:
	default:
	}
}

// Run sends outcomes until ctx ends; then it returns nil, after the call in flight. Unsent
// outcomes stay in the store for the next start. Run may be called once at a time.
func (o *Outbox) Run(ctx context.Context) error {
	for o.drain(ctx, o.config.Interval) == nil {
		select {
		case <-o.wake:
		case <-ctx.Done():
		}
	}
	return nil
}

// gather waits until the next batch is due: after the interval, or after a fifth of it when
// enough have arrived.
func (o *Outbox) gather(ctx context.Context, interval time.Duration) {
	wait := interval - time.Since(o.sent)
	if wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return
	case <-o.enough:
		timer.Reset(interval/5 - time.Since(o.sent))
	case <-ctx.Done():
		return
	}
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Flush sends all outcomes and returns nil when the outbox is empty. When ctx ends first,
// it returns an error with the number left. It may be called while Run runs and after it.
func (o *Outbox) Flush(ctx context.Context) error {
	err := o.drain(ctx, 0)
	if err == nil {
		return nil
	}
	left := 0
	countErr := o.config.Store.View(context.WithoutCancel(ctx), func(tx *queue.Tx) error {
		st, err := o.config.Queue.Stats(tx)
		left = st.Scheduled
		return err
	})
	if countErr != nil {
		return fmt.Errorf("flush the outbox: %w", err)
	}
	return fmt.Errorf("flush the outbox, %s left: %w", plural.Count(left, "outcome"), err)
}

// drain sends all outcomes, waiting after each failure. Its only error is that of ctx.
// Outcomes that arrive in the meantime wake the outbox again.
func (o *Outbox) drain(ctx context.Context, interval time.Duration) error {
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	d := drain{o: o, taken: make(chan error, takeAhead)}
	defer func() { _ = d.settle() }()
	for failures := 0; ; {
		o.gather(ctx, interval)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		more, err := d.sendNext(ctx)
		switch {
		case err == nil && !more && o.aside.empty():
			return nil
		case err == nil && !more:
			o.waitAside(ctx)
		case err == nil:
			if d.done { // sent alone is no progress: it would be sent again
				failures, d.done = 0, false
			}
		case ctx.Err() != nil:
			return context.Cause(ctx)
		default:
			failures++
			o.waitAfterFailure(ctx, failures, err)
		}
	}
}

// waitAfterFailure reports a failure and waits before the next try, or until a server answers.
func (o *Outbox) waitAfterFailure(ctx context.Context, failures int, err error) {
	wait, _ := o.config.Backoff.Delay(min(failures, o.config.Backoff.Tries), rand.Float64())
	o.config.Logger.Warn("outcomes_not_sent", "error", err, "failures", failures, "next_try_in", wait)
	o.config.Hooks.Failed(err, wait)
	select {
	case <-o.back: // from before the failure
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-o.back:
	case <-ctx.Done():
	}
}
