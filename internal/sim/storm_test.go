package sim

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// blow is one fault of a storm: it begins at an instant and heals after a while.
type blow struct {
	at, lasts time.Duration
	what      string
	hosts     []*disturbance // that it touches; nil for all
	strike    func(until time.Time) (heal func())
}

// kind names one kind of fault.
type kind string

// The kinds of faults.
const (
	killServer     kind = "kill server"
	stopServer     kind = "stop server in order"
	killMachine    kind = "kill executor"
	freezeServer   kind = "freeze server"
	freezeMachine  kind = "freeze executor"
	cutWay         kind = "cut"
	stallServer    kind = "stall server"
	partitioned    kind = "partition"
	badDatabase    kind = "database"
	farewell       kind = "stop executor in order"
	handBack       kind = "stop executor in order, which hands back"
	anotherAddress kind = "restart executor at another address"
	reboot         kind = "reboot"
	crashLoop      kind = "crash during recovery"
	damagedQueue   kind = "damage"
	badPlatter     kind = "disk of executors"
	clockStep      kind = "clock step"
)

// kinds are the faults of a storm. One is the more frequent the larger its share is.
var kinds = []struct {
	kind
	share int
	throw func(w *world, d *dice, s *server, m *machine) blow
}{
	{killServer, 2, func(_ *world, d *dice, s *server, _ *machine) blow {
		return blow{lasts: d.between(500*time.Millisecond, 15*time.Second), what: s.name, hosts: []*disturbance{&s.calm}, strike: func(time.Time) func() {
			s.kill()
			return s.start
		}}
	}},
	{stopServer, 2, func(w *world, d *dice, s *server, _ *machine) blow {
		return blow{lasts: d.between(500*time.Millisecond, 15*time.Second), what: s.name, hosts: []*disturbance{&s.calm}, strike: func(time.Time) func() {
			w.background.Go(s.leave)
			return func() {
				s.kill()
				s.start()
			}
		}}
	}},
	{killMachine, 3, func(_ *world, d *dice, _ *server, m *machine) blow {
		return m.down(d.between(200*time.Millisecond, 20*time.Second), nil)
	}},
	{freezeServer, 1, func(_ *world, d *dice, s *server, _ *machine) blow {
		return blow{lasts: d.between(time.Second, 20*time.Second), what: s.name, hosts: []*disturbance{&s.calm}, strike: func(time.Time) func() {
			if l := s.current(); l != nil {
				return l.freeze()
			}
			return func() {}
		}}
	}},
	{freezeMachine, 1, func(_ *world, d *dice, _ *server, m *machine) blow {
		return blow{lasts: d.between(time.Second, 15*time.Second), what: m.name, hosts: []*disturbance{&m.calm}, strike: func(time.Time) func() {
			if p := m.current(); p != nil {
				return p.freeze()
			}
			return func() {}
		}}
	}},
	{cutWay, 1, func(w *world, d *dice, s *server, m *machine) blow {
		from, to := s.name, m.name
		if d.chance(0.5) {
			from, to = to, from
		}
		return blow{
			lasts: d.between(time.Second, 20*time.Second), what: fmt.Sprintf("%s > %s", from, to), hosts: []*disturbance{&s.calm, &m.calm},
			strike: func(time.Time) func() { return w.network.cut(from, to) },
		}
	}},
	{stallServer, 3, func(_ *world, d *dice, s *server, _ *machine) blow {
		return stall(s, d.between(500*time.Millisecond, 40*time.Second))
	}},
	{partitioned, 1, func(w *world, d *dice, _ *server, m *machine) blow {
		return blow{
			lasts: d.between(time.Second, 25*time.Second), what: m.name, hosts: []*disturbance{&m.calm},
			strike: func(time.Time) func() { return w.partition(m.name) },
		}
	}},
	{badDatabase, 1, func(w *world, d *dice, _ *server, _ *machine) blow {
		return blow{lasts: d.between(500*time.Millisecond, 6*time.Second), strike: func(time.Time) func() {
			w.setDisk(disk{before: 0.3, after: 0.3})
			return func() { w.setDisk(stormDisk) }
		}}
	}},
	{farewell, 2, func(_ *world, d *dice, _ *server, m *machine) blow {
		return m.orderly(d.between(200*time.Millisecond, 12*time.Second), false)
	}},
	{handBack, 1, func(_ *world, d *dice, _ *server, m *machine) blow {
		return m.orderly(d.between(200*time.Millisecond, 12*time.Second), true)
	}},
	{anotherAddress, 1, func(_ *world, d *dice, _ *server, m *machine) blow {
		return m.down(d.between(200*time.Millisecond, 6*time.Second), func() { m.moves++ })
	}},
	{reboot, 1, func(_ *world, d *dice, _ *server, m *machine) blow {
		return m.down(d.between(500*time.Millisecond, 8*time.Second), func() { m.powerCut(d) })
	}},
	{crashLoop, 1, func(_ *world, d *dice, _ *server, m *machine) blow {
		power := d.chance(0.5)
		fuse := 1 + d.below(4)
		return m.down(d.between(200*time.Millisecond, 8*time.Second), func() {
			m.fuse = fuse
			if power {
				m.powerCut(d)
			}
		})
	}},
	{damagedQueue, 1, func(_ *world, d *dice, _ *server, m *machine) blow {
		return m.down(d.between(200*time.Millisecond, 8*time.Second), func() { m.bite(d) })
	}},
	{badPlatter, 1, func(w *world, d *dice, _ *server, _ *machine) blow {
		bad := disk{before: 0.15, after: 0.15}
		return blow{lasts: d.between(500*time.Millisecond, 6*time.Second), strike: func(time.Time) func() {
			w.setPlatter(bad)
			return func() { w.setPlatter(disk{}) }
		}}
	}},
	{clockStep, 1, func(_ *world, d *dice, s *server, _ *machine) blow {
		to, stays := d.between(-maxSkew, maxSkew), d.chance(0.5)
		return blow{lasts: d.between(100*time.Millisecond, 10*time.Second), what: s.name, strike: func(time.Time) func() {
			by := to - s.skew()
			s.step(by)
			s.w.trace.note("the clock of %s steps by %s", s.name, by)
			if stays {
				return func() {}
			}
			return func() { s.step(-by) }
		}}
	}},
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
	total := 0
	for _, k := range kinds {
		total += k.share
	}
	s := w.servers[d.below(len(w.servers))]
	m := w.machines[d.below(len(w.machines))]
	for {
		n := d.below(total)
		for _, k := range kinds {
			if n -= k.share; n >= 0 {
				continue
			}
			b := k.throw(w, d, s, m)
			b.what = fmt.Sprintf("%s %s", k.kind, b.what)
			return b
		}
	}
}

// down kills the executor. before is called when it is dead, with mu held; it may be nil.
func (m *machine) down(lasts time.Duration, before func()) blow {
	return blow{lasts: lasts, what: m.name, hosts: []*disturbance{&m.calm}, strike: func(time.Time) func() {
		m.kill()
		if before != nil {
			m.mu.Lock()
			if m.process == nil {
				before()
			}
			m.mu.Unlock()
		}
		return m.start
	}}
}

// orderly stops the executor in order. When it has not ended by the time of its start it is
// killed.
func (m *machine) orderly(lasts time.Duration, handsBack bool) blow {
	return blow{lasts: lasts, what: m.name, hosts: []*disturbance{&m.calm}, strike: func(time.Time) func() {
		m.w.background.Go(func() { m.leave(handsBack) })
		return func() {
			m.kill()
			m.start()
		}
	}}
}

// powerCut takes what was not synced, the marks of what has started above all. What is left of them
// may be old, or nothing. mu is held.
func (m *machine) powerCut(d *dice) {
	m.rebooted = true
	m.w.journal.cut(m.last)
	m.w.trace.note("%s: the power is cut", m.name)
	m.disk.lose(d)
	if content, err := os.ReadFile(m.marks()); err == nil {
		_ = os.WriteFile(m.marks(), content[:d.below(len(content)+1)], 0o600)
	}
}

// bite damages the queue's files, or the marks. mu is held.
func (m *machine) bite(d *dice) {
	what := m.disk.damage(d)
	if what == "" {
		return
	}
	m.damagedAt = time.Now()
	m.w.trace.note("%s: %s is damaged", m.name, what)
}

// stall stops a server with something in its hands: after it has claimed or read
// what it is about to act on, and before it does.
func stall(s *server, lasts time.Duration) blow {
	return blow{lasts: lasts, what: s.name, hosts: []*disturbance{&s.calm}, strike: func(until time.Time) func() {
		if l := s.current(); l != nil {
			l.arm(until)
		}
		return func() {}
	}}
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
	stormWeather = weather{lost: 0.03, double: 0.05, slow: 0.1, late: 0.01}
)
