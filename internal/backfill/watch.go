package backfill

import "sync"

// watch knows runs whose end a backfill waits for. It is safe for concurrent
// use. When it has grown to its limit, by runs that ended unannounced, it starts
// anew; the runs forgotten are found by the poll.
type watch struct {
	limit int

	mu   sync.Mutex
	runs map[int64]struct{} // guarded by mu
}

func newWatch(limit int) *watch { return &watch{limit: limit, runs: make(map[int64]struct{})} }

func (w *watch) add(runs []int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.runs)+len(runs) > w.limit {
		clear(w.runs)
	}
	for _, run := range runs {
		w.runs[run] = struct{}{}
	}
}

// take forgets the run and reports whether it was known.
func (w *watch) take(run int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, known := w.runs[run]
	delete(w.runs, run)
	return known
}
