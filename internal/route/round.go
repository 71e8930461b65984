package route

import (
	"context"
	"sync"
)

// maxCounters bounds the jobs whose turn is remembered. A job that is forgotten
// starts again at random, which costs evenness and nothing else.
const maxCounters = 100_000

// round picks the addresses in turn, job by job. A job's first pick is random,
// so that many jobs with few runs do not all meet the first address.
type round struct {
	draw func(n int) int

	mu       sync.Mutex
	counters *recent[int64, int] // by job; guarded by mu
}

func newRound(draw func(n int) int) *round {
	return &round{draw: draw, counters: newRecent[int64, int](maxCounters)}
}

func (s *round) choose(_ context.Context, r Request) (Choice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(r.Addresses)
	count, seen := s.counters.get(r.JobID)
	if seen {
		count++
	} else {
		count = s.draw(n)
	}
	s.counters.put(r.JobID, count)
	return Choice{Address: r.Addresses[count%n]}, nil
}
