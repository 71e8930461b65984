package pace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Watch tracks the runs that long works wait for, and the works of which one has ended. It
// is safe for concurrent use. When it has grown to its limit, by runs that ended
// unannounced, it starts empty again; the dropped runs are found when the works are
// checked.
type Watch struct {
	limit int

	mu    sync.Mutex
	runs  map[int64]int64    // works, by the runs they wait for; guarded by mu
	ended map[int64]struct{} // works to check; guarded by mu
}

// NewWatch returns a Watch of at most so many runs.
func NewWatch(limit int) *Watch {
	return &Watch{limit: limit, runs: make(map[int64]int64), ended: make(map[int64]struct{})}
}

// Add makes a work wait for runs.
func (w *Watch) Add(work int64, runs []int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.runs)+len(runs) > w.limit {
		clear(w.runs)
	}
	for _, run := range runs {
		w.runs[run] = work
	}
}

// Take drops the run and reports whether a work waits for it; [Watch.Drain] then returns
// that work.
func (w *Watch) Take(run int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	work, known := w.runs[run]
	if known {
		delete(w.runs, run)
		w.ended[work] = struct{}{}
	}
	return known
}

// Peek queries which of the tracked runs are over, at most limit at once, and takes those:
// ends that other servers have recorded are not announced here.
func (w *Watch) Peek(ctx context.Context, limit int, ended func(ctx context.Context, runs []int64) ([]int64, error)) error {
	runs := w.some(limit)
	if len(runs) == 0 {
		return nil
	}
	over, err := ended(ctx, runs)
	if err != nil {
		return fmt.Errorf("look for the ends of %d runs: %w", len(runs), err)
	}
	for _, run := range over {
		w.Take(run)
	}
	return nil
}

// some returns tracked runs: all when there are at most limit, otherwise different ones
// each time.
func (w *Watch) some(limit int) []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	runs := make([]int64, 0, min(len(w.runs), limit))
	for run := range w.runs { // begins anywhere
		if len(runs) == limit {
			break
		}
		runs = append(runs, run)
	}
	return runs
}

// Waiting returns the works that wait for runs or are to be checked, each once.
func (w *Watch) Waiting() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.Concat(slices.Collect(maps.Values(w.runs)), slices.Collect(maps.Keys(w.ended)))
	slices.Sort(all)
	return slices.Compact(all)
}

// LetGo releases all works to other servers, if there are any, and starts empty again
// unless that fails. It returns how many there were.
func (w *Watch) LetGo(ctx context.Context, leave func(ctx context.Context, works []int64, now time.Time) error) (works int, err error) {
	waiting := w.Waiting()
	if len(waiting) == 0 {
		return 0, nil
	}
	if err := leave(ctx, waiting, time.Now()); err != nil {
		return len(waiting), err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.runs)
	clear(w.ended)
	return len(waiting), nil
}

// Drain returns the works of which a run has ended since the last call.
func (w *Watch) Drain() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := slices.Collect(maps.Keys(w.ended))
	clear(w.ended)
	return ended
}
