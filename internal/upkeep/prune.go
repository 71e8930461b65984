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

// History is what there is of the past.
type History interface {
	// Retentions returns up to limit jobs with ids above after, in order of
	// id, those that were deleted too.
	Retentions(ctx context.Context, after int64, limit int) ([]Retention, error)
	// History returns up to limit runs of a job with ids above after, in order
	// of id.
	History(ctx context.Context, jobID, after int64, limit int) ([]Past, error)
	// Surplus returns the newest run that stands behind the newest keep runs
	// of a job that are over, and 0 when there are no more than those.
	Surplus(ctx context.Context, jobID int64, keep int) (int64, error)
}

// Remover removes what is past, each call in one transaction.
type Remover interface {
	// RemoveRuns removes runs with all that belongs to them and returns how
	// many. Runs that are not over, and those that something open still needs,
	// are left alone.
	RemoveRuns(ctx context.Context, runs []int64) (int, error)
	// RemoveBackfills removes up to limit backfills that ended at or before an
	// instant.
	RemoveBackfills(ctx context.Context, before time.Time, limit int) (int, error)
	// RemoveStats removes up to limit rows of statistics of the days before the
	// one of an instant.
	RemoveStats(ctx context.Context, before time.Time, limit int) (int, error)
	// RemoveSpreads removes up to limit rows of statistics of shorter times that are
	// kept no longer at an instant.
	RemoveSpreads(ctx context.Context, now time.Time, limit int) (int, error)
}

// Retention says how long the runs of a job are kept. Zeros mean the default.
type Retention struct {
	JobID    int64
	KeepFor  time.Duration
	KeepRuns int
}

// Past is what retention must know of a run.
type Past struct {
	ID        int64
	CreatedAt time.Time
	// EndedAt is zero while the run is open.
	EndedAt time.Time
}

// PruneConfig says how a Pruner works.
type PruneConfig struct {
	History History
	Remover Remover
	// KeepFor is how long a run of a job that does not say, and a backfill, is
	// kept after its end. Defaults to 30 days.
	KeepFor time.Duration
	// Settle is how long every run is kept after its end, whatever its job
	// says, so that all who wait for that end have seen it. Defaults to 10 min.
	Settle time.Duration
	// Every is the time between two sweeps; the first one comes after a
	// sixtieth of it. Defaults to 1 h.
	Every time.Duration
	// Slice is the most runs in a transaction. Defaults to 500.
	Slice  int
	Logger *slog.Logger
}

// Pruner removes runs whose time is over: those that ended longer ago than their
// job wants them kept, and those behind as many as it wants. It looks at every
// job by itself, because each says for itself what it keeps: the oldest runs of a
// job come first, and the first young one ends the look. So a sweep costs a look
// per job and what it removes, however much is kept.
//
// A slot that is removed does not come back: the planner goes on from the next
// firing of a job, and never before it.
type Pruner struct {
	config PruneConfig
	// pending are the runs to be removed next. Used by the loop only.
	pending []int64
}

// NewPruner returns a pruner that does nothing until Run.
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

// Run sweeps until ctx ends. Errors of the store are logged; the next sweep
// begins anew.
func (p *Pruner) Run(ctx context.Context) error {
	wait := p.config.Every / 60
	for pause(ctx, wait+rand.N(wait/10+1)) { // servers do not sweep together
		wait = p.config.Every
		began := time.Now()
		removed, err := p.sweep(ctx, began)
		switch {
		case err != nil && ctx.Err() == nil:
			p.config.Logger.Error("what is past could not be removed; trying again", "removed", removed, "error", err)
		case removed > 0:
			p.config.Logger.Info("removed what is past", "removed", removed, "took", time.Since(began))
		}
	}
	return nil
}

// pageOfJobs is how many jobs are read at once.
const pageOfJobs = 500

// sweep removes what is past by now and returns how many rows that were.
func (p *Pruner) sweep(ctx context.Context, now time.Time) (removed int, err error) {
	p.pending = p.pending[:0]
	for after := int64(0); ; {
		jobs, err := p.config.History.Retentions(ctx, after, pageOfJobs)
		if err != nil {
			return removed, fmt.Errorf("read how long runs are kept: %w", err)
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

// firstLook is how many runs of a job are read at first: most jobs have less
// than that to be removed.
const firstLook = 8

// prune finds the runs of a job that are to be removed, and removes them as soon
// as there are enough for a transaction.
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

// bounds is where the past of a job begins.
type bounds struct {
	before  time.Time // runs that ended by then
	upTo    int64     // and those with ids up to this one
	settled time.Time // if they ended by then
}

// choose returns which runs are to be removed, and whether younger ones than
// these may be too. Ids grow with time: behind a young run all are young.
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

// flush removes what is pending, a transaction after the other, while there are
// at least so many.
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

// others removes what is past beside runs.
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

// shortestPause is between two transactions, so that others write in between.
const shortestPause = 5 * time.Millisecond

// calmly carries out one transaction and then rests twice as long as it took:
// the database is busy with the past a third of the time at most.
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
