package waiting

import (
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// SentKept bounds the remembered attempts; then the oldest are dropped.
const SentKept = 8192

// Sent is an attempt as it was marked and sent to its executor.
type Sent struct {
	// Run is the run after the mark.
	Run job.Run
	// Attempt has AcceptedAt when the answer is known.
	Attempt job.Attempt
	// Job is the definition that was sent. It must not be changed.
	Job *job.Job
}

// SentLately remembers attempts until they end. Everything in it is in rows too.
type SentLately struct {
	mu    sync.Mutex
	Known map[int64]*Sent // guarded by mu, by attempt
	Order []int64         // guarded by mu: a ring of the attempts that were added, some of them over
	next  int             // guarded by mu: the place of the next one in the ring
}

// NewSentLately returns an empty memory.
func NewSentLately() *SentLately {
	return &SentLately{Known: make(map[int64]*Sent), Order: make([]int64, 0, SentKept)}
}

// Add remembers attempts that were marked.
func (s *SentLately) Add(items []*HeldRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, it := range items {
		one := &Sent{Run: it.Run, Attempt: it.Attempt, Job: it.Job}
		one.Run.State, one.Run.AttemptID = job.Dispatched, it.Attempt.ID
		one.Run.Tries, one.Run.ReadyAt = it.Run.Tries+1, time.Time{}
		if it.Run.State == job.WaitingRetry {
			one.Run.Reason = "" // as the mark does it
		}
		s.Known[it.Attempt.ID] = one
		if len(s.Order) < SentKept {
			s.Order = append(s.Order, it.Attempt.ID)
			continue
		}
		delete(s.Known, s.Order[s.next])
		s.Order[s.next] = it.Attempt.ID
		s.next = (s.next + 1) % SentKept
	}
}

// Accepted records when an executor has accepted an attempt.
func (s *SentLately) Accepted(attempt int64, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.Known[attempt]; one != nil {
		one.Run.State, one.Attempt.State, one.Attempt.AcceptedAt = job.Running, job.Running, at.Truncate(time.Millisecond)
	}
}

// Forget forgets an attempt that is over.
func (s *SentLately) Forget(attempt int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.Known, attempt)
}

// Find returns an attempt, and false when it is not remembered.
func (s *SentLately) Find(attempt int64) (Sent, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.Known[attempt]
	if one == nil {
		return Sent{}, false
	}
	return *one, true
}
