package fence

import "sync"

// maxRefused bounds the remembered refusals.
const maxRefused = 10_000

// Refusals remembers attempts that were refused permanently, and why: the sender has
// recorded their end, so a late copy of the same request must not run. It keeps the last
// ones, at least half of its limit, and is empty after a restart. It is safe for concurrent
// use.
type Refusals struct {
	mu         sync.Mutex
	young, old map[int64]error // guarded by mu
}

// NewRefusals returns a memory without any.
func NewRefusals() *Refusals { return &Refusals{young: make(map[int64]error)} }

// Add remembers why an attempt was refused.
func (r *Refusals) Add(attempt int64, reason error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.young) >= maxRefused/2 {
		r.old, r.young = r.young, make(map[int64]error)
	}
	r.young[attempt] = reason
}

// Reason returns why the attempt was refused, and nil when it was not.
func (r *Refusals) Reason(attempt int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if reason := r.young[attempt]; reason != nil {
		return reason
	}
	return r.old[attempt]
}
