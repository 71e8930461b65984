package tpu

import (
	"slices"
	"sync"
	"time"
)

// slotTime is how long a slot takes when all is well.
const slotTime = 400 * time.Millisecond

// slots estimates the current slot from several sources. It does not trust a source that is
// far ahead of the rest: the median of the last reports is the chain's position. A report
// far beyond it does not count.
type slots struct {
	mu   sync.Mutex
	told []told // the last reports, oldest first
}

type told struct {
	slot uint64
	at   time.Time
}

const (
	mostTold = 12
	far      = 48
)

// noteSlot records that a slot has begun.
func (s *slots) noteSlot(slot uint64, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, told{slot, at})
	if len(s.told) > mostTold {
		s.told = s.told[len(s.told)-mostTold:]
	}
}

// slotAt returns the slot at a time, and whether any was recorded.
func (s *slots) slotAt(at time.Time) (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.told) == 0 {
		return 0, false
	}
	estimates := make([]uint64, len(s.told))
	for i, t := range s.told {
		estimates[i] = t.slot + uint64(max(0, at.Sub(t.at))/slotTime)
	}
	slices.Sort(estimates)
	middle := estimates[len(estimates)/2]
	newest := middle
	for _, e := range estimates {
		if e <= middle+far {
			newest = e
		}
	}
	return newest, true
}
