package e2e

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/build"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
	"github.com/orthd/orth/solana/tpu"
)

// chainStart is the chain's time at the beginning, in unix seconds.
const chainStart = 1_800_000_000

// party is an executor of threads on a chain of its own.
type party struct {
	*svmtest.Threads
	t       *testing.T
	key     solana.PrivateKey
	nodes   *rpc.Pool
	builder *build.Builder
	watcher *submit.Watcher
	send    *submit.Submitter
}

func (p *party) Public() thread.Key { return p.key.PublicKey() }

func (p *party) Sign(message []byte) (solana.Signature, error) { return p.key.Sign(message) }

// newParty starts a chain with leaders, and an executor that submits in a mode.
func newParty(t *testing.T, mode submit.Mode, forgo bool) *party {
	t.Helper()
	chain := svmtest.Start(t)
	chain.SetTime(chainStart)
	p := &party{Threads: chain.Install(), t: t, key: svmtest.Wallet("executor")}
	chain.Fund(p.Public(), solana.LAMPORTS_PER_SOL)
	chain.StartLeaders(3)
	nodes, err := rpc.New(rpc.Config{Endpoints: []rpc.Endpoint{{URL: chain.RPC, Rate: 10_000}}})
	if err != nil {
		t.Fatal(err)
	}
	leaders, err := tpu.New(tpu.Config{Chain: nodes, Identity: ed25519.PrivateKey(p.key)})
	if err != nil {
		t.Fatal(err)
	}
	p.nodes = nodes
	p.builder = build.New(build.Config{Profile: p.Profile, Signer: p, Chain: nodes, Forgo: forgo})
	if p.send, err = submit.NewSubmitter(mode, nodes, leaders); err != nil {
		t.Fatal(err)
	}
	p.watcher = submit.NewWatcher(submit.WatcherConfig{Chain: nodes, Again: p.send.Submit, Every: 5 * time.Millisecond, Resend: 50 * time.Millisecond})
	for _, run := range []func(context.Context) error{leaders.Run, p.watcher.Run} {
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan error, 1)
		go func() { ended <- run(ctx) }()
		t.Cleanup(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("run: %v", err)
			}
		})
	}
	return p
}

// execute builds and sends an execution, and makes blocks until it is known what became of it.
func (p *party) execute(key thread.Key) (*build.Built, submit.End) {
	p.t.Helper()
	built, err := p.builder.Build(p.t.Context(), key, build.Hint{})
	if err != nil {
		p.t.Fatalf("build: %v", err)
	}
	p.submit(built)
	return built, p.settle(built, 2)
}

// submit sends the bytes until somebody takes them: leaders may not be known yet.
func (p *party) submit(built *build.Built) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := p.send.Submit(ctx, built.Transaction.Wire)
		switch {
		case err == nil:
			return
		case ctx.Err() != nil:
			p.t.Fatalf("submit: %v", err)
		}
		<-tick.C
	}
}

// settle makes blocks, as many at once as asked for, until a transaction has landed or cannot any more.
func (p *party) settle(built *build.Built, blocks int) submit.End {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	type result struct {
		end submit.End
		err error
	}
	results := make(chan result, 1)
	go func() {
		end, err := p.watcher.Watch(ctx, *built.Transaction)
		results <- result{end, err}
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case r := <-results:
			if r.err != nil {
				p.t.Fatalf("watch: %v", r.err)
			}
			return r.end
		case <-tick.C:
			p.Tick(blocks)
		}
	}
}

// put puts a thread on the chain that executes an instruction.
func (p *party) put(id string, trigger thread.Trigger, schedule thread.Schedule, fibers ...solana.Instruction) thread.Key {
	return p.Put(thread.Thread{Authority: svmtest.Wallet("authority").PublicKey(), ID: []byte(id), Trigger: trigger, Schedule: schedule}, fibers...)
}

func timed(next int64) thread.Schedule { return thread.Schedule{Kind: thread.Timed, Next: next} }

// Each kind of trigger is executed once, pays what was expected to the lamport, and is not due again.
func TestSolanaTriggers(t *testing.T) {
	t.Parallel()
	p := newParty(t, submit.Both, false)
	watched := svmtest.Wallet("watched").PublicKey()
	for _, c := range []struct {
		trigger  thread.Trigger
		schedule thread.Schedule
		again    failure.Class // what a second execution meets
	}{
		{thread.Trigger{Kind: thread.Immediate}, timed(0), ""}, // it closes itself
		{thread.Trigger{Kind: thread.OnTimestamp, At: chainStart - 1}, timed(chainStart - 1), failure.Paused},
		{thread.Trigger{Kind: thread.OnInterval, Every: 3600}, timed(chainStart - 1), failure.NotReady},
		{thread.Trigger{Kind: thread.OnCron, Cron: "0 0 0 1 1 *"}, timed(chainStart - 1), failure.NotReady},
		{thread.Trigger{Kind: thread.OnAccount, Address: watched, Size: 4}, thread.Schedule{Kind: thread.OnChange}, failure.NotReady},
	} {
		kind := c.trigger.Kind.String()
		p.SetTime(chainStart) // in time, for what is late pays less with each second
		p.SetAccount(watched, svmtest.Account{Lamports: 1e9, Data: []byte("news")})
		key := p.put(kind, c.trigger, c.schedule, p.Succeed())
		before := p.Balance(p.Public())
		built, end := p.execute(key)
		if end.Landed == nil || end.Landed.Err != nil {
			t.Errorf("%s: it ended with %+v", kind, end)
			continue
		}
		if got := int64(p.Balance(p.Public())) - int64(before); got != built.Expect.Net() {
			t.Errorf("%s: it has brought %d lamports, expected were %d", kind, got, built.Expect.Net())
		}
		if th := p.Thread(key); th.ExecCount != 1 || th.LastExecutor != p.Public() {
			t.Errorf("%s: it was executed %d times, last by %v", kind, th.ExecCount, th.LastExecutor)
		}
		if c.again == "" {
			if _, end := p.execute(key); end.Landed == nil || end.Landed.Err != nil || p.Thread(key) != nil {
				t.Errorf("%s: closing ended with %+v", kind, end)
			}
			continue
		}
		_, err := p.builder.Build(t.Context(), key, build.Hint{})
		if e, ok := errors.AsType[*build.Error](err); !ok || e.Class != c.again {
			t.Errorf("%s: a second time: %v, want %s", kind, err, c.again)
		}
	}
}

// Whichever way it goes, a transaction lands once.
func TestSolanaModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []submit.Mode{submit.RPC, submit.TPU, submit.Both, submit.TPUWithFallback} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			p := newParty(t, mode, true)
			for i := range 3 {
				key := p.put(fmt.Sprint(i), thread.Trigger{Kind: thread.OnInterval, Every: 60}, timed(chainStart), p.Succeed())
				if _, end := p.execute(key); end.Landed == nil || end.Landed.Err != nil {
					t.Fatalf("it ended with %+v", end)
				}
				if got := p.Thread(key).ExecCount; got != 1 {
					t.Errorf("it was executed %d times", got)
				}
			}
		})
	}
}

// Fibers that follow each other at once are executed by one transaction.
func TestSolanaChain(t *testing.T) {
	t.Parallel()
	p := newParty(t, submit.RPC, false)
	on := p.Return(svmtest.SignalOf(thread.Chain, 0))
	key := p.put("chain", thread.Trigger{Kind: thread.OnInterval, Every: 60}, timed(chainStart), on, on, on, on, on, on, p.Succeed())
	var built *build.Built
	for _, want := range []int{5, 2} {
		var end submit.End
		if built, end = p.execute(key); end.Landed == nil || end.Landed.Err != nil || built.Fibers != want {
			t.Fatalf("%d fibers ended with %+v, want %d", built.Fibers, end, want)
		}
	}
	if th := p.Thread(key); th.ExecCount != 7 || th.Signal.Kind != thread.NoSignal {
		t.Errorf("%d fibers were executed, the signal is %v", th.ExecCount, th.Signal.Kind)
	}
}

// The same bytes are sent until they land; what cannot land any more is proved so, and only then signed anew.
func TestSolanaLost(t *testing.T) {
	t.Parallel()
	p := newParty(t, submit.RPC, false)
	key := p.put("lost", thread.Trigger{Kind: thread.OnInterval, Every: 60}, timed(chainStart), p.Succeed())
	p.Configure(svmtest.Settings{DropNext: new(1)})
	built, end := p.execute(key)
	if end.Landed == nil || end.Landed.Err != nil || end.Resent == 0 || p.Thread(key).ExecCount != 1 {
		t.Errorf("after a loss: %+v, executed %d times", end, p.Thread(key).ExecCount)
	}

	next := p.put("expired", thread.Trigger{Kind: thread.OnInterval, Every: 60}, timed(chainStart), p.Succeed())
	p.Configure(svmtest.Settings{Loss: new(1.0)})
	old, err := p.builder.Build(t.Context(), next, build.Hint{})
	if err != nil {
		t.Fatal(err)
	}
	p.submit(old)
	if end := p.settle(old, 20); end.Landed != nil {
		t.Fatalf("what was always lost ended with %+v", end)
	}
	p.Configure(svmtest.Settings{Loss: new(0.0)})
	p.nodes.ForgetBlockhash(old.Transaction.Blockhash)
	fresh, end := p.execute(next)
	if end.Landed == nil || end.Landed.Err != nil || fresh.Transaction.Signature == old.Transaction.Signature || p.Thread(next).ExecCount != 1 {
		t.Errorf("signed anew: %+v, executed %d times", end, p.Thread(next).ExecCount)
	}
	if fresh.Transaction.LastValid <= built.Transaction.LastValid {
		t.Errorf("it is valid up to %d, the one before up to %d", fresh.Transaction.LastValid, built.Transaction.LastValid)
	}
}

// What is in the way is told by its class.
func TestSolanaRefusals(t *testing.T) {
	t.Parallel()
	p := newParty(t, submit.RPC, false)
	due := thread.Trigger{Kind: thread.OnInterval, Every: 60}
	gift := svmtest.Wallet("greedy").PublicKey()
	for name, c := range map[string]struct {
		key  thread.Key
		want failure.Class
	}{
		"a code of its own":          {p.put("code", due, timed(chainStart), p.FailWith(7)), failure.Program},
		"a code like the program's":  {p.put("6004", due, timed(chainStart), p.FailWith(thread.TriggerConditionFailed)), failure.Program},
		"a pause like the program's": {p.put("6006", due, timed(chainStart), p.FailWith(thread.ThreadPaused)), failure.Program},
		"a crash":                    {p.put("crash", due, timed(chainStart), p.Crash()), failure.Program},
		"work without end":           {p.put("burn", due, timed(chainStart), p.Burn(1<<40)), failure.Permanent},
		"a fiber that takes all":     {p.put("spend", due, timed(chainStart), p.Spend(gift, solana.LAMPORTS_PER_SOL*99/100)), failure.Program},
		"not due":                    {p.put("later", due, timed(chainStart+1000), p.Succeed()), failure.NotReady},
		"nothing there":              {svmtest.Wallet("nobody").PublicKey(), failure.Superseded},
	} {
		_, err := p.builder.Build(t.Context(), c.key, build.Hint{})
		if e, ok := errors.AsType[*build.Error](err); !ok || e.Class != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
