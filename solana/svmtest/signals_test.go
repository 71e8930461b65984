package svmtest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"

	"github.com/orthd/orth/solana/thread"
)

func every(seconds int64) thread.Trigger {
	return thread.Trigger{Kind: thread.OnInterval, Every: seconds}
}

// What a fiber returns decides which fiber is next, and may change the thread.
func TestSignals(t *testing.T) {
	b := newBench(t)
	slots := thread.Trigger{Kind: thread.OnSlot, Number: 5}
	for _, c := range []struct {
		name   string
		signal []byte
		cursor uint8 // afterwards, of the fibers 0, 4 and 7, of which 4 is executed
		kept   thread.SignalKind
		paused bool
		kind   thread.TriggerKind
	}{
		{"none", SignalOf(thread.NoSignal, 0), 7, thread.NoSignal, false, thread.OnInterval},
		{"nothing", nil, 7, thread.NoSignal, false, thread.OnInterval},
		{"garbage", []byte{9}, 7, thread.NoSignal, false, thread.OnInterval},
		{"too long", []byte{byte(thread.Close), 0}, 7, thread.NoSignal, false, thread.OnInterval},
		{"repeat", SignalOf(thread.Repeat, 0), 4, thread.NoSignal, false, thread.OnInterval},
		{"next", SignalOf(thread.NextFiber, 0), 0, thread.NoSignal, false, thread.OnInterval},
		{"close", SignalOf(thread.Close, 0), 4, thread.Close, false, thread.OnInterval},
		{"chain", SignalOf(thread.Chain, 0), 4, thread.Chain, false, thread.OnInterval},
		{"update nothing", UpdateSignal(nil, nil, nil), 7, thread.NoSignal, false, thread.OnInterval},
		{"update paused", UpdateSignal(new(true), nil, nil), 7, thread.NoSignal, true, thread.OnInterval},
		{"update trigger", UpdateSignal(nil, &slots, nil), 7, thread.NoSignal, false, thread.OnSlot},
		{"update longer trigger", UpdateSignal(nil, &thread.Trigger{Kind: thread.OnCron, Cron: "0 0 12 * * MON"}, nil), 7, thread.NoSignal, false, thread.OnCron},
		{"update all", UpdateSignal(new(true), &slots, new(uint8(0))), 0, thread.NoSignal, true, thread.OnSlot},
	} {
		t.Run(c.name, func(t *testing.T) {
			th := thread.Thread{Authority: b.authority, ID: []byte(c.name), Trigger: every(60), Schedule: timed(0, now), Fibers: []uint8{0, 4, 7}, Cursor: 4}
			fiber := b.Return(c.signal)
			key := b.Put(th)
			b.PutFiber(thread.Fiber{Thread: key, Compiled: Compile(fiber)}, 4)
			b.good(b.execute(key))
			after := b.Thread(key)
			if after.Cursor != c.cursor || after.Signal.Kind != c.kept || after.Paused != c.paused || after.Trigger.Kind != c.kind || after.ExecCount != 1 {
				t.Errorf("fiber %d, signal %s, paused %v, trigger %s, %d executions", after.Cursor, after.Signal.Kind, after.Paused, after.Trigger.Kind, after.ExecCount)
			}
			if moved := after.Schedule.Next != now; moved == (c.kept == thread.Chain) {
				t.Errorf("schedule %+v with the signal %s", after.Schedule, after.Signal.Kind)
			}
		})
	}
}

// A timestamp's thread is paused once it has been executed, unless its fiber says that it is not.
func TestTimestampGoesOn(t *testing.T) {
	b := newBench(t)
	trigger := thread.Trigger{Kind: thread.OnTimestamp, At: now}
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("t"), Trigger: trigger, Schedule: timed(0, now)}, b.Return(UpdateSignal(new(false), nil, nil)))
	b.good(b.execute(key))
	if b.Thread(key).Paused {
		t.Error("it is paused")
	}
}

// A signal that another program than the fiber's has returned is none.
func TestSignalOfAnother(t *testing.T) {
	b := newBench(t)
	other := Wallet("other program").PublicKey()
	elf := program(t, "probe")
	b.AddProgram(other, elf)
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("a"), Trigger: every(60), Schedule: timed(0, now)},
		b.CallOn(other, append([]byte{probeReturn}, SignalOf(thread.Close, 0)...)))
	b.good(b.execute(key))
	if got := b.Thread(key).Signal.Kind; got != thread.NoSignal {
		t.Errorf("signal %s", got)
	}
}

// A chain is executed without waiting, is paid once at its end, and ends with its last fiber.
func TestChain(t *testing.T) {
	b := newBench(t)
	on := b.Return(SignalOf(thread.Chain, 0))
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("chain"), Trigger: every(60), Schedule: timed(0, now)}, on, on, on)
	had := b.Balance(key)
	for i, want := range []thread.SignalKind{thread.Chain, thread.Chain, thread.NoSignal} {
		b.good(b.execute(key))
		th := b.Thread(key)
		if th.Signal.Kind != want || th.ExecCount != uint64(i+1) {
			t.Fatalf("after %d: signal %s, %d executions", i+1, th.Signal.Kind, th.ExecCount)
		}
		if paid := b.Balance(key) != had; paid != (want == thread.NoSignal) {
			t.Errorf("after %d: the thread has %d of %d", i+1, b.Balance(key), had)
		}
	}
	if th := b.Thread(key); th.Cursor != 0 || th.Schedule.Next < now+60 {
		t.Errorf("behind its end: fiber %d, %+v", th.Cursor, th.Schedule)
	}
	pay := b.Config.Pay(b.Profile, 0, 0, false)
	if got, want := had-b.Balance(key), pay.Reimbursed+pay.Executor+pay.Team; got != want {
		t.Errorf("the chain has cost the thread %d, want %d", got, want)
	}
	b.refused(b.execute(key), thread.TriggerConditionFailed)
}

// A whole chain fits into one transaction.
func TestChainInOne(t *testing.T) {
	b := newBench(t)
	on := b.Return(SignalOf(thread.Chain, 0))
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("one"), Trigger: every(60), Schedule: timed(0, now)}, on, b.Succeed())
	e := Exec{Executor: b.executor.PublicKey(), Thread: key}
	first := b.Exec(e)
	e.Cursor = 1
	b.good(b.Land(b.Sign([]solana.PrivateKey{b.executor}, first, b.Exec(e))))
	if th := b.Thread(key); th.ExecCount != 2 || th.Signal.Kind != thread.NoSignal {
		t.Errorf("%d executions, signal %s", th.ExecCount, th.Signal.Kind)
	}
}

// A thread that is done closes itself and its fibers, and its authority gets all that they had.
func TestClose(t *testing.T) {
	b := newBench(t)
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("closed"), Trigger: thread.Trigger{Kind: thread.Immediate}, Schedule: timed(now, now)},
		b.Succeed(), b.Succeed())
	b.good(b.execute(key))
	had, executor := b.Balance(key), b.Balance(b.executor.PublicKey())
	b.good(b.execute(key))
	if th := b.Thread(key); th != nil {
		t.Errorf("there still is %+v", th)
	}
	for i := range uint8(2) {
		fiber, err := b.Profile.FiberAddress(key, i)
		if err != nil {
			t.Fatal(err)
		}
		if a, found := b.Account(fiber); found {
			t.Errorf("fiber %d is %+v", i, a)
		}
	}
	if got, want := b.Balance(b.authority), had+2*fiberLamports; got != want {
		t.Errorf("the authority has got %d, want %d", got, want)
	}
	if got := executor - b.Balance(b.executor.PublicKey()); got != lamportsPerSignature {
		t.Errorf("closing has cost the executor %d", got)
	}
}

// Its authority may close a thread too, with all of its fibers and nobody else's; nobody else may.
func TestCloseByAuthority(t *testing.T) {
	b := newBench(t)
	owner, thief := Wallet("owner"), Wallet("thief")
	b.Fund(owner.PublicKey(), fiberLamports)
	b.Fund(thief.PublicKey(), fiberLamports)
	key := b.Put(thread.Thread{Authority: owner.PublicKey(), ID: []byte("mine"), Trigger: every(9), Schedule: timed(0, now)}, b.Succeed())
	other := b.Put(thread.Thread{Authority: owner.PublicKey(), ID: []byte("other"), Trigger: every(9), Schedule: timed(0, now)}, b.Succeed())
	fiber, err := b.Profile.FiberAddress(key, 0)
	if err != nil {
		t.Fatal(err)
	}
	strange, err := b.Profile.FiberAddress(other, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		who    solana.PrivateKey
		fibers []Key
		want   uint32
	}{{thief, []Key{fiber}, 2003}, {owner, nil, 6041}, {owner, []Key{strange}, thread.InvalidFiberAccount}} {
		b.refused(b.Land(b.Sign([]solana.PrivateKey{c.who}, b.CloseInstruction(c.who.PublicKey(), key, c.who.PublicKey(), c.fibers...))), c.want)
	}
	b.good(b.Land(b.Sign([]solana.PrivateKey{owner}, b.CloseInstruction(owner.PublicKey(), key, owner.PublicKey(), fiber))))
	if b.Thread(key) != nil || b.Thread(other) == nil {
		t.Error("the wrong one is closed")
	}
}

// Its authority pauses a thread, lets it go on, and gives it another trigger, which lets it go on too.
func TestUpdate(t *testing.T) {
	b := newBench(t)
	owner := Wallet("owner")
	b.Fund(owner.PublicKey(), fiberLamports)
	key := b.Put(thread.Thread{Authority: owner.PublicKey(), ID: []byte("mine"), Trigger: every(9), Schedule: timed(0, now)}, b.Succeed())
	update := func(paused *bool, trigger *thread.Trigger) *thread.Thread {
		t.Helper()
		b.good(b.Land(b.Sign([]solana.PrivateKey{owner}, b.UpdateInstruction(owner.PublicKey(), key, paused, trigger))))
		return b.Thread(key)
	}
	if !update(new(true), nil).Paused {
		t.Error("it is not paused")
	}
	b.refused(b.execute(key), thread.ThreadPaused)
	if update(new(false), nil).Paused {
		t.Error("it is paused")
	}
	update(new(true), nil)
	th := update(nil, &thread.Trigger{Kind: thread.OnCron, Cron: "0 0 0 * * *", Jitter: 10})
	want := int64(1_700_006_400) + int64(thread.JitterOffset(key, b.clock().Unix, 10)) // midnight
	if th.Paused || th.Trigger.Cron != "0 0 0 * * *" || th.Schedule != timed(b.clock().Unix, want) {
		t.Errorf("paused %v, %+v, %+v, want %d", th.Paused, th.Trigger, th.Schedule, want)
	}
	b.refused(b.Land(b.Sign([]solana.PrivateKey{b.executor}, b.UpdateInstruction(b.executor.PublicKey(), key, new(true), nil))), 2003)
}

// nonceData is what a nonce's account holds.
func nonceData(t *testing.T, b *bench, nonce Key) []byte {
	t.Helper()
	a, found := b.Account(nonce)
	if !found || len(a.Data) != 80 {
		t.Fatalf("the nonce is %+v", a)
	}
	return a.Data[40:72]
}

// A thread with a nonce advances it, and needs its accounts.
func TestNonceThread(t *testing.T) {
	b := newBench(t)
	key, _, err := b.Profile.ThreadAddress(b.authority, []byte("nonce"))
	if err != nil {
		t.Fatal(err)
	}
	nonce := b.makeNonce(key)
	th := thread.Thread{Authority: b.authority, ID: []byte("nonce"), Trigger: every(9), Schedule: timed(0, now), Nonce: nonce}
	b.Put(th, b.Succeed())
	was := nonceData(t, b, nonce)
	b.good(b.execute(key))
	if bytes.Equal(was, nonceData(t, b, nonce)) {
		t.Error("the nonce is the same")
	}
	b.SetTime(now + 100)
	in := b.Exec(Exec{Executor: b.executor.PublicKey(), Thread: key})
	in.Accounts()[5], in.Accounts()[6] = solana.Meta(b.Profile.Program), solana.Meta(b.Profile.Program)
	b.refused(b.Land(b.Sign([]solana.PrivateKey{b.executor}, in)), thread.NonceRequired)
}

// makeNonce makes a nonce that an authority may advance.
func (b *bench) makeNonce(authority Key) Key {
	b.t.Helper()
	wallet := Wallet("nonce of " + authority.String())
	b.good(b.Land(b.Sign([]solana.PrivateKey{b.executor, wallet},
		system.NewCreateAccountInstruction(1_500_000, 80, solana.SystemProgramID, b.executor.PublicKey(), wallet.PublicKey()).Build(),
		system.NewInitializeNonceAccountInstruction(authority, wallet.PublicKey(), solana.SysVarRecentBlockHashesPubkey, solana.SysVarRentPubkey).Build())))
	return wallet.PublicKey()
}

// A fiber that computes more than the transaction allows fails as it does on a cluster, and one that crashes does.
func TestFiberFails(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		name  string
		fiber solana.Instruction
		want  string
	}{
		{"burns", b.Burn(1 << 40), `{"InstructionError":[0,"ProgramFailedToComplete"]}`},
		{"crashes", b.Crash(), `{"InstructionError":[0,"ProgramFailedToComplete"]}`},
		{"own code", b.FailWith(42), `{"InstructionError":[0,{"Custom":42}]}`},
		{"writes to the executor", system.NewAllocateInstruction(8, thread.Payer()).Build(), `{"InstructionError":[0,{"Custom":6009}]}`},
		{"another's code", b.CallOn(b.Probe, []byte{probeFail, 7, 0, 0, 0}), `{"InstructionError":[0,{"Custom":7}]}`},
	} {
		key := b.Put(thread.Thread{Authority: b.authority, ID: []byte(c.name), Trigger: every(9), Schedule: timed(0, now)}, c.fiber)
		if l := b.execute(key); l.Failure() != c.want {
			t.Errorf("%s: %s\n%q", c.name, l.Failure(), l.Logs)
		}
	}
	// An empty fiber holds nothing that could be executed.
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("empty"), Trigger: every(9), Schedule: timed(0, now), Fibers: []uint8{0}})
	b.PutFiber(thread.Fiber{Thread: key}, 0)
	if l := b.execute(key); l.Failure() != `{"InstructionError":[0,"BorshIoError"]}` {
		t.Errorf("empty: %s", l.Failure())
	}
}

// What a fiber writes is there afterwards.
func TestFiberWrites(t *testing.T) {
	b := newBench(t)
	note := Wallet("note").PublicKey()
	b.SetAccount(note, Account{Lamports: fiberLamports, Owner: b.Probe, Data: make([]byte, 8)})
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("w"), Trigger: every(9), Schedule: timed(0, now)}, b.Write(note, []byte("hello")))
	b.good(b.execute(key))
	if a, _ := b.Account(note); string(a.Data) != "hello\x00\x00\x00" {
		t.Errorf("%q", a.Data)
	}
}

// What the rig writes is what package thread reads.
func TestEncode(t *testing.T) {
	b := newBench(t)
	th := thread.Thread{
		Version: 1, Authority: b.authority, ID: []byte("id"), Name: "name", CreatedAt: 7, Trigger: thread.Trigger{Kind: thread.OnCron, Cron: "@daily", Skippable: true, Jitter: 3},
		Schedule: timed(1, 2), Fibers: []uint8{3, 1}, Cursor: 3, Signal: thread.Signal{Kind: thread.NextFiber, Index: 1}, Paused: true, ExecCount: 9,
		LastExecutor: b.authority, Nonce: b.Probe, Closing: []byte{1, 2},
	}
	key := b.Put(th)
	got := b.Thread(key)
	th.Bump = got.Bump
	was, err := json.Marshal(th)
	if err != nil {
		t.Fatal(err)
	}
	if is, err := json.Marshal(got); err != nil || !bytes.Equal(was, is) {
		t.Errorf("%s\nwant %s, %v", is, was, err)
	}
}
