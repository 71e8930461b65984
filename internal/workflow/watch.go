package workflow

import (
	"maps"
	"slices"
	"sync"
)

// watch knows the runs that workflow runs wait for, and the workflow runs of
// which one has ended. It is safe for concurrent use. When it has grown to its
// limit, by runs that ended unannounced, it starts anew; the runs forgotten are
// found by the poll.
type watch struct {
	limit int

	mu    sync.Mutex
	runs  map[int64]int64    // workflow runs, by the runs they wait for; guarded by mu
	ended map[int64]struct{} // workflow runs to be looked at; guarded by mu
}

func newWatch(limit int) *watch {
	return &watch{limit: limit, runs: make(map[int64]int64), ended: make(map[int64]struct{})}
}

// add makes a workflow run wait for runs.
func (w *watch) add(waiting int64, runs []int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.runs)+len(runs) > w.limit {
		clear(w.runs)
	}
	for _, run := range runs {
		w.runs[run] = waiting
	}
}

// take forgets the run and reports whether a workflow run waits for it, which
// drain returns then.
func (w *watch) take(run int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting, known := w.runs[run]
	if known {
		delete(w.runs, run)
		w.ended[waiting] = struct{}{}
	}
	return known
}

// some returns runs that are waited for: all when there are at most limit, else others
// each time.
func (w *watch) some(limit int) []int64 {
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

// waiting returns the workflow runs that wait for runs or are to be looked at, each once.
func (w *watch) waiting() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.Concat(slices.Collect(maps.Values(w.runs)), slices.Collect(maps.Keys(w.ended)))
	slices.Sort(all)
	return slices.Compact(all)
}

// forget begins anew.
func (w *watch) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.runs)
	clear(w.ended)
}

// drain returns the workflow runs of which a run has ended since the last time.
func (w *watch) drain() []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := slices.Collect(maps.Keys(w.ended))
	clear(w.ended)
	return ended
}
