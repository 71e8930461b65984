package observe

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/solana/thread"
)

// What cannot be understood is counted, and the connection goes on.
func TestSourceGarbage(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	o := observed(t, newStock(), Config{}, n)
	all := take(t, o)
	isUp(t, o, 1)
	n.say(garbage()...)
	n.say(tickOf(1000, 100), `{"params":{"subscription":1,"result":{"context":{"slot":1001},"value":{"pubkey":5}}}}`, `{"params":{"subscription":2,"result":{"context":{"slot":1001},"value":{"lamports":1}}}}`)
	n.say(threadNotice(99, 1001, key('b'), every(100, 0)), `{"id":77,"result":5}`, threadNotice(1, 1001, key('a'), every(100, 0)))
	all.waitReady(key('a'), 1)
	s := o.Stats()
	if e := s.Endpoints[0]; e.Garbage != uint64(len(garbage())+2) || e.Stray != 1 || e.Connects != 1 || s.Tracked != 1 {
		t.Errorf("%+v; %d messages were no messages", s, len(garbage())+2)
	}
}

// A message beyond all bounds ends the connection, and nothing more.
func TestSourceHuge(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	o := observed(t, newStock(), Config{}, n)
	isUp(t, o, 1)
	n.say(strings.Repeat(" ", largestMessage+1))
	eventually(t, "it is connected anew", func() bool { e := o.Stats().Endpoints[0]; return e.Connects > 1 && e.Up })
}

// A connection whose other end is gone without a word is found by its silence to pings.
func TestSourceHalfOpen(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.set(func(n *node) { n.deaf = true })
	const keepalive = 600 * time.Millisecond
	o := observed(t, newStock(), Config{Keepalive: keepalive}, n)
	isUp(t, o, 1)
	n.set(func(n *node) { n.deaf = false })
	eventually(t, "it is connected anew", func() bool { e := o.Stats().Endpoints[0]; return e.Connects > 1 && e.Up })
	// One that answers lives on, though on a busy machine not every one answers in time.
	since, connects := time.Now(), uint64(0)
	eventually(t, "a connection lives longer than two pings", func() bool {
		e := o.Stats().Endpoints[0]
		if e.Connects != connects || !e.Up {
			since, connects = time.Now(), e.Connects
		}
		return time.Since(since) > 2*keepalive+keepalive/2
	})
}

// A node that ends each connection is left alone for longer each time, and all threads are not listed for each.
func TestSourceStorm(t *testing.T) {
	t.Parallel()
	n, chain := newNode(t), newStock()
	n.set(func(n *node) { n.drop = true })
	began := time.Now()
	o := observed(t, chain, Config{}, n)
	eventually(t, "it is tried again", func() bool { return n.count() > 3 })
	keptFor(t, 1500*time.Millisecond, "it is not tried without end", func() bool { return n.count() < 9 })
	chain.set(func(s *stock) {
		if most := 2 + int(time.Since(began)/listSpacing); s.lists == 0 || s.lists > most {
			t.Errorf("%d connections have had %d lists made, at most %d are wanted", n.count(), s.lists, most)
		}
	})
	n.set(func(n *node) { n.drop = false })
	isUp(t, o, 1)
}

// Two nodes report in their own order, and one of them is late and repeats all: each
// execution is ready once.
func TestSourcesRace(t *testing.T) {
	t.Parallel()
	one, two := newNode(t), newNode(t)
	var ticks sync.Map // slots that were reported, and how often
	o := observed(t, newStock(), Config{Ticked: func(slot uint64, at time.Time) {
		times, _ := ticks.LoadOrStore(slot, new(atomic.Int64))
		times.(*atomic.Int64).Add(1)
		if time.Since(at) > time.Minute {
			t.Errorf("slot %d was told as of %v", slot, at)
		}
	}}, one, two)
	all := take(t, o)
	isUp(t, o, 2)
	var both sync.WaitGroup
	const executions = 300
	for _, tells := range []struct {
		n    *node
		late int
	}{{one, 0}, {two, 7}} {
		both.Go(func() {
			for i := range executions {
				at := max(0, i-tells.late)
				slot := uint64(1001 + i)
				tells.n.say(tickOf(slot, 1000), threadNotice(1, 1001+uint64(at), key('a'), every(1000, uint64(at))))
				if tells.late > 0 {
					tells.n.say(threadNotice(1, 1001+uint64(at), key('a'), every(1000, uint64(at))), tickOf(slot, 1000))
				}
			}
		})
	}
	both.Wait()
	all.waitReady(key('a'), 1)
	eventually(t, "the newest is known", func() bool {
		_, _, state := all.of(key('a'))
		return state.ExecCount == executions-1
	})
	all.waitSlot(1000 + executions)
	eventually(t, "the last execution is told as ready", func() bool {
		all.mu.Lock()
		defer all.mu.Unlock()
		told := all.ready[key('a')]
		return len(told) > 0 && told[len(told)-1].State.ExecCount == executions-1
	})
	last := false
	for slot, times := range ticks.Range {
		if n := times.(*atomic.Int64).Load(); n != 1 {
			t.Errorf("slot %d was told %d times", slot, n)
		}
		last = last || slot == uint64(1000+executions)
	}
	if !last {
		t.Error("the last slot was not told")
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	seen := make(map[uint64]bool)
	for i, r := range all.ready[key('a')] {
		if seen[r.State.ExecCount] {
			t.Errorf("execution %d was told as ready twice", r.State.ExecCount)
		}
		if seen[r.State.ExecCount] = true; i > 0 && r.State.ExecCount < all.ready[key('a')][i-1].State.ExecCount {
			t.Errorf("execution %d was told as ready behind a later one", r.State.ExecCount)
		}
	}
	if s := o.Stats(); s.Old == 0 || s.Endpoints[1].Messages == 0 {
		t.Errorf("%+v", s)
	}
}

// A node from another time does not move the clock, and does not hide that it is silent.
func TestSourceFarBehind(t *testing.T) {
	t.Parallel()
	good, lost := newNode(t), newNode(t)
	o := observed(t, newStock(), Config{Silence: 300 * time.Millisecond}, good, lost)
	all := take(t, o)
	isUp(t, o, 2)
	good.say(tickOf(1000, 100))
	all.waitSlot(1000)
	lost.say(tickOf(900, 90))
	eventually(t, "it is counted", func() bool { return o.Stats().FarBehind == 1 })
	eventually(t, "the clock is asked for", func() bool {
		lost.say(tickOf(901, 91))
		return o.Stats().ClockIsSilent && o.Stats().ClockPolls > 2
	})
	s := o.Stats()
	if tick, _ := o.Clock(); tick.Slot != 1000 || s.Endpoints[1].Lag < 99 || s.Endpoints[0].Lag != 0 {
		t.Errorf("the clock is at %+v: %+v", tick, s)
	}
}

// While nodes cannot be listed it is tried again, and what is asked for again comes when they can.
func TestChainAway(t *testing.T) {
	t.Parallel()
	n, chain := newNode(t), newStock()
	chain.set(func(s *stock) { s.away, s.threads[key('a')] = true, every(100, 0) })
	o := observed(t, chain, Config{}, n)
	all := take(t, o)
	isUp(t, o, 1)
	n.say(tickOf(1000, 100))
	eventually(t, "it is tried", func() bool { return o.Stats().FailedBackfills > 0 })
	chain.set(func(s *stock) { s.away = false })
	all.waitReady(key('a'), 1)
	chain.set(func(s *stock) { s.away = true })
	o.Again(key('a'))
	eventually(t, "it is tried", func() bool { return o.Stats().FailedRefreshes > o.Stats().ClockPolls })
	chain.set(func(s *stock) { s.away, s.slot = false, 1001 })
	all.waitReady(key('a'), 2)
	chain.set(func(s *stock) { s.slot = 1002; delete(s.threads, key('a')) })
	o.Again(key('a'))
	eventually(t, "it is gone", func() bool { all.mu.Lock(); defer all.mu.Unlock(); return all.gone[key('a')] == 1 })
	if n := len(o.Threads()); n != 0 {
		t.Errorf("%d threads are followed", n)
	}
}

// Another list finds the changes between the slot of a list and the first that a
// subscription reports: the node that lists may be behind the one that reports.
func TestListBehind(t *testing.T) {
	t.Parallel()
	n, chain := newNode(t), newStock()
	n.set(func(n *node) { n.then = []string{tickOf(1010, 100)} })
	o := observed(t, chain, Config{}, n)
	all := take(t, o)
	all.waitSlot(1010)
	eventually(t, "it is listed", func() bool { return o.Stats().Backfills > 0 })
	chain.set(func(s *stock) { s.slot, s.threads[key('a')] = 1010, every(100, 0) })
	all.waitReady(key('a'), 1)
	keptFor(t, listSpacing+500*time.Millisecond, "it is not listed without end", func() bool { return o.Stats().Backfills < 4 })
}

// No error, log line or figure shows more of an address than its host.
func TestSourceSecrets(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	host := strings.TrimPrefix(n.URL, "ws://")
	var log safeBuffer
	c := Config{
		Profile: thread.Newest(), Chain: noChain{}, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Endpoints: []string{
			"ws://user:word-secret@" + host + "/path-secret?key=query-secret", // it answers 429
			"ws://127.0.0.1:1/path-secret?key=query-secret",                   // no node listens
			"wss://" + host + "/path-secret?key=query-secret",                 // it speaks no TLS
		},
	}
	n.set(func(n *node) { n.refuse = 429 })
	o, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	run(t, o)
	eventually(t, "all have failed twice", func() bool {
		for _, e := range o.Stats().Endpoints {
			if e.Failures < 2 {
				return false
			}
		}
		return true
	})
	text := log.String()
	for _, e := range o.Stats().Endpoints {
		text += e.Name
	}
	if strings.Contains(text, "secret") || !strings.Contains(text, host) || !strings.Contains(text, "429") {
		t.Errorf("it tells:\n%s", text)
	}
	for _, address := range []string{"http://user:word-secret@host.example/path-secret", "://secret", "ws:///path-secret", "ws://host.example:secret/"} {
		c.Endpoints = []string{address}
		if _, err := New(c); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v", err)
		}
	}
}

// safeBuffer is a buffer for several.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write is part of [io.Writer].
func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}); err == nil {
		t.Error("there is an observer of nothing")
	}
	if _, err := New(Config{Profile: thread.Newest(), Chain: noChain{}, Endpoints: make([]string, 17)}); err == nil {
		t.Error("there is an observer of seventeen nodes")
	}
	o, err := New(Config{Profile: thread.Newest(), Chain: noChain{}})
	if err != nil {
		t.Fatal(err)
	}
	run(t, o)
	eventually(t, "it runs", func() bool { return o.Stats().FailedBackfills > 0 })
	if err := o.Run(t.Context()); err == nil {
		t.Error("it runs twice")
	}
	if _, known := o.Now(); known {
		t.Error("it knows a time that nobody has told")
	}
}
