package runlog

import (
	"sync"
	"time"
)

// flushAfter is how long what was written to a log may stay in memory, packAfter the same of
// finished logs, which go into a pack and to servers of Orth with the outcomes, and retryAfter how
// long either is left alone after the disk did not take it.
const (
	flushAfter = 5 * time.Millisecond
	packAfter  = 100 * time.Millisecond
	retryAfter = time.Second
)

// sweeper is one timer for all logs. It runs only while there is something to
// write, and writes what has been in memory for long enough.
type sweeper struct {
	logs *Logs

	sweeping sync.Mutex // held during a sweep

	mu      sync.Mutex // guards everything below; taken last
	timer   *time.Timer
	next    time.Time // when the timer fires; zero when it does not
	stopped bool
	dirty   []*writer // files with bytes in memory
	packed  bool      // so have packs
	young   []young   // logs in memory only, in the order of due
	thinAt  int       // how long young may grow
}

// young is a log that gets its own file when it is not closed before due.
type young struct {
	w   *writer
	due time.Time
}

// minThin is how many logs the list of young ones holds before the closed ones
// are taken out ahead of their time.
const minThin = 2048

// flushSoon has a writer flushed; nil stands for the packs.
func (s *sweeper) flushSoon(w *writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case w != nil:
		s.dirty = append(s.dirty, w)
		s.armTimer(time.Now(), flushAfter)
	case !s.packed: // otherwise the timer is armed for them
		s.packed = true
		s.armTimer(time.Now(), packAfter)
	}
}

// spillLater has a log spilled when it grows old.
func (s *sweeper) spillLater(w *writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, after := time.Now(), w.logs.config.SpillAfter
	s.young = append(s.young, young{w, now.Add(after)})
	if len(s.young) >= max(s.thinAt, minThin) {
		s.dropClosed()
		s.thinAt = 2 * len(s.young)
	}
	s.armTimer(now, after)
}

// dropClosed takes out the logs that were closed or spilled. It is called with mu
// held.
func (s *sweeper) dropClosed() {
	kept := s.young[:0]
	for _, y := range s.young {
		if y.w.young.Load() {
			kept = append(kept, y)
		}
	}
	clear(s.young[len(kept):])
	s.young = kept
}

// armTimer is called with mu held.
func (s *sweeper) armTimer(now time.Time, after time.Duration) {
	at := now.Add(after)
	if s.stopped || !s.next.IsZero() && !at.Before(s.next) {
		return
	}
	s.next = at
	if s.timer == nil {
		s.timer = time.AfterFunc(after, s.sweep)
		return
	}
	s.timer.Reset(after)
}

// stop returns when no sweep runs and none will.
func (s *sweeper) stop() {
	s.mu.Lock()
	s.stopped = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.sweeping.Lock()
	s.sweeping.Unlock() //nolint:gocritic,staticcheck // it waited for the last sweep
}

func (s *sweeper) sweep() {
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	dirty, packed, old, ok := s.takeDue()
	if !ok {
		return
	}
	for _, w := range old {
		if w.spillOld() != nil {
			s.spillLater(w)
		}
	}
	failed := dirty[:0]
	for _, w := range dirty {
		if w.flushIdle() != nil {
			failed = append(failed, w)
		}
	}
	packFailed := packed && s.logs.packs.flush() != nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if packFailed || len(failed) > 0 {
		s.dirty = append(s.dirty, failed...)
		s.packed = s.packed || packFailed
		s.armTimer(time.Now(), retryAfter)
	}
}

// takeDue takes what is to be done now.
func (s *sweeper) takeDue() (dirty []*writer, packed bool, old []*writer, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, false, nil, false
	}
	s.next = time.Time{}
	dirty, packed = s.dirty, s.packed
	s.dirty, s.packed = nil, false
	now := time.Now()
	n := 0
	for ; n < len(s.young); n++ {
		y := s.young[n]
		if !y.w.young.Load() {
			continue // it is closed: the timer waits for the first one that is not
		}
		if y.due.After(now) {
			break
		}
		old = append(old, y.w)
	}
	s.young = append(s.young[:0], s.young[n:]...)
	clear(s.young[len(s.young) : len(s.young)+n])
	if len(s.young) > 0 {
		s.armTimer(now, s.young[0].due.Sub(now))
	}
	return dirty, packed, old, true
}
