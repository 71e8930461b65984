package route

import (
	"context"
	"sync"
)

// weighted picks the addresses in turn, each in proportion to its weight and as evenly as
// possible: of weights 3 and 1 it picks the first twice, then the second, then the first.
// At each pick every address gains its weight, and the one picked, which has gained most,
// pays the sum.
type weighted struct {
	mu      sync.Mutex
	credits *recent[int64, map[string]int] // by job, then address; guarded by mu
}

func newWeighted() *weighted {
	return &weighted{credits: newRecent[int64, map[string]int](maxCounted)}
}

func (s *weighted) choose(_ context.Context, r Request) (Choice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, _ := s.credits.get(r.JobID)
	credits := make(map[string]int, len(r.Addresses)) // without those that are gone
	total := 0
	for _, address := range r.Addresses {
		weight := 1
		if r.Weight != nil {
			weight = max(r.Weight(address), 0)
		}
		credits[address] = known[address] + weight
		if weight == 0 {
			credits[address] = 0
			continue
		}
		total += weight
	}
	chosen := ""
	for _, address := range r.Addresses {
		weightless := total > 0 && r.Weight != nil && r.Weight(address) <= 0
		if !weightless && (chosen == "" || credits[address] > credits[chosen]) {
			chosen = address
		}
	}
	credits[chosen] -= total
	s.credits.put(r.JobID, credits)
	return Choice{Address: chosen}, nil
}
