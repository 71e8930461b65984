package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	tasks "github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/ownership"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

// market is a chain with executors that find out for themselves what is due.
type market struct {
	*svmtest.Threads
	t *testing.T
}

// newMarket starts a chain that makes a block again and again.
func newMarket(t *testing.T, every time.Duration) *market {
	t.Helper()
	chain := svmtest.StartTicking(t, every)
	chain.SetTime(chainStart)
	return &market{chain.Install(), t}
}

// put puts an interval thread on the chain.
func (f *market) put(id string, seconds, next int64) thread.Key {
	return f.Put(thread.Thread{
		Authority: svmtest.Wallet("authority").PublicKey(), ID: []byte(id),
		Trigger: thread.Trigger{Kind: thread.OnInterval, Every: seconds}, Schedule: timed(next),
	}, f.Succeed())
}

// trader is an executor with an observer of its own.
type trader struct {
	t        *testing.T
	signer   wallet
	observer *observe.Observer
	keeper   *ownership.Keeper
	service  *service.Service
	end      func()

	mu      sync.Mutex
	settled map[service.Outcome]int
	by      map[thread.Key]int // executions
	dead    []service.Settlement
}

// join starts an executor.
func (f *market) join(name string, change func(*observe.Config, *service.Config)) *trader {
	f.t.Helper()
	m := &trader{t: f.t, signer: wallet{svmtest.Wallet(name)}, settled: make(map[service.Outcome]int), by: make(map[thread.Key]int)}
	f.Fund(m.signer.Public(), 10*solana.LAMPORTS_PER_SOL)
	m.keeper = ownership.NewKeeper(m.signer.Public(), ownership.Rules{})
	must := func(err error) {
		f.t.Helper()
		if err != nil {
			f.t.Fatal(err)
		}
	}
	nodes, err := rpc.New(rpc.Config{Endpoints: []rpc.Endpoint{{URL: f.RPC, Rate: 10_000}}})
	must(err)
	sender, err := submit.NewSubmitter(submit.RPC, nodes, nil)
	must(err)
	book, err := service.OpenLedger(f.t.TempDir(), tasks.Config{})
	must(err)
	oc := observe.Config{Profile: f.Profile, Chain: nodes, Endpoints: []string{f.WS}}
	sc := service.Config{
		Profile: f.Profile, Signer: m.signer, Chain: nodes, Submitter: sender, Ledger: book, Owner: m.keeper,
		Watch: 20 * time.Millisecond, Resend: 300 * time.Millisecond, Drain: 20 * time.Second, Hooks: service.Hooks{Settled: m.took},
	}
	if change != nil {
		change(&oc, &sc)
	}
	m.observer, err = observe.New(oc)
	must(err)
	m.service, err = service.NewWithObserver(sc, m.observer)
	must(err)
	// The observer goes on until the service has ended.
	observing, endObserver := context.WithCancel(context.WithoutCancel(f.t.Context()))
	serving, endService := context.WithCancel(observing)
	observed, served := make(chan error, 1), make(chan error, 1)
	go func() { observed <- m.observer.Run(observing) }()
	go func() { served <- m.service.Run(serving) }()
	m.end = sync.OnceFunc(func() {
		endService()
		if err := <-served; err != nil {
			f.t.Errorf("%s: %v", name, err)
		}
		endObserver()
		if err := <-observed; err != nil {
			f.t.Errorf("%s: %v", name, err)
		}
		if err := book.Close(); err != nil {
			f.t.Errorf("%s: %v", name, err)
		}
	})
	f.t.Cleanup(m.end)
	return m
}

func (m *trader) took(s service.Settlement) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settled[s.Outcome]++
	switch s.Outcome {
	case service.Executed:
		m.by[s.Thread] += s.Fibers
	case service.Buried:
		m.dead = append(m.dead, s)
	case service.Superseded, service.Gone:
	}
}

// executed returns how often this executor has executed threads, and which were given up.
func (m *trader) executed() (n int, dead []service.Settlement) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, times := range m.by {
		n += times
	}
	return n, m.dead
}

// until waits until something holds, which is looked at again and again.
func (f *market) until(within time.Duration, what string, holds func() bool) {
	f.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(within); !holds(); <-tick.C {
		if time.Now().After(end) {
			f.t.Fatalf("within %v it did not come to pass that %s", within, what)
		}
	}
}

// count returns how often threads were executed on the chain, in all.
func (f *market) count(keys []thread.Key) (n uint64) {
	f.t.Helper()
	for _, key := range keys {
		n += f.Thread(key).ExecCount
	}
	return n
}

// wasted returns how many transactions have landed and failed, and what they cost, in lamports.
func (f *market) wasted() (n int, lamports uint64) {
	f.t.Helper()
	for _, l := range f.Landings(0) {
		if l.Dropped == "" && len(l.Err) > 0 && string(l.Err) != "null" {
			n++
			lamports += l.Fee
		}
	}
	return n, lamports
}

// Two executors watch the same threads: each execution is one's, little is paid in vain, and what the one that has more
// leaves the other takes.
func TestSolanaObserverRace(t *testing.T) {
	t.Parallel()
	f := newMarket(t, 200*time.Millisecond)
	const threads, every = 20, 8
	var keys []thread.Key
	for i := range threads {
		keys = append(keys, f.put(fmt.Sprint(i), every, chainStart+10+int64(i)%every))
	}
	one, two := f.join("one", nil), f.join("two", nil)
	f.until(patience, "each thread was executed three times", func() bool { return f.count(keys) >= 3*threads })
	wasted, lamports := f.wasted()
	// Of what nobody has executed both may go first, once; and a machine that is slow is late.
	x, y := one.keeper.Stats(), two.keeper.Stats()
	if late := x.TakenOver + x.Lost + y.TakenOver + y.Lost; wasted > threads+int(late) {
		t.Errorf("%d transactions have failed, for %d lamports, of %d threads: %+v, %+v", wasted, lamports, threads, x, y)
	}
	a, _ := one.executed()
	b, _ := two.executed()
	t.Logf("one has executed %d, two %d; %d have failed for %d lamports: %+v, %+v", a, b, wasted, lamports, x, y)
	if a < b { // who is late to the first executions of all may have had none
		one, two = two, one
	}
	one.end()
	counts := make(map[thread.Key]uint64)
	for _, key := range keys {
		counts[key] = f.Thread(key).ExecCount
	}
	f.until(patience, "the other has executed each", func() bool {
		for _, key := range keys {
			if f.Thread(key).ExecCount < counts[key]+1 {
				return false
			}
		}
		return true
	})
	two.end()
	a, dead := one.executed()
	b, more := two.executed()
	if a == 0 || b == 0 {
		t.Errorf("one has executed %d threads, two %d", a, b)
	}
	if total := f.count(keys); uint64(a+b) != total || len(dead)+len(more) > 0 {
		t.Errorf("the chain has %d executions; one has executed %d and two %d, %d were given up", total, a, b, len(dead)+len(more))
	}
	for _, key := range keys {
		if th := f.Thread(key); th.LastExecutor != two.signer.Public() {
			t.Errorf("a thread was executed by %v last", th.LastExecutor)
		}
	}
}

// Connections that are dropped, refused and left half open, one after the other, while threads are executed: none is left behind.
func TestSolanaObserverConnections(t *testing.T) {
	t.Parallel()
	f := newMarket(t, 50*time.Millisecond)
	const threads, every = 10, 8
	var keys []thread.Key
	for i := range threads {
		keys = append(keys, f.put(fmt.Sprint(i), every, chainStart+5+int64(i)%every))
	}
	m := f.join("executor", func(c *observe.Config, _ *service.Config) { c.Keepalive = time.Second })
	further := func(what string) {
		t.Helper()
		before := make(map[thread.Key]uint64)
		for _, key := range keys {
			before[key] = f.Thread(key).ExecCount
		}
		f.until(patience, what+", all threads go on", func() bool {
			for _, key := range keys {
				if f.Thread(key).ExecCount < before[key]+2 {
					return false
				}
			}
			return true
		})
	}
	further("at the beginning")
	f.DropSockets()
	further("after a connection was dropped")
	f.RefuseSockets(3)
	f.DropSockets()
	further("while connections are refused")
	f.MuteSockets()
	further("after a connection was left half open")
	m.end()
	n, dead := m.executed()
	if total := f.count(keys); uint64(n) != total || len(dead) > 0 {
		t.Errorf("the chain has %d executions, %d were settled, %d were given up", total, n, len(dead))
	}
	if s := m.observer.Stats(); s.Endpoints[0].Connects < 4 || s.Tracked != threads {
		t.Errorf("%+v", s)
	}
}

// Five hundred threads, of whose transactions one of ten is lost: each is executed as often as it is due, and no more, and what
// the executor has says the same.
func TestSolanaObserverLoss(t *testing.T) {
	t.Parallel()
	f := newMarket(t, 20*time.Millisecond)
	const threads, rounds, hour = 500, 2, 3600
	var keys []thread.Key
	for i := range threads {
		keys = append(keys, f.put(fmt.Sprint(i), hour, chainStart+300))
	}
	loss := 0.1
	f.Configure(svmtest.Settings{Loss: &loss})
	m := f.join("executor", func(_ *observe.Config, c *service.Config) { c.Workers = 16 })
	f.until(patience, "all threads are known", func() bool { return len(m.observer.Threads()) == threads })
	for round := range rounds {
		f.SetTime(chainStart + 300 + int64(round)*2*hour)
		f.until(patience, fmt.Sprintf("round %d is executed", round+1), func() bool {
			n, _ := m.executed()
			return n >= (round+1)*threads
		})
	}
	m.end()
	for _, key := range keys {
		if n := f.Thread(key).ExecCount; n != rounds || m.by[key] != rounds {
			t.Errorf("thread %v was executed %d times, %d were settled, want %d", key, n, m.by[key], rounds)
		}
	}
	lost := 0
	for _, l := range f.Landings(0) {
		if l.Dropped == "injected" {
			lost++
		}
	}
	if n, _ := f.wasted(); n > 0 || lost < threads/20 || len(m.dead) > 0 || m.settled[service.Executed] != rounds*threads {
		t.Errorf("%d transactions have failed, %d were lost, %v have ended so", n, lost, m.settled)
	}
	t.Logf("%d transactions were lost; %v", lost, m.settled)
}
