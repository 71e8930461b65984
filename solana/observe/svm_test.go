package observe

import (
	"context"
	"testing"
	"time"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// chainStart is the chain's time at the beginning, in unix seconds.
const chainStart = 1_800_000_000

// longest bounds how long a test waits for what must come.
const longest = 20 * time.Second

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

// collected are the events that were taken.
type collected struct {
	events chan Event
	o      *Observer
}

// nextReady waits for the next thread that is ready, and returns it; other events go by.
func nextReady(t *testing.T, o *Observer) ThreadReady {
	t.Helper()
	end := time.After(longest)
	for {
		select {
		case e := <-o.Events():
			if r, ready := e.(ThreadReady); ready {
				return r
			}
		case <-end:
			t.Fatalf("nothing becomes ready: %+v", o.Stats())
		}
	}
}

func TestChainSmoke(t *testing.T) {
	threads, c := onChain(t)
	key := threads.Put(thread.Thread{
		Authority: svmtest.Wallet("authority").PublicKey(), ID: []byte("a"),
		Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 60}, Schedule: thread.Schedule{Kind: thread.Timed, Next: chainStart + 10},
	}, threads.Succeed())
	o := follow(t, c)
	threads.SetTime(chainStart + 9)
	threads.Tick(3)
	r := nextReady(t, o)
	t.Logf("%+v, %v", r, r.Thread == key)
	t.Logf("%+v", o.Stats())
}
