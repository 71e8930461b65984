package executors

import (
	"sync"

	"github.com/orthd/orth/job"
)

// maxFormers bounds the executors that are kept in mind; then all are forgotten.
const maxFormers = 8192

// formers are the executors of the native protocol that had a lease, as they were
// called last. When a lease has ended its executor is still asked about its attempts:
// its requests are signed, and show nothing. The zero formers knows none.
type formers struct {
	mu    sync.Mutex
	known map[string]former // guarded by mu; by address
}

// former is an executor that had a lease.
type former struct {
	group, incarnation string
	token              int64
}

// note keeps an executor in mind.
func (f *formers) note(e *job.Executor) {
	now := former{e.Group, e.Incarnation, e.TokenID}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known[e.Address] == now {
		return
	}
	if f.known == nil || len(f.known) >= maxFormers {
		f.known = make(map[string]former)
	}
	f.known[e.Address] = now
}

// at returns who had a lease at an address.
func (f *formers) at(address string) (former, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known, ok := f.known[address]
	return known, ok
}
