package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/job"
)

// How long a run waits at least before it is looked at again.
const (
	probeAgain = 5 * time.Second        // executors were asked and none would have it
	stuckAgain = time.Second            // its executor does not keep up
	lostAgain  = 100 * time.Millisecond // somebody changed its row
	longestTry = 30 * time.Second       // and at most, however long it has waited
)

// patience returns how long a run waits that has waited for so long already: a
// half as long again, at least least. So the work for runs that cannot be sent
// grows with the logarithm of the time they wait.
func patience(waited, least time.Duration) time.Duration {
	wait := min(max(waited/2, least), longestTry)
	return wait + time.Duration((rand.Float64()-0.5)*0.4*float64(wait))
}

// dispatch picks an executor for each item, marks those that have one, and
// gives them to the lanes. After an error the items concerned are held again
// and nothing of them has left this server.
func (d *Dispatcher) dispatch(ctx context.Context, items []*item, now time.Time) error {
	if err := d.jobs.load(ctx, items); err != nil {
		d.hold(items)
		return err
	}
	chosen := make([]*item, 0, len(items))
	given := make(map[string]int) // by address
	var waiting, orphans []*item
	for _, it := range items {
		if it.job == nil {
			orphans = append(orphans, it)
			continue
		}
		switch d.pick(ctx, it, given, now) {
		case probing: // it comes back by itself
		case parked:
			if !d.held.park(it.address, it) {
				d.forget(it)
			}
		case shelved:
			waiting = append(waiting, it)
		case picked:
			given[it.address]++
			chosen = append(chosen, it)
		}
	}
	return errors.Join(d.cancel(ctx, orphans, now), d.shelve(ctx, waiting, now), d.send(ctx, chosen, now))
}

// hold takes items back that could not be dealt with; they are picked anew.
func (d *Dispatcher) hold(items []*item) {
	for _, it := range items {
		it.forgetPick()
		d.keep(it)
	}
}

// keep puts the item into held, unless its run is there already.
func (d *Dispatcher) keep(it *item) {
	if !d.held.push(it) {
		d.forget(it)
	}
}

// choice is what comes next for an item.
type choice int

const (
	picked  choice = iota // its address takes it
	parked                // its address has enough to do: it waits in memory
	shelved               // it waits as a row; its note says why
	probing               // executors are asked first
)

// pick chooses an address for the item. given is what addresses have got since
// their load was changed last.
func (d *Dispatcher) pick(ctx context.Context, it *item, given map[string]int, now time.Time) choice {
	request := route.Request{JobID: it.job.ID, Addresses: others(d.config.Executors.Alive(it.job.GroupID), it.run.Avoid)}
	switch {
	case it.picked: // a probe has answered
	case len(request.Addresses) == 0:
		it.note = fmt.Sprintf("no executor of group %s is alive", it.job.Group)
		return shelved
	case it.job.Route == job.RouteFailover:
		if d.probes.start(ctx, it.job.Route, request, it) {
			return probing
		}
		it.wait(now, probeAgain, fmt.Sprintf("many runs of group %s wait until its executors answer", it.job.Group))
		return shelved
	default:
		it.take(d.config.Router.Pick(ctx, it.job.Route, request))
	}
	if it.address == "" {
		it.wait(now, probeAgain, it.note)
		return shelved
	}
	next := d.fit(it, given, now)
	if next != picked && mayRoam(it.job.Route) {
		return d.roam(ctx, it, request, given, now)
	}
	return next
}

// others returns the addresses without the one to avoid, and all of them when it
// is the only one: to run where it went badly is better than not to run.
func others(addresses []string, avoid string) []string {
	if avoid == "" || len(addresses) < 2 {
		return addresses
	}
	i, found := slices.BinarySearch(addresses, avoid)
	if !found {
		return addresses
	}
	return slices.Concat(addresses[:i], addresses[i+1:])
}

// fit says what the load of the item's address means for it.
func (d *Dispatcher) fit(it *item, given map[string]int, now time.Time) choice {
	load := d.lanes.load(it.address, now)
	switch {
	case load.stuck:
		it.wait(now, stuckAgain, fmt.Sprintf("executor %s does not keep up: %d tasks wait for their turn", it.address, load.waiting))
		return shelved
	case load.room <= given[it.address]:
		return parked
	}
	return picked
}

// mayRoam reports whether the route means nothing by the executor it picks.
func mayRoam(kind job.Route) bool { return kind == job.RouteRound || kind == job.RouteRandom }

// roam picks once more, among the addresses that have room; if there is none the
// item parks at one that keeps up.
func (d *Dispatcher) roam(ctx context.Context, it *item, r route.Request, given map[string]int, now time.Time) choice {
	var quick, moving []string
	for _, address := range r.Addresses {
		load := d.lanes.load(address, now)
		if load.stuck {
			continue
		}
		moving = append(moving, address)
		if load.room > given[address] {
			quick = append(quick, address)
		}
	}
	for _, addresses := range [][]string{quick, moving} {
		if len(addresses) > 0 {
			r.Addresses = addresses
			break
		}
	}
	it.take(d.config.Router.Pick(ctx, it.job.Route, r))
	if it.address == "" {
		it.wait(now, probeAgain, it.note)
		return shelved
	}
	return d.fit(it, given, now)
}

// take notes what the router said.
func (it *item) take(c route.Choice, err error) {
	it.picked = true
	it.address, it.note = c.Address, c.Note
	if err != nil {
		it.address, it.note = "", err.Error()
	}
}

// wait makes the item wait for the reason, longer each time.
func (it *item) wait(now time.Time, least time.Duration, reason string) {
	it.address, it.note, it.again = "", reason, patience(it.waited(now), least)
}

// cancel ends runs whose job was deleted after they were made.
func (d *Dispatcher) cancel(ctx context.Context, orphans []*item, now time.Time) error {
	for i, it := range orphans {
		_, err := d.config.Store.CancelRun(ctx, it.run.ID, "the job was deleted", now)
		if err != nil && !job.Is(err, job.NotFound) {
			d.hold(orphans[i:])
			return fmt.Errorf("cancel run %d of a deleted job: %w", it.run.ID, err)
		}
		d.forget(it)
	}
	return nil
}

// shelve writes why runs wait and drops them from memory; a claim finds them
// when an executor is there.
func (d *Dispatcher) shelve(ctx context.Context, waiting []*item, now time.Time) error {
	if len(waiting) == 0 {
		return nil
	}
	rows := make([]Requeued, len(waiting))
	for i, it := range waiting {
		rows[i] = Requeued{RunID: it.run.ID, Reason: it.note, ReadyAt: later(it.due, now).Add(it.again), Now: now}
	}
	if err := d.config.Store.Requeue(ctx, rows); err != nil {
		d.hold(waiting)
		return fmt.Errorf("put %d runs back to waiting: %w", len(rows), err)
	}
	for _, it := range waiting {
		d.forget(it)
	}
	return nil
}

// send commits the marks and gives those that took effect to the lanes. A mark
// that lost means that the run was cancelled or its job changed: the row knows,
// and is made visible again in case it still waits.
func (d *Dispatcher) send(ctx context.Context, chosen []*item, now time.Time) error {
	if len(chosen) == 0 {
		return nil
	}
	marks, err := d.marks(ctx, chosen, now)
	if err != nil {
		d.hold(chosen)
		return err
	}
	done, err := d.config.Store.MarkDispatched(ctx, marks)
	if err != nil {
		d.hold(chosen)
		return fmt.Errorf("mark %d runs: %w", len(marks), err)
	}
	marked := chosen[:0]
	var lost []*item
	for i, it := range chosen {
		if !done[i] {
			it.note, it.again = "the run or its job was changed before the run was sent", lostAgain
			lost = append(lost, it)
			continue
		}
		it.attempt = marks[i].Attempt
		it.task = job.NewTask(it.job, &it.run, &it.attempt)
		marked = append(marked, it)
	}
	d.lanes.add(marked)
	if len(lost) > 0 {
		d.WakeAt(now.Add(lostAgain))
	}
	return d.shelve(ctx, lost, now)
}

func (d *Dispatcher) marks(ctx context.Context, chosen []*item, now time.Time) ([]Mark, error) {
	marks := make([]Mark, len(chosen))
	for i, it := range chosen {
		id, err := d.config.IDs.NextAttemptID(ctx)
		if err != nil {
			return nil, fmt.Errorf("draw an attempt id: %w", err)
		}
		at := later(it.due, now).Truncate(time.Millisecond)
		marks[i] = Mark{
			From: it.run.State, JobVersion: it.run.JobVersion, CheckAt: at.Add(d.config.Check),
			Attempt: job.Attempt{
				ID: id, RunID: it.run.ID, JobID: it.run.JobID, Number: it.run.Tries + 1, Address: it.address,
				State: job.Dispatched, TriggeredAt: at,
			},
		}
	}
	return marks, nil
}

// release makes the rows of everything held visible to other servers at once.
// What cannot be written is found by them when its claim ends.
func (d *Dispatcher) release(ctx context.Context) error {
	for {
		items := d.held.drain(d.config.Batch)
		if len(items) == 0 {
			return nil
		}
		for _, it := range items {
			it.note, it.again = "the server that held the run stopped", 0
		}
		if err := d.shelve(ctx, items, time.Now()); err != nil {
			return err
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
