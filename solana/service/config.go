package service

import (
	"context"
	"log/slog"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/build"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/thread"
)

// Config sets what a service works with. Profile, Signer, Chain, Submitter and Ledger are
// required.
type Config struct {
	Profile thread.Profile
	Signer  build.Signer
	Chain   Chain
	// Submitter sends. Leaders that it needs are run by the caller.
	Submitter Submitter
	// Ledger keeps the tasks. The service runs it; closing it is for the caller, after Run has returned.
	Ledger *ledger.Ledger
	// Owner decides which threads are this executor's. Defaults to all.
	Owner Owner

	// Forgo, Floor, MostLoss and Batch are as in [build.Config].
	Forgo    bool
	Floor    uint64
	MostLoss uint64
	Batch    int

	// Workers is how many executions are built and sent at the same time. Defaults to 10; 1,000 at most.
	Workers int
	// InFlight is how many transactions may be on their way at the same time. Defaults to 5,000; 10,000 at most.
	InFlight int
	// Drain is how long the service waits at its end for what is on its way. What is left then stays in the ledger and is asked
	// for at the next start. Defaults to 30 s.
	Drain time.Duration
	// Watch is how often statuses are asked for, Resend after how long without being seen a transaction is sent again. Default to
	// 400 ms and 2 s.
	Watch  time.Duration
	Resend time.Duration
	// ProgramRetries is how often a failed call of a fiber is tried again, at most as often
	// as [ledger.Retry] allows. ProgramDelay is the least pause before it, twice as long
	// each time. Default to 2 and 30 s.
	ProgramRetries int
	ProgramDelay   time.Duration
	// Balance is how often the executor's balance is looked at while it is dry. Defaults to 10 s.
	Balance time.Duration
	// Again is how long an execution waits for the chain's clock or for a change without
	// news until it is looked at again. Defaults to 1 min.
	Again time.Duration

	Logger *slog.Logger // defaults to none
	Hooks  Hooks
}

// Limits of a configuration.
const (
	mostWorkers  = 1000
	mostInFlight = 10_000
)

func (c Config) withDefaults() (Config, error) {
	switch {
	case c.Profile.Program.IsZero():
		return c, job.FieldErrorf("profile", "is missing: it is one of package thread's")
	case c.Signer == nil:
		return c, job.FieldErrorf("signer", "is missing: nothing is executed without a key")
	case c.Chain == nil || c.Submitter == nil || c.Ledger == nil:
		return c, job.FieldErrorf("chain", "is missing, or the submitter or the ledger: all three are needed")
	case c.Workers < 0 || c.Workers > mostWorkers:
		return c, job.FieldErrorf("workers", "are %d: 1 to %d are possible", c.Workers, mostWorkers)
	case c.InFlight < 0 || c.InFlight > mostInFlight:
		return c, job.FieldErrorf("in_flight", "is %d: 1 to %d are possible", c.InFlight, mostInFlight)
	}
	if c.Owner == nil {
		c.Owner = everybody{}
	}
	for n, d := range map[*int]int{&c.Workers: 10, &c.InFlight: 5000, &c.ProgramRetries: programRetries} {
		if *n == 0 {
			*n = d
		}
	}
	for n, d := range map[*time.Duration]time.Duration{
		&c.Drain: 30 * time.Second, &c.Balance: 10 * time.Second, &c.Again: time.Minute, &c.ProgramDelay: programDelay,
	} {
		if *n <= 0 {
			*n = d
		}
	}
	if c.Floor == 0 {
		c.Floor = 10_000_000
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// everybody is the owner where there is one executor: all threads are its own.
type everybody struct{}

// May always permits.
func (everybody) May(thread.Key, *thread.Thread, time.Duration) (bool, time.Duration) { return true, 0 }

// Seen does not matter.
func (everybody) Seen(thread.Key, thread.Key, uint64) {}

// Forget does not matter.
func (everybody) Forget(thread.Key) {}

// Chain is asked for what is there, what would be, and what became of transactions. [rpc.Pool] is one.
type Chain interface {
	build.Chain
	submit.Chain
	Balance(ctx context.Context, c rpc.Commitment, key solana.PublicKey) (uint64, error)
	ForgetBlockhash(h solana.Hash)
}

// Submitter sends bytes of transactions. [submit.Submitter] is one.
type Submitter interface {
	Submit(ctx context.Context, wire []byte) (submit.Sent, error)
}

// Observer sees threads. [observe.Observer] is one.
type Observer interface {
	Events() <-chan observe.Event
	// Again emits the event of a thread that is due once more.
	Again(key thread.Key)
}

// Owner decides which threads are this executor's, among several that watch the same ones.
// Several goroutines call it.
type Owner interface {
	// May reports whether this executor may execute a thread that has been due for so long,
	// and if not after how long to ask again; 0: after Config.Again.
	May(key thread.Key, state *thread.Thread, overdue time.Duration) (may bool, after time.Duration)
	// Seen records the last executor of a thread, and its count of executions; the zero
	// key: none.
	Seen(key, last thread.Key, count uint64)
	// Forget removes a thread that is closed.
	Forget(key thread.Key)
}

// Hooks are called on events, each by one goroutine at a time, and must return quickly. A
// nil one is skipped.
type Hooks struct {
	// Settled is called for each execution that ended, once; after a crash maybe once more.
	Settled func(Settlement)
	// Trouble is called when the service stops all sending and when it goes on.
	Trouble func(Trouble)
}
