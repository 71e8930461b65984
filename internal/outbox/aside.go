package outbox

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

const (
	// maxAside bounds the outcomes that are set aside. Further ones block the queue until
	// there is room.
	maxAside = 10_000
	// asideCalls bounds the calls of a round that divide batches.
	asideCalls = 64
)

// aside is the outcomes that servers accept from another sender only, such as one with the
// token of their group. They stay in the queue and are sent again in rounds, apart from the
// others.
type aside struct {
	keys   map[int64]struct{}
	at     time.Time // of the next round
	rounds int       // since it was empty
	calls  int       // how many may still divide batches in this round
}

func (a *aside) empty() bool { return len(a.keys) == 0 }

// without returns the items that were not set aside.
func (a *aside) without(items []queue.Item) []queue.Item {
	if a.empty() {
		return items
	}
	return slices.DeleteFunc(items, func(it queue.Item) bool {
		_, is := a.keys[it.Key]
		return is
	})
}

// mayDivide reports whether a batch of n is divided, which takes two calls.
func (a *aside) mayDivide(n int) bool {
	if a.empty() && a.rounds == 0 && a.calls == 0 {
		a.calls = asideCalls
	}
	if n == 1 || a.calls < 2 {
		return false
	}
	a.calls -= 2
	return true
}

// setAside keeps outcomes for the next round. If there are several, the server has accepted
// the acceptable ones all the same.
func (o *Outbox) setAside(batch []job.Outcome, reason error) error {
	a := &o.aside
	if len(a.keys)+len(batch) > maxAside {
		return fmt.Errorf("send %s: %w", plural.Count(len(batch), "outcome"), reason)
	}
	if a.keys == nil {
		a.keys = make(map[int64]struct{})
	}
	for i := range batch {
		a.keys[batch[i].AttemptID] = struct{}{}
	}
	if now := time.Now(); !a.at.After(now) {
		a.rounds++
		wait, _ := o.config.Backoff.Delay(min(a.rounds, o.config.Backoff.Tries), rand.Float64())
		a.at = now.Add(wait)
		o.config.Logger.Warn("outcomes_not_sent", "error", reason, "failures", a.rounds, "next_try_in", wait)
		o.config.Hooks.Failed(reason, wait)
	}
	return nil
}

// waitAside waits for the next round, or until there are other outcomes.
func (o *Outbox) waitAside(ctx context.Context) {
	timer := time.NewTimer(time.Until(o.aside.at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-o.wake:
	case <-ctx.Done():
	}
}

// sendAside sends the outcomes set aside when their round is due.
func (o *Outbox) sendAside(ctx context.Context) error {
	a := &o.aside
	if a.empty() || time.Now().Before(a.at) {
		return nil
	}
	keys := slices.Sorted(maps.Keys(a.keys))
	clear(a.keys) // their results put some of them back
	a.calls = asideCalls
	for part := range slices.Chunk(keys, o.config.Batch) {
		items, err := o.findWaiting(ctx, part)
		if err != nil {
			return err
		}
		for len(items) > 0 {
			batch, bad, err := readBatch(items)
			if err != nil {
				return o.buryOutcome(ctx, bad, err)
			}
			items = items[len(batch):]
			if err := o.sendBatch(ctx, batch); err != nil {
				return err
			}
		}
	}
	if a.empty() {
		a.rounds, a.calls = 0, 0
	}
	return nil
}

// findWaiting returns those of the outcomes that wait.
func (o *Outbox) findWaiting(ctx context.Context, keys []int64) (items []queue.Item, err error) {
	err = o.config.Store.View(ctx, func(tx *queue.Tx) error {
		for _, key := range keys {
			it, place, _, err := o.config.Queue.Find(tx, key)
			if err != nil {
				return err
			}
			if place == queue.Scheduled {
				items = append(items, it)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	return items, nil
}
