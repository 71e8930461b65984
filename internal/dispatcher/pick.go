package dispatcher

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/job"
)

// choice is the next step for an item.
type choice int

const (
	picked  choice = iota // its address takes it
	parked                // its address, or its group, is busy: it waits in memory
	shelved               // it waits as a row; its note has the reason
	probing               // executors are queried first
	expired               // it has waited too long
)

// turn is the shared state of the picks of one turn of the loop.
type turn struct {
	now     time.Time
	sick    map[string]breaker.Status // the addresses that the circuit breaker skips; usually none
	given   map[string]int            // by address: items assigned in this turn
	givenOf map[int64]int             // the same by group
}

func (d *Dispatcher) newTurn(now time.Time) *turn {
	t := &turn{now: now, given: make(map[string]int), givenOf: make(map[int64]int)}
	for _, status := range d.config.Breaker.All(now) {
		if status.State == breaker.Closed {
			continue
		}
		if t.sick == nil {
			t.sick = make(map[string]breaker.Status)
		}
		t.sick[status.Address] = status
	}
	return t
}

// noteSent records that the item goes to its address.
func (t *turn) noteSent(it *waiting.HeldRun) {
	t.given[it.Address]++
	t.givenOf[it.Job.GroupID]++
}

// chooseAddress chooses an address for the item.
func (d *Dispatcher) chooseAddress(ctx context.Context, it *waiting.HeldRun, t *turn) choice {
	if it.Expired(t.now) {
		return expired
	}
	if it.Splits() {
		return d.spread(it, t)
	}
	if d.config.PerGroup > 0 && d.groupRoom(it.Job.GroupID)-t.givenOf[it.Job.GroupID] <= 0 {
		if it.ForgetPick(); d.crowds(it.Job.GroupID) {
			it.BackOff(t.now, waiting.CrowdAgain, d.crowdedGroup(it))
			return shelved
		}
		return parked
	}
	request, kind := it.Request()
	if !it.Picked { // no probe has answered
		if request.Addresses = d.candidates(it, t); len(request.Addresses) == 0 {
			return shelved
		}
		d.weigh(it, t, &request)
		if kind.Probes() {
			if d.probes.start(ctx, kind, request, it) {
				return probing
			}
			it.BackOff(t.now, waiting.ProbeAgain, fmt.Sprintf("many runs of group %s wait until its executors answer", it.Job.Group))
			return shelved
		}
		it.SetRoute(d.config.Router.Pick(ctx, kind, request))
	}
	if it.Address == "" {
		it.BackOff(t.now, waiting.ProbeAgain, it.Note)
		return shelved
	}
	next := d.applyLoad(it, t)
	if mayRoam(kind) && (next != picked || d.lanes.loadOf(it.Address, it.Rank, t.now).quiet) {
		return d.chooseAmongFree(ctx, it, request, t)
	}
	return next
}

// weigh adds the data on addresses that the item's route needs.
func (d *Dispatcher) weigh(it *waiting.HeldRun, t *turn, r *route.Request) {
	group := it.Job.Group
	switch it.Job.Route {
	case job.RouteLeastLoaded:
		r.Load = func(address string) int {
			load := d.lanes.underWay(address) + t.given[address]
			if e, ok := d.config.Executors.Executor(group, address); ok && e.Load != nil {
				load += e.Load.Running + e.Load.Waiting // as of its last beat
			}
			return load
		}
	case job.RouteWeighted:
		r.Weight = func(address string) int { return weightOf(d.features(group, address)) }
	default: // the others look at the addresses alone
	}
}

// features returns the features that the executor reports.
func (d *Dispatcher) features(group, address string) []string {
	e, _ := d.config.Executors.Executor(group, address)
	return e.Features
}

// weightOf returns the number of the feature weight=N, and 1 without one.
func weightOf(features []string) int {
	for _, f := range features {
		if text, ok := strings.CutPrefix(f, "weight="); ok {
			if n, err := strconv.Atoi(text); err == nil && n >= 0 {
				return n
			}
		}
	}
	return 1
}

// candidates returns the eligible addresses of the item, sorted. When there is none the
// item waits, and its note has the reason.
func (d *Dispatcher) candidates(it *waiting.HeldRun, t *turn) []string {
	addresses := d.reachable(it, t)
	if len(t.sick) > 0 && len(addresses) > 0 {
		well := filterAddresses(addresses, func(a string) bool { return d.mayCall(a, t) })
		if len(well) == 0 {
			d.sicken(it, addresses, t)
			return nil
		}
		addresses = well
	}
	return others(addresses, it.Run.Avoid)
}

// reachable is candidates including addresses that the circuit breaker skips, and the one to
// avoid.
func (d *Dispatcher) reachable(it *waiting.HeldRun, t *turn) []string {
	alive := d.config.Executors.Alive(it.Job.GroupID)
	if len(alive) == 0 {
		it.Address, it.Again, it.Note = "", 0, fmt.Sprintf("no executor of group %s is alive", it.Job.Group)
		return nil
	}
	addresses := alive
	if wanted := it.Run.Addresses; len(wanted) > 0 {
		addresses = filterAddresses(addresses, func(a string) bool { return slices.Contains(wanted, a) })
		if len(addresses) == 0 {
			it.BackOff(t.now, waiting.ProbeAgain, unregistered(wanted, it.Job.Group))
			return nil
		}
	}
	if selector := it.Job.Delivery.Selector; len(selector) > 0 {
		addresses = filterAddresses(addresses, func(a string) bool {
			return job.Matches(selector, d.features(it.Job.Group, a))
		})
		if len(addresses) == 0 {
			it.BackOff(t.now, waiting.ProbeAgain, unselected(selector, it.Job.Group))
			return nil
		}
	}
	return addresses
}

// filterAddresses returns the addresses for which ok is true: the list itself when it is true for all.
func filterAddresses(addresses []string, ok func(string) bool) []string {
	for i, a := range addresses {
		if ok(a) {
			continue
		}
		kept := slices.Clone(addresses[:i])
		for _, a := range addresses[i+1:] {
			if ok(a) {
				kept = append(kept, a)
			}
		}
		return kept
	}
	return addresses
}

// others returns the addresses without the one to avoid, and all of them when it is the
// only one: running where it failed is better than not running.
func others(addresses []string, avoid string) []string {
	if avoid == "" || len(addresses) < 2 {
		return addresses
	}
	return filterAddresses(addresses, func(a string) bool { return a != avoid })
}

// unregistered is the reason when none of the addresses that a run may go to is there.
func unregistered(wanted []string, group string) string {
	if len(wanted) == 1 {
		return fmt.Sprintf("address %s is not registered in group %s, or this server cannot reach it", wanted[0], group)
	}
	return fmt.Sprintf("addresses %s are not registered in group %s, or this server cannot reach them", strings.Join(wanted, ", "), group)
}

// unselected is the reason when no executor matches the selector.
func unselected(selector map[string]string, group string) string {
	labels := make([]string, 0, len(selector))
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		labels = append(labels, key+"="+selector[key])
	}
	return fmt.Sprintf("no executor of group %s that is alive has %s, which the job selects", group, strings.Join(labels, " and "))
}

// mayCall reports whether the address may be called in this turn. One whose circuit breaker
// allows a trial gets one task, when nothing else is in flight to it.
func (d *Dispatcher) mayCall(address string, t *turn) bool {
	status, sick := t.sick[address]
	switch {
	case !sick:
		return true
	case status.State == breaker.Open:
		return false
	}
	return t.given[address] == 0 && d.lanes.underWay(address) == 0 && d.config.Breaker.Ready(address, t.now)
}

// sicken makes the item wait until the first of the addresses may be tried.
func (d *Dispatcher) sicken(it *waiting.HeldRun, addresses []string, t *turn) {
	first := t.sick[addresses[0]]
	for _, a := range addresses[1:] {
		if status := t.sick[a]; status.Until.Before(first.Until) {
			first = status
		}
	}
	wait := waiting.TrialAgain
	if first.State == breaker.Open {
		wait = max(first.Until.Sub(t.now), wait)
	}
	it.Address, it.Again, it.Note = "", wait, waiting.LeftAlone(first, len(addresses))
}

// applyLoad applies the load of the item's address to the choice.
func (d *Dispatcher) applyLoad(it *waiting.HeldRun, t *turn) choice {
	load := d.lanes.loadOf(it.Address, it.Rank, t.now)
	switch {
	case load.stuck:
		it.BackOff(t.now, waiting.StuckAgain, fmt.Sprintf("executor %s does not keep up: %s %s for a turn",
			it.Address, plural.Count(load.waiting, "task"), plural.Verb(load.waiting, "waits", "wait")))
		return shelved
	case load.room <= t.given[it.Address]:
		if d.crowds(it.Job.GroupID) {
			it.BackOff(t.now, waiting.CrowdAgain, crowdedAt(it))
			return shelved
		}
		return parked
	}
	return picked
}

// crowdedAt and crowdedGroup are the reasons of a run whose executor, or group, takes no
// more at the moment.
func crowdedAt(it *waiting.HeldRun) string {
	return fmt.Sprintf("many runs of group %s wait until executor %s takes them", it.Job.Group, it.Address)
}

func (d *Dispatcher) crowdedGroup(it *waiting.HeldRun) string {
	return fmt.Sprintf("group %s has as many tasks on their way as it may, %d", it.Job.Group, d.config.PerGroup)
}

// crowds reports whether the group holds more of the memory than is free, and there are
// other groups: then it parks no more, so that they have room.
func (d *Dispatcher) crowds(group int64) bool {
	return !d.sole && d.held.ParkedOf[group] >= max(d.plannable(), d.roomWorthClaiming())
}

// mayRoam reports whether the route does not depend on which executor it picks.
func mayRoam(kind job.Route) bool {
	return kind == job.RouteRound || kind == job.RouteRandom || kind == job.RouteLeastLoaded
}

// chooseAmongFree picks again, among the addresses that have room and answer. Without one the item
// goes to an address that keeps up, or parks there.
func (d *Dispatcher) chooseAmongFree(ctx context.Context, it *waiting.HeldRun, r route.Request, t *turn) choice {
	var quick, moving []string
	for _, address := range r.Addresses {
		load := d.lanes.loadOf(address, it.Rank, t.now)
		if load.stuck {
			continue
		}
		moving = append(moving, address)
		if load.room > t.given[address] && !load.quiet {
			quick = append(quick, address)
		}
	}
	for _, addresses := range [][]string{quick, moving} {
		if len(addresses) > 0 {
			r.Addresses = addresses
			break
		}
	}
	it.SetRoute(d.config.Router.Pick(ctx, it.Job.Route, r))
	if it.Address == "" {
		it.BackOff(t.now, waiting.ProbeAgain, it.Note)
		return shelved
	}
	return d.applyLoad(it, t)
}
