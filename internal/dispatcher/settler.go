package dispatcher

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/job"
)

const (
	// settleBatch is how many answers fill a turn of the settler: the last call may add to
	// them.
	settleBatch = 512
	// settleCalls bounds the calls whose answers wait for a turn.
	settleCalls = 64
	// acceptAgain is how long acceptances wait while the store is away, at most acceptKept
	// of them: upkeep queries executors about the others.
	acceptAgain = time.Second
	acceptKept  = 16 * settleBatch
	// writeAgain is the pause between two attempts to write an answer, and writeTries how
	// many there are when the store is there and returns an error.
	writeAgain = 250 * time.Millisecond
	writeTries = 3
	// askSoon is when an executor is queried that gave no answer and takes an attempt at
	// most once whatever happens.
	askSoon = 2 * time.Second
)

// settler turns answers into rows. One goroutine owns it; lanes wait when it does not keep
// up.
type settler struct {
	d       *Dispatcher
	answers chan []waiting.Reply
	writeAt time.Time // when acceptances are written; meaningless when there is none

	mu       sync.Mutex
	accepted map[int64]Accepted // guarded by mu: acceptances waiting for their rows, by attempt
}

func newSettler(d *Dispatcher) *settler {
	return &settler{d: d, answers: make(chan []waiting.Reply, settleCalls), accepted: make(map[int64]Accepted)}
}

// enqueue takes the answers of a call.
func (s *settler) enqueue(answers []waiting.Reply) { s.answers <- answers }

// close ends the stream of answers.
func (s *settler) close() { close(s.answers) }

// writeRows writes rows until close. After the end of ctx it retries nothing.
func (s *settler) writeRows(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case a, ok := <-s.answers:
			if !ok {
				s.accept(ctx, time.Time{})
				return
			}
			s.settle(ctx, s.gather(a))
		case <-timer.C:
		}
		if now := time.Now(); s.pending() > 0 && !now.Before(s.writeAt) {
			s.accept(ctx, now)
		}
		if s.pending() == 0 {
			timer.Reset(time.Hour)
		} else {
			timer.Reset(max(time.Until(s.writeAt), 0))
		}
	}
}

// gather adds the answers that are already queued.
func (s *settler) gather(batch []waiting.Reply) []waiting.Reply {
	for len(batch) < settleBatch {
		select {
		case more, ok := <-s.answers:
			if !ok {
				return batch
			}
			batch = append(batch, more...)
		default:
			return batch
		}
	}
	return batch
}

// settle applies the answers.
func (s *settler) settle(ctx context.Context, batch []waiting.Reply) {
	now := time.Now()
	var again []Requeued
	var outcomes []job.Outcome
	var ask []int64
	until := now.Add(s.d.config.Check)
	for _, a := range batch {
		attempt := &a.Item.Attempt
		verdict, delay := waiting.Judge(a, s.d.config.Undelivered, now)
		end := a.Item.Window
		if verdict != waiting.Taken && a.Item.LeaseLeft(now) <= 0 {
			verdict = waiting.Unknown // upkeep may have sent it since
		}
		switch verdict {
		case waiting.Taken:
			at := waiting.Later(now, attempt.TriggeredAt) // it may arrive before its time
			s.noteAccepted(Accepted{AttemptID: attempt.ID, RunID: attempt.RunID, At: at})
			s.d.sent.Accepted(attempt.ID, at)
			s.d.config.Hooks.Accepted(*attempt, a.Item.Job)
		case waiting.NotDelivered, waiting.TakenBack:
			s.d.sent.Forget(attempt.ID)
			again = append(again, Requeued{
				RunID: attempt.RunID, AttemptID: attempt.ID, Reason: waiting.ReasonOf(a), CheckAt: a.Item.CheckAt,
				TakenBack: verdict == waiting.TakenBack, TriggeredAt: attempt.TriggeredAt, Deadline: a.Item.Job.Delivery.Deadline,
				ReadyAt: waiting.Later(now.Add(delay), attempt.TriggeredAt.Add(time.Millisecond)), Now: now,
			})
			until = earlier(until, end)
		case waiting.Refused:
			outcomes = append(outcomes, job.Outcome{
				AttemptID: attempt.ID, TriggeredAt: attempt.TriggeredAt, State: waiting.EndOf(a.Err), Message: waiting.ReasonOf(a), EndedAt: now,
			})
			until = earlier(until, end)
		case waiting.Unknown:
			s.d.config.Logger.Warn("an executor did not answer; the run stays dispatched until its state is known",
				"run_id", attempt.RunID, "attempt_id", attempt.ID, "address", attempt.Address, "error", a.Err)
			if now.Add(askSoon).Before(end) && s.d.config.Once(a.Item.Job.Group, attempt.Address) {
				ask = append(ask, attempt.RunID)
			}
		}
	}
	s.hasten(ctx, ask, s.d.config.Now().Add(askSoon))
	s.write(ctx, again, outcomes, until)
	for _, a := range batch {
		s.d.forget(a.Item)
	}
	s.d.wakeLoop()
}

// hasten makes upkeep check runs sooner. A failure to write that does no harm.
func (s *settler) hasten(ctx context.Context, runs []int64, at time.Time) {
	if len(runs) == 0 {
		return
	}
	if err := s.d.config.Acceptor.Postpone(ctx, runs, at); err != nil {
		s.d.config.Logger.Warn("executors without an answer are asked later than they could be", "count", len(runs), "error", err)
	}
}

// write commits the answers other than acceptances.
func (s *settler) write(ctx context.Context, again []Requeued, outcomes []job.Outcome, until time.Time) {
	if len(again) > 0 {
		s.persist(ctx, "undelivered", len(again), until, func() error {
			return s.d.config.Store.Requeue(ctx, again)
		})
		for _, r := range again {
			s.d.WakeAt(r.ReadyAt)
		}
	}
	if len(outcomes) > 0 {
		s.persist(ctx, "refused", len(outcomes), until, func() error {
			return s.d.config.Outcomes.Complete(ctx, outcomes)
		})
	}
}

// persist calls write until it succeeds, or until upkeep owns the attempts: upkeep may have
// sent them again by then, so that nothing may be written about them any more. Answers that
// arrive in the meantime wait, and their lanes with them.
func (s *settler) persist(ctx context.Context, what string, count int, until time.Time, write func() error) {
	for try := 1; ; try++ {
		err := write()
		if err == nil {
			return
		}
		hopeless := try >= writeTries && !job.Is(err, job.Unavailable)
		if hopeless || ctx.Err() != nil || time.Until(until) <= 2*writeAgain {
			s.d.config.Logger.Error("answers could not be written; upkeep will find their attempts",
				"answers", what, "count", count, "error", err)
			return
		}
		if try == 1 {
			s.d.config.Logger.Warn("answers could not be written; trying again", "answers", what, "count", count, "error", err)
		}
		select {
		case <-time.After(writeAgain):
		case <-ctx.Done():
		}
	}
}

// noteAccepted keeps an acceptance until its row is written, or the attempt has ended.
func (s *settler) noteAccepted(a Accepted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.accepted) == 0 {
		s.writeAt = a.At.Add(s.d.config.Settle)
	}
	if len(s.accepted) < acceptKept {
		s.accepted[a.AttemptID] = a
	}
}

// Over reports that an attempt has ended: its acceptance need not be written any more. Any
// goroutine may call it.
func (d *Dispatcher) Over(attempt int64) {
	d.settler.forgetAccepted(attempt)
	d.sent.Forget(attempt)
}

// forgetAccepted drops the acceptance of an attempt that has ended.
func (s *settler) forgetAccepted(attempt int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.accepted, attempt)
}

func (s *settler) pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.accepted)
}

// accept writes the acceptances that have waited for half of their time by now, all of them
// when now is zero, in the order of their attempts. They are kept while the store is away.
// The others may have ended before their own time has come.
func (s *settler) accept(ctx context.Context, now time.Time) {
	rows := s.takeRipe(now)
	if len(rows) == 0 {
		return
	}
	if err := s.d.config.Acceptor.MarkAccepted(ctx, rows); err != nil {
		s.d.config.Logger.Error("acceptances could not be recorded", "count", len(rows), "error", err)
		if job.Is(err, job.Unavailable) {
			s.writeAt = time.Now().Add(acceptAgain)
			return
		}
	}
	for _, a := range rows {
		s.forgetAccepted(a.AttemptID)
	}
}

// takeRipe returns the acceptances to write, and records when the first of the others is due.
func (s *settler) takeRipe(now time.Time) []Accepted {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := make([]Accepted, 0, len(s.accepted))
	var first time.Time // of the others
	for _, a := range s.accepted {
		if now.IsZero() || now.Sub(a.At) >= s.d.config.Settle/2 {
			rows = append(rows, a)
		} else if first.IsZero() || a.At.Before(first) {
			first = a.At
		}
	}
	if !first.IsZero() {
		s.writeAt = first.Add(s.d.config.Settle)
	}
	slices.SortFunc(rows, func(a, b Accepted) int { return cmp.Compare(a.AttemptID, b.AttemptID) })
	return rows
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
