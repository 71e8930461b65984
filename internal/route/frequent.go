package route

import (
	"context"
	"sync"
)

const (
	// maxCounted bounds the jobs whose counts are remembered. A job that is
	// forgotten starts again, which costs evenness and nothing else.
	maxCounted = 4096
	// maxPicks resets the count of an address, as the old admins do: a new address does not
	// get everything for ever.
	maxPicks = 1_000_000
)

// frequent picks the address that the job has been sent to least often. A new
// address starts at a random count below the number of addresses, so that the
// first runs of many jobs do not all meet the same one.
type frequent struct {
	draw func(n int) int

	mu     sync.Mutex
	counts *recent[int64, map[string]int] // by job, then address; guarded by mu
}

func newFrequent(draw func(n int) int) *frequent {
	return &frequent{draw: draw, counts: newRecent[int64, map[string]int](maxCounted)}
}

func (s *frequent) choose(_ context.Context, r Request) (Choice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, _ := s.counts.get(r.JobID)
	counts := make(map[string]int, len(r.Addresses)) // without those that are gone
	chosen := ""
	for _, address := range r.Addresses {
		count, seen := known[address]
		if !seen || count > maxPicks {
			count = s.draw(len(r.Addresses))
		}
		counts[address] = count
		if chosen == "" || count < counts[chosen] {
			chosen = address
		}
	}
	counts[chosen]++
	s.counts.put(r.JobID, counts)
	return Choice{Address: chosen}, nil
}
