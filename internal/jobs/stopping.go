package jobs

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// Stopper keeps the wish that a run ends while an executor has it.
type Stopper interface {
	// StopRun moves a run that was sent to stopping, with the reason. It reports
	// false when its current attempt is another one or has ended, or when the run
	// is stopping already.
	StopRun(ctx context.Context, s job.Stop, reason string) (bool, error)
	// SaveStop writes where a stop stands, with a note for people.
	SaveStop(ctx context.Context, s job.Stop, note string) error
	// NoteBeside writes the reason into the other runs of the attempt's job that
	// its executor has, and returns them, at most 20.
	NoteBeside(ctx context.Context, a job.Attempt, reason string) ([]int64, error)
}

// The wait for the end of a run after the request to its executor.
const (
	endWait  = 2 * time.Second
	endPause = 20 * time.Millisecond  // at first, then twice as long each time
	endLong  = 500 * time.Millisecond // and at most
	tellWait = 10 * time.Second       // for executor and database, whatever the user does
)

// stop moves a run that was sent to stopping and calls its executor. It returns false when
// the run has another state by now.
func (c *Catalog) stop(ctx context.Context, r job.Run, reason string) (bool, error) {
	attempt, err := c.AttemptOf(ctx, r, 0)
	if err != nil {
		return false, err
	}
	if attempt.Broadcast() { // it was split in between, and no executor has it
		return false, nil
	}
	alone := c.alone(r.GroupID, attempt.Address)
	if !alone {
		beside, err := c.config.Stopper.NoteBeside(ctx, attempt, job.BesideReason(r.ID, attempt.Address))
		if err != nil {
			return false, fmt.Errorf("note what else executor %s ends: %w", attempt.Address, err)
		}
		reason = withBeside(reason, attempt.Address, beside)
	}
	wish := job.NewStop(r.ID, attempt.ID, time.Now())
	moved, err := c.config.Stopper.StopRun(ctx, wish, reason)
	if err != nil || !moved {
		return false, err
	}
	if err := c.tell(ctx, &attempt, wish, alone); err != nil {
		return true, err
	}
	c.ended(ctx, r.ID)
	return true, nil
}

// alone reports whether the executor is known to be one that can end an attempt
// without the others of its job.
func (c *Catalog) alone(group int64, address string) bool {
	return slices.ContainsFunc(c.config.Leases.Executors(), func(e job.Executor) bool {
		return e.GroupID == group && e.Address == address && e.Incarnation != ""
	})
}

// withBeside adds to the reason of a stop which runs end with it.
func withBeside(reason, address string, beside []int64) string {
	if len(beside) == 0 {
		return reason
	}
	ids := make([]string, len(beside))
	for i, id := range beside {
		ids[i] = strconv.FormatInt(id, 10)
	}
	added := fmt.Sprintf("; executor %s cannot end one attempt alone: it ends all that it has of the job, also run %s",
		address, strings.Join(ids, ", "))
	return job.Clean(reason, job.MaxMessage-len(added)) + added
}

// tell ends the attempt of a stopping run: it is no longer sent, or its executor is called.
// This continues after the user has left; upkeep completes the rest.
func (c *Catalog) tell(ctx context.Context, a *job.Attempt, wish job.Stop, alone bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellWait)
	defer cancel()
	if c.config.Hooks.Withdraw(a.ID) {
		err := c.config.Outcomes.Complete(ctx, []job.Outcome{{
			AttemptID: a.ID, TriggeredAt: a.TriggeredAt, State: job.Cancelled,
			Message: "it was not sent any more", EndedAt: time.Now(),
		}})
		if err != nil {
			return fmt.Errorf("record the end of run %d: %w", a.RunID, err)
		}
		return nil
	}
	err := c.config.Executors.KillAttempt(ctx, a.Address, a.JobID, a.ID)
	next, note := wish.Called(a.Address, err, alone, time.Now())
	if err := c.config.Stopper.SaveStop(ctx, next, note); err != nil {
		return fmt.Errorf("run %d is stopping; record what executor %s said: %w", a.RunID, a.Address, err)
	}
	return nil
}

// ended waits for the end of a run that is stopping, until that takes too long,
// cannot be seen, or ctx ends.
func (c *Catalog) ended(ctx context.Context, run int64) {
	ctx, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	for pause := endPause; ; pause = min(2*pause, endLong) {
		if r, err := c.Run(ctx, run); err != nil || r.State != job.Stopping {
			return
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}
