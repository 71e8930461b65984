package upkeep

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Moves finds executors that may have attempts sent to another one.
type Moves interface {
	// Successors returns living executors that may have open attempts of an address: other
	// processes of the same address, those with the data folder of an executor that was
	// there lately, or else some of its group.
	Successors(ctx context.Context, address string, attempts []int64, now time.Time) ([]Successor, error)
	// MoveAttempts records that open attempts are at another address.
	MoveAttempts(ctx context.Context, attempts []job.Attempt, to string) error
}

// Successor is an executor that may have attempts of an address.
type Successor struct {
	Address string
	// Same means that it has the data folder of the executor that was there.
	Same     bool
	Attempts []int64
	// Here means that it is another process of the same address, which requests may not
	// reach. Its heartbeat at ListedAt listed Holds, all of its attempts when Whole is set.
	// ListedAt is zero for a process without a recent heartbeat.
	Here     bool
	ListedAt time.Time
	Holds    []int64
	Whole    bool
}

// whereabouts is where an attempt is that the process at its address does not have.
type whereabouts int

// Ordered from the least to the most certain.
const (
	nowhere   whereabouts = iota // no living executor reports that it has it
	denied                       // another living process of its address lists all it has, without it
	untold                       // it was unsure for [Config.Doubt]
	unsure                       // an executor that may have it gives no answer
	heldHere                     // another process of its address has it
	elsewhere                    // an executor at another address has it
)

// listAfter is how much younger than an attempt a heartbeat must be for its list to include
// the attempt: an executor takes no task that is older.
const listAfter = 10 * time.Second

// locateAttempts locates attempts that the processes at their addresses do not have. It moves those
// that an executor at another address has, and records as accepted those that another
// process of the same address has. Unsure ones are queried again with the next pass, and
// become untold when that has lasted too long.
func (u *Upkeep) locateAttempts(ctx context.Context, attempts []job.Attempt) (map[int64]whereabouts, error) {
	found := make(map[int64]whereabouts, len(attempts))
	if u.config.Moves == nil {
		return found, nil
	}
	byAddress := make(map[string][]job.Attempt)
	for _, a := range attempts {
		byAddress[a.Address] = append(byAddress[a.Address], a)
	}
	for address, those := range byAddress {
		if err := u.follow(ctx, address, those, found); err != nil {
			return nil, fmt.Errorf("look for attempts of %s at other executors: %w", address, err)
		}
	}
	for _, a := range attempts {
		if found[a.ID] != unsure {
			u.unsure.forget(a.ID)
			continue
		}
		u.unsure.noteOnset(a.ID, u.config.Doubt)
		if u.unsure.since(a.ID) > u.config.Doubt {
			found[a.ID] = untold
		}
	}
	return found, nil
}

// follow locates the attempts of one address.
func (u *Upkeep) follow(ctx context.Context, address string, attempts []job.Attempt, found map[int64]whereabouts) error {
	ids, byID := make([]int64, len(attempts)), make(map[int64]job.Attempt, len(attempts))
	for i, a := range attempts {
		ids[i], byID[a.ID] = a.ID, a
	}
	successors, err := u.config.Moves.Successors(ctx, address, ids, u.config.Now())
	if err != nil || len(successors) == 0 {
		return err
	}
	addresses := make([]string, len(successors))
	for i := range successors {
		addresses[i] = successors[i].Address
	}
	has := make([][]bool, len(successors)) // each written by one goroutine
	answers := byExecutor(addresses, func(i int) (err error) {
		if successors[i].Here {
			return nil
		}
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
	for i := range successors {
		s := &successors[i]
		silent := !answers[i].asked || answers[i].err != nil
		var here, moved []job.Attempt
		for k, id := range s.Attempts {
			a := byID[id]
			switch is := s.where(&a, silent, k < len(has[i]) && has[i][k]); {
			case is <= found[id] || found[id] == heldHere:
				continue
			case is == elsewhere:
				moved = append(moved, a)
				found[id] = is
			case is == heldHere:
				here = append(here, a)
				found[id] = is
			default:
				found[id] = is
			}
		}
		if err := u.recordHeld(ctx, s, here, moved); err != nil {
			return err
		}
	}
	return nil
}

// where returns where an attempt is, from the list or the answer of the executor.
func (s *Successor) where(a *job.Attempt, silent, has bool) whereabouts {
	switch {
	case s.Here:
		return s.listed(a)
	case silent && s.Same:
		return unsure
	case has && !silent:
		return elsewhere
	}
	return nowhere
}

// recordHeld records attempts that an executor has.
func (u *Upkeep) recordHeld(ctx context.Context, s *Successor, here, moved []job.Attempt) error {
	for _, a := range here {
		if a.State != job.Dispatched {
			continue
		}
		if err := u.config.Recorder.Accepted(ctx, a); err != nil {
			return fmt.Errorf("record that attempt %d is at %s: %w", a.ID, s.Address, err)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	u.config.Logger.Info("attempts moved with their executor to another address", "address", moved[0].Address, "now", s.Address, "count", len(moved))
	if err := u.config.Moves.MoveAttempts(ctx, moved, s.Address); err != nil {
		return fmt.Errorf("move %s to %s: %w", plural.Count(len(moved), "attempt"), s.Address, err)
	}
	return nil
}

// listed returns where an attempt is, from the list of another process of its address.
func (s *Successor) listed(a *job.Attempt) whereabouts {
	switch {
	case slices.Contains(s.Holds, a.ID):
		return heldHere
	case s.Whole && s.ListedAt.Sub(a.TriggeredAt) > listAfter:
		return denied
	}
	return unsure
}

// lostHere returns the outcomes of attempts that no living executor has, and whether some
// of the others must be checked again.
func (u *Upkeep) lostHere(ctx context.Context, outcomes []job.Outcome, attempts []job.Attempt) (lost []job.Outcome, again bool, err error) {
	if len(outcomes) == 0 {
		return nil, false, nil
	}
	over := make(map[int64]bool, len(outcomes))
	for _, o := range outcomes {
		over[o.AttemptID] = true
	}
	gone := slices.DeleteFunc(slices.Clone(attempts), func(a job.Attempt) bool { return !over[a.ID] })
	found, err := u.locateAttempts(ctx, gone)
	if err != nil {
		return nil, false, err
	}
	for _, o := range outcomes {
		switch found[o.AttemptID] {
		case nowhere, denied, untold:
			lost = append(lost, o)
		case unsure, heldHere:
			again = true
		case elsewhere:
		}
	}
	return lost, again, nil
}
