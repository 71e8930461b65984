package upkeep

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/saying"
	"github.com/orthd/orth/job"
)

// Moves finds executors that go on under another address with what they had.
type Moves interface {
	// Successors returns living executors that may have open attempts of an address:
	// those with the data folder of the executor that was there, or else some of its
	// group.
	Successors(ctx context.Context, address string, attempts []int64, now time.Time) ([]Successor, error)
	// MoveAttempts writes that open attempts are at another address.
	MoveAttempts(ctx context.Context, attempts []job.Attempt, to string) error
}

// Successor is an executor that may have attempts of another address.
type Successor struct {
	Address string
	// Same says that it has the data folder of the executor that was there.
	Same     bool
	Attempts []int64
}

// keepMoved returns which of the attempts are lost at their address, as a living executor
// does not have them. It moves those that one has to its address. Left out are also those of
// which an executor with the same data folder gives no answer: the next look asks again.
func (u *Upkeep) keepMoved(ctx context.Context, attempts []job.Attempt) (lost map[int64]bool, err error) {
	lost = make(map[int64]bool, len(attempts))
	byAddress := make(map[string][]job.Attempt)
	for _, a := range attempts {
		lost[a.ID] = true
		byAddress[a.Address] = append(byAddress[a.Address], a)
	}
	if u.config.Moves == nil {
		return lost, nil
	}
	for address, those := range byAddress {
		if err := u.follow(ctx, address, those, lost); err != nil {
			return nil, fmt.Errorf("look for attempts of %s at other addresses: %w", address, err)
		}
	}
	return lost, nil
}

// follow looks for the attempts of one address elsewhere, and takes those that are not lost
// out of lost.
func (u *Upkeep) follow(ctx context.Context, address string, attempts []job.Attempt, lost map[int64]bool) error {
	ids, byID := make([]int64, len(attempts)), make(map[int64]job.Attempt, len(attempts))
	for i, a := range attempts {
		ids[i], byID[a.ID] = a.ID, a
	}
	successors, err := u.config.Moves.Successors(ctx, address, ids, time.Now())
	if err != nil || len(successors) == 0 {
		return err
	}
	addresses := make([]string, len(successors))
	for i := range successors {
		addresses[i] = successors[i].Address
	}
	has := make([][]bool, len(successors)) // each written by one goroutine
	answers := byExecutor(addresses, func(i int) (err error) {
		those := make([]job.Attempt, len(successors[i].Attempts))
		for k, id := range successors[i].Attempts {
			those[k] = byID[id]
		}
		has[i], err = u.config.Watcher.Has(ctx, addresses[i], those)
		return err
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, s := range successors {
		var moved []job.Attempt
		for k, id := range s.Attempts {
			switch {
			case !lost[id]: // another one has it
			case !answers[i].asked || answers[i].err != nil:
				lost[id] = !s.Same
			case k < len(has[i]) && has[i][k]:
				lost[id] = false
				moved = append(moved, byID[id])
			}
		}
		if len(moved) == 0 {
			continue
		}
		u.config.Logger.Info("attempts go on at another address of their executor", "address", address, "now", s.Address, "count", len(moved))
		if err := u.config.Moves.MoveAttempts(ctx, moved, s.Address); err != nil {
			return fmt.Errorf("move %s to %s: %w", saying.Count(len(moved), "attempt"), s.Address, err)
		}
	}
	return nil
}

// lostHere returns the outcomes of attempts that no living executor has.
func (u *Upkeep) lostHere(ctx context.Context, outcomes []job.Outcome, attempts []job.Attempt) ([]job.Outcome, error) {
	if len(outcomes) == 0 {
		return nil, nil
	}
	over := make(map[int64]bool, len(outcomes))
	for _, o := range outcomes {
		over[o.AttemptID] = true
	}
	var gone []job.Attempt
	for _, a := range attempts {
		if over[a.ID] {
			gone = append(gone, a)
		}
	}
	lost, err := u.keepMoved(ctx, gone)
	if err != nil {
		return nil, err
	}
	var still []job.Outcome
	for _, o := range outcomes {
		if lost[o.AttemptID] {
			still = append(still, o)
		}
	}
	return still, nil
}
