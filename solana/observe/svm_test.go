package observe

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// chainStart is the chain's time at the beginning, in unix seconds.
const chainStart = 1_800_000_000

// longest bounds how long a test waits for what must come, on a machine that is busy with other things, too.
const longest = 90 * time.Second

// run runs an observer until the test ends.
func run(t *testing.T, o *Observer) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("run: %v", err)
			}
		case <-time.After(longest):
			t.Error("the observer does not end")
		}
	})
}

// onChain starts a chain with the thread programs, and what makes an observer of it.
func onChain(t *testing.T) (*svmtest.Threads, Config) {
	t.Helper()
	chain := svmtest.Start(t)
	chain.SetTime(chainStart)
	threads := chain.Install()
	nodes, err := rpc.New(rpc.Config{Endpoints: []rpc.Endpoint{{URL: chain.RPC, Rate: 10_000}}})
	if err != nil {
		t.Fatal(err)
	}
	return threads, Config{Profile: threads.Profile, Chain: nodes, Endpoints: []string{chain.WS}}
}

// follow makes an observer and runs it until it is subscribed.
func follow(t *testing.T, c Config) *Observer {
	t.Helper()
	o, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	run(t, o)
	eventually(t, "it is subscribed, and has listed the threads since", func() bool {
		s := o.Stats()
		return s.EndpointsUp == len(c.Endpoints) && s.Backfills > 0 && !s.LastBackfill.IsZero()
	})
	return o
}

// eventually waits until something holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(longest); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("it did not come to pass that %s", what)
		}
	}
}

// taker takes all events.
type taker struct {
	t      *testing.T
	mu     sync.Mutex
	ready  map[thread.Key][]ThreadReady
	states map[thread.Key]*thread.Thread // newest
	gone   map[thread.Key]int
	tick   ClockUpdate
}

// take takes the events of an observer until the test ends.
func take(t *testing.T, o *Observer) *taker {
	t.Helper()
	all := &taker{t: t, ready: make(map[thread.Key][]ThreadReady), states: make(map[thread.Key]*thread.Thread), gone: make(map[thread.Key]int)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case e := <-o.Events():
				all.took(e)
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return all
}

func (a *taker) took(event Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e := event.(type) {
	case ThreadReady:
		a.ready[e.Thread] = append(a.ready[e.Thread], e)
	case ThreadChanged:
		a.states[e.Thread] = e.State
	case ThreadGone:
		a.gone[e.Thread]++
	case ClockUpdate:
		if e.Slot <= a.tick.Slot {
			a.t.Errorf("the tick of slot %d comes behind that of %d", e.Slot, a.tick.Slot)
		}
		a.tick = e
	}
}

// of returns how often a thread was emitted as ready, when it was due the first time, and
// its newest state.
func (a *taker) of(key thread.Key) (ready int, due int64, state *thread.Thread) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if all := a.ready[key]; len(all) > 0 {
		due = all[0].TriggerTime
	}
	return len(a.ready[key]), due, a.states[key]
}

// waitReady waits until a thread was emitted as ready so often.
func (a *taker) waitReady(key thread.Key, times int) {
	a.t.Helper()
	eventually(a.t, "the thread is ready", func() bool {
		n, _, _ := a.of(key)
		return n >= times
	})
}

// waitSlot waits until a tick of a slot has come, and so all events before it.
func (a *taker) waitSlot(slot uint64) {
	a.t.Helper()
	eventually(a.t, "the tick comes", func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.tick.Slot >= slot
	})
}

func owner() thread.Key { return svmtest.Wallet("authority").PublicKey() }

// put puts a thread on the chain that waits for a trigger.
func put(threads *svmtest.Threads, id string, trigger thread.Trigger, schedule thread.Schedule) thread.Key {
	return threads.Put(thread.Thread{Authority: owner(), ID: []byte(id), Trigger: trigger, Schedule: schedule}, threads.Succeed())
}

func at(unix int64) thread.Schedule { return thread.Schedule{Kind: thread.Timed, Next: unix} }

// Threads of all kinds, those that were there before and those that come later, become ready at their time, once.
func TestChainKinds(t *testing.T) {
	t.Parallel()
	threads, c := onChain(t)
	watched := svmtest.Wallet("watched").PublicKey()
	threads.SetAccount(watched, svmtest.Account{Lamports: 1e9, Data: []byte("old!data")})
	seen := (&thread.Trigger{Offset: 4, Size: 4}).Watched([]byte("old!data"))
	slot := threads.Tick(1)
	one := put(threads, "before", thread.Trigger{Kind: thread.OnInterval, Every: 60}, at(chainStart+100))
	account := put(threads, "account", thread.Trigger{Kind: thread.OnAccount, Address: watched, Offset: 4, Size: 4}, thread.Schedule{Kind: thread.OnChange, Hash: seen})
	o := follow(t, c)
	all := take(t, o)
	kinds := map[string]thread.Key{
		"interval":  one,
		"timestamp": put(threads, "timestamp", thread.Trigger{Kind: thread.OnTimestamp, At: chainStart + 100}, at(chainStart+100)),
		"cron":      put(threads, "cron", thread.Trigger{Kind: thread.OnCron, Cron: "0 * * * * *"}, at(chainStart+100)),
		"slot":      put(threads, "slot", thread.Trigger{Kind: thread.OnSlot, Number: slot + 20}, thread.Schedule{Kind: thread.Block}),
		"epoch":     put(threads, "epoch", thread.Trigger{Kind: thread.OnEpoch, Number: 1}, thread.Schedule{Kind: thread.Block}),
		"account":   account,
		"immediate": put(threads, "immediate", thread.Trigger{Kind: thread.Immediate}, at(0)),
	}
	paused := threads.Put(thread.Thread{Authority: owner(), ID: []byte("paused"), Paused: true, Trigger: thread.Trigger{Kind: thread.Immediate}}, threads.Succeed())
	ready := func(what string, want ...string) {
		t.Helper()
		for kind, key := range kinds {
			n, _, _ := all.of(key)
			if is := n > 0; is != slices.Contains(want, kind) {
				t.Errorf("%s: %s was told as ready: %v", what, kind, is)
			}
			if n > 1 {
				t.Errorf("%s: %s was told as ready %d times", what, kind, n)
			}
		}
	}
	all.waitSlot(threads.Tick(1))
	all.waitReady(kinds["immediate"], 1)
	ready("at once", "immediate")

	all.waitSlot(threads.Tick(18))
	ready("a slot before", "immediate")
	all.waitSlot(threads.Tick(1))
	all.waitReady(kinds["slot"], 1)
	ready("in the slot", "immediate", "slot")

	threads.SetTime(chainStart + 97)
	all.waitSlot(threads.Tick(1))
	ready("three seconds before", "immediate", "slot")
	threads.SetTime(chainStart + 100)
	all.waitSlot(threads.Tick(1))
	for _, kind := range []string{"interval", "timestamp", "cron"} {
		all.waitReady(kinds[kind], 1)
		if _, due, _ := all.of(kinds[kind]); due != chainStart+100 {
			t.Errorf("%s was due at %d, want %d", kind, due, chainStart+100)
		}
	}
	ready("at the time", "immediate", "slot", "interval", "timestamp", "cron")

	eventually(t, "the account is watched", func() bool { return o.Stats().Watched == 1 && o.Stats().Refreshes > 0 })
	threads.SetAccount(watched, svmtest.Account{Lamports: 1e9, Data: []byte("new!data")})
	all.waitSlot(threads.Tick(3))
	ready("the account changed beside what is watched", "immediate", "slot", "interval", "timestamp", "cron")
	threads.SetAccount(watched, svmtest.Account{Lamports: 1e9, Data: []byte("new!news")})
	threads.Tick(1)
	all.waitReady(account, 1)

	threads.Configure(svmtest.Settings{SlotsPerEpoch: new(int(slot))})
	all.waitSlot(threads.Tick(1))
	all.waitReady(kinds["epoch"], 1)
	threads.Tick(40)
	all.waitSlot(threads.Tick(1))
	ready("at the end", slices.Collect(maps.Keys(kinds))...)
	if n, _, state := all.of(paused); n != 0 || state == nil {
		t.Errorf("a paused thread was told as ready %d times", n)
	}
	if s := o.Stats(); s.Tracked != 8 || s.Endpoints[0].Garbage+s.Endpoints[0].Stray+s.Undecodable > 0 {
		t.Errorf("%+v", s)
	}
}

// What happens while no connection is there is found by the list behind the next one.
func TestChainDrop(t *testing.T) {
	t.Parallel()
	threads, c := onChain(t)
	var keys []thread.Key
	for _, id := range []string{"closed", "changed", "same"} {
		keys = append(keys, put(threads, id, thread.Trigger{Kind: thread.OnInterval, Every: 60}, at(chainStart+3600)))
	}
	o := follow(t, c)
	all := take(t, o)
	eventually(t, "all are known", func() bool { return o.Stats().Tracked == 3 })
	threads.RefuseSockets(2)
	if n := threads.DropSockets(); n != 1 {
		t.Fatalf("there were %d connections", n)
	}
	threads.SetAccount(keys[0], svmtest.Account{})
	threads.Put(thread.Thread{Authority: owner(), ID: []byte("changed"), ExecCount: 4, Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 60}, Schedule: at(chainStart + 3000)}, threads.Succeed())
	added := put(threads, "added", thread.Trigger{Kind: thread.Immediate}, at(0))
	threads.Tick(2)
	all.waitReady(added, 1)
	eventually(t, "the state is the newest", func() bool {
		_, _, state := all.of(keys[1])
		return state != nil && state.ExecCount == 4
	})
	eventually(t, "the closed one is gone", func() bool {
		threads.Tick(1)
		all.mu.Lock()
		defer all.mu.Unlock()
		return all.gone[keys[0]] == 1
	})
	s := o.Stats()
	if s.Tracked != 3 || s.Endpoints[0].Failures < 3 || s.Endpoints[0].Connects < 2 {
		t.Errorf("%+v", s)
	}
}

// A connection that is half open: the clock is polled, what is due becomes ready, and the
// connection is made again.
func TestChainMute(t *testing.T) {
	t.Parallel()
	threads, c := onChain(t)
	c.Keepalive, c.Silence = 2*time.Second, 200*time.Millisecond
	key := put(threads, "one", thread.Trigger{Kind: thread.OnInterval, Every: 60}, at(chainStart+100))
	o := follow(t, c)
	all := take(t, o)
	threads.Tick(1)
	threads.MuteSockets()
	polls := o.Stats().ClockPolls
	threads.SetTime(chainStart + 100)
	threads.Tick(1)
	all.waitReady(key, 1)
	if s := o.Stats(); s.ClockPolls == polls {
		t.Errorf("the clock was not asked for: %+v", s)
	}
	eventually(t, "it is connected anew", func() bool { s := o.Stats(); return s.Endpoints[0].Connects > 1 && s.EndpointsUp == 1 })
	eventually(t, "the clock is told again", func() bool {
		threads.Tick(1)
		return !o.Stats().ClockIsSilent
	})
	if n, _, _ := all.of(key); n != 1 {
		t.Errorf("the thread was told as ready %d times", n)
	}
}

// Two nodes with the same reports make no event twice, and one is enough.
func TestChainTwo(t *testing.T) {
	t.Parallel()
	threads, c := onChain(t)
	c.Endpoints = append(c.Endpoints, c.Endpoints[0])
	key := put(threads, "one", thread.Trigger{Kind: thread.OnInterval, Every: 60}, at(chainStart+100))
	o := follow(t, c)
	all := take(t, o)
	threads.SetTime(chainStart + 100)
	threads.Tick(1)
	all.waitReady(key, 1)
	for count := range uint64(20) {
		threads.Put(thread.Thread{Authority: owner(), ID: []byte("one"), ExecCount: count + 1, Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 60}, Schedule: at(chainStart)}, threads.Succeed())
		threads.Tick(2)
		all.waitReady(key, int(count)+2)
	}
	all.waitSlot(threads.Tick(5))
	if n, _, _ := all.of(key); n != 21 {
		t.Errorf("21 executions were told as ready %d times", n)
	}
	s := o.Stats()
	if s.EndpointsUp != 2 || s.Old == 0 || s.Endpoints[1].Name == s.Endpoints[0].Name {
		t.Errorf("%+v", s)
	}
}

// Without any websocket the chain is asked: what is due becomes ready, and what has become of it is seen.
func TestChainAlone(t *testing.T) {
	t.Parallel()
	threads, c := onChain(t)
	c.Endpoints = nil
	key := put(threads, "one", thread.Trigger{Kind: thread.OnInterval, Every: 60}, at(chainStart+100))
	o := follow(t, c)
	all := take(t, o)
	threads.SetTime(chainStart + 100)
	threads.Tick(1)
	all.waitReady(key, 1)
	threads.Put(thread.Thread{Authority: owner(), ID: []byte("one"), ExecCount: 1, Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 60}, Schedule: at(chainStart + 101)}, threads.Succeed())
	threads.Tick(4)
	all.waitReady(key, 2)
	if s := o.Stats(); s.ClockPolls == 0 || s.Refreshes == 0 {
		t.Errorf("%+v", s)
	}
}
