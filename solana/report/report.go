package report

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/thread"
)

// The handlers that the executor has, and the jobs that are made for them.
const (
	HandlerExecute = "solana.execute"
	HandlerRedrive = "solana.redrive"
	HandlerFunds   = "solana.funds"

	defaultExecute = "solana-execute"
	defaultRedrive = "solana-redrive"
	defaultFunds   = "solana-funds"
)

// Service executes threads. [service.Service] is one.
type Service interface {
	Stats(ctx context.Context) (service.Stats, error)
	Tasks(ctx context.Context, where ledger.Place, after uint64, limit int) ([]ledger.Task, error)
	Profit(ctx context.Context, after thread.Key, limit int) (ledger.Profit, error)
	Offer(ctx context.Context, e observe.ThreadReady) error
	Follow(ctx context.Context, id ledger.ID) (<-chan service.Progress, error)
	Redrive(ctx context.Context, ids ...ledger.ID) error
	// Reports and Reported are the executions that have not been reported yet; see
	// [ledger.Config].
	Reports(ctx context.Context, after uint64, limit int) ([]service.Report, error)
	Reported(ctx context.Context, numbers ...uint64) error
}

// Config sets the servers and the content of reports. Servers, Group, a token, Data, Work,
// Profile and Key are required.
type Config struct {
	// Servers, Group, Token, GroupToken and TLS are as in [executor.Config]: how the executor registers.
	Servers    []string
	Group      string
	Token      string
	GroupToken string
	TLS        executor.TLS
	// Listen and Address are as there too. Without Listen the executor has no port and pulls from each of Servers.
	Listen, Address string
	// Data is a folder of the executor's own; no other process may use it.
	Data string

	// API triggers the jobs and creates missing ones: it needs the right to operate them,
	// and to edit for creating them. Defaults to none: then executions are no runs, and the
	// rest works. Reports come from the ledger of Work, which has to be configured to keep
	// some.
	API *client.Client
	// Namespace is where the jobs are; the same as the API's. Defaults to "default".
	Namespace string
	// Execute, Redrive and Funds are the keys of the jobs. Default to solana-execute, solana-redrive and solana-funds.
	Execute, Redrive, Funds string

	Work    Service
	Profile thread.Profile
	Key     thread.Key // the executor's on the chain
	Mode    string     // how transactions are sent, in a word
	Forgo   bool
	Floor   uint64 // lamports
	// Threads are those that are followed, Clock is the chain's. Default to none: the caller feeds the service.
	Threads func() []observe.Tracked
	Clock   func() thread.Clock
	// Balance asks what the executor has, in lamports. Defaults to nothing.
	Balance func(ctx context.Context) (uint64, error)
	// Account returns what a thread has brought. Defaults to nothing.
	Account func(ctx context.Context, key thread.Key) (ledger.Account, error)
	// Nodes are those that are asked. Defaults to none.
	Nodes func(now time.Time) []rpc.Status

	Logger *slog.Logger // defaults to none
}

func (c *Config) defaults() {
	if c.Namespace == "" {
		c.Namespace = job.DefaultNamespace
	}
	if c.Execute == "" {
		c.Execute = defaultExecute
	}
	if c.Redrive == "" {
		c.Redrive = defaultRedrive
	}
	if c.Funds == "" {
		c.Funds = defaultFunds
	}
	if c.Clock == nil {
		c.Clock = func() thread.Clock { return thread.Clock{} }
	}
	if c.Balance == nil {
		c.Balance = func(context.Context) (uint64, error) { return 0, nil }
	}
	if c.Account == nil {
		c.Account = func(context.Context, thread.Key) (ledger.Account, error) { return ledger.Account{}, nil }
	}
	if c.Nodes == nil {
		c.Nodes = func(time.Time) []rpc.Status { return nil }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}

// Report reports an executor of threads to a server. Its methods may be called from any
// goroutine.
type Report struct {
	config    Config
	sdk       *executor.Executor
	startedAt time.Time
	sent      *sent
	more      chan struct{} // has room for a hint that something was settled
	deads     []Dead        // used by collect only: the last reported ones
	deadMark  deadMark      // as deads

	mu         sync.Mutex
	lasts      map[thread.Key]last                   // guarded by mu: how executions ended last
	round      int                                   // guarded by mu: how often threads were listed
	watched    map[ledger.ID]chan service.Settlement // guarded by mu: executions for which a run waits
	ofRuns     map[ledger.ID]int                     // guarded by mu: reports that waiting runs have already delivered
	purse      purse                                 // guarded by mu: whether the executor can pay
	lamports   uint64                                // guarded by mu
	lamportsAt time.Time                             // guarded by mu; zero: never asked
}

// last is how an execution of a thread ended last.
type last struct {
	outcome service.Outcome
	reason  string
	at      time.Time
	seen    int // the round
}

// mostLasts bounds how many threads' last executions are remembered.
const mostLasts = 50_000

// New checks the configuration. Nothing is opened before Run. The error is job.Invalid and names the field.
func New(c Config) (*Report, error) {
	c.defaults()
	if c.Work == nil {
		return nil, job.FieldErrorf("work", "is missing: there is nothing to report of")
	}
	for field, key := range map[string]string{"execute": c.Execute, "redrive": c.Redrive, "funds": c.Funds} {
		if err := job.CheckKey(field, key); err != nil {
			return nil, err
		}
	}
	if c.Execute == c.Redrive {
		return nil, job.FieldErrorf("redrive", "%q is the job of the executions: it needs another one", c.Redrive)
	}
	if c.Funds == c.Execute || c.Funds == c.Redrive {
		return nil, job.FieldErrorf("funds", "%q is another job: it needs one of its own", c.Funds)
	}
	r := &Report{
		config: c, startedAt: time.Now(), sent: newSent(), more: make(chan struct{}, 1), ofRuns: make(map[ledger.ID]int), lasts: make(map[thread.Key]last),
		watched: make(map[ledger.ID]chan service.Settlement),
	}
	var err error
	r.sdk, err = executor.New(executor.Config{
		Servers: c.Servers, Group: c.Group, Token: c.Token, GroupToken: c.GroupToken, TLS: c.TLS, Dialect: "native", Data: c.Data,
		Pull: c.Listen == "", Listen: c.Listen, Address: c.Address, Logger: c.Logger, DrainFor: 5 * time.Second, Labels: map[string]string{"solana": c.Profile.Name},
		Facts: executor.Facts{Kind: Kind, Tell: func(ctx context.Context) ([]byte, error) {
			f, err := r.collect(ctx, time.Now())
			if err != nil {
				return nil, err
			}
			return f.encode(job.MaxFacts)
		}},
	})
	if err != nil {
		return nil, err
	}
	r.sdk.Handle(HandlerExecute, r.execute)
	r.sdk.Handle(HandlerRedrive, r.redrive)
	r.sdk.Handle(HandlerFunds, r.funds)
	return r, nil
}

// Settled takes an execution that has ended; it is the hook of a service. It returns at once.
func (r *Report) Settled(s service.Settlement) {
	now := time.Now()
	r.mu.Lock()
	if _, known := r.lasts[s.Thread]; known || len(r.lasts) < mostLasts {
		r.lasts[s.Thread] = last{outcome: s.Outcome, reason: job.Clean(s.Reason, mostReason), at: now, seen: r.round}
	}
	if s.Outcome == service.Executed {
		r.purse.proved = true
	}
	waiter := r.watched[s.Task]
	delete(r.watched, s.Task)
	if waiter != nil && r.config.API != nil && len(r.ofRuns) < mostLasts {
		r.ofRuns[s.Task]++ // there is a run for it already
	}
	r.mu.Unlock()
	if waiter != nil {
		waiter <- s // it has room for one
	}
	r.wakeSender()
}

// wakeSender wakes the sender: there may be something to send.
func (r *Report) wakeSender() {
	select {
	case r.more <- struct{}{}:
	default:
	}
}

// hasRun reports whether a run covers the execution already, or is about to: then its
// report creates no other one.
func (r *Report) hasRun(id ledger.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ofRuns[id] > 0 {
		if r.ofRuns[id]--; r.ofRuns[id] == 0 {
			delete(r.ofRuns, id)
		}
		return true
	}
	return false
}

// awaited reports whether a run waits for the end of an execution.
func (r *Report) awaited(id ledger.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.watched[id] != nil
}

// Run is an executor of the server, and reports settled executions, until ctx ends. It
// waits for unreachable servers, and returns nil at its end. An error of kind job.Conflict
// means that another process uses the Data folder.
func (r *Report) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var sending sync.WaitGroup
	if r.config.API != nil {
		sending.Go(func() { r.sendReports(ctx) })
	}
	err := r.sdk.Run(ctx)
	stop()
	sending.Wait()
	if err != nil {
		return fmt.Errorf("report to the server: %w", err)
	}
	return nil
}

func (r *Report) reports(s ledger.Stats) Reports {
	if r.config.API == nil {
		return Reports{}
	}
	taken, refused := r.sent.figures()
	return Reports{
		Namespace: r.config.Namespace, Execute: r.config.Execute, Redrive: r.config.Redrive,
		Waiting: s.Reports, Dropped: uint64(max(s.Dropped, 0)) + refused, Sent: taken,
	}
}

// errNotThere reports that the server does not list this executor yet.
var errNotThere = errors.New("the server does not list this executor yet")

// place finds the address by which the server knows this executor: rules of its group may have replaced it.
func (r *Report) place(ctx context.Context) (string, error) {
	own, err := r.sdk.Address(ctx)
	if err != nil {
		return "", err
	}
	all, err := r.config.API.ExecutorsOf(ctx, "")
	if err != nil {
		return "", err
	}
	for i := range all {
		e := &all[i]
		if e.Group == r.config.Group && (e.RegisteredAs == own || strings.TrimSuffix(e.Address, "/") == strings.TrimSuffix(own, "/")) {
			return e.Address, nil
		}
	}
	return "", errNotThere
}
