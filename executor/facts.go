package executor

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/job"
)

// Facts configure an executor's reports about itself, for readers that know documents of
// its kind: pages of the console, programs. Servers keep the last one until the executor is
// gone, and show it to everybody who may see the executor: it must hold no secrets. Only
// servers of Orth that are called in the native protocol accept it; others never receive
// it, and nothing waits for it.
type Facts struct {
	// Kind names the kind of the documents: 1 to 32 lower-case letters, digits and dashes,
	// with a letter in front. Defaults to "": nothing is sent.
	Kind string
	// Tell returns the document, a JSON object of at most 64 KiB. It is called each Every
	// by one goroutine while a server has this executor, must end with ctx, and an error is
	// logged. An unchanged document is sent again once a minute only.
	Tell func(ctx context.Context) ([]byte, error)
	// Every is the time between two calls. Defaults to 5 s, which is the least too.
	Every time.Duration
}

// The times of facts.
const (
	leastFacts  = 5 * time.Second
	againFacts  = time.Minute // like the last ones, in case that a server has lost them
	factsWithin = 10 * time.Second
	logFacts    = 5 * time.Minute
)

func (f *Facts) defaults() { f.Every = max(f.Every, leastFacts) }

func (f *Facts) validate() error {
	if f.Kind == "" && f.Tell == nil {
		return nil
	}
	if err := job.CheckFactsKind("facts.kind", f.Kind); err != nil {
		return err
	}
	if f.Tell == nil {
		return job.FieldErrorf("facts.tell", "is missing: facts of kind %s need a function that returns them", f.Kind)
	}
	return nil
}

// teller sends an executor's facts.
type teller struct {
	facts  Facts
	send   func(ctx context.Context, f job.Facts) (taken bool, err error)
	logger *slog.Logger

	mu    sync.Mutex
	there bool // guarded by mu: the last beat arrived

	last     string    // Run only: what was taken last
	takenAt  time.Time // Run only: zero when nothing was since a beat got lost
	loggedAt time.Time // Run only
}

// beaten records how a beat ended. After a lost one everything is sent again.
func (t *teller) beaten(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.there = err == nil
}

func (t *teller) registered() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.there
}

// Run sends facts until ctx ends.
func (t *teller) Run(ctx context.Context) error {
	wait := time.NewTimer(time.Second) // the first beat is under way
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-wait.C:
		}
		if !t.registered() {
			t.takenAt = time.Time{}
			wait.Reset(time.Second)
			continue
		}
		if err := t.sendFacts(ctx); err != nil && ctx.Err() == nil && time.Since(t.loggedAt) >= logFacts {
			t.loggedAt = time.Now()
			t.logger.Warn("the facts of this executor did not reach the server; they are sent again", "kind", t.facts.Kind, "error", err)
		}
		wait.Reset(t.facts.Every)
	}
}

// sendFacts sends the document, unless it is like the last one.
func (t *teller) sendFacts(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, factsWithin)
	defer cancel()
	text, err := t.facts.Tell(ctx)
	if err != nil {
		return err
	}
	f := job.Facts{Kind: t.facts.Kind, Text: string(text)}
	if f.Text == t.last && time.Since(t.takenAt) < againFacts {
		return nil
	}
	taken, err := t.send(ctx, f)
	if taken {
		t.last, t.takenAt = f.Text, time.Now()
	}
	return err
}

// teller makes the sender of facts; nil when there are none, or no server accepts them.
func (e *Executor) teller(o *opened) *teller {
	c := &e.config
	if c.Facts.Kind == "" || o.own == nil {
		return nil
	}
	return &teller{
		facts: c.Facts, logger: c.Logger.With("room", "facts"),
		send: func(ctx context.Context, f job.Facts) (bool, error) { return o.own.Tell(ctx, c.Group, e.address, f) },
	}
}

// newPart is the loop of the teller.
func (t *teller) newPart() lifecycle.Part { return lifecycle.Part{Name: "facts", Run: t.Run} }
