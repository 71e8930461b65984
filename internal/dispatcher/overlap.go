package dispatcher

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// The least and the most time for which a run waits for others of its job without a check;
// the end of one of those releases it earlier.
const (
	blockedAgain   = time.Minute
	blockedLongest = 10 * time.Minute
)

// Overlaps decides about runs of a busy job.
type Overlaps interface {
	// Meet applies marks with a Limit that did not take effect, in one transaction and in
	// order, if the active runs of their jobs allow it, and returns the result of each.
	Meet(ctx context.Context, marks []Mark) ([]Meeting, error)
}

// Limit is how many runs of a job may be active at once, on all executors together, and how
// to treat further ones.
type Limit struct {
	// Runs is that number; zero means any.
	Runs int
	Rule job.Overlap
	// Queue is how many may wait.
	Queue int
	// Again is when a waiting run is checked even if no other has released it.
	Again time.Time
	// Now is the end of a run that is skipped.
	Now time.Time
}

// Fate is the result of a mark of a busy job.
type Fate int

// The fates.
const (
	// FateLost: the run or its job was changed; nothing was written.
	FateLost Fate = iota
	// FateMarked: the job is no longer busy, and the mark took effect.
	FateMarked
	// FateBlocked: the run waits until others release it, or until Limit.Again.
	FateBlocked
	// FateSkipped: the run was skipped.
	FateSkipped
)

// Meeting is the result for a run of a busy job, and for others because of it.
type Meeting struct {
	Fate Fate
	// Skipped are the runs that were skipped, this one included.
	Skipped []job.Run
	// Covered are active runs that this one replaces: they are to be cancelled.
	Covered []int64
}

// limit returns the limit of the item's job. It does not apply to a shard, because its
// parent run is counted, nor to a trial, which does not overlap with runs of its job.
func (d *Dispatcher) limit(it *waiting.HeldRun, now time.Time) Limit {
	runs := it.Job.OverlapLimit()
	if d.config.Overlaps == nil || runs == 0 || it.Run.Cause == job.CauseShard || it.Run.Cause == job.CauseTrial {
		return Limit{}
	}
	again := min(max(it.Waited(now)/2, blockedAgain), blockedLongest)
	again += time.Duration(rand.Float64() * 0.2 * float64(again)) // jitter
	return Limit{Runs: runs, Rule: it.Job.Overlap, Queue: it.Job.OverlapRoom(), Again: now.Add(again), Now: now}
}

// resolveOverlaps processes the items whose marks did not take effect, if the limit of their job may
// be the cause. It returns the others together with those that were marked in the end, and
// those whose run or job was changed. After an error the items concerned are held again.
func (d *Dispatcher) resolveOverlaps(ctx context.Context, items []*waiting.HeldRun, marks []Mark, done []bool) ([]*waiting.HeldRun, []Mark, []bool, error) {
	var busy []int
	var again []Mark
	for i := range items {
		if !done[i] && marks[i].Limit.Runs > 0 {
			busy, again = append(busy, i), append(again, marks[i])
		}
	}
	if len(busy) == 0 {
		return items, marks, done, nil
	}
	met, err := d.config.Overlaps.Meet(ctx, again)
	if err != nil {
		err = fmt.Errorf("look for running runs of the jobs of %s: %w", plural.Count(len(again), "other"), err)
		met = nil
	}
	var gone []int
	for n, i := range busy {
		switch {
		case err != nil:
			d.returnToHeld(items[i : i+1])
			gone = append(gone, i)
		case met[n].Fate == FateMarked:
			done[i] = true
		case met[n].Fate != FateLost:
			d.forget(items[i])
			gone = append(gone, i)
		}
		if err == nil {
			d.follow(&met[n], items[i].Run.ID)
		}
	}
	return without(items, gone), without(marks, gone), without(done, gone), err
}

// follow applies the effects of the meeting on other runs.
func (d *Dispatcher) follow(m *Meeting, run int64) {
	for _, r := range m.Skipped {
		d.config.Hooks.Skipped(r)
	}
	d.coverer.enqueue(m.Covered, run)
}

// without returns all elements except those at the places, which are sorted.
func without[T any](all []T, places []int) []T {
	if len(places) == 0 {
		return all
	}
	kept := make([]T, 0, len(all)-len(places))
	for i, v := range all {
		if len(places) > 0 && places[0] == i {
			places = places[1:]
			continue
		}
		kept = append(kept, v)
	}
	return kept
}

// Limits for cancelling replaced runs.
const (
	coverCalls = 8
	coverKept  = 1024
)

// coverer cancels replaced runs outside the loop, because their executors have to be
// called. A run that it has no room for is put again when the run that replaces it is
// checked again.
type coverer struct {
	d *Dispatcher

	running sync.WaitGroup
	mu      sync.Mutex
	waiting []covered          // guarded by mu
	known   map[int64]struct{} // guarded by mu: those that wait or are being cancelled
	calls   int                // guarded by mu: goroutines
	ctx     context.Context    //nolint:containedctx // Run's; guarded by mu: nil before Run and after its end.
}

// covered is a run that another one replaces.
type covered struct{ run, by int64 }

func newCoverer(d *Dispatcher) *coverer {
	return &coverer{d: d, known: make(map[int64]struct{})}
}

// start lets calls begin, until ctx ends.
func (c *coverer) start(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ctx = ctx
}

// enqueue queues runs to cancel because another replaces them. It never blocks.
func (c *coverer) enqueue(runs []int64, by int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, run := range runs {
		if _, known := c.known[run]; known || len(c.waiting) >= coverKept || c.ctx == nil {
			continue
		}
		c.known[run] = struct{}{}
		c.waiting = append(c.waiting, covered{run, by})
		if c.calls < coverCalls {
			c.calls++
			ctx := c.ctx
			c.running.Go(func() { c.cancelQueued(ctx) })
		}
	}
}

// cancelQueued cancels runs until none waits.
func (c *coverer) cancelQueued(ctx context.Context) {
	var last int64
	for {
		next, ok := c.nextCovered(last)
		if !ok {
			return
		}
		err := c.d.config.Cancel(ctx, next.run, job.CoveredReason(next.by))
		if err != nil && ctx.Err() == nil && !job.Is(err, job.Conflict) && !job.Is(err, job.NotFound) {
			c.d.config.Logger.Warn("a run could not be ended for a later one; it is tried again later",
				"run_id", next.run, "by_run_id", next.by, "error", err)
		}
		last = next.run
	}
}

// nextCovered drops the processed run and returns another one.
func (c *coverer) nextCovered(last int64) (covered, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.known, last)
	if len(c.waiting) == 0 || c.ctx == nil {
		c.calls--
		return covered{}, false
	}
	next := c.waiting[0]
	c.waiting = c.waiting[1:]
	return next, true
}

// stopCalls lets the calls in flight end and starts no more. Runs that were to be cancelled are
// found again when the runs that replace them are checked.
func (c *coverer) stopCalls() {
	c.mu.Lock()
	c.ctx = nil
	c.waiting, c.known = nil, make(map[int64]struct{})
	c.mu.Unlock()
	c.running.Wait()
}
