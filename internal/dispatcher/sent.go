package dispatcher

import (
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

// sentKept bounds the remembered attempts; then the oldest are dropped.
const sentKept = 8192

// Sent is an attempt as it was marked and sent to its executor.
type Sent struct {
	// Run is the run after the mark.
	Run job.Run
	// Attempt has AcceptedAt when the answer is known.
	Attempt job.Attempt
	// Job is the definition that was sent. It must not be changed.
	Job *job.Job
}

// sentLately remembers attempts until they end. Everything in it is in rows too.
type sentLately struct {
	mu    sync.Mutex
	known map[int64]*Sent // guarded by mu, by attempt
	order []int64         // guarded by mu: a ring of the attempts that were added, some of them over
	next  int             // guarded by mu: the place of the next one in the ring
}

func newSentLately() *sentLately {
	return &sentLately{known: make(map[int64]*Sent), order: make([]int64, 0, sentKept)}
}

// add remembers attempts that were marked.
func (s *sentLately) add(items []*item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, it := range items {
		one := &Sent{Run: it.run, Attempt: it.attempt, Job: it.job}
		one.Run.State, one.Run.AttemptID = job.Dispatched, it.attempt.ID
		one.Run.Tries, one.Run.ReadyAt = it.run.Tries+1, time.Time{}
		if it.run.State == job.WaitingRetry {
			one.Run.Reason = "" // as the mark does it
		}
		s.known[it.attempt.ID] = one
		if len(s.order) < sentKept {
			s.order = append(s.order, it.attempt.ID)
			continue
		}
		delete(s.known, s.order[s.next])
		s.order[s.next] = it.attempt.ID
		s.next = (s.next + 1) % sentKept
	}
}

// accepted records when an executor has accepted an attempt.
func (s *sentLately) accepted(attempt int64, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.known[attempt]; one != nil {
		one.Run.State, one.Attempt.State, one.Attempt.AcceptedAt = job.Running, job.Running, at.Truncate(time.Millisecond)
	}
}

func (s *sentLately) forget(attempt int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, attempt)
}

// Sent returns an attempt that this server has sent lately, and false when it does not
// remember it. Its row may have changed since: users stop runs, and other servers record
// attempts as lost.
func (d *Dispatcher) Sent(attempt int64) (Sent, bool) {
	d.sent.mu.Lock()
	defer d.sent.mu.Unlock()
	one := d.sent.known[attempt]
	if one == nil {
		return Sent{}, false
	}
	return *one, true
}
