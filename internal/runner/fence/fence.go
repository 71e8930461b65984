// Package fence keeps attempts out that must not start any more: those that a caller was told
// are not here, and those that were refused.
//
// It knows how long and how many. It must never know tasks or queues. Ids of attempts go in;
// whether they are kept out, and why, goes out.
package fence

import (
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// FenceFor is the least time for which an attempt stays fenced: longer than the network
	// can delay a request, which is until its sender's TCP gives up after a quarter of an
	// hour. A request cannot outlive this process: its connection ends with it, and
	// requests signed before the start are refused.
	FenceFor = 20 * time.Minute
	// MaxFenced bounds the attempts that are fenced at the same time.
	MaxFenced = 100_000
)

// Fence is the attempts that were reported to a caller as not here: the caller may have
// recorded them as lost, so a request that arrives late must not start them. It never drops
// one early: when it is full it takes no more. It is safe for concurrent use.
type Fence struct {
	mu         sync.Mutex
	young, old map[int64]int // guarded by mu: how many questions keep each attempt out
	since      time.Time     // guarded by mu: when the young ones began
}

// New returns a fence with no attempt.
func New() *Fence { return &Fence{young: make(map[int64]int)} }

// Add fences an attempt for one query. Unavailable means that there is no room: the attempt
// must not be reported as unknown.
func (f *Fence) Add(attempt int64, now time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.since) >= FenceFor {
		f.old, f.young = f.young, make(map[int64]int)
		if now.Sub(f.since) >= 2*FenceFor {
			f.old = nil
		}
		f.since = now
	}
	if f.young[attempt] == 0 && len(f.young)+len(f.old) >= MaxFenced {
		return job.Errorf(job.Unavailable, "in %s this executor was asked for %d attempts that it does not have, the most it can keep out: ask later",
			2*FenceFor, MaxFenced)
	}
	f.young[attempt]++
	return nil
}

// Remove removes the fence of one query: its caller got no answer. The attempt is admitted
// again when no other caller got one.
func (f *Fence) Remove(attempt int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	in := f.young
	if in[attempt] == 0 {
		in = f.old
	}
	switch n := in[attempt]; {
	case n > 1:
		in[attempt] = n - 1
	case n == 1:
		delete(in, attempt)
	}
}

// Contains reports whether the attempt is fenced.
func (f *Fence) Contains(attempt int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.young[attempt]+f.old[attempt] > 0
}
