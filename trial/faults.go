package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// fault is something bad that is done and undone.
type fault struct {
	kind string
	// do does it to a victim of its choice until over or the end of the window, and undoes
	// it. It returns false when it did nothing.
	do func(t *trial, random *rand.Rand, window <-chan struct{}) bool
}

// faults are what may happen, each as often as another.
func (t *trial) faults() []fault {
	all := []fault{
		{"kill", (*trial).killServer}, {"kill", (*trial).killExecutor}, {"stop", (*trial).stopServer}, {"stop", (*trial).stopExecutor},
		{"move", (*trial).moveExecutor}, {"pause", (*trial).pauseServer}, {"pause", (*trial).pauseExecutor}, {"damage", (*trial).damageExecutor},
		{"hold", (*trial).holdLink}, {"lose", (*trial).loseAnswers},
	}
	if t.database != nil {
		all = append(all, fault{"database", (*trial).hurtDatabase}, fault{"lose", (*trial).loseCommits})
	}
	if t.net.own {
		all = append(all, fault{"partition", (*trial).partition}, fault{"partition", (*trial).partition}, fault{"flap", (*trial).flap}, fault{"full", (*trial).fillDisk})
	}
	return all
}

// storm does one fault after the other until the window closes. Each kind has its turn
// before one comes again.
func (t *trial) storm(random *rand.Rand, window <-chan struct{}) {
	// The first firings are without faults: their lateness is what the others are held against.
	if !t.waitFor(window, time.Until(t.plan.From.Add(min(t.config.window/6, 30*time.Second)))) {
		return
	}
	var left []fault
	for t.waitFor(window, time.Duration(500+random.IntN(2500))*time.Millisecond) {
		if len(left) == 0 {
			left = t.faults()
			random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
		}
		f := left[0]
		left = left[1:]
		f.do(t, random, window)
	}
}

// hurt notes a fault of a process, which no other fault touches meanwhile.
func (t *trial) hurt(p *process, a action, do func() string) bool {
	if !p.busy.TryLock() {
		return false
	}
	defer p.busy.Unlock()
	a.What, a.Target, a.At = "fault", p.name, time.Now()
	a.Text = do()
	a.Ack = time.Now()
	t.note(a)
	return true
}

// again starts a process until it stays, for a while.
func (t *trial) again(p *process) {
	if err := p.start(); err != nil {
		panic(err)
	}
	for range 20 {
		if !p.endsWithin(time.Second) {
			return
		}
		if err := p.start(); err != nil {
			panic(err)
		}
	}
}

func some(random *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(random.Int64N(int64(most-least)))
}

func pick[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }

func (t *trial) killServer(random *rand.Rand, window <-chan struct{}) bool {
	s := pick(random, t.servers)
	return t.hurt(s.process, action{Kind: "kill"}, func() string {
		s.kill()
		t.waitFor(window, some(random, 0, 8*time.Second))
		t.again(s.process)
		_ = t.ready(s)
		return "SIGKILL"
	})
}

func (t *trial) stopServer(random *rand.Rand, window <-chan struct{}) bool {
	s := pick(random, t.servers)
	return t.hurt(s.process, action{Kind: "stop"}, func() string {
		s.stop(20 * time.Second)
		t.waitFor(window, some(random, 0, 4*time.Second))
		t.again(s.process)
		_ = t.ready(s)
		return "SIGTERM"
	})
}

func (t *trial) pauseServer(random *rand.Rand, window <-chan struct{}) bool {
	s := pick(random, t.servers)
	return t.hurt(s.process, action{Kind: "pause"}, func() string {
		s.signal(syscall.SIGSTOP)
		t.waitFor(window, some(random, time.Second, 15*time.Second))
		s.signal(syscall.SIGCONT)
		return "SIGSTOP"
	})
}

func (t *trial) killExecutor(random *rand.Rand, window <-chan struct{}) bool {
	e := pick(random, t.executors)
	return t.hurt(e.process, action{Kind: "kill", Cut: e.name}, func() string {
		e.kill()
		t.waitFor(window, some(random, 0, 8*time.Second))
		t.again(e.process)
		return "SIGKILL"
	})
}

func (t *trial) stopExecutor(random *rand.Rand, window <-chan struct{}) bool {
	e := pick(random, t.executors)
	return t.hurt(e.process, action{Kind: "stop", Cut: e.name}, func() string {
		e.stop(30 * time.Second)
		t.waitFor(window, some(random, 0, 12*time.Second))
		t.again(e.process)
		return "SIGTERM"
	})
}

// moveExecutor starts an executor again with its folder and another address, as a pod does.
func (t *trial) moveExecutor(random *rand.Rand, window <-chan struct{}) bool {
	e := pick(random, t.executors)
	if e.pulls {
		return false
	}
	return t.hurt(e.process, action{Kind: "move", Cut: e.name}, func() string {
		if random.IntN(2) == 0 {
			e.kill()
		} else {
			e.stop(30 * time.Second)
		}
		before, err := t.relay("")
		if err != nil {
			panic(err)
		}
		e.before.close()
		e.before = before
		if err := t.movesIn(e, e.ip); err != nil {
			panic(err)
		}
		t.noteAddress(e)
		t.waitFor(window, some(random, 0, 3*time.Second))
		t.again(e.process)
		return "now at " + before.address()
	})
}

func (t *trial) pauseExecutor(random *rand.Rand, window <-chan struct{}) bool {
	e := pick(random, t.executors)
	return t.hurt(e.process, action{Kind: "pause", Cut: e.name}, func() string {
		e.signal(syscall.SIGSTOP)
		t.waitFor(window, some(random, time.Second, 40*time.Second))
		e.signal(syscall.SIGCONT)
		return "SIGSTOP"
	})
}

// damageExecutor flips a bit in a file of an executor that does not run. When it then does
// not start, as is its right, it gets the file back as it was.
func (t *trial) damageExecutor(random *rand.Rand, window <-chan struct{}) bool {
	e := pick(random, t.executors)
	return t.hurt(e.process, action{Kind: "damage", Cut: e.name}, func() string {
		e.kill()
		var files []string
		for _, pattern := range []string{"*.log", "*.db", "*/*.log", "*/*.wal", "*.wal"} {
			found, _ := filepath.Glob(filepath.Join(e.data, pattern))
			files = append(files, found...)
		}
		what := "there is nothing to damage"
		var file string
		var whole []byte
		if len(files) > 0 {
			file = pick(random, files)
			whole, _ = os.ReadFile(file)
		}
		if len(whole) > 0 {
			place := random.IntN(len(whole))
			flipped := append([]byte{}, whole...)
			flipped[place] ^= 1 << random.IntN(8)
			what = fmt.Sprintf("a bit of byte %d of %d in %s", place, len(whole), file)
			if err := os.WriteFile(file, flipped, 0o600); err != nil {
				what = err.Error()
			}
		}
		if err := e.start(); err != nil {
			panic(err)
		}
		if e.endsWithin(3 * time.Second) {
			what += ": it did not start"
			_ = os.WriteFile(file, whole, 0o600)
			t.again(e.process)
		}
		return what
	})
}

// holdLink lets nothing pass between an executor and a server, in one direction or both, or
// lets it pass late.
func (t *trial) holdLink(random *rand.Rand, window <-chan struct{}) bool {
	e := pick(random, t.executors)
	i := random.IntN(len(t.servers))
	h := pick(random, []harm{{holdUp: true}, {holdDown: true}, {holdUp: true, holdDown: true}, {delay: some(random, 50*time.Millisecond, 4*time.Second)}})
	return t.hurt(e.process, action{Kind: "hold", Cut: e.name}, func() string {
		links := []*relay{e.to[i]}
		if e.before != nil && random.IntN(2) == 0 {
			links = append(links, e.before)
		}
		t.during(links, h, window, some(random, time.Second, 20*time.Second))
		return fmt.Sprintf("%+v on %d links with %s", h, len(links), t.servers[i].name)
	})
}

// loseAnswers delivers requests between servers and an executor, and throws answers away.
func (t *trial) loseAnswers(random *rand.Rand, window <-chan struct{}) bool {
	e := pick(random, t.executors)
	return t.hurt(e.process, action{Kind: "lose"}, func() string {
		links := append([]*relay{}, e.to...)
		if e.before != nil {
			links = append(links, e.before)
		}
		t.during(links, harm{loses: 0.3}, window, some(random, 3*time.Second, 10*time.Second))
		return "3 of 10 answers"
	})
}

// loseCommits throws away answers of the database to a server: of some commits it never
// hears.
func (t *trial) loseCommits(random *rand.Rand, window <-chan struct{}) bool {
	s := pick(random, t.servers)
	return t.hurt(s.process, action{Kind: "lose"}, func() string {
		t.during([]*relay{s.base}, harm{loses: 0.05}, window, some(random, 3*time.Second, 8*time.Second))
		return "1 of 20 answers of the database"
	})
}

func (t *trial) during(links []*relay, h harm, window <-chan struct{}, d time.Duration) {
	for _, l := range links {
		l.set(h)
	}
	t.waitFor(window, d)
	for _, l := range links {
		l.set(harm{})
	}
}

// hurtDatabase kills or pauses the database, or holds one server's link to it.
func (t *trial) hurtDatabase(random *rand.Rand, window <-chan struct{}) bool {
	how := random.IntN(3)
	if how == 2 {
		s := pick(random, t.servers)
		h := pick(random, []harm{{holdUp: true}, {holdDown: true}, {delay: 300 * time.Millisecond}})
		return t.hurt(s.process, action{Kind: "hold"}, func() string {
			t.during([]*relay{s.base}, h, window, some(random, time.Second, 12*time.Second))
			return fmt.Sprintf("%+v on its link to the database", h)
		})
	}
	return t.hurt(t.database.process, action{Kind: "database"}, func() string {
		if how == 0 {
			t.database.signal(syscall.SIGSTOP)
			t.waitFor(window, some(random, time.Second, 6*time.Second))
			t.database.signal(syscall.SIGCONT)
			return "SIGSTOP"
		}
		t.database.kill()
		t.waitFor(window, some(random, 0, 3*time.Second))
		t.again(t.database.process)
		return "SIGKILL"
	})
}

// node is a process with an address of its own.
type node struct {
	*process
	ip  string
	cut string // the Cut of a fault that keeps it from all others
}

func (t *trial) node(random *rand.Rand) node {
	var all []node
	of := "" // executors turn to another server
	if len(t.servers) == 1 {
		of = allOfThem
	}
	for _, s := range t.servers {
		all = append(all, node{s.process, s.ip, of})
	}
	for _, e := range t.executors {
		all = append(all, node{e.process, e.ip, e.name}, node{e.process, e.ip, e.name})
	}
	return pick(random, all)
}

// partition lets packets of a process vanish, in one direction or both.
func (t *trial) partition(random *rand.Rand, window <-chan struct{}) bool {
	n := t.node(random)
	way := 1 + random.IntN(3)
	in, out := way&1 != 0, way&2 != 0
	return t.hurt(n.process, action{Kind: "partition", Cut: n.cut}, func() string {
		t.must(t.net.drop(n.name, n.ip, in, out))
		t.waitFor(window, some(random, 2*time.Second, 45*time.Second))
		t.must(t.net.restore(n.name, n.ip, in, out))
		return fmt.Sprintf("no packet comes in: %t, out: %t", in, out)
	})
}

// flap loses packets: the link is gone for a third of the time, in pieces.
func (t *trial) flap(random *rand.Rand, window <-chan struct{}) bool {
	n := t.node(random)
	return t.hurt(n.process, action{Kind: "flap", Cut: n.cut}, func() string {
		for end := time.Now().Add(some(random, 3*time.Second, 15*time.Second)); time.Now().Before(end); {
			in := random.IntN(2) == 0
			t.must(t.net.drop(n.name, n.ip, in, !in))
			open := t.waitFor(window, some(random, 10*time.Millisecond, 300*time.Millisecond))
			t.must(t.net.restore(n.name, n.ip, in, !in))
			if !open || !t.waitFor(window, some(random, 50*time.Millisecond, 500*time.Millisecond)) {
				break
			}
		}
		return "a third of the packets, in bursts"
	})
}

func (t *trial) must(err error) {
	if err != nil {
		panic(err)
	}
}

func (t *trial) fillDisk(random *rand.Rand, window <-chan struct{}) bool {
	for _, e := range t.executors {
		if !e.small {
			continue
		}
		return t.hurt(e.process, action{Kind: "full"}, func() string {
			ballast, err := fill(e.data)
			t.waitFor(window, some(random, 2*time.Second, 10*time.Second))
			_ = os.Remove(ballast)
			if err != nil {
				return err.Error()
			}
			return "no space left"
		})
	}
	return false
}
