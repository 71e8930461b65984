package upkeep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Running finds the attempts of executors that may have forgotten them.
type Running interface {
	// RunningOn returns up to limit open attempts with ids above after that were accepted
	// on the address before an instant, by id.
	RunningOn(ctx context.Context, address string, before time.Time, after int64, limit int) ([]job.Attempt, error)
	// NextNameless returns the first address above after with open attempts and a lease at
	// now of an executor that does not report restarts; "" when there is none.
	NextNameless(ctx context.Context, after string, now time.Time) (string, error)
	// TimeLimits returns the time limits of the jobs of attempts, by attempt; none for
	// jobs without one.
	TimeLimits(ctx context.Context, attempts []int64) (map[int64]time.Duration, error)
	// NextNamed is NextNameless for executors that report restarts.
	NextNamed(ctx context.Context, after string, now time.Time) (string, error)
}

// maxRestarts bounds the queued restarts.
const maxRestarts = 10_000

// restart is what a new process at an address holds of the attempts given to the former
// one.
type restart struct {
	since time.Time
	holds []int64 // sorted
}

// Restarted reports that another process is at an address since an instant, and holds these
// attempts. Of the attempts accepted there before, the next pass ends all others as lost.
// It returns false when too many restarts are queued. It may be called from any goroutine;
// holds must not change any more.
func (u *Upkeep) Restarted(address string, since time.Time, holds []int64) bool {
	holds = slices.Sorted(slices.Values(holds))
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.restarts == nil {
		u.restarts = make(map[string]restart)
	}
	if _, known := u.restarts[address]; !known && len(u.restarts) >= maxRestarts {
		return false
	}
	u.restarts[address] = restart{since, holds}
	return true
}

// restarted ends attempts that restarted executors do not know. A restart that could not be
// processed stays for the next pass.
func (u *Upkeep) restarted(ctx context.Context) error {
	u.mu.Lock()
	waiting := maps.Clone(u.restarts)
	u.mu.Unlock()
	for address, r := range waiting {
		again, err := u.unknown(ctx, address, r)
		if err != nil {
			return err
		}
		if again {
			continue
		}
		u.mu.Lock()
		if u.restarts[address].since.Equal(r.since) {
			delete(u.restarts, address)
		}
		u.mu.Unlock()
	}
	return nil
}

// unknown ends the attempts of one restarted executor that it does not hold, and reports
// whether some of them must be checked again: another process may have them.
func (u *Upkeep) unknown(ctx context.Context, address string, r restart) (again bool, err error) {
	for after := int64(0); ; {
		attempts, err := u.config.Running.RunningOn(ctx, address, r.since, after, u.config.Batch)
		if err != nil {
			return false, fmt.Errorf("read the attempts of %s, which has restarted: %w", address, err)
		}
		var outcomes []job.Outcome
		for _, a := range attempts {
			after = a.ID
			if _, holds := slices.BinarySearch(r.holds, a.ID); holds {
				continue
			}
			outcomes = append(outcomes, unknownAt(address, &a))
		}
		outcomes, unsure, err := u.lostHere(ctx, outcomes, attempts)
		if err != nil {
			return false, err
		}
		again = again || unsure
		if len(outcomes) > 0 {
			u.config.Logger.Warn("attempts are lost: their executor restarted without them", "address", address, "count", len(outcomes))
			if err := u.config.Recorder.Complete(ctx, outcomes); err != nil {
				return false, fmt.Errorf("record %s that %s lost: %w", plural.Count(len(outcomes), "attempt"), address, err)
			}
		}
		if len(attempts) < u.config.Batch {
			return again, nil
		}
	}
}

// unknownAt is the outcome of an attempt that the new process at its address does not have.
func unknownAt(address string, a *job.Attempt) job.Outcome {
	return job.Outcome{
		AttemptID: a.ID, TriggeredAt: a.TriggeredAt, State: job.Lost, EndedAt: time.Now(),
		Message: fmt.Sprintf("executor %s restarted and does not know the attempt", address),
	}
}
