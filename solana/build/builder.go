package build

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// Chain is asked for what is there, and what would be.
type Chain interface {
	Accounts(ctx context.Context, c rpc.Commitment, keys ...solana.PublicKey) ([]*rpc.Account, uint64, error)
	Parts(ctx context.Context, c rpc.Commitment, offset, length uint64, keys ...solana.PublicKey) ([]*rpc.Account, uint64, error)
	Simulate(ctx context.Context, wire []byte, accounts ...solana.PublicKey) (*rpc.Simulated, error)
	LatestBlockhash(ctx context.Context) (rpc.Blockhash, error)
}

// Config sets how executions are built.
type Config struct {
	Profile thread.Profile
	Signer  Signer
	Chain   Chain
	// Forgo leaves the executor's commission to the threads.
	Forgo bool
	// Floor is what the executor keeps, in lamports: below it nothing is executed. Defaults to 10,000,000 (0.01 SOL).
	Floor uint64
	// MostLoss is how much poorer an execution may make the executor, fees included, in lamports. Defaults to 100,000.
	MostLoss uint64
	// Batch is how many fibers that follow each other at once are executed by one transaction. Defaults to 5, which is the most.
	Batch int
}

// mostInBatch is how many executions a transaction holds at most.
const mostInBatch = 5

// Error describes what blocks an execution.
type Error struct {
	failure.Verdict
	// Due is when the thread is due, where Class is NotReady and the chain was not asked to try.
	Due thread.Due
	// State is the thread as it was read; nil: it was not.
	State *thread.Thread
	// Logs are the programs' of a simulation that failed.
	Logs []string
	Err  error // may be nil
}

// Error is the verdict in words.
func (e *Error) Error() string { return e.Verdict.String() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Built is an execution that can be sent.
type Built struct {
	Transaction *rpc.Transaction
	// State is the thread before it, by which one sees later whether it has been executed.
	State  *thread.Thread
	Fibers int // how many are executed at once
	Units  uint32
	Price  uint64 // micro lamports per unit
	Expect Expectation
	Slot   uint64   // of the simulation
	Logs   []string // of the programs in it
}

// Expectation is what an execution is thought to bring, in lamports.
type Expectation struct {
	Late   int64 // seconds since the thread was due
	Fee    uint64
	Before uint64 // of the executor
	After  uint64
}

// Net is what the executor has more, or less.
func (e Expectation) Net() int64 {
	return int64(e.After) - int64(e.Before)
}

// Builder builds executions. It is safe for concurrent use.
type Builder struct {
	config Config

	mu     sync.Mutex
	tables map[thread.Key]knownTable
}

// knownTable is a lookup table, and when it was read.
type knownTable struct {
	keys solana.PublicKeySlice
	at   time.Time
}

const (
	tableLife  = time.Minute
	mostTables = 1000
)

// New returns a builder.
func New(c Config) *Builder {
	if c.Floor == 0 {
		c.Floor = 10_000_000
	}
	if c.MostLoss == 0 {
		c.MostLoss = 100_000
	}
	if c.Batch <= 0 || c.Batch > mostInBatch {
		c.Batch = mostInBatch
	}
	return &Builder{config: c, tables: make(map[thread.Key]knownTable)}
}

// Hint is what is already known of a thread; it saves a request when it still holds.
type Hint struct {
	Index uint8 // of the fiber that is next
	Known bool
	// Units is the limit to begin with: of an execution that needed more than its
	// simulation. 0: the simulation's.
	Units uint32
	// Salt is how many units more are asked for, 1,023 at most. Executions of a thread that follow each other within the life of a
	// blockhash would have the same bytes, and so the same signature, and only one of them would land: their salts must differ.
	Salt uint32
}

// mostSalt bounds [Hint.Salt].
const mostSalt = 1023

// Build makes the transaction that executes a thread now. Errors are *Error;
// [failure.NotReady] carries when it is due.
func (b *Builder) Build(ctx context.Context, key thread.Key, h Hint) (*Built, error) {
	s, err := b.readSituation(ctx, key, h)
	if err != nil {
		return nil, err
	}
	built, err := b.buildFrom(ctx, s, h)
	if e, ok := errors.AsType[*Error](err); ok {
		e.State = s.state
	}
	return built, err
}

// buildFrom makes the transaction of what is there.
func (b *Builder) buildFrom(ctx context.Context, s *situation, h Hint) (*Built, error) {
	due, ever := s.state.Due(b.config.Profile, s.key)
	late, ready := due.Since(s.clock)
	switch {
	case s.config.Paused:
		return nil, newError(failure.Paused, "the thread program is paused as a whole")
	case s.state.Paused:
		return nil, newError(failure.Paused, "the thread is paused")
	case !ever:
		return nil, newError(failure.Permanent, "the thread has nothing that can become due: a %v trigger, %s", s.state.Trigger.Kind, plural.Count(len(s.state.Fibers), "fiber"))
	case due.Unit == thread.Change:
		ready = s.watched != nil && s.state.HasChangedPart(s.watched)
	}
	if !ready {
		e := newError(failure.NotReady, "it is not due yet by the chain's clock")
		e.Due = due
		return nil, e
	}
	if s.executor < b.config.Floor {
		return nil, newError(failure.Dry, "the executor has %d lamports, fewer than the %d that it keeps", s.executor, b.config.Floor)
	}
	built, err := b.trySigned(ctx, s, h)
	if err != nil {
		return nil, err
	}
	built.Expect.Late = late
	return built, nil
}

func newError(c failure.Class, format string, a ...any) *Error {
	return &Error{Verdict: failure.Verdict{Class: c, Reason: fmt.Sprintf(format, a...)}}
}

// judged is an error of a request.
func (b *Builder) judged(err error) *Error {
	return &Error{Verdict: failure.Of(b.config.Profile, err), Err: err}
}

// trySigned simulates a transaction and signs it: of one fiber, and of those that follow at once
// while the simulation shows more of them and they fit.
func (b *Builder) trySigned(ctx context.Context, s *situation, h Hint) (*Built, error) {
	first, err := s.execution(b.config.Profile, b.config.Signer.Public(), b.config.Forgo).Instruction(b.config.Profile)
	if err != nil {
		return nil, &Error{Verdict: failure.Verdict{Class: failure.Permanent, Reason: err.Error()}, Err: err}
	}
	t := &trial{executions: []solana.Instruction{first}, price: s.priority(), tables: map[thread.Key]solana.PublicKeySlice{}}
	if err := b.addTables(ctx, t, s.fiber); err != nil {
		return nil, err
	}
	if err := b.simulate(ctx, s, t); err != nil {
		return nil, err
	}
	for len(t.executions) < b.config.Batch && t.after != nil && t.after.Signal.Kind == thread.Chain {
		longer, err := b.extend(ctx, s, t)
		if err != nil || longer == nil {
			break // what there is goes alone; the next one is due at once
		}
		t = longer
	}
	return b.finish(ctx, s, t, h)
}

// trial is a transaction that was simulated.
type trial struct {
	executions []solana.Instruction
	price      uint64
	tables     map[thread.Key]solana.PublicKeySlice
	used       uint64 // compute units
	slot       uint64
	logs       []string
	lamports   uint64         // that it leaves the thread
	executor   uint64         // lamports that it leaves
	after      *thread.Thread // nil: it is closed
}

// simulate tries a transaction with all compute units that there are. It offers no price: what a fiber asks for is anybody's,
// and times all units it may be more than the executor has.
func (b *Builder) simulate(ctx context.Context, s *situation, t *trial) error {
	_, bytes, err := newMessage(b.config.Signer.Public(), append(budget(MostUnits, 0), t.executions...), solana.Hash{}, t.tables)
	if err != nil {
		return &Error{Verdict: failure.Verdict{Class: failure.Permanent, Reason: err.Error()}, Err: err}
	}
	got, err := b.config.Chain.Simulate(ctx, bytes, b.config.Signer.Public(), s.key)
	if err != nil {
		return b.judged(err)
	}
	if got.Err != nil {
		v := failure.OfTransaction(b.config.Profile, got.Err, got.Logs)
		if v.Class == failure.Resource { // it had all there are
			v.Class, v.Reason = failure.Permanent, fmt.Sprintf("it needs more than the %d compute units of a transaction", MostUnits)
		}
		if v.Class == failure.Expired { // a node that knows no hash of its own is not ready
			v.Class = failure.Transient
		}
		return &Error{Verdict: v, Logs: got.Logs, Err: got.Err}
	}
	t.used, t.slot, t.logs, t.after, t.lamports = got.Units, got.Slot, got.Logs, nil, 0
	if t.used == 0 { // the node does not report them
		t.used = MostUnits
	}
	if got.Accounts[0] != nil {
		t.executor = got.Accounts[0].Lamports
	}
	if after := got.Accounts[1]; after != nil && after.Owner == b.config.Profile.Program {
		t.lamports = after.Lamports
		if t.after, err = b.config.Profile.DecodeThread(after.Data); err != nil {
			return &Error{Verdict: failure.Verdict{Class: failure.Program, Reason: "after its execution the thread cannot be read: " + err.Error()}, Err: err}
		}
	}
	return nil
}

// extend adds the fiber that follows at once, and returns nil when it cannot be: it does not fit, or would fail.
func (b *Builder) extend(ctx context.Context, s *situation, t *trial) (*trial, error) {
	index, found := t.after.Fiber(b.config.Profile)
	if !found {
		return nil, nil //nolint:nilnil // there is none, and nothing is wrong
	}
	fiber, err := b.fiber(ctx, s.key, index)
	if err != nil || fiber == nil || fiber.Compiled == nil {
		return nil, err
	}
	next := Execution{Executor: b.config.Signer.Public(), Thread: s.key, State: t.after, Config: s.config, Index: index, Fiber: fiber, Forgo: b.config.Forgo}
	call, err := next.Instruction(b.config.Profile)
	if err != nil {
		return nil, err
	}
	longer := &trial{executions: append(slices.Clip(t.executions), call), price: max(t.price, fiber.Priority), tables: map[thread.Key]solana.PublicKeySlice{}}
	maps.Copy(longer.tables, t.tables)
	if err := b.addTables(ctx, longer, fiber); err != nil {
		return nil, err
	}
	return longer, b.simulate(ctx, s, longer)
}

// finish checks what the execution leaves, and signs.
func (b *Builder) finish(ctx context.Context, s *situation, t *trial, h Hint) (*Built, error) {
	units := max(unitsFor(t.used), min(h.Units, MostUnits))
	if salt := min(h.Salt, mostSalt); units <= MostUnits-salt {
		units += salt
	} else {
		units -= salt
	}
	priority := thread.PriorityFee(units, t.price) // the simulation paid none
	left := t.executor - min(t.executor, priority)
	after := uint64(max(int64(s.executor)+b.gainOf(s, t)-int64(priority), 0))
	switch {
	case after < s.executor && s.executor-after > b.config.MostLoss:
		return nil, newError(failure.Permanent, "it would cost the executor %d lamports, more than the %d that one may; %d are for its priority",
			s.executor-after, b.config.MostLoss, priority)
	case left < b.config.Floor:
		return nil, newError(failure.Permanent, "it would leave the executor %d lamports, fewer than the %d that it keeps", left, b.config.Floor)
	}
	hash, err := b.config.Chain.LatestBlockhash(ctx)
	if err != nil {
		return nil, b.judged(err)
	}
	tx, _, err := newMessage(b.config.Signer.Public(), append(budget(units, t.price), t.executions...), hash.Hash, t.tables)
	if err != nil {
		return nil, &Error{Verdict: failure.Verdict{Class: failure.Permanent, Reason: err.Error()}, Err: err}
	}
	signed, err := signMessage(b.config.Signer, tx, hash)
	if err != nil {
		return nil, &Error{Verdict: failure.Verdict{Class: failure.Transient, Reason: err.Error()}, Err: err}
	}
	return &Built{
		Transaction: signed, State: s.state, Fibers: len(t.executions), Units: units, Price: t.price, Slot: t.slot, Logs: t.logs,
		Expect: Expectation{Fee: signatureFee + priority, Before: s.executor, After: after},
	}, nil
}

// gainOf is what an execution brings the executor before its priority is paid, in lamports.
// The executor's balance comes from the simulation, since others of its executions may have
// landed after it was read. The thread's balance is its own affair: where it changed by the
// program's rules, the rules give the gain.
func (b *Builder) gainOf(s *situation, t *trial) int64 {
	seen := int64(t.executor) - int64(s.executor)
	due, _ := s.state.Due(b.config.Profile, s.key)
	late, _ := due.Since(s.clock)
	if b.config.Profile.IsSeed() || t.lamports == 0 || len(t.executions) != 1 {
		return seen
	}
	pay := s.config.Pay(b.config.Profile, late, 0, b.config.Forgo)
	paid := int64(s.lamports) - int64(t.lamports)
	fee, commission := int64(signatureFee), int64(pay.Executor)
	rest := paid - commission - int64(pay.Team)
	touched := s.fiber != nil && s.fiber.Compiled != nil && slices.Contains(s.fiber.Compiled.Accounts, thread.Payer())
	whole, back := int64(pay.Reimbursed)+commission-fee, commission-fee
	switch {
	case rest == int64(pay.Reimbursed) && (!touched || distance(whole, seen) <= distance(back, seen)):
		return whole // its fiber took nothing
	case rest > 0 && touched:
		return back // it gave back what its fiber took
	default:
		return seen
	}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// signatureFee is what the chain takes for a signature, in lamports.
const signatureFee = 5000
