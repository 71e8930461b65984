package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Stops reads and writes the stops by users of runs that executors have.
type Stops interface {
	// Stops returns up to limit stops that are due by now, and whether there may be more.
	Stops(ctx context.Context, now time.Time, limit int) (due []Stopping, more bool, err error)
	// SaveStop writes the state of a stop, with a note for people.
	SaveStop(ctx context.Context, s job.Stop, note string) error
	// NoteBeside writes the reason into the other runs of the attempt's job that its
	// executor has, and returns some of them.
	NoteBeside(ctx context.Context, a job.Attempt, reason string) ([]int64, error)
}

// errStopping means that the run of an attempt is to end: the attempt must not be sent
// again, and its executor learns of the stop by another way.
var errStopping = errors.New("the run is to end")

// errMoved means that an attempt is at another address now; the next pass queries that one.
var errMoved = errors.New("the attempt is at another address")

// errDoubtful means that the process at an address may not be the one that received an
// attempt, and that the other one may have it.
var errDoubtful = errors.New("another process of its address may have the attempt")

// Stopping is a run that a user stops, and what its executor has of it.
type Stopping struct {
	Stop    job.Stop
	Attempt job.Attempt
	Group   string
}

// stopping continues the stops of users, whichever server accepted them, and reports
// whether there may be more. It sends the kill again to executors that did not acknowledge
// it. It records as cancelled what they do not report in time.
func (u *Upkeep) stopping(ctx context.Context) (more bool, err error) {
	due, more, err := u.config.Stops.Stops(ctx, time.Now(), u.config.Batch)
	if err != nil {
		return false, fmt.Errorf("read runs that users stop: %w", err)
	}
	addresses := make([]string, len(due))
	for i := range due {
		addresses[i] = due[i].Attempt.Address
	}
	answers := byExecutor(addresses, func(i int) error { return u.sendStop(ctx, &due[i]) })
	if err := ctx.Err(); err != nil {
		return false, err
	}
	now := time.Now()
	var outcomes []job.Outcome
	for i := range due {
		message, over, err := u.noteAnswer(ctx, &due[i], answers[i], now)
		if err != nil {
			return false, err
		}
		if over {
			a := &due[i].Attempt
			outcomes = append(outcomes, job.Outcome{
				AttemptID: a.ID, TriggeredAt: a.TriggeredAt, State: job.Cancelled, Message: message, EndedAt: now,
			})
		}
	}
	if len(outcomes) == 0 {
		return more, nil
	}
	u.config.Logger.Warn("stopped runs are recorded as cancelled without a report of their executors", "count", len(outcomes))
	if err := u.config.Recorder.Complete(ctx, outcomes); err != nil {
		return false, fmt.Errorf("record %s as cancelled: %w", plural.Count(len(outcomes), "run"), err)
	}
	return more, nil
}

// noteAnswer interprets the answer of an executor, and writes it unless the stop is over.
func (u *Upkeep) noteAnswer(ctx context.Context, s *Stopping, a attemptStatus, now time.Time) (message string, over bool, err error) {
	address, alone := s.Attempt.Address, u.alone(s)
	next, text := s.Stop, ""
	switch {
	case !a.asked: // there was no time for it
		next.LookAt = now.Add(u.config.Every)
	case s.Stop.Tell(alone):
		next, text = s.Stop.Called(address, a.err, alone, now)
	}
	if message, over = next.Over(address, alone, now); over {
		return message, true, nil
	}
	if err := u.config.Stops.SaveStop(ctx, next, text); err != nil {
		return "", false, fmt.Errorf("record the answer of executor %s to the stop of run %d: %w", address, s.Stop.RunID, err)
	}
	return "", false, nil
}

// alone reports whether the executor can end one attempt without the others of
// its job.
func (u *Upkeep) alone(s *Stopping) bool { return u.config.Once(s.Group, s.Attempt.Address) }

// sendStop sends one stop to the executor, unless it must not be sent again.
func (u *Upkeep) sendStop(ctx context.Context, s *Stopping) error {
	alone := u.alone(s)
	if !s.Stop.Tell(alone) {
		return nil
	}
	if !alone {
		if _, err := u.config.Stops.NoteBeside(ctx, s.Attempt, job.BesideReason(s.Stop.RunID, s.Attempt.Address)); err != nil {
			return fmt.Errorf("add the reason to the other runs of the job: %w", err)
		}
	}
	return u.config.Killer.KillAttempt(ctx, s.Attempt.Address, s.Attempt.JobID, s.Attempt.ID)
}
