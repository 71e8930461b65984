package service

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/build"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/thread"
)

// execute works on an entry until its transaction has ended, or until it waits again. ctx ends when the service gives up.
func (s *Service) execute(ctx context.Context, e *taskEntry) {
	news, removed := s.begin(e)
	switch {
	case removed:
		s.dropEntry(e)
		return
	case s.endUnwanted(ctx, e, news):
		return
	case !s.isOurs(e):
		return
	}
	hint := build.Hint{Units: e.units, Salt: s.saltOf(e)}
	if e.state != nil {
		hint.Index, hint.Known = e.state.Fiber(s.config.Profile)
	}
	built, err := s.builder.Build(counting(ctx, e.requests), e.thread, hint)
	if ctx.Err() != nil {
		s.yield(e)
		return
	}
	if err != nil {
		s.unbuilt(ctx, e, err)
		return
	}
	if s.compare(e, built.State) != 0 {
		s.readRooted(ctx, e, "another execution of the thread is next than the one that is wanted", 0)
		return
	}
	s.readers.sendStep(Progress{Task: e.id, Stage: Built, At: s.reached(&e.stages.Built)})
	if s.isStopping() {
		s.yield(e)
		return
	}
	flight := flightOf(built)
	if !s.record(ctx, e, &flight) {
		return
	}
	s.reached(&e.stages.Recorded)
	e.flights++
	s.sendFlight(ctx, e, &flight, built.Logs)
}

// salts are how many there are, and perCount how many of them one execution has.
const (
	salts    = 1024
	perCount = 8
)

// saltOf makes transactions of a thread differ that have the same blockhash. Those of an earlier process had others, most likely.
func (s *Service) saltOf(e *taskEntry) uint32 {
	n := s.firstSalt + e.count*perCount + e.flights
	if e.byTime {
		n += uint64(e.trigger) * perCount
	}
	return uint32(n % salts)
}

func flightOf(b *build.Built) ledger.Flight {
	return ledger.Flight{
		Transaction: *b.Transaction, SentAt: time.Now(), Fibers: b.Fibers, Units: b.Units, Price: b.Price,
		Fee: b.Expect.Fee, Before: b.Expect.Before, After: b.Expect.After,
	}
}

// begin marks an entry as worked on, and returns the news about it.
func (s *Service) begin(e *taskEntry) (news told, removed bool) {
	now := time.Now()
	s.mu.Lock()
	news, removed = e.told, e.removed
	e.told.news = false
	e.stages.Begun = now
	s.mu.Unlock()
	s.readers.sendStep(Progress{Task: e.id, Stage: Begun, At: now})
	return news, removed
}

// reached notes when an entry got to a stage.
func (s *Service) reached(at *time.Time) time.Time {
	now := time.Now()
	s.mu.Lock()
	*at = now
	s.mu.Unlock()
	return now
}

// endUnwanted ends an execution that is known to be wanted no more.
func (s *Service) endUnwanted(ctx context.Context, e *taskEntry, news told) bool {
	switch {
	case news.gone:
		s.settle(ctx, e, Gone, "the thread is closed")
	case news.state != nil && s.compare(e, news.state) > 0:
		s.settle(ctx, e, Superseded, "another executor has executed it")
	default:
		return false
	}
	return true
}

// isOurs asks whether this executor may execute a thread, and has it wait if not.
func (s *Service) isOurs(e *taskEntry) bool {
	s.mu.Lock()
	overdue := time.Duration(min(max(s.board.clock.Unix-e.trigger, 0), 1e9)) * time.Second
	if s.board.clock == (thread.Clock{}) { // no clock yet
		overdue = max(time.Since(e.created), 0)
	}
	s.mu.Unlock()
	may, after := s.config.Owner.May(e.thread, e.state, overdue)
	if !may {
		if after <= 0 {
			after = s.config.Again
		}
		s.parkUnlessNews(e, wait{reason: forOwner, until: time.Now().Add(max(after, shortest))}, "another executor has this thread")
	}
	return may
}

// compare is above zero when a thread is further than the execution that is wanted, and below when it is not there yet.
func (s *Service) compare(e *taskEntry, state *thread.Thread) int {
	if !e.byTime {
		switch {
		case state.ExecCount > e.count:
			return 1
		case state.ExecCount < e.count:
			return -1
		}
		return 0
	}
	if e.state != nil && state.Schedule != e.state.Schedule { // each execution makes another
		return 1
	}
	return 0
}

// unbuilt does what follows from a transaction that could not be made.
func (s *Service) unbuilt(ctx context.Context, e *taskEntry, err error) {
	b := setback{verdict: failure.Of(s.config.Profile, err), after: retryAfter(err)}
	var logs []string
	if cause, ok := errors.AsType[*build.Error](err); ok {
		if cause.State != nil && s.compare(e, cause.State) != 0 {
			s.readRooted(ctx, e, "another execution of the thread is next than the one that is wanted", 0)
			return
		}
		// If this came from the simulation, the clock has got there, and the thread may
		// have moved on: it is built again soon.
		b.verdict, b.due, logs = cause.Verdict, cause.Due, cause.Logs
	}
	s.handleFailure(ctx, e, b, nil, logs)
}

// retryAfter is for how long a node asks to be left alone.
func retryAfter(err error) time.Duration {
	if away, ok := errors.AsType[*rpc.UnreachableError](err); ok {
		return min(away.After, time.Hour)
	}
	return 0
}

// record writes the transaction to the ledger, however often that takes; it may be sent from then on. It returns false when it must
// not be.
func (s *Service) record(ctx context.Context, e *taskEntry, f *ledger.Flight) bool {
	unsure := false
	for {
		err := s.ledger.Start(ctx, e.id, *f)
		switch {
		case err == nil:
			return true
		case job.Is(err, job.NotFound) && unsure: // an answer of the disk may have been lost
			if t, err := s.ledger.Task(ctx, e.id); err == nil && t.Flight != nil && t.Flight.Signature() == f.Signature() {
				return true
			}
			s.dropEntry(e)
			return false
		case job.Is(err, job.NotFound): // superseded meanwhile
			s.dropEntry(e)
			return false
		case ctx.Err() != nil || s.isStopping():
			s.yield(e)
			return false
		}
		unsure = true
		s.config.Logger.Error("execution_cannot_be_recorded", "task", e.id.String(), "error", err)
		pause(ctx, time.Second)
	}
}

// sendFlight sends a transaction that is in the ledger, and finds out what becomes of it.
func (s *Service) sendFlight(ctx context.Context, e *taskEntry, f *ledger.Flight, logs []string) {
	sent, err := s.config.Submitter.Submit(ctx, f.Transaction.Wire)
	now := time.Now()
	s.mu.Lock()
	e.stages.Sent = now
	s.board.launched(e)
	s.flights[e.id] = now
	s.tally.sent++
	if e.tries == 0 {
		s.tally.toWire.addSample(now.Sub(e.readyAt))
	}
	s.mu.Unlock()
	if sent.ByRPC {
		e.requests.n.Add(1)
	}
	s.wakeDispatcher()
	s.readers.sendStep(Progress{Task: e.id, Stage: Sent, At: now, Words: sent.String()})
	if err != nil && rpc.IsInvalid(err) && sent.Leaders == 0 {
		s.handleFailure(ctx, e, setback{verdict: failure.Of(s.config.Profile, err)}, f, logs)
		return
	}
	if err != nil { // it may or may not have been received: it is sent again, and watched
		s.config.Logger.Debug("transaction_not_taken", "task", e.id.String(), "signature", f.Signature().String(), "error", err)
	}
	s.watch(ctx, e, f, sent, logs)
}

// watch waits for the end of a transaction that is on its way.
func (s *Service) watch(ctx context.Context, e *taskEntry, f *ledger.Flight, sent submit.Sent, logs []string) {
	var end submit.End
	var err error
	for {
		if end, err = s.watcher.Watch(ctx, f.Transaction); err == nil || ctx.Err() != nil {
			break
		}
		pause(ctx, time.Second) // too many are watched
	}
	if err != nil {
		return // it stays in the ledger, and is asked for at the next start
	}
	s.landed(ctx, e, f, end.Landed, sent, logs)
}

// landed does what follows from the end of a transaction; nil: it never will.
func (s *Service) landed(ctx context.Context, e *taskEntry, f *ledger.Flight, end *rpc.Landed, sent submit.Sent, logs []string) {
	now := time.Now()
	switch {
	case end == nil:
		s.mu.Lock()
		s.tally.expired++
		s.mu.Unlock()
		s.config.Chain.ForgetBlockhash(f.Transaction.Blockhash)
		s.handleFailure(ctx, e, setback{verdict: failure.Verdict{Class: failure.Expired, Reason: "its blockhash has expired before it landed"}}, f, logs)
	case end.Err != nil:
		v := failure.OfTransaction(s.config.Profile, end.Err, nil)
		s.handleFailure(ctx, e, setback{verdict: v, landed: true, units: f.Units}, f, logs)
	default:
		s.mu.Lock()
		e.stages.Confirmed = now
		if !e.stages.Sent.IsZero() {
			s.tally.toConfirm.addSample(now.Sub(e.stages.Sent))
		}
		s.mu.Unlock()
		s.readers.sendStep(Progress{Task: e.id, Stage: Confirmed, At: now})
		s.executed(ctx, e, f, end.Slot, sent, logs)
	}
}

// random spreads retries.
func random() float64 { return rand.Float64() }
