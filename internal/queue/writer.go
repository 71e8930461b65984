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
	// soonAfter is when changes of UpdateSoon are durable at the latest.
	soonAfter = 100 * time.Millisecond
)

// request is one caller's function on its way through the writer.
type request struct {
	fn    func(*Tx) error
	soon  bool
	state atomic.Int32 // requestWaiting, then one of the others for good
	done  chan error   // one result, from the goroutine that writes

	// Of the goroutine that has the turn, until it is answered.
	err error
	tx  Tx
}

const (
	requestWaiting = iota
	requestTaken
	requestWithdrawn
)

func (r *request) markTaken() bool { return r.state.CompareAndSwap(requestWaiting, requestTaken) }
func (r *request) withdraw() bool  { return r.state.CompareAndSwap(requestWaiting, requestWithdrawn) }

// Run is the writer: it serves Update until ctx ends, finishes what was submitted by then,
// and returns nil. Run may be called once; a second call returns job.Conflict.
//
// A caller that finds no other one writing writes its group itself, which spares a single
// one two changes of goroutines; Run serves the callers that arrive in the meantime.
func (s *Store) Run(ctx context.Context) error {
	if !s.started.CompareAndSwap(false, true) {
		return job.Errorf(job.Conflict, "the queue's writer was started before")
	}
	s.wakeWriter() // for those who came before
	for {
		select {
		case <-ctx.Done():
			s.line.Lock()
			s.stopping = true
			s.line.Unlock()
			s.turn <- struct{}{}
			for s.serve() {
			}
			s.commit(nil, true)
			s.timer.Stop()
			<-s.turn
			return nil
		case <-s.woken:
			s.turn <- struct{}{}
			s.serve()
			s.yield()
		case <-s.timer.C:
			s.turn <- struct{}{}
			s.armed = 0
			s.forceAndClean()
			s.yield()
		}
	}
}

// leadGroup serves a group on the caller's goroutine if no other one does.
func (s *Store) leadGroup() {
	if !s.started.Load() {
		return // Run will serve it
	}
	select {
	case s.turn <- struct{}{}:
	default:
		return // the goroutine that has the turn looks at the line afterwards
	}
	if s.waits() { // or another goroutine has served it
		s.serve()
	}
	s.yield()
}

// yield gives the turn up, and wakes Run when there is more to do.
func (s *Store) yield() {
	s.armTimer()
	<-s.turn
	if s.waits() { // those who did not get the turn
		s.wakeWriter()
	}
}

// serve commits one group, as many requests as wait, up to a limit. It reports
// whether others wait. s.turn is held.
func (s *Store) serve() (more bool) {
	// Callers that the last commit woke come back first: larger groups. A single one does
	// not yield, because that wakes a thread to look for work.
	if s.many {
		runtime.Gosched()
	}
	batch := s.batch[:0]
	s.line.Lock()
	n := min(len(s.requests), s.config.Group)
	for _, r := range s.requests[:n] {
		if r.markTaken() {
			batch = append(batch, r)
		}
	}
	rest := copy(s.requests, s.requests[n:])
	clear(s.requests[rest:])
	s.requests = s.requests[:rest]
	s.line.Unlock()
	s.batch, s.many = batch, len(batch) > 1
	for len(batch) > 0 {
		batch = batch[s.commit(batch, false):]
	}
	clear(s.batch)
	s.line.Lock()
	defer s.line.Unlock()
	return len(s.requests) > 0
}

// wakeWriter has the writer look at the line.
func (s *Store) wakeWriter() {
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
// wrote, as a Duplicate does, and are void when that is not. force has what UpdateSoon
// wrote made durable.
func (s *Store) commit(batch []*request, force bool) (served int) {
	began := time.Now()
	s.gate <- struct{}{}
	served, wrote, err := s.apply(batch, began, force)
	<-s.gate
	batch = batch[:served]
	if err != nil {
		s.failed(err)
		s.looseAt = time.Now() // the next try to force it
		for _, r := range batch {
			r.answer(err)
		}
		return served
	}
	if wrote {
		failpoint.Hit("queue/durable")
		s.committed(len(batch), time.Since(began))
	}
	for _, r := range batch {
		for _, wake := range r.tx.onCommit {
			wake()
		}
	}
	for _, r := range batch {
		r.answer(r.err)
	}
	if s.cleaned != nil && wrote {
		s.removeCleaned()
	}
	return served
}

// apply runs functions and writes the frame. s.gate is held.
func (s *Store) apply(batch []*request, now time.Time, force bool) (served int, wrote bool, err error) {
	s.now = now
	if s.closed {
		return len(batch), false, errClosed()
	}
	err = s.journal.Settle()
	s.openHoldings()
	if err != nil {
		return len(batch), false, unwritable(job.Unavailable, err)
	}
	f := &s.frame
	must := force
	for _, r := range batch {
		before := f.batch.Mark()
		r.err = s.callRequest(r)
		must = must || !r.soon && f.batch.Mark() != before
		served++
		if f.batch.Len() > groupBytes {
			break
		}
	}
	s.setAside()
	if !f.batch.Empty() || s.cleanTo > 0 {
		must = s.clean() || must
	}
	if f.batch.Empty() {
		return served, false, s.force(force)
	}
	segment, at, err := s.journal.Append(&f.batch, must)
	if err != nil {
		s.rollback(point{seq: f.seq})
		s.reset()
		s.openHoldings()
		kind := job.Unavailable
		switch {
		case errors.Is(err, journal.ErrUncertain):
			kind = job.Ambiguous
		case job.Is(err, job.Invalid):
			return served, false, err
		}
		return served, false, unwritable(kind, err)
	}
	s.openHoldings()
	s.settle(segment, at, &f.records)
	for _, m := range f.moved {
		m.span.from = m.to
	}
	s.keepLoose()
	s.reset()
	return served, true, nil
}

// force makes durable what UpdateSoon wrote, if that is wanted. s.gate is held.
func (s *Store) force(wanted bool) error {
	if !wanted {
		return nil
	}
	if err := s.journal.Force(); err != nil {
		return unwritable(job.Unavailable, err)
	}
	s.loose.reset()
	return nil
}

// keepLoose notes what the frame has added to the loose operations: a new segment begins
// with all of them. s.gate is held.
func (s *Store) keepLoose() {
	bytes := s.journal.Loose()
	if bytes == 0 {
		s.loose.reset()
		return
	}
	if len(s.loose.placed)+len(s.loose.spans) == 0 && !s.loose.soils {
		s.looseAt = s.now
	}
	before := bytes - s.frame.batch.Len()
	for _, p := range s.frame.placed {
		p.at += before
		s.loose.placed = append(s.loose.placed, p)
	}
	s.loose.spans = append(s.loose.spans, s.frame.spans...)
	s.loose.soils = s.loose.soils || s.frame.soils
}

func unwritable(kind job.Kind, err error) error {
	return job.Errorf(kind, "the queue cannot be written, see to the space and the health of its disk: %w", err)
}

// callRequest runs a caller's function and undoes it when it fails. A panic of one
// caller must not end the writer and so all others.
func (s *Store) callRequest(r *request) (err error) {
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
func (s *Store) settle(segment *journal.Segment, at int64, f *records) {
	h := s.holdings[len(s.holdings)-1]
	for i := len(s.holdings) - 2; h.segment != segment; i-- {
		h = s.holdings[i]
	}
	for _, p := range f.placed {
		r := p.row
		if r.gone {
			continue
		}
		if r.home != nil {
			r.home.unlink(r)
			s.live -= int64(r.size)
		}
		r.home, r.at, r.size = h, at+int64(p.at), int32(p.size)
		h.linkRow(r)
		s.live += int64(p.size)
		if len(r.body) > keptBody || len(r.body) > 0 && s.memory > s.config.Memory {
			s.memory -= int64(len(r.body))
			r.body, r.filed = nil, true
		}
	}
	for _, sp := range f.spans {
		h.addSpan(sp.state, sp.from, sp.to)
	}
	if f.soils {
		h.noteGarbage(s.now)
	}
}

// reset makes the frame empty. s.gate is held.
func (s *Store) reset() {
	f := &s.frame
	f.batch.Reset()
	f.records.reset()
	clear(f.undo)
	if cap(f.undo) > keptRecords {
		f.undo = nil
	}
	f.undo, f.moved, f.seq = f.undo[:0], f.moved[:0], s.seq
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
