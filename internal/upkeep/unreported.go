package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// unreported ends attempts that their executor is rid of and that have no outcome here.
// Who took it has lost it again, and it comes from nobody any more.
func (u *Upkeep) unreported(ctx context.Context) error {
	now := time.Now()
	if now.Before(u.ridAt) {
		return nil
	}
	u.ridAt = now.Add(watchEvery - u.config.Every/2) // looks come in steps
	held, err := u.held(ctx, now)
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
	rid      []bool        // which of them it has not
}

// held returns what is to be asked, from where the last look ended.
func (u *Upkeep) held(ctx context.Context, now time.Time) (all []holding, err error) {
	err = u.holders(ctx, now, &u.ridFrom, u.config.Running.NextNamed, func(address string, attempts []job.Attempt) {
		if len(attempts) > 0 {
			all = append(all, holding{address: address, attempts: attempts})
		}
	})
	return all, err
}

// holders shows, of executors that hold open attempts, what they have held for a while. It begins behind from, moves it
// on, and begins anew when there is none behind it; a look reads [watchAttempts] at most.
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

// abandon ends what an executor was rid of before the look at now ended, and is still
// open: an outcome that was on its way when the attempts were read has been recorded.
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
	u.config.Logger.Warn("attempts are lost: their executor has nothing of them any more", "address", h.address, "count", len(outcomes))
	if err := u.config.Recorder.Complete(ctx, outcomes); err != nil {
		return fmt.Errorf("record %s that %s is rid of: %w", plural.Count(len(outcomes), "attempt"), h.address, err)
	}
	return nil
}
