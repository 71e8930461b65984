package report

import (
	"sync"

	"github.com/orthd/orth/solana/service"
)

// sent holds the last mostSent reports that were sent, for their runs, and counts. Those that wait are in the ledger.
type sent struct {
	mu      sync.Mutex
	kept    map[string]*service.Report // guarded by mu; by key
	order   []string                   // guarded by mu: keys of kept, the oldest first
	taken   uint64                     // guarded by mu
	refused uint64                     // guarded by mu
}

// mostSent is how many reports are kept for their runs: logs of those that are older than this many when their runs come are gone.
const mostSent = 1000

func newSent() *sent { return &sent{kept: make(map[string]*service.Report)} }

// holdReport holds a report, which is being sent under a key, for its run.
func (s *sent) holdReport(key string, e *service.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.kept[key]; !known {
		if len(s.order) >= mostSent {
			delete(s.kept, s.order[0])
			s.order = s.order[1:]
		}
		s.order = append(s.order, key)
	}
	s.kept[key] = e
}

// findReport returns the report with a key, nil when it is not there any more. It stays: a run may have several attempts.
func (s *sent) findReport(key string) *service.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kept[key]
}

// count notes that the server has taken a report.
func (s *sent) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken++
}

// refuse notes that no server will take a report.
func (s *sent) refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused++
}

func (s *sent) figures() (taken, refused uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken, s.refused
}
