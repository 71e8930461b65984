package dispatcher

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/dispatcher/waiting"
)

const (
	// pause is the pause after an error of the store.
	pause = time.Second
	// farewell is how long a stopping dispatcher continues to write answers.
	farewell = 10 * time.Second
)

// Run dispatches until ctx ends. Then runs that are held, or marked and not yet sent, go
// back to waiting. Run waits for the calls in flight, and writes the results of their
// answers as far as it can within 10 seconds. It logs an error of the store and tries again
// after a second.
func (d *Dispatcher) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	parts.Go(func() { d.settler.writeRows(working) })
	d.coverer.start(ctx)
	d.runLoop(ctx)
	defer time.AfterFunc(farewell, stop).Stop()
	d.probes.waitForProbes()
	d.absorb(time.Time{})
	if err := d.release(working); err != nil {
		d.config.Logger.Warn("held runs could not be released; they are found when their claims end", "error", err)
	}
	d.lanes.stopCalls()
	d.coverer.stopCalls()
	d.settler.close()
	parts.Wait()
	return nil
}

// runLoop owns held, jobs and crowded.
func (d *Dispatcher) runLoop(ctx context.Context) {
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
		wait, claimed, err := d.runTurn(ctx, nextClaim)
		switch {
		case err != nil:
			if !d.pauseAfterError(ctx, err) {
				return
			}
			wait = 0
		case claimed:
			nextClaim = time.Now().Add(d.config.Poll)
		}
		if d.reportRoom() {
			nextClaim = time.Time{}
		}
		timer.Reset(max(min(wait, time.Until(nextClaim)), 0))
	}
}

// pauseAfterError waits after an error, even if the loop is woken, and reports whether to go on.
func (d *Dispatcher) pauseAfterError(ctx context.Context, err error) bool {
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

// absorb moves items from other goroutines into the loop's own state and returns when rows
// are to be claimed next.
func (d *Dispatcher) absorb(nextClaim time.Time) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, it := range d.in {
		d.addToHeld(it)
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

// reportRoom reports to the planner that there is room again, and returns whether there is room
// again for rows that were not claimed.
func (d *Dispatcher) reportRoom() bool {
	if d.asked.Load() && d.Free() > 0 {
		d.asked.Store(false)
		d.config.Hooks.Room()
	}
	if d.crowded && d.claimable() >= d.roomWorthClaiming() {
		d.crowded = false
		return true
	}
	if slices.ContainsFunc(d.full, func(group int64) bool { return d.held.ParkedOf[group] <= d.claimShare()/2 }) {
		d.full = nil
		return true
	}
	return false
}

// runTurn claims rows when it is time, dispatches due items, and returns the time until the
// next ones. claimed means that no row is left to claim now.
func (d *Dispatcher) runTurn(ctx context.Context, nextClaim time.Time) (wait time.Duration, claimed bool, err error) {
	now := time.Now()
	if !now.Before(nextClaim) {
		more, err := d.claim(ctx, now)
		if err != nil {
			return 0, false, err
		}
		claimed = !more
	}
	if err := d.renew(ctx, now); err != nil {
		return 0, false, err
	}
	if items := d.ready(now); len(items) > 0 {
		err = d.dispatch(ctx, items, now)
		now = time.Now()
	}
	d.along.noteDue(d.held.Soon)
	// Half a lead gathers runs that are due one after another, so that they share a
	// transaction; the other half is left to commit it.
	wait = min(waiting.WaitFor(d.held.Items, now.Add(d.config.Lead/2)), waiting.WaitFor(d.held.Soon, now.Add(d.early()-d.config.Early/2)))
	if d.held.Size() > 0 {
		wait = min(wait, d.renewAt.Sub(now))
	}
	return wait, claimed, err
}

// ready returns a batch of the items that can be processed now: by rank, and within a rank
// parked items before those that just became due.
func (d *Dispatcher) ready(now time.Time) []*waiting.HeldRun {
	items := make([]*waiting.HeldRun, 0, min(d.config.Batch, d.held.Size()))
	for rank := range waiting.Ranks {
		items = append(items, d.unpark(rank, now, d.config.Batch-len(items))...)
		items = append(items, d.held.PopDue(&d.held.Items[rank], now.Add(d.config.Lead), d.config.Batch-len(items))...)
	}
	// Items of soon share the transaction, or go when the first of them has waited for
	// others.
	early := d.early()
	if len(items) == 0 && !d.along.begins.Swap(false) && waiting.WaitFor(d.held.Soon, now.Add(early-d.config.Early/2)) > 0 {
		return items
	}
	for rank := range waiting.Ranks {
		items = append(items, d.held.PopDue(&d.held.Soon[rank], now.Add(early), d.config.Batch-len(items))...)
	}
	return items
}

// Many firings that are due at once are processed earlier, each of those above manyAtOnce
// by as much as it takes, so that the last of them is sent when it is due.
const (
	manyAtOnce = 500
	eachTakes  = 80 * time.Microsecond
	// earliest is shorter than a planner's horizon, and than executors hold a task.
	earliest = 750 * time.Millisecond
)

// early returns how long before their due time the next firings are processed.
func (d *Dispatcher) early() time.Duration {
	if d.config.Early <= d.config.Lead {
		return d.config.Early // there is none
	}
	more := time.Duration(max(d.held.AtOnce()-manyAtOnce, 0)) * eachTakes
	return max(min(d.config.Early+more, earliest), d.config.Early)
}

// unpark returns up to n items of the rank, in order, whose executors, or groups, have room
// for them now, or are stuck, so that the items must not wait for them. Their executors are
// picked again: executors may have joined or left.
func (d *Dispatcher) unpark(rank int, now time.Time, n int) []*waiting.HeldRun {
	var items []*waiting.HeldRun
	for at := range d.held.Parked {
		items = append(items, d.held.Unpark(at, rank, min(d.roomAt(at, rank, n, now), n-len(items)))...)
	}
	for _, it := range items {
		it.ForgetPick()
	}
	slices.SortFunc(items, waiting.InOrder)
	return items
}

// roomAt returns how many of n parked items the place has room for.
func (d *Dispatcher) roomAt(at waiting.Spot, rank, n int, now time.Time) int {
	if at.Address == "" {
		return d.groupRoom(at.Group)
	}
	load := d.lanes.loadOf(at.Address, rank, now)
	if load.stuck || d.config.Breaker.Status(at.Address, now).State == breaker.Open {
		return n
	}
	return load.room
}

// groupRoom returns how many more tasks of the group may be in flight.
func (d *Dispatcher) groupRoom(group int64) int {
	if d.config.PerGroup <= 0 {
		return d.config.Held
	}
	return d.config.PerGroup - d.lanes.ofGroup(group)
}

// claim takes waiting rows into memory and reports whether there may be more.
func (d *Dispatcher) claim(ctx context.Context, now time.Time) (more bool, err error) {
	if d.config.Idle() {
		return false, nil
	}
	groups := d.claimGroups(now)
	if len(groups) == 0 {
		return false, nil
	}
	limit := d.claimable()
	if limit < d.roomWorthClaiming() {
		d.crowded = true
		return false, nil
	}
	claimed, err := d.config.Store.ClaimRuns(ctx, Claim{
		Groups: groups, Until: now.Add(d.config.Ahead), Lease: now.Add(d.config.Ahead + d.config.Claim),
		Limit: limit, PerGroup: d.perGroup(limit),
	})
	if err != nil {
		return false, fmt.Errorf("claim waiting runs: %w", err)
	}
	d.count.Add(int64(len(claimed.Runs)))
	d.claimed.Add(int64(len(claimed.Runs)))
	rows := make(map[int64]int, len(groups))
	for _, group := range groups {
		rows[group] = 0
	}
	for _, r := range claimed.Runs {
		rows[r.GroupID]++
		d.addToHeld(&waiting.HeldRun{Run: r, Due: r.ReadyAt, Claimed: true, Lease: claimed.Lease})
	}
	d.config.Hooks.Claimed(rows, !claimed.More)
	return claimed.More, nil
}

// claimShare returns how many items a group may have parked when its rows are claimed: as
// many as there is room for rows of all groups. So a group takes half of the room when it
// is alone, a third next to another one, and some is always free for new groups.
func (d *Dispatcher) claimShare() int {
	return max((d.config.Held+1)/2-int(d.claimed.Load()), d.roomWorthClaiming())
}

// perGroup bounds a claim for one group: it leaves as much to others.
func (d *Dispatcher) perGroup(limit int) int {
	if d.sole {
		return limit
	}
	return max(min(limit, d.claimShare()/2), 1)
}

// claimGroups returns the groups whose rows are to be claimed, starting with another one
// each time. It skips groups that already hold their share of the memory.
func (d *Dispatcher) claimGroups(now time.Time) []int64 {
	alive := d.config.Executors.AliveGroups()
	d.sole, d.full = len(alive) < 2, nil
	groups := d.openGroups(alive, now)
	if len(groups) == 0 {
		return nil
	}
	if !d.sole {
		share := d.claimShare()
		groups = slices.DeleteFunc(slices.Clone(groups), func(group int64) bool {
			if d.held.ParkedOf[group] < share {
				return false
			}
			d.full = append(d.full, group)
			return true
		})
	}
	d.claims++
	if len(groups) > 1 {
		first := d.claims % len(groups)
		groups = slices.Concat(groups[first:], groups[:first])
	}
	return groups
}

// openGroups returns the groups with an executor that keeps up and that the circuit
// breaker does not skip. It skips the rows of the others, because claiming them would only cost work.
func (d *Dispatcher) openGroups(groups []int64, now time.Time) []int64 {
	shut := d.lanes.stuck(now)
	for _, status := range d.config.Breaker.All(now) {
		if status.State != breaker.Closed && !d.config.Breaker.Ready(status.Address, now) {
			shut[status.Address] = struct{}{}
		}
	}
	if len(shut) == 0 {
		return groups
	}
	return slices.DeleteFunc(slices.Clone(groups), func(group int64) bool {
		return !slices.ContainsFunc(d.config.Executors.Alive(group), func(address string) bool {
			_, is := shut[address]
			return !is
		})
	})
}
