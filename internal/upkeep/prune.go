package upkeep

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// History reads past runs.
type History interface {
	// Retentions returns up to limit jobs with ids above after, in order of id, including
	// deleted ones.
	Retentions(ctx context.Context, after int64, limit int) ([]Retention, error)
	// History returns up to limit runs of a job with ids above after, in order
	// of id.
	History(ctx context.Context, jobID, after int64, limit int) ([]Past, error)
	// Surplus returns the newest run that is older than the newest keep runs of a job that
	// are over, and 0 when there are no more than those.
	Surplus(ctx context.Context, jobID int64, keep int) (int64, error)
}

// Remover removes expired rows, each call in one transaction.
type Remover interface {
	// RemoveRuns removes runs with all that belongs to them and returns how many. It skips
	// runs that are not over, and those that something open still needs.
	RemoveRuns(ctx context.Context, runs []int64) (int, error)
	// RemoveBackfills removes up to limit backfills that ended at or before an
	// instant.
	RemoveBackfills(ctx context.Context, before time.Time, limit int) (int, error)
	// RemoveStats removes up to limit rows of statistics of the days before the
	// one of an instant.
	RemoveStats(ctx context.Context, before time.Time, limit int) (int, error)
	// RemoveSpreads removes up to limit rows of statistics of shorter periods whose
	// retention has ended at an instant.
	RemoveSpreads(ctx context.Context, now time.Time, limit int) (int, error)
}

// Retention is how long the runs of a job are kept. Zeros mean the default.
type Retention struct {
	JobID    int64
	KeepFor  time.Duration
	KeepRuns int
}

// Past is a run with the fields that retention needs.
type Past struct {
	ID        int64
	CreatedAt time.Time
	// EndedAt is zero while the run is open.
	EndedAt time.Time
}

// PruneConfig configures a Pruner.
type PruneConfig struct {
	History History
	Remover Remover
	// KeepFor is how long a run of a job without its own retention, and a backfill, is kept
	// after its end. Defaults to 30 days.
	KeepFor time.Duration
	// Settle is how long every run is kept after its end, whatever its job's retention, so
	// that all who wait for that end have seen it. Defaults to 10 min.
	Settle time.Duration
	// Every is the time between two sweeps; the first one comes after a sixtieth of it.
	// Defaults to 1 h.
	Every time.Duration
	// Slice is the most runs in a transaction. Defaults to 500.
	Slice  int
	Logger *slog.Logger
}

// Pruner applies retention: it removes runs that ended longer ago than their job keeps
// them, and runs beyond the number that the job keeps. It looks at each job separately,
// because each has its own retention. It reads the oldest runs of a job first, and stops at
// the first young one. So a sweep costs one read per job and what it removes, however much
// is kept.
//
// A removed slot does not come back: the planner continues from the next firing of a job,
// and never before it.
type Pruner struct {
	config PruneConfig
	// pending are the runs to be removed next. Used by the loop only.
	pending []int64
}

// NewPruner returns a Pruner that does nothing until Run.
func NewPruner(c PruneConfig) *Pruner {
	if c.KeepFor <= 0 {
		c.KeepFor = 30 * 24 * time.Hour
	}
	if c.Settle <= 0 {
		c.Settle = 10 * time.Minute
	}
	if c.Every <= 0 {
		c.Every = time.Hour
	}
	if c.Slice <= 0 {
		c.Slice = 500
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Pruner{config: c}
}

// Run sweeps until ctx ends. It logs errors of the store; the next sweep starts from the
// beginning.
func (p *Pruner) Run(ctx context.Context) error {
	wait := p.config.Every / 60
	for pause(ctx, wait+rand.N(wait/10+1)) { // jitter, so that servers do not sweep together
		wait = p.config.Every
		began := time.Now()
		removed, err := p.sweep(ctx, began)
		switch {
		case err != nil && ctx.Err() == nil:
			p.config.Logger.Error("could not remove runs and rows whose retention has ended; trying again", "removed", removed, "error", err)
		case removed > 0:
			p.config.Logger.Info("removed runs and rows whose retention has ended", "removed", removed, "took", time.Since(began))
		}
	}
	return nil
}

// pageOfJobs is how many jobs one read returns.
const pageOfJobs = 500

// sweep removes rows whose retention has ended by now and returns how many.
func (p *Pruner) sweep(ctx context.Context, now time.Time) (removed int, err error) {
	p.pending = p.pending[:0]
	for after := int64(0); ; {
		jobs, err := p.config.History.Retentions(ctx, after, pageOfJobs)
		if err != nil {
			return removed, fmt.Errorf("read the retention of jobs: %w", err)
		}
		for _, j := range jobs {
			n, err := p.prune(ctx, j, now)
			removed += n
			if err != nil {
				return removed, err
			}
			after = j.JobID
		}
		if len(jobs) < pageOfJobs {
			break
		}
	}
	n, err := p.flush(ctx, 1)
	removed += n
	if err != nil {
		return removed, err
	}
	n, err = p.others(ctx, now)
	return removed + n, err
}

// firstLook is how many runs of a job are read at first: most jobs have fewer to remove.
const firstLook = 8

// prune finds the runs of a job to remove, and removes them as soon as there are enough for
// a transaction.
func (p *Pruner) prune(ctx context.Context, j Retention, now time.Time) (removed int, err error) {
	b := bounds{before: now.Add(-p.config.KeepFor), settled: now.Add(-p.config.Settle)}
	if j.KeepFor > 0 {
		b.before = now.Add(-j.KeepFor)
	}
	if j.KeepRuns > 0 {
		if b.upTo, err = p.config.History.Surplus(ctx, j.JobID, j.KeepRuns); err != nil {
			return 0, fmt.Errorf("count the runs of job %d: %w", j.JobID, err)
		}
	}
	limit := min(firstLook, p.config.Slice)
	for after := int64(0); ; limit = p.config.Slice {
		past, err := p.config.History.History(ctx, j.JobID, after, limit)
		if err != nil {
			return removed, fmt.Errorf("read old runs of job %d: %w", j.JobID, err)
		}
		old, more := b.choose(past)
		p.pending = append(p.pending, old...)
		n, err := p.flush(ctx, p.config.Slice)
		removed += n
		if err != nil || !more || len(past) < limit {
			return removed, err
		}
		after = past[len(past)-1].ID
	}
}

// bounds is where the removable runs of a job end.
type bounds struct {
	before  time.Time // runs that ended by then
	upTo    int64     // and those with ids up to this one
	settled time.Time // if they ended by then
}

// choose returns the runs to remove, and whether younger runs may have to be removed too.
// Ids grow with time: all runs after a young one are young.
func (b bounds) choose(past []Past) (old []int64, more bool) {
	for _, r := range past {
		surplus := r.ID <= b.upTo
		switch {
		case !surplus && r.CreatedAt.After(b.before):
			return old, false
		case r.EndedAt.IsZero() || r.EndedAt.After(b.settled):
		case surplus || !r.EndedAt.After(b.before):
			old = append(old, r.ID)
		}
	}
	return old, true
}

// flush removes pending runs, one transaction after the other, while at least so many are
// pending.
func (p *Pruner) flush(ctx context.Context, least int) (removed int, err error) {
	for len(p.pending) >= least {
		slice := p.pending[:min(len(p.pending), p.config.Slice)]
		n, err := p.calmly(ctx, func() (int, error) { return p.config.Remover.RemoveRuns(ctx, slice) })
		if err != nil {
			return removed, fmt.Errorf("remove %s: %w", plural.Count(len(slice), "old run"), err)
		}
		removed += n
		p.pending = p.pending[:copy(p.pending, p.pending[len(slice):])]
	}
	return removed, nil
}

// others removes expired rows other than runs.
func (p *Pruner) others(ctx context.Context, now time.Time) (removed int, err error) {
	for _, table := range [...]struct {
		name   string
		before time.Time
		remove func(context.Context, time.Time, int) (int, error)
	}{
		{"backfills", now.Add(-p.config.KeepFor), p.config.Remover.RemoveBackfills},
		{"statistics", now.Add(-job.KeepStats), p.config.Remover.RemoveStats},
		{"statistics of shorter times", now, p.config.Remover.RemoveSpreads},
	} {
		for {
			n, err := p.calmly(ctx, func() (int, error) { return table.remove(ctx, table.before, p.config.Slice) })
			removed += n
			if err != nil {
				return removed, fmt.Errorf("remove old %s: %w", table.name, err)
			}
			if n == 0 {
				break
			}
		}
	}
	return removed, nil
}

// shortestPause is the least time between two transactions, so that others write in
// between.
const shortestPause = 5 * time.Millisecond

// calmly runs one transaction and then rests twice as long as it took: pruning keeps the
// database busy a third of the time at most.
func (p *Pruner) calmly(ctx context.Context, transaction func() (int, error)) (int, error) {
	began := time.Now()
	n, err := transaction()
	if err == nil && n > 0 && !pause(ctx, max(2*time.Since(began), shortestPause)) {
		err = ctx.Err()
	}
	return n, err
}

// pause waits, and reports whether ctx has not ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
