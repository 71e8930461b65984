package e2e

import (
	"context"
	"crypto/ed25519"
	"sync"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"

	tasks "github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
	"github.com/orthd/orth/solana/tpu"
)

// wallet signs for an executor.
type wallet struct{ key solana.PrivateKey }

func (w wallet) Public() thread.Key { return w.key.PublicKey() }

func (w wallet) Sign(message []byte) (solana.Signature, error) { return w.key.Sign(message) }

// shop is a service of executions on a chain of its own, which makes a block again and again.
type shop struct {
	*svmtest.Threads
	t       *testing.T
	signer  wallet
	nodes   *rpc.Pool
	folder  string
	service *service.Service
	end     func()
	settled chan service.Settlement

	mu      sync.Mutex
	trouble []service.Trouble
}

// newShop starts a chain and an executor on it; change may be nil.
func newShop(t *testing.T, mode submit.Mode, change func(*service.Config)) *shop {
	t.Helper()
	chain := svmtest.StartTicking(t, 25*time.Millisecond)
	chain.SetTime(chainStart)
	s := &shop{Threads: chain.Install(), t: t, signer: wallet{svmtest.Wallet("executor")}, folder: t.TempDir(), settled: make(chan service.Settlement, 1000)}
	config := s.Config
	config.Grace = 1e9 // the chain's clock is faster than a watch: what is late pays the same
	s.Configured(config)
	chain.Fund(s.signer.Public(), solana.LAMPORTS_PER_SOL)
	chain.StartLeaders(3)
	var err error
	if s.nodes, err = rpc.New(rpc.Config{Endpoints: []rpc.Endpoint{{URL: chain.RPC, Rate: 10_000}}}); err != nil {
		t.Fatal(err)
	}
	s.open(mode, change)
	return s
}

// rival is another executor of the same threads.
func (s *shop) rival(mode submit.Mode) *shop {
	s.t.Helper()
	r := &shop{Threads: s.Threads, t: s.t, signer: wallet{svmtest.Wallet("rival")}, nodes: s.nodes, folder: s.t.TempDir(), settled: make(chan service.Settlement, 1000)}
	s.Fund(r.signer.Public(), solana.LAMPORTS_PER_SOL)
	r.open(mode, nil)
	return r
}

// open starts the service on the shop's folder.
func (s *shop) open(mode submit.Mode, change func(*service.Config)) {
	s.t.Helper()
	leaders, err := tpu.New(tpu.Config{Chain: s.nodes, Identity: ed25519.PrivateKey(s.signer.key)})
	if err != nil {
		s.t.Fatal(err)
	}
	sender, err := submit.NewSubmitter(mode, s.nodes, leaders)
	if err != nil {
		s.t.Fatal(err)
	}
	book, err := service.OpenLedger(s.folder, tasks.Config{})
	if err != nil {
		s.t.Fatal(err)
	}
	c := service.Config{
		Profile: s.Profile, Signer: s.signer, Chain: s.nodes, Submitter: sender, Ledger: book,
		Watch: 10 * time.Millisecond, Resend: 200 * time.Millisecond, Balance: 20 * time.Millisecond, Drain: 10 * time.Second,
		ProgramDelay: time.Millisecond,
		Hooks: service.Hooks{
			Settled: func(d service.Settlement) { s.settled <- d },
			Trouble: func(tr service.Trouble) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.trouble = append(s.trouble, tr)
			},
		},
	}
	if change != nil {
		change(&c)
	}
	if s.service, err = service.New(c); err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	ended := make(chan error, 2)
	go func() { ended <- leaders.Run(ctx) }()
	go func() { ended <- s.service.Run(ctx) }()
	s.end = sync.OnceFunc(func() {
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				s.t.Errorf("run: %v", err)
			}
		}
		if err := book.Close(); err != nil {
			s.t.Errorf("close: %v", err)
		}
	})
	s.t.Cleanup(s.end)
	r := s.service.Retry()
	r.Initial = 10 * time.Millisecond
	if err := s.service.SetRetry(s.t.Context(), r); err != nil {
		s.t.Fatal(err)
	}
}

// put puts a thread on the chain that executes instructions.
func (s *shop) put(id string, trigger thread.Trigger, schedule thread.Schedule, fibers ...solana.Instruction) thread.Key {
	return s.Put(thread.Thread{Authority: svmtest.Wallet("authority").PublicKey(), ID: []byte(id), Trigger: trigger, Schedule: schedule}, fibers...)
}

// offer offers a thread as it is.
func (s *shop) offer(key thread.Key) {
	s.t.Helper()
	state := s.Thread(key)
	due, _ := state.Due(s.Profile, key)
	if err := s.service.Offer(s.t.Context(), observe.ThreadReady{Thread: key, State: state, TriggerTime: chainStart, Due: due}); err != nil {
		s.t.Fatalf("offer: %v", err)
	}
}

// wait waits for the next execution that ends.
func (s *shop) wait() service.Settlement {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	select {
	case d := <-s.settled:
		return d
	case <-ctx.Done():
		st, err := s.service.Stats(context.WithoutCancel(ctx))
		s.t.Fatalf("nothing has ended: %+v (%v)", st, err)
		return service.Settlement{}
	}
}

// Each kind of trigger goes through the whole service once, with three requests at most, and pays what was expected.
func TestSolanaServiceTriggers(t *testing.T) {
	t.Parallel()
	s := newShop(t, submit.Both, nil)
	watched := svmtest.Wallet("watched").PublicKey()
	s.SetAccount(watched, svmtest.Account{Lamports: 1e9, Data: []byte("news")})
	for _, c := range []struct {
		trigger  thread.Trigger
		schedule thread.Schedule
	}{
		{thread.Trigger{Kind: thread.Immediate}, timed(0)},
		{thread.Trigger{Kind: thread.OnTimestamp, At: chainStart - 1}, timed(chainStart - 1)},
		{thread.Trigger{Kind: thread.OnInterval, Every: 3600}, timed(chainStart - 1)},
		{thread.Trigger{Kind: thread.OnCron, Cron: "0 0 0 1 1 *"}, timed(chainStart - 1)},
		{thread.Trigger{Kind: thread.OnSlot, Number: 1}, thread.Schedule{Kind: thread.Block}},
		{thread.Trigger{Kind: thread.OnEpoch, Number: 0}, thread.Schedule{Kind: thread.Block}},
		{thread.Trigger{Kind: thread.OnAccount, Address: watched, Size: 4}, thread.Schedule{Kind: thread.OnChange}},
	} {
		kind := c.trigger.Kind.String()
		key := s.put(kind, c.trigger, c.schedule, s.Succeed())
		before := s.Balance(s.signer.Public())
		s.offer(key)
		d := s.wait()
		if d.Outcome != service.Executed || d.Thread != key || d.Trigger != c.trigger.Kind || d.Tries != 0 {
			t.Errorf("%s: it ended as %+v", kind, d)
			continue
		}
		if c.trigger.Kind != thread.OnAccount && d.Requests > 3 {
			t.Errorf("%s: it took %d requests", kind, d.Requests)
		}
		if got := int64(s.Balance(s.signer.Public())) - int64(before); got != d.Expected {
			t.Errorf("%s: it has brought %d lamports, expected were %d", kind, got, d.Expected)
		}
		if th := s.Thread(key); th.ExecCount != 1 || th.LastExecutor != s.signer.Public() {
			t.Errorf("%s: it was executed %d times, last by %v", kind, th.ExecCount, th.LastExecutor)
		}
	}
}
