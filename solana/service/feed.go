package service

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/thread"
)

// mostAtOnce is how many events are offered in one transaction.
const mostAtOnce = 256

// Offer has a thread executed that is due. It returns once that is on disk; what is known already is no error. It is job.Full when
// the ledger is, and job.Unavailable when the service has ended or the disk cannot be written. Before Run it waits for that.
func (s *Service) Offer(ctx context.Context, e observe.ThreadReady) error {
	return s.OfferAll(ctx, []observe.ThreadReady{e})
}

// OfferAll is Offer of up to 1,000 threads at once.
func (s *Service) OfferAll(ctx context.Context, events []observe.ThreadReady) error {
	if s.isStopping() {
		return job.Errorf(job.Unavailable, "the service has ended: nothing is executed any more")
	}
	known := time.Now()
	tasks := make([]ledger.Task, len(events))
	for i, e := range events {
		if e.State == nil {
			return job.FieldErrorf("state", "of thread %s is missing", e.Thread)
		}
		tasks[i] = ledger.Task{
			Thread: e.Thread, State: e.State, ExecCount: e.State.ExecCount, ByTime: s.config.Profile.IsSeed(),
			TriggerTime: e.TriggerTime, Due: e.Due, CreatedAt: known,
		}
	}
	offered, err := s.ledger.Offer(ctx, known, tasks...)
	if err != nil {
		return err
	}
	now := time.Now()
	var lost, foreign []ledger.ID
	var superseded []*taskEntry
	s.mu.Lock()
	for i, o := range offered {
		for _, t := range o.Superseded {
			if e := s.board.entries[t.ID]; e != nil {
				superseded = append(superseded, e)
				s.board.remove(e)
			} else {
				foreign = append(foreign, t.ID)
			}
		}
		switch {
		case o.Answer == ledger.Added:
			s.tally.offered++
			e := entryOf(&tasks[i], o.ID)
			e.stages.Queued = now
			s.board.addEntry(e, nil, known)
		case o.Answer == ledger.Known && o.Place == ledger.Scheduled:
			if e := s.board.entries[o.ID]; e != nil {
				s.board.applyNews(e.thread, told{news: true}, now)
			} else {
				lost = append(lost, o.ID)
			}
		}
	}
	s.mu.Unlock()
	s.wakeDispatcher()
	for i, o := range offered {
		if o.Answer == ledger.Added {
			s.readers.sendStep(Progress{Task: o.ID, Stage: Queued, At: now, Words: tasks[i].Name()})
		}
	}
	for _, e := range superseded {
		s.tellSuperseded(ctx, e)
	}
	if len(foreign) > 0 {
		s.config.Logger.Debug("superseded before they were begun", "tasks", len(foreign))
	}
	s.adopt(ctx, lost)
	return nil
}

// adopt puts tasks on the board that are in the ledger alone, after an answer of the disk that was lost.
func (s *Service) adopt(ctx context.Context, ids []ledger.ID) {
	ctx = context.WithoutCancel(ctx) // nothing else would find them before the next start
	for _, id := range ids {
		t, err := s.ledger.Task(ctx, id)
		if err != nil || t.Place != ledger.Scheduled || t.Unknown {
			continue
		}
		s.mu.Lock()
		s.putOnBoard(&t, time.Now())
		s.mu.Unlock()
		s.wakeDispatcher()
	}
}

// putOnBoard puts a scheduled task of the ledger on the board. What waited for the chain waits for that again, and not for the local clock
// alone. The lock is held.
func (s *Service) putOnBoard(t *ledger.Task, now time.Time) {
	e := entryOf(t, t.ID)
	if !t.DueAt.After(now) {
		s.board.addEntry(e, nil, now)
		return
	}
	w := wait{reason: forRetry, until: t.DueAt}
	switch class := t.Failed.Class; {
	case class == failure.Paused, class == failure.NotReady && t.Due.Unit == thread.Change:
		w.reason = forChange
	case class == failure.NotReady:
		w.reason, w.chain = forClock, t.Due
	}
	s.board.addEntry(e, &w, now)
}

// entryOf is a task as an entry of the board.
func entryOf(t *ledger.Task, id ledger.ID) *taskEntry {
	e := &taskEntry{
		id: id, thread: t.Thread, state: t.State, count: t.ExecCount, byTime: t.ByTime, order: t.Order(), trigger: t.TriggerTime, due: t.Due,
		window: windowOf(t.State, t.Due), created: t.CreatedAt, tries: t.Tries, units: t.Units, failed: t.Failed, requests: new(requests),
	}
	e.stages.Due, e.stages.Queued = time.Unix(t.TriggerTime, 0).UTC(), t.CreatedAt
	return e
}

// Tick sets the chain's clock. An older one changes nothing.
func (s *Service) Tick(c observe.ClockUpdate) {
	s.mu.Lock()
	moved := s.board.applyTick(thread.Clock{Slot: c.Slot, Epoch: c.Epoch, Unix: c.UnixTimestamp}, time.Now())
	s.mu.Unlock()
	if moved {
		s.wakeDispatcher()
	}
}

// Changed applies a newer state of a thread.
func (s *Service) Changed(e observe.ThreadChanged) {
	if e.State == nil {
		return
	}
	s.config.Owner.Seen(e.Thread, e.State.LastExecutor, e.State.ExecCount)
	s.mu.Lock()
	s.board.applyNews(e.Thread, told{news: true, state: e.State}, time.Now())
	s.mu.Unlock()
	s.wakeDispatcher()
}

// Gone applies that a thread is closed.
func (s *Service) Gone(e observe.ThreadGone) {
	s.config.Owner.Forget(e.Thread)
	s.mu.Lock()
	s.board.applyNews(e.Thread, told{news: true, gone: true}, time.Now())
	s.mu.Unlock()
	s.wakeDispatcher()
}

// takeEvents takes the observer's events until ctx ends.
func (s *Service) takeEvents(ctx context.Context) error {
	events := s.observer.Events()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-events:
			if !open {
				<-ctx.Done()
				return nil
			}
			s.events(ctx, events, e)
		}
	}
}

// events takes an event and those that wait behind it; threads that are due share a transaction. Those of one thread are taken in
// their order.
func (s *Service) events(ctx context.Context, events <-chan observe.Event, first observe.Event) {
	var due []observe.ThreadReady
	before := func(key thread.Key) {
		if slices.ContainsFunc(due, func(r observe.ThreadReady) bool { return r.Thread == key }) {
			s.insist(ctx, due)
			due = nil
		}
	}
	for e := first; ; {
		switch e := e.(type) {
		case observe.ThreadReady:
			due = append(due, e)
		case observe.ThreadChanged:
			before(e.Thread)
			s.Changed(e)
		case observe.ThreadGone:
			before(e.Thread)
			s.Gone(e)
		case observe.ClockUpdate:
			s.Tick(e)
		}
		if len(due) == mostAtOnce {
			break
		}
		more := false
		select {
		case e, more = <-events:
		default:
		}
		if !more {
			break
		}
	}
	if len(due) > 0 {
		s.insist(ctx, due)
	}
}

// insist offers until the ledger takes it: what is not taken here waits in the observer.
func (s *Service) insist(ctx context.Context, due []observe.ThreadReady) {
	const first, longest = 50 * time.Millisecond, 5 * time.Second
	for delay := first; ctx.Err() == nil; delay = min(2*delay, longest) {
		err := s.OfferAll(ctx, due)
		if err == nil || ctx.Err() != nil {
			return
		}
		if job.Is(err, job.Full) && len(due) > 1 { // some may fit
			s.insist(ctx, due[:len(due)/2])
			due = due[len(due)/2:]
			continue
		}
		if delay == first {
			s.config.Logger.Warn("threads_wait_for_the_ledger", "threads", len(due), "error", err)
		}
		pause(ctx, delay)
	}
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
