package route

import (
	"context"
	"slices"
	"sync"
)

// longest picks the address that the job was sent to longest ago; one that it was
// never sent to goes first, in the order of the list.
type longest struct {
	mu    sync.Mutex
	order *recent[int64, []string] // by job: the eldest first; guarded by mu
}

func newLongest() *longest { return &longest{order: newRecent[int64, []string](maxCounted)} }

func (s *longest) choose(_ context.Context, r Request) (Choice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, _ := s.order.get(r.JobID)
	order := make([]string, 0, len(r.Addresses))
	for _, address := range r.Addresses {
		if !slices.Contains(known, address) {
			order = append(order, address)
		}
	}
	for _, address := range known {
		if slices.Contains(r.Addresses, address) {
			order = append(order, address)
		}
	}
	chosen := order[0]
	s.order.put(r.JobID, append(order[1:], chosen))
	return Choice{Address: chosen}, nil
}
