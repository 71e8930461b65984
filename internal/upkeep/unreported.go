package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// unreported ends attempts that their executor has released and that have no outcome here.
// The outcome was recorded and then lost again, and no executor sends it again.
func (u *Upkeep) unreported(ctx context.Context) error {
	now := time.Now()
	if now.Before(u.ridAt) {
		return nil
	}
	u.ridAt = now.Add(watchEvery - u.config.Every/2) // passes come in steps
	held, err := u.queriesToSend(ctx, now)
	if err != nil || len(held) == 0 {
		return err
	}
	addresses := make([]string, len(held))
	for i := range held {
		addresses[i] = held[i].address
	}
	answers := byExecutor(addresses, func(i int) (err error) {
		held[i].rid, err = u.config.Watcher.Rid(ctx, held[i].address, held[i].attempts)
		return err
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range held {
		if !answers[i].asked || answers[i].err != nil {
			continue
		}
		if err := u.abandon(ctx, &held[i], now); err != nil {
			return err
		}
	}
	return nil
}

// holding is what one executor is believed to have.
type holding struct {
	address  string
	attempts []job.Attempt // by id
	rid      []bool        // which of them it does not have
}

// queriesToSend returns the queries to send, continuing where the last pass ended.
func (u *Upkeep) queriesToSend(ctx context.Context, now time.Time) (all []holding, err error) {
	err = u.holders(ctx, now, &u.ridFrom, u.config.Running.NextNamed, func(address string, attempts []job.Attempt) {
		if len(attempts) > 0 {
			all = append(all, holding{address: address, attempts: attempts})
		}
	})
	return all, err
}

// holders calls next for executors with open attempts that they have held for a while. It
// starts after from, advances it, and wraps around when no address follows. A pass reads at
// most [watchAttempts].
func (u *Upkeep) holders(ctx context.Context, now time.Time, from *string, next func(context.Context, string, time.Time) (string, error),
	show func(address string, attempts []job.Attempt),
) error {
	for left := watchAttempts; left > 0; {
		address, err := next(ctx, *from, now)
		if err != nil {
			return fmt.Errorf("read executors with open attempts: %w", err)
		}
		*from = address
		if address == "" {
			break
		}
		attempts, err := u.config.Running.RunningOn(ctx, address, now.Add(-watchAfter), 0, min(watchEach, left))
		if err != nil {
			return fmt.Errorf("read the attempts of %s: %w", address, err)
		}
		left -= len(attempts) + 1
		show(address, attempts)
	}
	return nil
}

// abandon ends attempts that an executor had released before the pass at now ended, and
// that are still open: an outcome that was in transit when the attempts were read has been
// recorded.
func (u *Upkeep) abandon(ctx context.Context, h *holding, now time.Time) error {
	rid := make(map[int64]bool)
	for i, a := range h.attempts[:min(len(h.attempts), len(h.rid))] {
		rid[a.ID] = h.rid[i]
	}
	still, err := u.config.Running.RunningOn(ctx, h.address, now.Add(-watchAfter), 0, watchEach)
	if err != nil {
		return fmt.Errorf("read the attempts of %s again: %w", h.address, err)
	}
	var outcomes []job.Outcome
	doubtful, since := u.config.Doubtful(h.address)
	for _, a := range still {
		if rid[a.ID] && (!doubtful || !a.TriggeredAt.Before(since)) { // another process may have it
			outcomes = append(outcomes, job.Outcome{
				AttemptID: a.ID, TriggeredAt: a.TriggeredAt, State: job.Lost, EndedAt: time.Now(),
				Message: fmt.Sprintf("executor %s has nothing of the attempt any more and no result is here: a server took it and has lost it, "+
					"or it could not be delivered; look into the executor's log", h.address),
			})
		}
	}
	if outcomes, _, err = u.lostHere(ctx, outcomes, still); err != nil || len(outcomes) == 0 {
		return err
	}
	u.config.Logger.Warn("attempts are lost: their executor has released them", "address", h.address, "count", len(outcomes))
	if err := u.config.Recorder.Complete(ctx, outcomes); err != nil {
		return fmt.Errorf("record %s that %s has released: %w", plural.Count(len(outcomes), "attempt"), h.address, err)
	}
	return nil
}
