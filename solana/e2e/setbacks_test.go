package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"

	"github.com/orthd/orth/solana/failure"
	tasks "github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

var hourly = thread.Trigger{Kind: thread.OnInterval, Every: 3600}

// until waits until the service stands as it should.
func (s *shop) until(what string, is func(service.Stats) bool) service.Stats {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		st, err := s.service.Stats(ctx)
		if err != nil {
			s.t.Fatalf("%s: %v: %+v", what, err, st)
		}
		if is(st) {
			return st
		}
		<-tick.C
	}
}

// executed waits for the next execution, which must have succeeded.
func (s *shop) executed(key thread.Key) service.Settlement {
	s.t.Helper()
	d := s.wait()
	if d.Outcome != service.Executed || d.Thread != key {
		s.t.Fatalf("it ended as %+v", d)
	}
	return d
}

// What is not due by the chain's clock waits for it, and what is paused for a change: neither costs a try.
func TestSolanaServiceWaits(t *testing.T) {
	t.Parallel()
	s := newShop(t, submit.RPC, nil)
	s.service.Tick(observe.ClockUpdate{Slot: 1, UnixTimestamp: chainStart})
	later := s.put("later", hourly, timed(chainStart+100_000), s.Succeed())
	s.offer(later)
	s.until("it waits for the clock", func(st service.Stats) bool { return st.Waiting["clock"] == 1 })
	s.SetTime(chainStart + 100_001)
	s.service.Tick(observe.ClockUpdate{Slot: 2, UnixTimestamp: chainStart + 100_001})
	if d := s.executed(later); d.Tries != 0 {
		t.Errorf("it has cost %d tries", d.Tries)
	}

	paused := s.put("paused", hourly, timed(chainStart), s.Succeed())
	authority := svmtest.Wallet("authority")
	s.Fund(authority.PublicKey(), solana.LAMPORTS_PER_SOL)
	s.Send(s.Sign([]solana.PrivateKey{authority}, s.UpdateInstruction(authority.PublicKey(), paused, new(true), nil)))
	s.onChain(paused, func(th *thread.Thread) bool { return th.Paused })
	s.offer(paused)
	s.until("it waits for a change", func(st service.Stats) bool { return st.Waiting["change"] == 1 })
	s.Send(s.Sign([]solana.PrivateKey{authority}, s.UpdateInstruction(authority.PublicKey(), paused, new(false), nil)))
	state := s.onChain(paused, func(th *thread.Thread) bool { return !th.Paused })
	s.service.Changed(observe.ThreadChanged{Thread: paused, State: state})
	if d := s.executed(paused); d.Tries != 0 {
		t.Errorf("the pause has cost %d tries", d.Tries)
	}

	// Somebody else was first.
	lost := s.put("lost", hourly, timed(chainStart), s.Succeed())
	state = s.Thread(lost)
	rival := svmtest.Wallet("rival")
	s.Fund(rival.PublicKey(), solana.LAMPORTS_PER_SOL)
	s.Send(s.Sign([]solana.PrivateKey{rival}, s.Exec(svmtest.Exec{Executor: rival.PublicKey(), Thread: lost})))
	s.onChain(lost, func(th *thread.Thread) bool { return th.ExecCount == 1 })
	due, _ := state.Due(s.Profile, lost)
	if err := s.service.Offer(t.Context(), observe.ThreadReady{Thread: lost, State: state, TriggerTime: chainStart, Due: due}); err != nil {
		t.Fatal(err)
	}
	if d := s.wait(); d.Outcome != service.Superseded || d.Thread != lost {
		t.Errorf("behind a rival it ended as %+v", d)
	}
	st, err := s.service.Stats(t.Context())
	if err != nil || st.Retries != 0 || st.Sent != 2 || st.Ledger.Scheduled+st.Ledger.Processing != 0 {
		t.Errorf("%+v, %v", st, err)
	}
}

// onChain waits until a thread is as it should be.
func (s *shop) onChain(key thread.Key, is func(*thread.Thread) bool) *thread.Thread {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		if th := s.Thread(key); th != nil && is(th) {
			return th
		}
		<-tick.C
	}
	s.t.Fatalf("thread %s is %+v", key, s.Thread(key))
	return nil
}

// A transaction that is lost is sent again, the same; one that cannot land any more is signed anew.
func TestSolanaServiceLost(t *testing.T) {
	t.Parallel()
	s := newShop(t, submit.RPC, nil)
	key := s.put("dropped", hourly, timed(chainStart), s.Succeed())
	s.Configure(svmtest.Settings{DropNext: new(1)})
	s.offer(key)
	s.executed(key)
	if st := s.until("all is over", func(st service.Stats) bool { return st.InFlight == 0 }); st.Sent != 1 || st.Resent == 0 {
		t.Errorf("%d were sent, %d again", st.Sent, st.Resent)
	}

	key = s.put("expired", hourly, timed(chainStart), s.Succeed())
	s.Configure(svmtest.Settings{Loss: new(1.0)})
	s.offer(key)
	s.until("its blockhash has expired", func(st service.Stats) bool { return st.Expired > 0 })
	s.Configure(svmtest.Settings{Loss: new(0.0)})
	d := s.executed(key)
	if d.Tries != 0 || s.Thread(key).ExecCount != 1 {
		t.Errorf("%d times executed: %+v", s.Thread(key).ExecCount, d)
	}
	p, err := s.service.Profit(t.Context(), thread.Key{}, 10)
	if err != nil || p.Total.Executions != 2 || p.Total.Failures != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// miser says that a simulation has used hardly anything.
type miser struct{ *rpc.Pool }

func (m miser) Simulate(ctx context.Context, wire []byte, accounts ...solana.PublicKey) (*rpc.Simulated, error) {
	got, err := m.Pool.Simulate(ctx, wire, accounts...)
	if got != nil {
		got.Units = 1
	}
	return got, err
}

// A limit that was too low is raised until it is enough, and each fee is in the account.
func TestSolanaServiceLimit(t *testing.T) {
	t.Parallel()
	s := newShop(t, submit.RPC, nil)
	s.end()
	s.open(submit.RPC, func(c *service.Config) { c.Chain = miser{s.nodes} })
	key := s.put("burn", hourly, timed(chainStart), s.Burn(3000))
	before := s.Balance(s.signer.Public())
	s.offer(key)
	d := s.executed(key)
	st, err := s.service.Stats(t.Context())
	if err != nil || d.Units <= 20_000 || st.Failures[failure.Resource]+st.Failures[failure.Unclear] < 2 {
		t.Errorf("with %d units, after %+v: %v", d.Units, st.Failures, err)
	}
	p, err := s.service.Profit(t.Context(), thread.Key{}, 10)
	if err != nil || p.Total.Failures < 2 || p.Total.Executions != 1 {
		t.Errorf("%+v, %v", p.Total, err)
	}
	if got := int64(s.Balance(s.signer.Public())) - int64(before); got != p.Total.Net() {
		t.Errorf("the executor has %d lamports more, %d are in the account", got, p.Total.Net())
	}
}

// What fails too often becomes a dead letter, which can be driven again.
func TestSolanaServiceDead(t *testing.T) {
	t.Parallel()
	s := newShop(t, submit.RPC, nil)
	program := s.put("program", hourly, timed(chainStart), s.FailWith(7))
	s.offer(program)
	if d := s.wait(); d.Outcome != service.Buried || d.Class != failure.Program || d.Tries != 2 || len(d.Logs) == 0 {
		t.Errorf("a program that fails ended as %+v", d)
	}
	key := s.put("node", hourly, timed(chainStart), s.Succeed())
	s.Fail(svmtest.Fault{Method: "simulateTransaction", Times: 1000, Code: -32005, Message: "Node is behind"})
	s.offer(key)
	d := s.wait()
	if d.Outcome != service.Buried || d.Class != failure.Transient || d.Tries != s.service.Retry().MaxRetries {
		t.Errorf("a node that is behind: %+v", d)
	}
	s.Fail()
	list, err := s.service.Tasks(t.Context(), tasks.Dead, 0, 10)
	if err != nil || len(list) != 2 || list[1].Thread != key || list[1].Failed.Class != failure.Transient {
		t.Fatalf("dead letters: %+v, %v", list, err)
	}
	steps, err := s.service.Follow(t.Context(), list[1].ID)
	if err == nil {
		t.Errorf("a dead letter can be followed: %v", steps)
	}
	if err := s.service.Redrive(t.Context(), list[1].ID); err != nil {
		t.Fatal(err)
	}
	s.executed(key)
	if err := s.service.Purge(t.Context(), list[0].ID); err != nil {
		t.Error(err)
	}
	if st, err := s.service.Stats(t.Context()); err != nil || st.Ledger.Dead != 0 {
		t.Errorf("%+v, %v", st.Ledger, err)
	}
}

// An executor that cannot pay sends nothing for anybody, says so, and goes on when it can; that costs no try.
func TestSolanaServiceDry(t *testing.T) {
	t.Parallel()
	s := newShop(t, submit.RPC, nil)
	s.Fund(s.signer.Public(), 1000)
	keys := map[thread.Key]bool{}
	for i := range 3 {
		key := s.put(fmt.Sprint(i), hourly, timed(chainStart), s.Succeed())
		keys[key] = true
		s.offer(key)
	}
	st := s.until("there is trouble", func(st service.Stats) bool { return st.Trouble.IsTrouble() && st.Trouble.Balance == 1000 })
	if st.Sent != 0 || st.Trouble.Needed != 10_000_000 {
		t.Errorf("in trouble: %+v", st)
	}
	s.Fund(s.signer.Public(), solana.LAMPORTS_PER_SOL)
	for range keys {
		if d := s.wait(); d.Outcome != service.Executed || d.Tries != 0 || !keys[d.Thread] {
			t.Errorf("it ended as %+v", d)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.trouble) < 2 || !s.trouble[0].IsTrouble() || s.trouble[len(s.trouble)-1].IsTrouble() {
		t.Errorf("told was %+v", s.trouble)
	}
}

// What a node answers in place of a result costs a try at most, and no thread its execution.
func TestSolanaServiceNodes(t *testing.T) {
	t.Parallel()
	s := newShop(t, submit.RPC, nil)
	for i, f := range []svmtest.Fault{
		{Method: "getMultipleAccounts", Status: 429},
		{Method: "simulateTransaction", Status: 503, Times: 2},
		{Method: "sendTransaction", Code: -32005, Message: "Node is behind"},
		{Method: "sendTransaction", Close: true, Executed: true},
		{Method: "getSignatureStatuses", Status: 503, Times: 4},
		{Method: "getLatestBlockhash", Close: true},
	} {
		s.Fail(f)
		key := s.put(fmt.Sprint(i), hourly, timed(chainStart), s.Succeed())
		s.offer(key)
		s.executed(key)
		if n := s.Thread(key).ExecCount; n != 1 {
			t.Errorf("%+v: it was executed %d times", f, n)
		}
	}
}

// Whichever way transactions go, each execution lands once; an executor that forgoes its commission gets back what it has spent.
func TestSolanaServiceModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []submit.Mode{submit.RPC, submit.TPU, submit.Both, submit.TPUWithFallback} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			s := newShop(t, mode, func(c *service.Config) { c.Forgo = true })
			before := s.Balance(s.signer.Public())
			keys := make([]thread.Key, 5)
			for i := range keys {
				keys[i] = s.put(fmt.Sprint(i), hourly, timed(chainStart), s.Succeed())
				s.offer(keys[i])
			}
			for range keys {
				if d := s.wait(); d.Outcome != service.Executed || d.Expected != 0 {
					t.Errorf("it ended as %+v", d)
				}
			}
			for _, key := range keys {
				if n := s.Thread(key).ExecCount; n != 1 {
					t.Errorf("it was executed %d times", n)
				}
			}
			if after := s.Balance(s.signer.Public()); after != before {
				t.Errorf("the executor had %d lamports and has %d", before, after)
			}
		})
	}
}

// A thread with a nonce advances it by its execution.
func TestSolanaServiceNonce(t *testing.T) {
	t.Parallel()
	s := newShop(t, submit.RPC, nil)
	authority := svmtest.Wallet("authority").PublicKey()
	key, _, err := s.Profile.ThreadAddress(authority, []byte("nonce"))
	if err != nil {
		t.Fatal(err)
	}
	nonce := svmtest.Wallet("nonce")
	funder := svmtest.Wallet("funder")
	s.Fund(funder.PublicKey(), solana.LAMPORTS_PER_SOL)
	s.Send(s.Sign(
		[]solana.PrivateKey{funder, nonce},
		system.NewCreateAccountInstruction(10_000_000, 80, solana.SystemProgramID, funder.PublicKey(), nonce.PublicKey()).Build(),
		system.NewInitializeNonceAccountInstruction(key, nonce.PublicKey(), solana.SysVarRecentBlockHashesPubkey, solana.SysVarRentPubkey).Build(),
	))
	s.Put(thread.Thread{Authority: authority, ID: []byte("nonce"), Trigger: hourly, Schedule: timed(chainStart), Nonce: nonce.PublicKey()}, s.Succeed())
	was := s.data(nonce.PublicKey())
	s.Tick(5) // a nonce is advanced once in a block
	s.offer(key)
	s.executed(key)
	if now := s.data(nonce.PublicKey()); now == was {
		t.Error("the nonce is the same")
	}
}

// data waits for an account and returns what it holds.
func (s *shop) data(key thread.Key) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		if a, found := s.Account(key); found && len(a.Data) > 0 {
			return string(a.Data)
		}
		<-tick.C
	}
	s.t.Fatalf("account %s is not there", key)
	return ""
}

// Two executors that know nothing of each other execute each thread once; who was second knows it, and pays for the fee of a
// transaction at most.
func TestSolanaServiceRivals(t *testing.T) {
	t.Parallel()
	s := newShop(t, submit.RPC, nil)
	r := s.rival(submit.RPC)
	keys := make([]thread.Key, 8)
	for i := range keys {
		keys[i] = s.put(fmt.Sprint(i), hourly, timed(chainStart), s.Succeed())
		s.offer(keys[i])
		r.offer(keys[i])
	}
	ended := map[thread.Key]map[service.Outcome]int{}
	for _, who := range []*shop{s, r} {
		for range keys {
			d := who.wait()
			if ended[d.Thread] == nil {
				ended[d.Thread] = map[service.Outcome]int{}
			}
			ended[d.Thread][d.Outcome]++
		}
	}
	for _, key := range keys {
		if n := s.Thread(key).ExecCount; n != 1 || ended[key][service.Executed] != 1 || ended[key][service.Superseded] != 1 {
			t.Errorf("it was executed %d times, and ended %v", n, ended[key])
		}
	}
	for _, who := range []*shop{s, r} {
		p, err := who.service.Profit(t.Context(), thread.Key{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := int64(s.Balance(who.signer.Public())) - int64(solana.LAMPORTS_PER_SOL); got != p.Total.Net() {
			t.Errorf("it has %d lamports more, %d are in the account", got, p.Total.Net())
		}
	}
}

// Fibers that follow each other at once share transactions, and a thread that is to be closed is.
func TestSolanaServiceChain(t *testing.T) {
	t.Parallel()
	s := newShop(t, submit.RPC, nil)
	on := s.Return(svmtest.SignalOf(thread.Chain, 0))
	key := s.put("chain", hourly, timed(chainStart), on, on, on, on, on, on, s.Succeed())
	for _, want := range []int{5, 2} {
		s.offer(key)
		if d := s.executed(key); d.Fibers != want {
			t.Errorf("%d fibers were executed at once, want %d", d.Fibers, want)
		}
	}
	once := s.put("once", thread.Trigger{Kind: thread.Immediate}, timed(0), s.Succeed())
	s.offer(once)
	s.executed(once)
	late := s.Thread(once)
	s.offer(once)
	s.executed(once)
	if th := s.Thread(once); th != nil {
		t.Errorf("it is not closed: %+v", th)
	}
	late.ExecCount++
	if err := s.service.Offer(t.Context(), observe.ThreadReady{Thread: once, State: late, TriggerTime: chainStart}); err != nil {
		t.Fatal(err)
	}
	if d := s.wait(); d.Outcome != service.Gone {
		t.Errorf("what is closed ended as %+v", d)
	}
	if p, err := s.service.Profit(t.Context(), thread.Key{}, 0); err != nil || p.Total.Executions != 9 {
		t.Errorf("%+v, %v", p.Total, err)
	}
}
