package dispatcher

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// settleBatch bounds the answers of one turn of the settler.
	settleBatch = 512
	// acceptDelay is how long an acceptance may wait for its row. Most short
	// attempts are over by then, and their outcome needs no such row.
	acceptDelay = 25 * time.Millisecond
	// acceptAgain is how long acceptances wait while the store is away, at most
	// acceptKept of them: upkeep asks for the others.
	acceptAgain = time.Second
	acceptKept  = 16 * settleBatch
	// writeAgain is the pause between two tries to write an answer, and
	// writeTries how often it is tried when the store is there and says no.
	writeAgain = 250 * time.Millisecond
	writeTries = 3
)

// settled is what became of a marked item.
type settled struct {
	item *item
	err  error // nil: accepted
}

// settler turns answers into rows. One goroutine owns it; lanes wait when it
// does not keep up.
type settler struct {
	d        *Dispatcher
	answers  chan settled
	accepted []Accepted // acceptances waiting for their rows
	writeAt  time.Time  // when they are written; meaningless when there is none
}

func newSettler(d *Dispatcher) *settler {
	return &settler{d: d, answers: make(chan settled, settleBatch)}
}

func (s *settler) put(a settled) { s.answers <- a }

// close says that no answer comes any more.
func (s *settler) close() { close(s.answers) }

// run writes rows until close. When ctx ends nothing is tried a second time.
func (s *settler) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case a, ok := <-s.answers:
			if !ok {
				s.accept(ctx)
				return
			}
			s.settle(ctx, s.gather(a))
		case <-timer.C:
		}
		if len(s.accepted) > 0 && !time.Now().Before(s.writeAt) {
			s.accept(ctx)
		}
		if len(s.accepted) == 0 {
			timer.Reset(time.Hour)
		} else {
			timer.Reset(max(time.Until(s.writeAt), 0))
		}
	}
}

// gather takes the answers that are there already.
func (s *settler) gather(first settled) []settled {
	batch := make([]settled, 1, 1+len(s.answers))
	batch[0] = first
	for len(batch) < settleBatch {
		select {
		case a, ok := <-s.answers:
			if !ok {
				return batch
			}
			batch = append(batch, a)
		default:
			return batch
		}
	}
	return batch
}

// settle carries out what the answers mean.
func (s *settler) settle(ctx context.Context, batch []settled) {
	now := time.Now()
	var again []Requeued
	var outcomes []job.Outcome
	until := now.Add(s.d.config.Check)
	for _, a := range batch {
		attempt := &a.item.attempt
		verdict, delay := judge(a, s.d.config.Undelivered, now)
		end := attempt.TriggeredAt.Add(s.d.config.Check)
		if verdict != taken && !now.Before(end) {
			verdict = unknown // upkeep may have sent it meanwhile
		}
		switch verdict {
		case taken:
			s.note(Accepted{AttemptID: attempt.ID, RunID: attempt.RunID, At: now})
		case notDelivered:
			again = append(again, Requeued{
				RunID: attempt.RunID, AttemptID: attempt.ID, Reason: reason(a), ReadyAt: now.Add(delay), Now: now,
			})
			until = earlier(until, end)
		case refused:
			outcomes = append(outcomes, job.Outcome{
				AttemptID: attempt.ID, TriggeredAt: attempt.TriggeredAt, State: endOf(a.err), Message: reason(a), EndedAt: now,
			})
			until = earlier(until, end)
		case unknown:
			s.d.config.Logger.Warn("an executor did not answer; the run stays dispatched until its state is known",
				"run_id", attempt.RunID, "attempt_id", attempt.ID, "address", attempt.Address, "error", a.err)
		}
	}
	s.write(ctx, again, outcomes, until)
	for _, a := range batch {
		s.d.forget(a.item)
	}
	s.d.poke()
}

// write commits what is not accepted.
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

// persist calls write until it succeeds, or until the attempts are upkeep's: it
// may have sent them again by then, so that nothing may be said about them any
// more. Answers that come meanwhile wait, and their lanes with them.
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

// note keeps an acceptance until its row is written.
func (s *settler) note(a Accepted) {
	if len(s.accepted) == 0 {
		s.writeAt = a.At.Add(acceptDelay)
	}
	if len(s.accepted) < acceptKept {
		s.accepted = append(s.accepted, a)
	}
}

// accept writes acceptances. They are kept while the store is away.
func (s *settler) accept(ctx context.Context) {
	if len(s.accepted) == 0 {
		return
	}
	if err := s.d.config.Acceptor.MarkAccepted(ctx, s.accepted); err != nil {
		s.d.config.Logger.Error("acceptances could not be recorded", "count", len(s.accepted), "error", err)
		if job.Is(err, job.Unavailable) {
			s.writeAt = time.Now().Add(acceptAgain)
			return
		}
	}
	s.accepted = s.accepted[:0]
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
