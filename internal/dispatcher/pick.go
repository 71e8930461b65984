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
func (t *turn) noteSent(it *item) {
	t.given[it.address]++
	t.givenOf[it.job.GroupID]++
}

// chooseAddress chooses an address for the item.
func (d *Dispatcher) chooseAddress(ctx context.Context, it *item, t *turn) choice {
	if it.expired(t.now) {
		return expired
	}
	if it.splits() {
		return d.spread(it, t)
	}
	if d.config.PerGroup > 0 && d.groupRoom(it.job.GroupID)-t.givenOf[it.job.GroupID] <= 0 {
		if it.forgetPick(); d.crowds(it.job.GroupID) {
			it.backOff(t.now, crowdAgain, d.crowdedGroup(it))
			return shelved
		}
		return parked
	}
	request, kind := it.request()
	if !it.picked { // no probe has answered
		if request.Addresses = d.candidates(it, t); len(request.Addresses) == 0 {
			return shelved
		}
		d.weigh(it, t, &request)
		if kind.Probes() {
			if d.probes.start(ctx, kind, request, it) {
				return probing
			}
			it.backOff(t.now, probeAgain, fmt.Sprintf("many runs of group %s wait until its executors answer", it.job.Group))
			return shelved
		}
		it.setRoute(d.config.Router.Pick(ctx, kind, request))
	}
	if it.address == "" {
		it.backOff(t.now, probeAgain, it.note)
		return shelved
	}
	next := d.applyLoad(it, t)
	if mayRoam(kind) && (next != picked || d.lanes.loadOf(it.address, it.rank, t.now).quiet) {
		return d.chooseAmongFree(ctx, it, request, t)
	}
	return next
}

// expired reports whether the run has waited too long and no executor has ever
// taken it.
func (it *item) expired(now time.Time) bool {
	end := it.expireAt()
	return !end.IsZero() && !now.Before(end) && it.run.Tries == it.run.Undelivered
}

// expireAt returns when the run expires, and zero for never. A row has it; a run that was
// handed over was not read from its row.
func (it *item) expireAt() time.Time {
	after := it.job.Delivery.ExpireAfter
	if it.claimed || !it.run.ExpireAt.IsZero() || after <= 0 {
		return it.run.ExpireAt
	}
	return it.due.Add(after)
}

// weigh adds the data on addresses that the item's route needs.
func (d *Dispatcher) weigh(it *item, t *turn, r *route.Request) {
	group := it.job.Group
	switch it.job.Route {
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
func (d *Dispatcher) candidates(it *item, t *turn) []string {
	addresses := d.reachable(it, t)
	if len(t.sick) > 0 && len(addresses) > 0 {
		well := filterAddresses(addresses, func(a string) bool { return d.mayCall(a, t) })
		if len(well) == 0 {
			d.sicken(it, addresses, t)
			return nil
		}
		addresses = well
	}
	return others(addresses, it.run.Avoid)
}

// reachable is candidates including addresses that the circuit breaker skips, and the one to
// avoid.
func (d *Dispatcher) reachable(it *item, t *turn) []string {
	alive := d.config.Executors.Alive(it.job.GroupID)
	if len(alive) == 0 {
		it.address, it.again, it.note = "", 0, fmt.Sprintf("no executor of group %s is alive", it.job.Group)
		return nil
	}
	addresses := alive
	if wanted := it.run.Addresses; len(wanted) > 0 {
		addresses = filterAddresses(addresses, func(a string) bool { return slices.Contains(wanted, a) })
		if len(addresses) == 0 {
			it.backOff(t.now, probeAgain, unregistered(wanted, it.job.Group))
			return nil
		}
	}
	if selector := it.job.Delivery.Selector; len(selector) > 0 {
		addresses = filterAddresses(addresses, func(a string) bool {
			return job.Matches(selector, d.features(it.job.Group, a))
		})
		if len(addresses) == 0 {
			it.backOff(t.now, probeAgain, unselected(selector, it.job.Group))
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
func (d *Dispatcher) sicken(it *item, addresses []string, t *turn) {
	first := t.sick[addresses[0]]
	for _, a := range addresses[1:] {
		if status := t.sick[a]; status.Until.Before(first.Until) {
			first = status
		}
	}
	wait := trialAgain
	if first.State == breaker.Open {
		wait = max(first.Until.Sub(t.now), wait)
	}
	it.address, it.again, it.note = "", wait, leftAlone(first, len(addresses))
}

// leftAlone is the reason why an executor is not called.
func leftAlone(s breaker.Status, of int) string {
	text := fmt.Sprintf("executor %s is left alone", s.Address)
	if of > 1 {
		text = fmt.Sprintf("all %d executors are left alone, %s too,", of, s.Address)
	}
	until := s.Until.UTC().Format(time.RFC3339)
	if s.State == breaker.HalfOpen {
		until = "a call that is under way has ended"
	}
	return fmt.Sprintf("%s until %s: %s in a row %s failed, the last one: %s",
		text, until, plural.Count(s.Failures, "call"), plural.Verb(s.Failures, "has", "have"), s.Reason)
}

// applyLoad applies the load of the item's address to the choice.
func (d *Dispatcher) applyLoad(it *item, t *turn) choice {
	load := d.lanes.loadOf(it.address, it.rank, t.now)
	switch {
	case load.stuck:
		it.backOff(t.now, stuckAgain, fmt.Sprintf("executor %s does not keep up: %s %s for a turn",
			it.address, plural.Count(load.waiting, "task"), plural.Verb(load.waiting, "waits", "wait")))
		return shelved
	case load.room <= t.given[it.address]:
		if d.crowds(it.job.GroupID) {
			it.backOff(t.now, crowdAgain, crowdedAt(it))
			return shelved
		}
		return parked
	}
	return picked
}

// crowdedAt and crowdedGroup are the reasons of a run whose executor, or group, takes no
// more at the moment.
func crowdedAt(it *item) string {
	return fmt.Sprintf("many runs of group %s wait until executor %s takes them", it.job.Group, it.address)
}

func (d *Dispatcher) crowdedGroup(it *item) string {
	return fmt.Sprintf("group %s has as many tasks on their way as it may, %d", it.job.Group, d.config.PerGroup)
}

// crowds reports whether the group holds more of the memory than is free, and there are
// other groups: then it parks no more, so that they have room.
func (d *Dispatcher) crowds(group int64) bool {
	return !d.sole && d.held.parkedOf[group] >= max(d.plannable(), d.roomWorthClaiming())
}

// mayRoam reports whether the route does not depend on which executor it picks.
func mayRoam(kind job.Route) bool {
	return kind == job.RouteRound || kind == job.RouteRandom || kind == job.RouteLeastLoaded
}

// chooseAmongFree picks again, among the addresses that have room and answer. Without one the item
// goes to an address that keeps up, or parks there.
func (d *Dispatcher) chooseAmongFree(ctx context.Context, it *item, r route.Request, t *turn) choice {
	var quick, moving []string
	for _, address := range r.Addresses {
		load := d.lanes.loadOf(address, it.rank, t.now)
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
	it.setRoute(d.config.Router.Pick(ctx, it.job.Route, r))
	if it.address == "" {
		it.backOff(t.now, probeAgain, it.note)
		return shelved
	}
	return d.applyLoad(it, t)
}

// setRoute stores the router's choice.
func (it *item) setRoute(c route.Choice, err error) {
	it.picked = true
	it.address, it.note = c.Address, c.Note
	if err != nil {
		it.address, it.note = "", err.Error()
	}
}

// backOff makes the item wait for the reason, longer each time.
func (it *item) backOff(now time.Time, least time.Duration, reason string) {
	it.address, it.note, it.again = "", reason, patience(it.waited(now), least)
}
