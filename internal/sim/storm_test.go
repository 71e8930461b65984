package sim

import (
	"fmt"
	"slices"
	"time"
)

// blow is one fault of a storm: it begins at an instant and heals after a while.
type blow struct {
	at, lasts time.Duration
	what      string
	strike    func(until time.Time) (heal func())
}

// storm returns the faults of a world, in the order of their beginnings. All of
// them have healed when it is over.
func storm(w *world, lasts time.Duration) []blow {
	d := newDice(w.seed, "storm")
	var blows []blow
	for n := 4 + d.below(int(lasts/(4*time.Second))); n > 0; n-- {
		b := pick(w, d)
		b.at = d.between(2*time.Second, lasts-3*time.Second)
		b.lasts = min(b.lasts, lasts-b.at)
		blows = append(blows, b)
	}
	slices.SortStableFunc(blows, func(a, b blow) int { return int(a.at - b.at) })
	return blows
}

// pick throws a fault.
func pick(w *world, d *dice) blow {
	s := w.servers[d.below(len(w.servers))]
	m := w.machines[d.below(len(w.machines))]
	switch d.below(13) {
	case 0, 1:
		return blow{lasts: d.between(500*time.Millisecond, 15*time.Second), what: "kill " + s.name, strike: func(time.Time) func() {
			s.kill()
			return s.start
		}}
	case 2, 3, 4:
		return blow{lasts: d.between(200*time.Millisecond, 20*time.Second), what: "kill " + m.name, strike: func(time.Time) func() {
			m.kill()
			return m.start
		}}
	case 5:
		return blow{lasts: d.between(time.Second, 20*time.Second), what: "freeze " + s.name, strike: func(time.Time) func() {
			if l := s.current(); l != nil {
				return l.freeze()
			}
			return func() {}
		}}
	case 6:
		return blow{lasts: d.between(time.Second, 15*time.Second), what: "freeze " + m.name, strike: func(time.Time) func() {
			if p := m.current(); p != nil {
				return p.freeze()
			}
			return func() {}
		}}
	case 7:
		from, to := s.name, m.name
		if d.chance(0.5) {
			from, to = to, from
		}
		return blow{lasts: d.between(time.Second, 20*time.Second), what: fmt.Sprintf("cut %s > %s", from, to), strike: func(time.Time) func() {
			return w.network.cut(from, to)
		}}
	case 8, 9, 10:
		return stall(s, d.between(500*time.Millisecond, 40*time.Second))
	case 11:
		return blow{lasts: d.between(time.Second, 25*time.Second), what: "partition " + m.name, strike: func(time.Time) func() { return w.partition(m.name) }}
	default:
		return blow{lasts: d.between(500*time.Millisecond, 6*time.Second), what: "database", strike: func(time.Time) func() {
			w.setDisk(disk{before: 0.3, after: 0.3})
			return func() { w.setDisk(stormDisk) }
		}}
	}
}

// stall stops a server with something in its hands: after it has claimed or read
// what it is about to act on, and before it does.
func stall(s *server, lasts time.Duration) blow {
	b := blow{lasts: lasts, what: "stall " + s.name}
	b.strike = func(until time.Time) func() {
		if l := s.current(); l != nil {
			l.arm(until)
		}
		return func() {}
	}
	return b
}

// partition cuts a host off from all servers, both ways.
func (w *world) partition(host string) (heal func()) {
	var heals []func()
	for _, s := range w.servers {
		heals = append(heals, w.network.cut(host, s.name), w.network.cut(s.name, host))
	}
	return func() {
		for _, heal := range heals {
			heal()
		}
	}
}

// What is always bad while a storm lasts.
var (
	stormDisk    = disk{before: 0.005, after: 0.005}
	stormWeather = weather{lost: 0.03, double: 0.05, slow: 0.1}
)
