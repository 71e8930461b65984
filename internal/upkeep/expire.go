package upkeep

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Expiries finds and ends runs that have waited too long for an executor.
type Expiries interface {
	// Expiring returns up to limit runs that wait, that no executor has taken, and that
	// expire by now.
	Expiring(ctx context.Context, now time.Time, limit int) ([]Expiring, error)
	// ExpireRuns moves each run that waits, and that no executor has taken, to skipped with
	// its Reason and EndedAt, and reports for each whether it did.
	ExpireRuns(ctx context.Context, runs []job.Run) ([]bool, error)
}

// Expiring is a run that has waited too long, and how long its job allows by now; zero is
// any time.
type Expiring struct {
	Run   job.Run
	After time.Duration
}

// ExpiryConfig configures an Expiry.
type ExpiryConfig struct {
	Store Expiries
	// Every is the time between two passes. Defaults to 5 s.
	Every time.Duration
	// Batch is the number of runs in a transaction. Defaults to 500.
	Batch int
	// Expired is called for each expired run, and must return at once. Defaults to a no-op.
	Expired func(r job.Run)
	// Idle reports whether this server leaves expiry to others. Defaults to never.
	Idle   func() bool
	Logger *slog.Logger
}

// Expiry ends runs that no executor took in time. Dispatchers expire the runs that they
// look at; this loop finds the others, such as those of a group without executors. It is a
// separate loop because it calls no executor.
type Expiry struct{ config ExpiryConfig }

// NewExpiry returns an Expiry that does nothing until Run.
func NewExpiry(c ExpiryConfig) *Expiry {
	if c.Every <= 0 {
		c.Every = 5 * time.Second
	}
	if c.Batch <= 0 {
		c.Batch = 500
	}
	if c.Expired == nil {
		c.Expired = func(job.Run) {}
	}
	if c.Idle == nil {
		c.Idle = func() bool { return false }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Expiry{config: c}
}

// Run makes passes until ctx ends. It logs errors of the store and tries again with the
// next pass.
func (e *Expiry) Run(ctx context.Context) error {
	ticker := time.NewTicker(e.config.Every)
	defer ticker.Stop()
	for {
		if e.config.Idle() {
			// other servers do it
		} else if err := exhaust(ctx, e.batch); err != nil && ctx.Err() == nil {
			e.config.Logger.Error("could not expire waiting runs; trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// batch expires some runs and reports whether there may be more.
func (e *Expiry) batch(ctx context.Context) (more bool, err error) {
	now := time.Now()
	waiting, err := e.config.Store.Expiring(ctx, now, e.config.Batch)
	if err != nil {
		return false, fmt.Errorf("read runs that have waited too long: %w", err)
	}
	runs := make([]job.Run, len(waiting))
	for i, w := range waiting {
		runs[i] = w.Run
		runs[i].Reason = job.ExpiredReason(&w.Run, w.After, now)
		runs[i].EndedAt = now
	}
	done, err := e.config.Store.ExpireRuns(ctx, runs)
	if err != nil {
		return false, fmt.Errorf("expire %s that have waited too long: %w", plural.Count(len(runs), "run"), err)
	}
	for i, ok := range done {
		if ok {
			e.config.Expired(runs[i])
		}
	}
	return len(waiting) >= e.config.Batch, nil
}
