package runner

import (
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// fenceFor is how long an attempt stays fenced at least: longer than the network
	// can hold a request back, which is until its sender's TCP gives up after a
	// quarter of an hour. A request cannot outlive this process: its connection
	// ends with it, and what was signed before the start is refused.
	fenceFor = 20 * time.Minute
	// maxFenced bounds the attempts that are fenced at the same time.
	maxFenced = 100_000
)

// fence is the attempts that a caller has been told are not here: it may have
// recorded them as lost, so a request that arrives late must not start them. It
// never forgets one early: when it is full it takes no more. It is safe for
// concurrent use.
type fence struct {
	mu         sync.Mutex
	young, old map[int64]struct{} // guarded by mu
	since      time.Time          // guarded by mu: when the young ones began
}

func newFence() *fence { return &fence{young: make(map[int64]struct{})} }

// add fences an attempt, and reports whether it was not fenced before. Full says
// that there is no room: the attempt must not be called unknown.
func (f *fence) add(attempt int64, now time.Time) (fresh bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.since) >= fenceFor {
		f.old, f.young = f.young, make(map[int64]struct{})
		if now.Sub(f.since) >= 2*fenceFor {
			f.old = nil
		}
		f.since = now
	}
	if _, known := f.young[attempt]; known {
		return false, nil
	}
	if len(f.young)+len(f.old) >= maxFenced {
		return false, job.Errorf(job.Unavailable, "in %s this executor was asked for %d attempts that it does not have, the most it can keep out: ask later",
			2*fenceFor, maxFenced)
	}
	_, known := f.old[attempt]
	f.young[attempt] = struct{}{}
	return !known, nil
}

// remove lets an attempt in again.
func (f *fence) remove(attempt int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.young, attempt)
	delete(f.old, attempt)
}

// has reports whether the attempt is fenced.
func (f *fence) has(attempt int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, young := f.young[attempt]
	_, old := f.old[attempt]
	return young || old
}
