package dispatcher

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// pause is the time after an error of the store in which nothing is tried.
	pause = time.Second
	// farewell is how long a stopping dispatcher goes on writing answers down.
	farewell = 10 * time.Second
)

// Run dispatches until ctx ends. Then runs that are held or marked and not yet
// sent go back to waiting; calls under way are waited for, and what their
// answers mean is written as far as it can be within 10 seconds. An error of the
// store is logged and tried again after a second.
func (d *Dispatcher) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	parts.Go(func() { d.settler.run(working) })
	d.loop(ctx)
	defer time.AfterFunc(farewell, stop).Stop()
	d.probes.wait()
	d.absorb(time.Time{})
	if err := d.release(working); err != nil {
		d.config.Logger.Warn("held runs could not be released; they are found when their claims end", "error", err)
	}
	d.lanes.wait()
	d.settler.close()
	parts.Wait()
	return nil
}

// loop owns held, jobs and crowded.
func (d *Dispatcher) loop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	nextClaim := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-d.wake:
		}
		nextClaim = d.absorb(nextClaim)
		wait, claimed, err := d.turn(ctx, nextClaim)
		switch {
		case err != nil:
			if !d.rest(ctx, err) {
				return
			}
			wait = 0
		case claimed:
			nextClaim = time.Now().Add(d.config.Poll)
		}
		if d.room() {
			nextClaim = time.Time{}
		}
		timer.Reset(max(min(wait, time.Until(nextClaim)), 0))
	}
}

// rest waits after an error, whoever wakes the loop meanwhile, and reports
// whether to go on.
func (d *Dispatcher) rest(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	d.config.Logger.Error("dispatching stopped; trying again", "error", err)
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// absorb moves what others handed over into the loop's own state and returns
// when rows are to be claimed next.
func (d *Dispatcher) absorb(nextClaim time.Time) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, it := range d.in {
		d.keep(it)
	}
	clear(d.in)
	d.in = d.in[:0]
	if d.now {
		nextClaim = time.Time{}
	} else if at := d.at.Add(-d.config.Ahead); !d.at.IsZero() && at.Before(nextClaim) {
		nextClaim = at
	}
	d.at, d.now = time.Time{}, false
	return nextClaim
}

// room tells the planner that there is room again, and reports whether there is
// room again for rows that were not claimed.
func (d *Dispatcher) room() bool {
	if d.asked.Load() && d.Free() > 0 {
		d.asked.Store(false)
		d.config.Hooks.Room()
	}
	if d.crowded && d.claimable() >= d.step() {
		d.crowded = false
		return true
	}
	return false
}

// turn claims rows when it is time, dispatches what is due, and returns how
// long nothing will be. claimed says that no row is left to be claimed now.
func (d *Dispatcher) turn(ctx context.Context, nextClaim time.Time) (wait time.Duration, claimed bool, err error) {
	now := time.Now()
	if !now.Before(nextClaim) {
		more, err := d.claim(ctx, now)
		if err != nil {
			return 0, false, err
		}
		claimed = !more
	}
	items := d.unpark(now, d.config.Batch)
	items = append(items, d.held.pop(now.Add(d.config.Lead), d.config.Batch-len(items))...)
	if len(items) > 0 {
		err = d.dispatch(ctx, items, now)
		now = time.Now()
	}
	// Half a lead is gathered, so that runs that are due one after another
	// share a transaction, and half is left to commit it.
	return d.held.wait(now.Add(d.config.Lead / 2)), claimed, err
}

// unpark returns up to n items whose executors have room for them now, or are
// stuck so that they must not wait for them, in order. They are picked anew:
// executors may have come or gone. They go before what became due just now.
func (d *Dispatcher) unpark(now time.Time, n int) []*item {
	var items []*item
	for address := range d.held.parked {
		load := d.lanes.load(address, now)
		room := load.room
		if load.stuck {
			room = n
		}
		items = append(items, d.held.unpark(address, min(room, n-len(items)))...)
	}
	for _, it := range items {
		it.forgetPick()
	}
	slices.SortFunc(items, inOrder)
	return items
}

// claim takes waiting rows into memory and reports whether there may be more.
func (d *Dispatcher) claim(ctx context.Context, now time.Time) (more bool, err error) {
	groups := d.openGroups(now)
	if len(groups) == 0 {
		return false, nil
	}
	limit := d.claimable()
	if limit < d.step() {
		d.crowded = true
		return false, nil
	}
	runs, err := d.config.Store.ClaimRuns(ctx, Claim{
		Groups: groups, Until: now.Add(d.config.Ahead), Lease: now.Add(d.config.Ahead + d.config.Claim), Limit: limit,
	})
	if err != nil {
		return false, fmt.Errorf("claim waiting runs: %w", err)
	}
	d.count.Add(int64(len(runs)))
	d.claimed.Add(int64(len(runs)))
	for _, r := range runs {
		d.keep(&item{run: r, due: r.ReadyAt, claimed: true})
	}
	return len(runs) == limit, nil
}

// openGroups returns the groups with an executor that is alive and keeps up. The
// rows of the others stay where they are: to claim them would only be work.
func (d *Dispatcher) openGroups(now time.Time) []int64 {
	groups := d.config.Executors.AliveGroups()
	stuck := d.lanes.stuck(now)
	if len(stuck) == 0 {
		return groups
	}
	return slices.DeleteFunc(slices.Clone(groups), func(group int64) bool {
		return !slices.ContainsFunc(d.config.Executors.Alive(group), func(address string) bool {
			_, is := stuck[address]
			return !is
		})
	})
}
