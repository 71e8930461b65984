package xxl

import (
	"context"
	"sync"
	"time"
)

// The calls about jobs that a group may make: a hundred at once, and a hundred in
// thirty seconds for long.
const (
	callsAtOnce  = 100
	callEvery    = 30 * time.Second / callsAtOnce
	callPatience = time.Second // the longest wait for a turn
	maxCallRates = 1024        // groups that are counted at the same time
)

// callRate gives each group its turns. The zero callRate has given none.
type callRate struct {
	mu sync.Mutex
	// busy, guarded by mu, is until when a group's turns are given away when they
	// are given evenly. A group whose time has passed has all turns, and is as good
	// as one that is not in the map.
	busy map[string]time.Time
}

// take returns how long the group waits for its turn, and false, with the turn not
// taken, when that is too long, or when too many groups call at once.
func (r *callRate) take(group string, now time.Time) (wait time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	until, known := r.busy[group]
	if !known && len(r.busy) >= maxCallRates && !r.sweep(now) {
		return 0, false
	}
	if until.Before(now) {
		until = now
	}
	until = until.Add(callEvery)
	wait = max(until.Sub(now)-callsAtOnce*callEvery, 0)
	if wait > callPatience {
		return 0, false
	}
	if r.busy == nil {
		r.busy = make(map[string]time.Time)
	}
	r.busy[group] = until
	return wait, true
}

// sweep forgets the groups that have all turns, and reports whether there is room
// now. The caller holds mu.
func (r *callRate) sweep(now time.Time) bool {
	for group, until := range r.busy {
		if !until.After(now) {
			delete(r.busy, group)
		}
	}
	return len(r.busy) < maxCallRates
}

// pause waits, and reports whether ctx lasted as long.
func pause(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
