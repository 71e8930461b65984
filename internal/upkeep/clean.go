package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// maxCleaned is how many runs one call of Clean removes, so that its caller waits for
// seconds.
const maxCleaned = 10_000

// Clean removes runs of a job that a user no longer wants, with all that belongs to them.
// It returns how many, and whether there may be more: it removes up to 10,000 at a time.
// Runs that ended within the last Settle, runs that are not over and runs that something
// open needs stay. With dry it removes nothing, and counts all candidates; some of those
// may still be needed.
func (p *Pruner) Clean(ctx context.Context, jobID int64, what job.Cleaning, dry bool) (removed int, more bool, err error) {
	if err := what.Check(); err != nil {
		return 0, false, err
	}
	b, err := p.cleaningOf(ctx, jobID, what)
	if err != nil {
		return 0, false, err
	}
	for after, seen := int64(0), 0; ; {
		past, err := p.config.History.History(ctx, jobID, after, p.config.Slice)
		if err != nil {
			return removed, false, fmt.Errorf("read old runs of job %d: %w", jobID, err)
		}
		old, younger := b.choose(past)
		n := len(old)
		if !dry && n > 0 {
			n, err = p.calmly(ctx, func() (int, error) { return p.config.Remover.RemoveRuns(ctx, old) })
		}
		removed += n
		if err != nil {
			return removed, true, fmt.Errorf("remove %s of job %d: %w", plural.Count(len(old), "run"), jobID, err)
		}
		if !younger || len(past) < p.config.Slice {
			return removed, false, nil
		}
		if seen += len(past); !dry && seen >= maxCleaned {
			return removed, true, nil
		}
		after = past[len(past)-1].ID
	}
}

// cleaningOf returns the bounds of a cleaning. When both bounds are set, a run has to be
// beyond both.
func (p *Pruner) cleaningOf(ctx context.Context, jobID int64, what job.Cleaning) (cleaning, error) {
	c := cleaning{before: time.Now().Add(-p.config.Settle), upTo: -1}
	if !what.Before.IsZero() && what.Before.Before(c.before) {
		c.before = what.Before
	}
	if what.Keep <= 0 {
		return c, nil
	}
	var err error
	if c.upTo, err = p.config.History.Surplus(ctx, jobID, what.Keep); err != nil {
		return c, fmt.Errorf("count the runs of job %d: %w", jobID, err)
	}
	return c, nil
}

// cleaning selects the runs to remove: those that ended by an instant, with ids up to one;
// -1 is any.
type cleaning struct {
	before time.Time
	upTo   int64
}

// choose returns the runs to remove, and whether younger runs may have to be removed too.
func (c cleaning) choose(past []Past) (old []int64, more bool) {
	for _, r := range past {
		if c.upTo >= 0 && r.ID > c.upTo || r.CreatedAt.After(c.before) {
			return old, false
		}
		if !r.EndedAt.IsZero() && !r.EndedAt.After(c.before) {
			old = append(old, r.ID)
		}
	}
	return old, true
}
