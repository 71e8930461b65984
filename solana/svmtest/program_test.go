package svmtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/solana/thread"
)

// now is the time on a chain that has just begun.
const now = 1_700_000_000

// lamportsPerSignature is what a transaction of one signature costs.
const lamportsPerSignature = 5000

// bench is a chain with the programs, and an executor with money.
type bench struct {
	*Threads
	executor  solana.PrivateKey
	authority Key
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{Threads: Start(t).Install(), executor: Wallet("executor"), authority: Wallet("authority").PublicKey()}
	b.Fund(b.executor.PublicKey(), 10*solana.LAMPORTS_PER_SOL)
	return b
}

// execute lands one execution of a thread's next fiber.
func (b *bench) execute(key Key) Landing {
	b.t.Helper()
	return b.Land(b.execution(key, false))
}

func (b *bench) execution(key Key, forgo bool) *solana.Transaction {
	b.t.Helper()
	cursor := uint8(0)
	if th := b.Thread(key); th.Signal.Kind != thread.Close {
		cursor = th.Cursor
		if th.Signal.Kind == thread.Chain { // the program leaves the cursor, and takes the caller's word
			for i, f := range th.Fibers[:len(th.Fibers)-1] {
				if f == th.Cursor {
					cursor = th.Fibers[i+1]
				}
			}
		}
	}
	return b.Sign([]solana.PrivateKey{b.executor}, b.Exec(Exec{Executor: b.executor.PublicKey(), Thread: key, Forgo: forgo, Cursor: cursor}))
}

// good ends the test when an execution has failed.
func (b *bench) good(l Landing) {
	b.t.Helper()
	if why := l.Failure(); why != "" {
		b.t.Fatalf("%s\n%q", why, l.Logs)
	}
}

// refused checks the code of a failure.
func (b *bench) refused(l Landing, want uint32) {
	b.t.Helper()
	if code, failed := l.Custom(); !failed || code != want {
		b.t.Errorf("got %s, want the code %d: %s\n%q", l.Failure(), want, thread.Explain(want), l.Logs)
	}
}

func timed(prev, next int64) thread.Schedule {
	return thread.Schedule{Kind: thread.Timed, Prev: prev, Next: next}
}

// clock is the chain's own in the newest block.
func (b *bench) clock() thread.Clock {
	b.t.Helper()
	a, _ := b.Account(solana.SysVarClockPubkey)
	number := func(at int) uint64 { return binary.LittleEndian.Uint64(a.Data[at:]) }
	return thread.Clock{Slot: number(0), Epoch: number(16), Unix: int64(number(32))}
}

// Each trigger refuses before its time, executes at it, and is then scheduled as
// Thread.Next computes.
func TestTriggers(t *testing.T) {
	b := newBench(t)
	watched := Wallet("watched").PublicKey()
	watch := func(data string) {
		b.SetAccount(watched, Account{Lamports: fiberLamports, Owner: b.Probe, Data: []byte(data)})
	}
	watch("0123456789")
	slot := b.Tick(1)
	account := thread.Trigger{Kind: thread.OnAccount, Address: watched, Offset: 2, Size: 4}
	unchanged := thread.Schedule{Kind: thread.OnChange, Hash: account.Watched([]byte("0123456789"))}
	for _, c := range []struct {
		name     string
		trigger  thread.Trigger
		schedule thread.Schedule
		come     func() // makes it due where no clock of seconds or slots does
	}{
		{"immediate", thread.Trigger{Kind: thread.Immediate, Jitter: 9}, timed(now, now), nil},
		{"timestamp", thread.Trigger{Kind: thread.OnTimestamp, At: now + 100, Jitter: 30}, timed(now, now+100), nil},
		{"interval", thread.Trigger{Kind: thread.OnInterval, Every: 60, Jitter: 7}, timed(now, now+200), nil},
		{"cron", thread.Trigger{Kind: thread.OnCron, Cron: "0 */5 * * * *", Jitter: 20}, timed(now, now+300), nil},
		{"slot", thread.Trigger{Kind: thread.OnSlot, Number: slot + 40}, thread.Schedule{Kind: thread.Block}, nil},
		{"epoch", thread.Trigger{Kind: thread.OnEpoch, Number: 1}, thread.Schedule{Kind: thread.Block}, func() { b.Skip(432_000) }},
		{"account", account, unchanged, func() { watch("01x3456789") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.trigger.Kind == thread.OnAccount {
				watch("01234567xx") // nothing that is watched
			}
			key := b.Put(thread.Thread{Authority: b.authority, ID: []byte(c.name), CreatedAt: now, Trigger: c.trigger, Schedule: c.schedule}, b.Succeed())
			before := b.Thread(key)
			due, known := before.Due(b.Profile, key)
			switch {
			case !known:
				t.Fatal("it has no time")
			case due.Unit == thread.Seconds:
				b.SetTime(due.At - 1)
				b.refused(b.execute(key), thread.TriggerConditionFailed)
				b.SetTime(due.At)
			case due.Unit == thread.Slots:
				b.Tick(int(due.At) - int(b.clock().Slot) - 2)
				b.refused(b.execute(key), thread.TriggerConditionFailed)
			case due.Unit != thread.Now:
				b.refused(b.execute(key), thread.TriggerConditionFailed)
				c.come()
			}
			b.good(b.execute(key))
			b.scheduled(t, key, before, watched)
		})
	}
}

// scheduled checks what an execution has made of a thread.
func (b *bench) scheduled(t *testing.T, key Key, before *thread.Thread, watched Key) {
	t.Helper()
	after := b.Thread(key)
	data, _ := b.Account(watched)
	want, err := before.Next(key, b.clock(), data.Data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, after.Schedule); diff != "" {
		t.Errorf("schedule:\n%s", diff)
	}
	if after.ExecCount != 1 || after.LastExecutor != b.executor.PublicKey() {
		t.Errorf("%d executions, the last by %s", after.ExecCount, after.LastExecutor)
	}
	if after.Paused != (before.Trigger.Kind == thread.OnTimestamp) {
		t.Errorf("paused %v", after.Paused)
	}
	if closing := after.Signal.Kind == thread.Close; closing != (before.Trigger.Kind == thread.Immediate) {
		t.Errorf("signal %s", after.Signal.Kind)
	}
}

// The program's cron goes from time to time as ParseCron's does.
func TestCron(t *testing.T) {
	b := newBench(t)
	for i, expression := range []string{
		"0 0 0 * * *", "*/7 * * * * *", "15,45 10-20/3 3 * * ?", "0 0 12 ? * MON-FRI", "0 30 8 1 JAN,JUL * 2024-2030/2", "0 0 0 29 2 *",
		"0 0 0 31 * SUN", "59 59 23 28-31 12 *", "@hourly", "@weekly", "@monthly", "@yearly", "@daily", "5/20 0 0 * * 1", "0 0 0 13 * friday 2026",
	} {
		cron, err := thread.ParseCron(expression)
		if err != nil {
			t.Fatal(err)
		}
		key := b.Put(thread.Thread{
			Authority: b.authority, ID: []byte{byte(i)}, Trigger: thread.Trigger{Kind: thread.OnCron, Cron: expression}, Schedule: timed(0, now),
		}, b.Succeed())
		at := int64(now)
		for range 5 {
			b.SetTime(at)
			b.good(b.execute(key))
			next, found := cron.After(time.Unix(b.clock().Unix, 0))
			if got := b.Thread(key).Schedule.Next; !found || got != next.Unix() {
				t.Errorf("%s at %s: %s, want %s", expression, time.Unix(at, 0).UTC(), time.Unix(got, 0).UTC(), next)
				break
			}
			at = next.Unix()
			if _, more := cron.After(next); !more {
				break
			}
		}
	}
}

// An expression that never comes again, and one that cannot be read, execute nothing.
func TestCronEnds(t *testing.T) {
	b := newBench(t)
	for i, expression := range []string{"0 0 0 1 1 * 2020", "0 0 0 31 2 *", "not a cron", "0 0 0 * *", "61 * * * * *", "0 0 0 1-40 * *", "*/0 * * * * *"} {
		key := b.Put(thread.Thread{
			Authority: b.authority, ID: []byte{byte(i)}, Trigger: thread.Trigger{Kind: thread.OnCron, Cron: expression}, Schedule: timed(0, now),
		}, b.Succeed())
		b.refused(b.execute(key), thread.TriggerConditionFailed)
	}
}

// What is paid is Config.Pay's result, to the lamport.
func TestPayments(t *testing.T) {
	b := newBench(t)
	someone, purse := Wallet("someone").PublicKey(), Wallet("purse").PublicKey()
	b.Fund(someone, fiberLamports)
	b.SetAccount(purse, Account{Lamports: fiberLamports, Owner: b.Probe})
	for _, c := range []struct {
		name  string
		fiber solana.Instruction
		delta int64
	}{
		{"nothing", b.Succeed(), 0},
		{"spends", b.Spend(someone, 1234), -1234},
		{"earns", b.Give(purse, 77), 77},
	} {
		for _, forgo := range []bool{false, true} {
			for _, late := range []int64{0, 5, 6, 152, 241, 299, 300, 1000} {
				name := fmt.Sprintf("%s %v %d", c.name, forgo, late)
				b.SetTime(now)
				key := b.Put(thread.Thread{
					Authority: b.authority, ID: []byte(name[:min(len(name), 32)]),
					Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 60}, Schedule: timed(0, now),
				}, c.fiber)
				b.SetTime(now + late)
				b.paid(t, key, c.delta, forgo, name)
			}
		}
	}
}

// paid executes a thread, and compares the payments with Config.Pay's result.
func (b *bench) paid(t *testing.T, key Key, delta int64, forgo bool, name string) {
	t.Helper()
	who := []Key{b.executor.PublicKey(), key, b.Admin}
	var before []uint64
	for _, k := range who {
		before = append(before, b.Balance(k))
	}
	due := b.Thread(key).Schedule.Next
	b.good(b.Land(b.execution(key, forgo)))
	pay := b.Config.Pay(b.Profile, b.clock().Unix-due, delta, forgo)
	want := []int64{
		delta + int64(pay.Reimbursed+pay.Executor) - lamportsPerSignature, -int64(pay.Reimbursed + pay.Executor + pay.Team), int64(pay.Team),
	}
	var got []int64
	for i, k := range who {
		got = append(got, int64(b.Balance(k)-before[i]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: executor, thread, team:\n%s", name, diff)
	}
}

// The program's fee falls second by second as Config's does, with numbers where a double is not exact.
func TestDecay(t *testing.T) {
	b := newBench(t)
	for i, config := range []thread.Config{
		{Fee: 1000, ExecutorShare: 9000, TeamShare: 1000, Decay: 10}, // at 8 s a double gives 199
		{Fee: 999_999, ExecutorShare: 3333, TeamShare: 6667, Grace: 3, Decay: 49},
		{Fee: 3_000_000, ExecutorShare: 10000, Grace: 2, Decay: 60},
		{Fee: 3_000_001, ExecutorShare: 10000, Grace: 60, Decay: 600},
	} {
		config.Version, config.Admin = 1, b.Admin
		b.Configured(config)
		for late := config.Grace; late <= config.Grace+config.Decay; late += max(1, config.Decay/60) {
			b.SetTime(now)
			key := b.Put(thread.Thread{
				Authority: b.authority, ID: fmt.Appendf(nil, "%d %d", i, late),
				Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 60}, Schedule: timed(0, now),
			}, b.Succeed())
			b.SetTime(now + late)
			b.paid(t, key, 0, false, fmt.Sprintf("fee %d, %d s late", config.Fee, late))
		}
	}
}

// A thread that cannot pay is not executed.
func TestThreadDry(t *testing.T) {
	b := newBench(t)
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("dry"), Trigger: thread.Trigger{Kind: thread.Immediate}, Schedule: timed(now, now)}, b.Succeed())
	a, _ := b.Account(key)
	a.Lamports = 5000
	b.SetAccount(key, a)
	b.refused(b.execute(key), thread.InsufficientFunds)
}

// What a thread, its config or its accounts must not be is refused with the program's own code.
func TestRefused(t *testing.T) {
	b := newBench(t)
	config := b.Config
	stranger := Wallet("stranger").PublicKey()
	b.Fund(stranger, fiberLamports)
	fiber := func(of Key, index uint8) Key {
		key, err := b.Profile.FiberAddress(of, index)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	for _, c := range []struct {
		name   string
		want   uint32
		thread func(*thread.Thread)                       // changes it before it is on the chain
		state  func(Key)                                  // changes what is on the chain
		metas  func(key Key, metas []*solana.AccountMeta) // changes the accounts of the call
	}{
		{"paused", thread.ThreadPaused, func(t *thread.Thread) { t.Paused = true }, nil, nil},
		{"no fibers", thread.InvalidThreadState, func(t *thread.Thread) { t.Fibers = []uint8{} }, nil, nil},
		{"cursor", thread.InvalidExecIndex, func(t *thread.Thread) { t.Fibers, t.Cursor = []uint8{0}, 9 }, nil, nil},
		{"another fiber", thread.WrongFiberIndex, nil, func(key Key) {
			b.PutFiber(thread.Fiber{Thread: key, Compiled: Compile(b.Succeed())}, 3)
		}, func(key Key, metas []*solana.AccountMeta) { metas[2].PublicKey = fiber(key, 3) }},
		{"fiber of another", thread.InvalidFiberAccount, nil, func(Key) {
			key, _, err := b.Profile.ThreadAddress(b.authority, []byte("fiber of another"))
			if err != nil {
				t.Fatal(err)
			}
			b.PutFiber(thread.Fiber{Thread: stranger, Compiled: Compile(b.Succeed())}, 0)
			a, _ := b.Account(fiber(stranger, 0))
			b.SetAccount(fiber(key, 0), a)
		}, nil},
		{"no fiber", 3012, nil, func(key Key) { b.SetAccount(fiber(key, 0), Account{}) }, nil},
		{"fiber that never was", 3012, nil, nil, func(key Key, metas []*solana.AccountMeta) { metas[2].PublicKey = fiber(key, 4) }},
		{"program paused", thread.GlobalPauseActive, nil, func(Key) {
			paused := config
			paused.Paused = true
			b.Configured(paused)
		}, nil},
		{"administrator", thread.InvalidConfigAdmin, nil, nil, func(_ Key, metas []*solana.AccountMeta) { metas[4].PublicKey = stranger }},
		{"no config", 3012, nil, nil, func(_ Key, metas []*solana.AccountMeta) { metas[3].PublicKey = Wallet("nobody").PublicKey() }},
		{"no thread", 3007, nil, nil, func(_ Key, metas []*solana.AccountMeta) { metas[1].PublicKey = stranger }},
		{"a config for a thread", 3002, nil, nil, func(_ Key, metas []*solana.AccountMeta) { metas[1].PublicKey = metas[3].PublicKey }},
		{"thread elsewhere", 2006, nil, func(key Key) {
			a, _ := b.Account(key)
			b.SetAccount(Wallet("elsewhere").PublicKey(), a)
		}, func(_ Key, metas []*solana.AccountMeta) { metas[1].PublicKey = Wallet("elsewhere").PublicKey() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.Configured(config)
			th := thread.Thread{Authority: b.authority, ID: []byte(c.name), Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 60}, Schedule: timed(0, now)}
			if c.thread != nil {
				c.thread(&th)
			}
			key := b.Put(th, b.Succeed())
			if c.state != nil {
				c.state(key)
			}
			in := b.Exec(Exec{Executor: b.executor.PublicKey(), Thread: key})
			if c.metas != nil {
				c.metas(key, in.Accounts())
			}
			b.refused(b.Land(b.Sign([]solana.PrivateKey{b.executor}, in)), c.want)
			if got := b.Thread(key).ExecCount; got != 0 {
				t.Errorf("%d executions", got)
			}
		})
	}
}

// The log says whose code it is: the program that failed first.
func TestWhoseCode(t *testing.T) {
	b := newBench(t)
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("a"), Trigger: thread.Trigger{Kind: thread.Immediate}, Schedule: timed(now, now)}, b.FailWith(6004))
	l := b.execute(key)
	b.refused(l, 6004)
	failed := 0
	for i, line := range l.Logs {
		if line == fmt.Sprintf("Program %s failed: custom program error: 0x1774", b.Probe) {
			failed = i + 1
		}
	}
	if failed == 0 {
		t.Errorf("no line says that the probe has failed: %q", l.Logs)
	}
}

// Jitter is by the thread's own hash, of the time of its execution.
func TestJitter(t *testing.T) {
	b := newBench(t)
	for i := range 8 {
		const jitter = math.MaxInt32
		key := b.Put(thread.Thread{
			Authority: b.authority, ID: []byte{byte(i)},
			Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 10, Jitter: jitter}, Schedule: timed(0, now),
		}, b.Succeed())
		b.good(b.execute(key))
		at := b.clock().Unix
		if got, want := b.Thread(key).Schedule.Next, at+10+int64(thread.JitterOffset(key, at, jitter)); got != want {
			t.Errorf("next is %d, want %d", got, want)
		}
	}
}

// program is one of the programs of the tests.
func program(t *testing.T, name string) []byte {
	t.Helper()
	elf, err := os.ReadFile(filepath.Join(folder("program"), name+".so"))
	if err != nil {
		t.Fatal(err)
	}
	return elf
}
