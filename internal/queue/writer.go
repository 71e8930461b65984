package queue

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/queue/journal"
	"github.com/orthd/orth/job"
)

const (
	// groupBytes ends a group early, so that a frame stays small.
	groupBytes = 4 << 20
	// soonBytes and soonAfter bound what UpdateSoon leaves behind.
	soonBytes = 256 << 10
	soonAfter = time.Second
)

// request is one caller's function on its way through the writer.
type request struct {
	fn    func(*Tx) error
	soon  bool
	state atomic.Int32 // requestWaiting, then one of the others for good
	done  chan error   // one result, from the writer

	// Of the writer goroutine until it has answered.
	err error
	tx  Tx
}

const (
	requestWaiting = iota
	requestTaken
	requestWithdrawn
)

func (r *request) take() bool     { return r.state.CompareAndSwap(requestWaiting, requestTaken) }
func (r *request) withdraw() bool { return r.state.CompareAndSwap(requestWaiting, requestWithdrawn) }

// Run is the writer: it serves Update until ctx ends, finishes what was
// submitted by then, and returns nil. Run may be called once; a second call
// returns job.Conflict.
func (s *Store) Run(ctx context.Context) error {
	if !s.started.CompareAndSwap(false, true) {
		return job.Errorf(job.Conflict, "the queue's writer was started before")
	}
	defer s.timer.Stop()
	for {
		s.arm()
		select {
		case <-ctx.Done():
			s.line.Lock()
			s.stopping = true
			s.line.Unlock()
			for s.serve() {
			}
			s.commit(nil, true)
			return nil
		case <-s.woken:
			if s.serve() {
				s.wake() // after the timer, when its time has come
			}
		case <-s.timer.C:
			s.armed = false
			s.tick()
		}
	}
}

// serve commits one group, as many requests as wait, up to a limit. It reports
// whether others wait.
func (s *Store) serve() (more bool) {
	// Callers that the last commit woke come back first: larger groups, and
	// no delay when no other goroutine is runnable.
	runtime.Gosched()
	batch := s.batch[:0]
	s.line.Lock()
	n := min(len(s.requests), s.config.Group)
	for _, r := range s.requests[:n] {
		if r.take() {
			batch = append(batch, r)
		}
	}
	rest := copy(s.requests, s.requests[n:])
	clear(s.requests[rest:])
	s.requests = s.requests[:rest]
	s.line.Unlock()
	s.batch = batch
	for len(batch) > 0 {
		batch = batch[s.commit(batch, false):]
	}
	clear(s.batch)
	s.line.Lock()
	defer s.line.Unlock()
	return len(s.requests) > 0
}

// wake has the writer look at the line.
func (s *Store) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// waits reports whether there are requests.
func (s *Store) waits() bool {
	s.line.Lock()
	defer s.line.Unlock()
	return len(s.requests) > 0
}

// commit runs a group, as many functions of it as fit into a frame, in one
// transaction and answers their callers; it returns how many those are. Errors of
// functions are answered after the commit too: they may rest on what a neighbour
// wrote, as a Duplicate does, and are void when that is not durable. force has what
// UpdateSoon left behind written.
func (s *Store) commit(batch []*request, force bool) (served int) {
	began := time.Now()
	s.gate <- struct{}{}
	undone := s.frame.undone
	served, durable, err := s.apply(batch, began, force)
	<-s.gate
	batch = batch[:served]
	if err != nil {
		s.failed(err)
		if s.frame.batch.Empty() {
			for _, wake := range undone {
				wake()
			}
		}
		for _, r := range batch {
			r.answer(err)
		}
		return served
	}
	if durable {
		failpoint.Hit("queue/durable")
		s.committed(len(batch), time.Since(began))
	}
	for _, r := range batch {
		for _, wake := range r.tx.onCommit {
			wake()
		}
		if !durable {
			s.frame.undone = append(s.frame.undone, r.tx.onUndone...)
		}
	}
	for _, r := range batch {
		r.answer(r.err)
	}
	if s.cleaned != nil && durable {
		s.removeCleaned()
	}
	return served
}

// apply runs functions and makes the frame durable. s.gate is held.
func (s *Store) apply(batch []*request, now time.Time, force bool) (served int, durable bool, err error) {
	s.now = now
	if s.closed {
		return len(batch), false, errClosed()
	}
	if err := s.journal.Settle(); err != nil {
		return len(batch), false, unwritable(job.Unavailable, err)
	}
	f := &s.frame
	must := force
	for _, r := range batch {
		before := f.batch.Mark()
		r.err = s.call(r)
		must = must || !r.soon && f.batch.Mark() != before
		served++
		if f.batch.Len() > groupBytes {
			break
		}
	}
	s.setAside()
	if f.batch.Empty() && s.cleanTo == 0 || !must && f.batch.Len() < soonBytes {
		return served, false, nil
	}
	s.clean()
	if f.batch.Empty() {
		return served, false, nil
	}
	segment, at, err := s.journal.Append(&f.batch)
	s.hold()
	if err != nil {
		s.rollback(point{seq: f.seq})
		s.reset()
		kind := job.Unavailable
		switch {
		case errors.Is(err, journal.ErrUncertain):
			kind = job.Ambiguous
		case job.Is(err, job.Invalid):
			return served, false, err
		}
		return served, false, unwritable(kind, err)
	}
	s.settle(segment, at)
	s.reset()
	return served, true, nil
}

func unwritable(kind job.Kind, err error) error {
	return job.Errorf(kind, "the queue cannot be written, see to the space and the health of its disk: %w", err)
}

// call runs a caller's function and undoes it when it fails. A panic of one
// caller must not end the writer and so all others.
func (s *Store) call(r *request) (err error) {
	p := s.point()
	tx := &r.tx
	tx.store, tx.writable = s, true
	defer func() {
		if v := recover(); v != nil {
			s.rollback(p)
			tx.forgetCalls()
			err = job.Errorf(job.Internal, "a queue transaction panicked: %v\n%s", v, debug.Stack())
		}
	}()
	if err := r.fn(tx); err != nil {
		s.rollback(p)
		tx.forgetCalls()
		return err
	}
	return nil
}

// answer gives a request its result. Then it is the caller's again.
func (r *request) answer(err error) {
	r.tx.forgetCalls()
	r.tx.store = nil
	r.done <- err
}

// settle notes where the records of a frame are. s.gate is held.
func (s *Store) settle(segment *journal.Segment, at int64) {
	h := s.holdings[len(s.holdings)-1]
	if h.segment != segment {
		panic("queue: a frame is not in the last segment")
	}
	for _, p := range s.frame.placed {
		r := p.row
		if r.gone {
			continue
		}
		if r.home != nil {
			r.home.unlink(r)
			s.live -= int64(r.size)
		}
		r.home, r.at, r.size = h, at+int64(p.at), int32(p.size)
		h.link(r)
		s.live += int64(p.size)
		if len(r.body) > keptBody || len(r.body) > 0 && s.memory > s.config.Memory {
			s.memory -= int64(len(r.body))
			r.body, r.filed = nil, true
		}
	}
	for _, m := range s.frame.moved {
		m.span.from = m.to
	}
	for _, sp := range s.frame.spans {
		h.addSpan(sp.state, sp.from, sp.to)
	}
	if s.frame.soils {
		h.soil(s.now)
	}
}

// reset makes the frame empty. s.gate is held.
func (s *Store) reset() {
	f := &s.frame
	f.batch.Reset()
	f.undone = nil
	clear(f.undo)
	clear(f.placed)
	if cap(f.undo) > 1<<14 {
		f.undo, f.placed, f.spans = nil, nil, nil
	}
	f.undo, f.placed, f.spans, f.moved, f.soils, f.seq = f.undo[:0], f.placed[:0], f.spans[:0], f.moved[:0], false, s.seq
}

func (s *Store) committed(functions int, took time.Duration) {
	if s.failures > 0 {
		s.config.Logger.Info("queue_writes_again", "failed_commits", s.failures)
		s.failures = 0
	}
	s.config.Hooks.Committed(functions, took)
}

// failed logs the first failure in a row only: a full disk fails every turn.
func (s *Store) failed(err error) {
	if s.failures == 0 {
		s.config.Logger.Error("queue_commit_failed", "error", err)
	}
	s.failures++
	s.config.Hooks.Failed(err)
}
