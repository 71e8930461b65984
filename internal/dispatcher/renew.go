package dispatcher

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// maxRenewals is how often the claim of a run is renewed. A run that has not been sent by
// the end of the last one is given back, with the reason why it waits: another server may
// be faster.
const maxRenewals = 2

// Renewal changes the end of a claim.
type Renewal struct {
	// Run is the run as it was claimed, or handed over.
	Run job.Run
	// From is the stored end of the claim.
	From time.Time
	// Until is its new end: at the run's due time it is given back.
	Until time.Time
	// Reason is why the run is given back, and empty for one that is kept or was not
	// checked.
	Reason string
}

// renew extends the claims of runs that wait here, so that no other server claims them in
// vain. It gives back those that have waited for long, and drops those that another server
// has claimed.
func (d *Dispatcher) renew(ctx context.Context, now time.Time) error {
	if now.Before(d.renewAt) {
		return nil
	}
	late := d.held.OverdueForRow(now, d.config.Batch)
	if err := d.insertWaitingRows(ctx, late, now); err != nil {
		return err
	}
	// Others claim rows ahead of their time. What is sent before needs no renewal, so that it
	// comes late.
	ending := d.held.Ending(now.Add(d.config.Ahead+d.config.Claim/8), d.config.Batch)
	if len(ending) > 0 {
		if err := d.prolong(ctx, ending, now.Add(d.config.Ahead+d.config.Claim)); err != nil {
			return err
		}
	}
	if len(ending) < d.config.Batch && len(late) < d.config.Batch { // otherwise there may be more of them
		d.renewAt = now.Add(d.config.Claim / 20)
	}
	return nil
}

// prolong extends the items' claims, or gives the items back.
func (d *Dispatcher) prolong(ctx context.Context, items []*waiting.HeldRun, until time.Time) error {
	rows := make([]Renewal, len(items))
	for i, it := range items {
		rows[i] = Renewal{Run: it.Run, From: it.Lease, Until: until.Truncate(time.Millisecond)}
		if it.Renewals >= maxRenewals {
			rows[i].Until, rows[i].Reason = it.Due, d.stillHeld(it)
		}
	}
	done, err := d.config.Store.RenewClaims(ctx, rows)
	if err != nil {
		return fmt.Errorf("renew the claims of %s: %w", plural.Count(len(rows), "run"), err)
	}
	gone := make(map[*waiting.HeldRun]struct{})
	lost := 0
	for i, it := range items {
		switch {
		case !done[i]:
			gone[it] = struct{}{}
			lost++
		case it.Renewals >= maxRenewals:
			gone[it] = struct{}{}
		default:
			it.Lease = rows[i].Until
			it.Renewals++
		}
	}
	d.config.Hooks.Kept(len(items)-len(gone), len(gone)-lost, lost)
	if len(gone) == 0 {
		return nil
	}
	d.held.Remove(gone)
	for it := range gone {
		d.forget(it)
	}
	return nil
}

// stillHeld returns what a run has waited for in the memory of this server; empty for one
// that runs of a higher priority kept from being checked.
func (d *Dispatcher) stillHeld(it *waiting.HeldRun) string {
	switch {
	case it.Job == nil:
		return ""
	case it.Address != "":
		return crowdedAt(it)
	case d.config.PerGroup > 0:
		return d.crowdedGroup(it)
	}
	return ""
}
