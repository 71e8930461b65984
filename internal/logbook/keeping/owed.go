package keeping

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/plural"
)

const (
	// owedEvery is the time between two looks for what is owed, owedPage how many
	// logs are taken over at once, and owedOpen how many are copied at a time.
	owedEvery = 2 * time.Second
	owedPage  = 200
	owedOpen  = 2000
	// endedEvery is the time between two looks for ends that this keeper did not receive,
	// endedPage how many logs are looked up at once.
	endedEvery = 10 * time.Second
	endedPage  = 500
	// spread is the time over which logs are asked for that a server finds when
	// it starts.
	spread = 5 * time.Second
)

// owing begins what was open when the server started, and then looks for what others
// have left, until ctx ends.
func (k *Keeper) owing(ctx context.Context) {
	tick := time.NewTicker(owedEvery)
	defer tick.Stop()
	resumed := false
	looked := time.Now()
	for {
		err := error(nil)
		if !resumed {
			err = k.resume(ctx)
			resumed = err == nil
		}
		if err == nil && !k.config.Idle() {
			err = k.takeOver(ctx, time.Now())
		}
		if now := time.Now(); err == nil && now.Sub(looked) >= endedEvery {
			looked = now
			k.unwatched(now)
			err = k.findEnds(ctx, now)
		}
		if err != nil && ctx.Err() == nil {
			k.config.Logger.Error("logs that are owed could not be read; trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// resume begins the logs of attempts that are open.
func (k *Keeper) resume(ctx context.Context) error {
	open, err := k.config.Debts.OpenLogs(ctx, k.config.Attempts)
	if err != nil {
		return fmt.Errorf("read the open attempts: %w", err)
	}
	now := time.Now()
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range open {
		if h := k.stand(&open[i], now); h != nil {
			k.schedule(h, now.Add(rand.N(spread)))
			k.catchUp(h, now)
		}
	}
	return nil
}

// stand begins a log that has stored lines. It returns nil when it is held already,
// or there is no room, or nothing follows. mu is held.
func (k *Keeper) stand(s *logbook.Standing, now time.Time) *held {
	if h := k.held[s.Attempt.ID]; h != nil && h.keep || s.State != logbook.Open && s.State != "" {
		return nil
	}
	h := k.add(s.Attempt, s.Group, s.Policy, now)
	if h == nil {
		return nil
	}
	h.began = s.Attempt.TriggeredAt
	h.stored, h.storedBytes = s.Lines, s.Bytes
	h.forgetText(s.Lines + 1)
	return h
}

// takeOver copies what is owed by servers that are gone, or was put off.
func (k *Keeper) takeOver(ctx context.Context, now time.Time) error {
	room := k.config.Attempts / 2
	k.mu.Lock()
	room = min(owedPage, owedOpen, room-len(k.held))
	k.mu.Unlock()
	if room <= 0 {
		return nil
	}
	owed, err := k.config.Debts.OwedLogs(ctx, now, room)
	if err != nil || len(owed) == 0 {
		return err
	}
	done, err := k.config.Debts.ClaimLogs(ctx, owed, now.Add(claimFor))
	if err != nil {
		return fmt.Errorf("take over %s: %w", plural.Count(len(owed), "log"), err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range owed {
		if !done[i] {
			continue
		}
		if h := k.held[owed[i].Attempt.ID]; h != nil && h.keep {
			k.ended(h, now)
			continue
		}
		if h := k.stand(&owed[i], now); h != nil {
			h.ended, h.endedAt = true, owed[i].Attempt.EndedAt
			k.schedule(h, now)
		}
	}
	return nil
}

// findEnds looks for logs whose attempts' ends another server received.
func (k *Keeper) findEnds(ctx context.Context, now time.Time) error {
	var ids []int64
	k.mu.Lock()
	for id, h := range k.held {
		if h.keep && !h.ended && now.Sub(h.began) >= endedEvery && now.Sub(h.checked) >= endedEvery {
			if len(ids) == endedPage {
				break
			}
			h.checked = now
			ids = append(ids, id)
		}
	}
	k.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	logs, err := k.config.Index.Logs(ctx, ids)
	if err != nil {
		return fmt.Errorf("look for the ends of %s: %w", plural.Count(len(ids), "attempt"), err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range logs {
		h := k.held[logs[i].Attempt]
		switch {
		case h == nil || h.ended:
		case logs[i].State != logbook.Open:
			k.forget(h)
		case !logs[i].EndedAt.IsZero():
			k.ended(h, now)
		}
	}
	return nil
}
