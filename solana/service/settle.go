package service

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/submit"
)

// handleFailure does what follows from an execution that failed. Of a transaction that was sent, f, it is certain that it has failed or
// cannot land any more.
func (s *Service) handleFailure(ctx context.Context, e *taskEntry, b setback, f *ledger.Flight, logs []string) {
	retry := s.ledger.Retry()
	if b.verdict.Class == failure.Permanent {
		e.refused++
		b.refused = e.refused
	}
	s.mu.Lock()
	b.tries, b.nags, b.clock, b.random = e.tries, e.nags, s.board.clock, random()
	b.window = e.window
	b.skippable = e.state != nil && e.state.Trigger.Skippable
	s.tally.failures[b.verdict.Class]++
	s.mu.Unlock()
	d := decide(rules{retry: retry, programRetries: s.config.ProgramRetries, programDelay: s.config.ProgramDelay, again: s.config.Again}, b)
	now := time.Now()
	failed := ledger.Failure{Class: b.verdict.Class, Reason: b.verdict.Reason, At: now, Logs: logs}
	var cost ledger.Cost
	if f != nil && b.landed {
		cost = ledger.CostOf(f, false)
	}
	if d.move == moveBury {
		if d.words != "" {
			failed.Reason = d.words + ": " + failed.Reason
		}
		s.buryExecution(ctx, e, failed, cost)
		return
	}
	if d.try {
		s.mu.Lock()
		e.tries++
		s.tally.retries++
		s.mu.Unlock()
	}
	until := now.Add(d.delay)
	if d.move == moveLook || d.move == moveStop {
		until = now
	}
	news := failed.Class != e.failed.Class || failed.Reason != e.failed.Reason
	if f != nil || d.try || d.units > 0 || news && d.move != moveLook {
		p := ledger.Postponement{Due: until, Failed: failed, Tries: e.tries, Units: d.units, Cost: cost}
		if !s.persist(ctx, e, "postpone", func() error {
			_, err := s.ledger.Postpone(ctx, e.id, p)
			return err
		}) {
			return
		}
		e.failed = failed
		if d.units > 0 {
			e.units = d.units
		}
	}
	words := b.verdict.String()
	switch d.move {
	case moveRetry:
		s.count(e, b.verdict.Class)
		s.parkUnlessNews(e, wait{reason: forRetry, until: until}, words)
	case moveClock:
		e.nags = 0
		s.parkUnlessNews(e, wait{reason: forClock, until: until, chain: d.chain}, words)
	case moveWatch:
		s.parkUnlessNews(e, wait{reason: forChange, until: until}, words)
	case moveStop:
		s.stopSending(ctx, b.verdict.Reason)
		s.yield(e)
	case moveLook:
		if f != nil { // it was on its way: what is next is built, and seen then
			s.yield(e)
			return
		}
		s.readRooted(ctx, e, b.verdict.Reason, b.verdict.Code)
	case moveBury:
	}
}

// count counts what is not counted in tries.
func (s *Service) count(e *taskEntry, c failure.Class) {
	if c == failure.NotReady || c == failure.Paused {
		e.nags++
	} else {
		e.nags = 0
	}
	if c != failure.Superseded {
		e.rebuilds = 0
	}
}

// readRooted reads a thread as most of the stake sees it: what was executed is done, the rest is built again.
func (s *Service) readRooted(ctx context.Context, e *taskEntry, words string, code uint32) {
	accounts, _, err := s.config.Chain.Accounts(ctx, rpc.Confirmed, e.thread)
	if ctx.Err() != nil {
		s.yield(e)
		return
	}
	e.requests.n.Add(1)
	if err != nil {
		s.handleFailure(ctx, e, setback{verdict: failure.Of(s.config.Profile, err), after: retryAfter(err)}, nil, nil)
		return
	}
	if accounts[0] == nil || accounts[0].Owner != s.config.Profile.Program {
		s.settle(ctx, e, Gone, "the thread is closed")
		return
	}
	state, err := s.config.Profile.DecodeThread(accounts[0].Data)
	if err != nil {
		s.handleFailure(ctx, e, setback{verdict: failure.Of(s.config.Profile, err)}, nil, nil)
		return
	}
	further := s.compare(e, state)
	if further > 0 {
		s.config.Owner.Seen(e.thread, state.LastExecutor, state.ExecCount)
		s.settle(ctx, e, Superseded, "another executor has executed it")
		return
	}
	if e.rebuilds >= mostRebuilds {
		if further < 0 { // a fork has taken back what was seen
			s.settle(ctx, e, Superseded, "the thread is not as far as it was seen to be")
			return
		}
		e.rebuilds = 0
		v := failure.Verdict{Class: failure.Transient, Code: code, Reason: fmt.Sprintf("%d times it was rebuilt for nothing: %s", mostRebuilds, words)}
		s.handleFailure(ctx, e, setback{verdict: v}, nil, nil)
		return
	}
	e.rebuilds++
	s.mu.Lock()
	if further == 0 {
		e.state = state // its fibers may be others
	}
	s.mu.Unlock()
	s.parkUnlessNews(e, wait{reason: forRetry, until: time.Now().Add(rebuildDelay)}, words)
}

// persist has the ledger make a move, however often that takes: a full disk is no reason to forget one. It returns false when it
// could not be made before the service ended, or the ledger has the task no more; the entry is off the board then.
func (s *Service) persist(ctx context.Context, e *taskEntry, what string, move func() error) bool {
	for first := true; ; first = false {
		err := move()
		switch {
		case err == nil:
			return true
		case job.Is(err, job.NotFound):
			s.dropEntry(e)
			return false
		case ctx.Err() != nil:
			return false // the ledger has it as it was
		}
		if first {
			s.config.Logger.Error("ledger_cannot_be_written", "move", what, "task", e.id.String(), "error", err)
		}
		pause(ctx, time.Second)
	}
}

// executed ends an execution that has landed.
func (s *Service) executed(ctx context.Context, e *taskEntry, f *ledger.Flight, slot uint64, sent submit.Sent, logs []string) {
	done := s.settlement(e, Executed)
	done.Signature, done.Slot, done.Path, done.Logs = f.Signature(), slot, sent.String(), ledger.Tail(logs)
	done.Fibers, done.Units, done.Price = f.Fibers, f.Units, f.Price
	done.Fee, done.Before, done.After, done.Expected = f.Fee, f.Before, f.After, f.Net()
	cost := ledger.CostOf(f, true)
	report := s.report(&done)
	if !s.persist(ctx, e, "settle", func() error { return s.ledger.Settle(ctx, time.Now(), e.id, true, cost, report) }) {
		return
	}
	s.config.Owner.Seen(e.thread, s.config.Signer.Public(), e.count+uint64(max(f.Fibers, 1)))
	s.ended(e, done)
}

// settle ends an execution that is wanted no more. The ledger does not remember it: a fork may take the reason back.
func (s *Service) settle(ctx context.Context, e *taskEntry, o Outcome, words string) {
	done := s.settlement(e, o)
	done.Class, done.Reason = failure.Superseded, words
	report := s.report(&done)
	if !s.persist(ctx, e, "settle", func() error { return s.ledger.Settle(ctx, time.Now(), e.id, false, ledger.Cost{}, report) }) {
		return
	}
	s.ended(e, done)
	if s.observer != nil && o == Superseded {
		s.observer.Again(e.thread)
	}
}

// buryExecution gives an execution up.
func (s *Service) buryExecution(ctx context.Context, e *taskEntry, failed ledger.Failure, cost ledger.Cost) {
	done := s.settlement(e, Buried)
	done.Class, done.Reason, done.Logs = failed.Class, failed.Reason, ledger.Tail(failed.Logs)
	report := s.report(&done)
	if !s.persist(ctx, e, "bury", func() error {
		_, err := s.ledger.Bury(ctx, time.Now(), e.id, failed, cost, report)
		return err
	}) {
		return
	}
	s.ended(e, done)
}

// tellSuperseded reports an execution that a later one has already replaced in the ledger.
func (s *Service) tellSuperseded(ctx context.Context, e *taskEntry) {
	done := s.settlement(e, Superseded)
	done.Class, done.Reason = failure.Superseded, "a later execution of the thread is due"
	if report := s.report(&done); report != nil {
		if err := s.ledger.Report(ctx, time.Now(), report); err != nil {
			s.config.Logger.Warn("that an execution was superseded is not reported", "task", e.id.String(), "error", err)
		}
	}
	s.reportEnd(e, done)
}

func (s *Service) settlement(e *taskEntry, o Outcome) Settlement {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := Settlement{
		Task: e.id, Thread: e.thread, ExecCount: e.count, Outcome: o, Stages: e.stages, Tries: e.tries,
		Path: "none", Requests: int(e.requests.n.Load()), Recovered: e.stages.Begun.IsZero() && o == Executed,
	}
	if e.state != nil {
		d.Trigger = e.state.Trigger.Kind
	}
	return d
}

// ended removes an entry from the board and reports how it ended.
func (s *Service) ended(e *taskEntry, done Settlement) {
	s.dropEntry(e)
	s.reportEnd(e, done)
}

// reportEnd counts and reports how an execution ended.
func (s *Service) reportEnd(e *taskEntry, done Settlement) {
	now := time.Now()
	s.mu.Lock()
	s.tally.outcomes[done.Outcome]++
	if done.Outcome == Executed {
		s.tally.fibers += uint64(max(done.Fibers, 1))
		s.tally.toSettle.addSample(now.Sub(e.created))
	}
	s.mu.Unlock()
	s.logEnd(e, done, now)
	if s.config.Hooks.Settled != nil {
		s.hooks.Lock()
		s.config.Hooks.Settled(done)
		s.hooks.Unlock()
	}
	words := string(done.Outcome)
	if done.Reason != "" {
		words += ": " + done.Reason
	}
	s.readers.sendLast(Progress{Task: e.id, Stage: Ended, At: now, Words: words})
}

// logEnd is the one line in the log of each execution.
func (s *Service) logEnd(e *taskEntry, d Settlement, now time.Time) {
	level := slog.LevelInfo
	if d.Outcome == Buried {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("task", d.Task.String()), slog.String("thread", d.Thread.String()), slog.Uint64("exec_count", d.ExecCount),
		slog.String("outcome", string(d.Outcome)), slog.String("path", d.Path), slog.Int("rpc_calls", d.Requests), slog.Int("tries", d.Tries),
	}
	if d.Reason != "" {
		attrs = append(attrs, slog.String("class", string(d.Class)), slog.String("reason", d.Reason))
	}
	if d.Outcome == Executed {
		attrs = append(attrs, slog.String("signature", d.Signature.String()), slog.Uint64("slot", d.Slot), slog.Int64("lamports", d.Expected))
	}
	last := d.Stages.Queued
	for _, x := range []struct {
		name string
		at   time.Time
	}{
		{"begun_ms", d.Stages.Begun},
		{"built_ms", d.Stages.Built},
		{"recorded_ms", d.Stages.Recorded},
		{"sent_ms", d.Stages.Sent},
		{"confirmed_ms", d.Stages.Confirmed},
		{"settled_ms", now},
	} {
		if x.at.IsZero() || last.IsZero() {
			continue
		}
		attrs = append(attrs, slog.Float64(x.name, float64(x.at.Sub(last).Microseconds())/1000))
		last = x.at
	}
	attrs = append(attrs, slog.Float64("total_ms", float64(now.Sub(e.created).Microseconds())/1000))
	s.config.Logger.LogAttrs(context.Background(), level, "execution_settled", attrs...)
}

// parkUnlessNews makes an entry wait, unless news about what it would wait for has arrived since.
func (s *Service) parkUnlessNews(e *taskEntry, w wait, words string) {
	now := time.Now()
	s.mu.Lock()
	delete(s.flights, e.id)
	if e.removed {
		s.board.release(e)
		s.mu.Unlock()
		return
	}
	if w.reason == forChange && e.told.news || e.told.gone || e.told.state != nil {
		w = wait{reason: forRetry, until: now.Add(shortest)}
	}
	s.board.parkEntry(e, w, now)
	s.mu.Unlock()
	s.wakeDispatcher()
	s.readers.sendStep(Progress{Task: e.id, Stage: Waiting, At: now, Words: words})
}

// yield gives an entry back as it is: it is ready.
func (s *Service) yield(e *taskEntry) {
	s.mu.Lock()
	delete(s.flights, e.id)
	if e.removed {
		s.board.release(e)
	} else {
		s.board.makeReady(e, time.Now())
	}
	s.mu.Unlock()
	s.wakeDispatcher()
}

// dropEntry takes an entry off the board.
func (s *Service) dropEntry(e *taskEntry) {
	s.mu.Lock()
	delete(s.flights, e.id)
	if e.removed {
		s.board.release(e)
	} else {
		s.board.remove(e)
		if e.phase == working {
			s.board.release(e)
		}
	}
	s.mu.Unlock()
	s.wakeDispatcher()
}
