package service

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/submit"
	"github.com/orthd/orth/solana/svmtest"
	"github.com/orthd/orth/solana/thread"
)

const now = 1_800_000_000 // by the chain's clock, in unix seconds

// world is a chain without a machine: it knows threads that are due each minute, and executes them as their program would. It is the
// submitter too.
type world struct {
	profile thread.Profile
	signer  svmSigner
	config  *rpc.Account

	mu       sync.Mutex
	clock    thread.Clock
	height   uint64
	lamports uint64
	threads  map[thread.Key]*thread.Thread
	fibers   map[thread.Key][]byte
	landed   map[solana.Signature]*rpc.Landed
	bytes    map[solana.Signature][]byte
	sent     int // calls of Submit
	done     int // executions
	calls    map[string]int

	// What goes wrong; each may be nil.
	lose     func(solana.Signature) bool
	fails    func(thread.Key) *rpc.TxError // on the chain
	simulate func(thread.Key) (*rpc.TxError, []string, error)
	read     func() error
}

// svmSigner signs with a wallet of tests.
type svmSigner struct{ key solana.PrivateKey }

func (s svmSigner) Public() thread.Key { return s.key.PublicKey() }

func (s svmSigner) Sign(message []byte) (solana.Signature, error) { return s.key.Sign(message) }

func newWorld(tb testing.TB) *world {
	tb.Helper()
	w := &world{
		profile: thread.Newest(), signer: svmSigner{svmtest.Wallet("executor")}, lamports: 1e9, height: 1000,
		clock: thread.Clock{Slot: 2000, Unix: now}, threads: map[thread.Key]*thread.Thread{}, fibers: map[thread.Key][]byte{},
		landed: map[solana.Signature]*rpc.Landed{}, bytes: map[solana.Signature][]byte{}, calls: map[string]int{},
	}
	w.config = &rpc.Account{Owner: w.profile.Program, Data: svmtest.EncodeConfig(&thread.Config{
		Version: 1, Admin: thread.Key{9}, Fee: 1000, ExecutorShare: 9000, TeamShare: 1000, Grace: 1e9, Decay: 295,
	})}
	return w
}

// put makes a thread that is due each minute, and from a time on.
func (w *world) put(tb testing.TB, n int, from int64) thread.Key {
	tb.Helper()
	id := fmt.Appendf(nil, "%d", n)
	key, bump, err := w.profile.ThreadAddress(w.signer.Public(), id)
	if err != nil {
		tb.Fatal(err)
	}
	fiber, err := w.profile.FiberAddress(key, 0)
	if err != nil {
		tb.Fatal(err)
	}
	compiled := svmtest.Compile(solana.NewInstruction(thread.Key{7}, nil, []byte("hello")))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fibers[fiber] = svmtest.EncodeFiber(&thread.Fiber{Thread: key, Compiled: compiled})
	w.threads[key] = &thread.Thread{
		Version: 1, Bump: bump, Authority: w.signer.Public(), ID: id, Name: string(id), Trigger: thread.Trigger{Kind: thread.OnInterval, Every: 60},
		Schedule: thread.Schedule{Kind: thread.Timed, Prev: from - 60, Next: from}, Fibers: []uint8{0}, Nonce: w.profile.Program,
	}
	return key
}

// ready is the event of a thread as it is.
func (w *world) ready(key thread.Key) observe.ThreadReady {
	w.mu.Lock()
	defer w.mu.Unlock()
	state := *w.threads[key]
	due, _ := state.Due(w.profile, key)
	return observe.ThreadReady{Thread: key, State: &state, TriggerTime: state.Schedule.Next, Due: due, Slot: w.clock.Slot}
}

// change changes a thread.
func (w *world) change(key thread.Key, how func(*thread.Thread)) *thread.Thread {
	w.mu.Lock()
	defer w.mu.Unlock()
	state := *w.threads[key]
	how(&state)
	w.threads[key] = &state
	return &state
}

func (w *world) Accounts(_ context.Context, _ rpc.Commitment, keys ...solana.PublicKey) ([]*rpc.Account, uint64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls["accounts"]++
	if w.read != nil {
		if err := w.read(); err != nil {
			return nil, 0, err
		}
	}
	address, err := w.profile.ConfigAddress()
	if err != nil {
		return nil, 0, err
	}
	all := make([]*rpc.Account, len(keys))
	for i, key := range keys {
		switch {
		case key == address:
			all[i] = w.config
		case key == solana.SysVarClockPubkey:
			all[i] = &rpc.Account{Data: w.clockData()}
		case key == w.signer.Public():
			all[i] = &rpc.Account{Lamports: w.lamports}
		case w.threads[key] != nil:
			all[i] = w.account(w.threads[key])
		case w.fibers[key] != nil:
			all[i] = &rpc.Account{Owner: w.profile.Fibers, Data: w.fibers[key]}
		}
	}
	return all, w.clock.Slot, nil
}

// Parts is Accounts: no thread here watches one.
func (w *world) Parts(ctx context.Context, c rpc.Commitment, _, _ uint64, keys ...solana.PublicKey) ([]*rpc.Account, uint64, error) {
	return w.Accounts(ctx, c, keys...)
}

// account is what the chain holds of a thread: each execution has cost it 6,000 lamports.
func (w *world) account(state *thread.Thread) *rpc.Account {
	return &rpc.Account{Owner: w.profile.Program, Lamports: 1e9 - 6000*state.ExecCount, Data: svmtest.EncodeThread(state)}
}

func (w *world) clockData() []byte {
	b := binary.LittleEndian.AppendUint64(nil, w.clock.Slot)
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint64(b, w.clock.Epoch)
	b = binary.LittleEndian.AppendUint64(b, 0)
	return binary.LittleEndian.AppendUint64(b, uint64(w.clock.Unix))
}

// after is a thread behind an execution.
func (w *world) after(state *thread.Thread) *thread.Thread {
	next := *state
	next.ExecCount++
	next.LastExecutor = w.signer.Public()
	next.Schedule.Prev, next.Schedule.Next = w.clock.Unix, w.clock.Unix+60
	return &next
}

func (w *world) Simulate(_ context.Context, _ []byte, accounts ...solana.PublicKey) (*rpc.Simulated, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls["simulate"]++
	key := accounts[1]
	if w.simulate != nil {
		if e, logs, err := w.simulate(key); e != nil || err != nil {
			return &rpc.Simulated{Err: e, Logs: logs, Slot: w.clock.Slot}, err
		}
	}
	return &rpc.Simulated{Units: 20_000, Slot: w.clock.Slot, Logs: []string{"Program log: done"}, Accounts: []*rpc.Account{
		{Lamports: w.lamports + 900}, w.account(w.after(w.threads[key])),
	}}, nil
}

func (w *world) LatestBlockhash(context.Context) (rpc.Blockhash, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	hash := solana.Hash{1}
	binary.LittleEndian.PutUint64(hash[8:], w.height)
	return rpc.Blockhash{Hash: hash, LastValid: w.height + 150}, nil
}

func (w *world) ForgetBlockhash(solana.Hash) {}

func (w *world) Balance(context.Context, rpc.Commitment, solana.PublicKey) (uint64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lamports, nil
}

func (w *world) EpochInfo(context.Context, rpc.Commitment) (rpc.Epoch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return rpc.Epoch{BlockHeight: w.height, AbsoluteSlot: w.clock.Slot}, nil
}

func (w *world) HashValid(_ context.Context, hash solana.Hash) (bool, uint64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return binary.LittleEndian.Uint64(hash[8:])+150 >= w.height, w.clock.Slot, nil
}

func (w *world) Statuses(_ context.Context, _ bool, signatures ...solana.Signature) ([]*rpc.Landed, uint64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls["statuses"]++
	all := make([]*rpc.Landed, len(signatures))
	for i, s := range signatures {
		all[i] = w.landed[s]
	}
	return all, w.clock.Slot, nil
}

// Submit lands a transaction at once, unless it is lost. Its bytes land once.
func (w *world) Submit(_ context.Context, wire []byte) (submit.Sent, error) {
	signature := solana.Signature(wire[1:65])
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent++
	if known, ok := w.bytes[signature]; ok && !bytes.Equal(known, wire) {
		return submit.Sent{}, errors.New("other bytes of the same signature")
	}
	w.bytes[signature] = wire
	if w.landed[signature] != nil || w.lose != nil && w.lose(signature) {
		return submit.Sent{ByRPC: true}, nil
	}
	key, err := w.threadOf(wire)
	if err != nil {
		return submit.Sent{}, err
	}
	end := &rpc.Landed{Slot: w.clock.Slot, Commitment: rpc.Confirmed}
	state := w.threads[key]
	switch {
	case w.fails != nil && w.fails(key) != nil:
		end.Err = w.fails(key)
		w.lamports -= 5000
	case state.Schedule.Next > w.clock.Unix:
		end.Err = &rpc.TxError{Kind: rpc.InstructionError, Instruction: 2, InstructionKind: rpc.Custom, Code: w.profile.NotReady}
		w.lamports -= 5000
	default:
		w.threads[key] = w.after(state)
		w.lamports += 900
		w.done++
	}
	w.landed[signature] = end
	return submit.Sent{ByRPC: true}, nil
}

// threadOf finds the thread among a message's keys.
func (w *world) threadOf(wire []byte) (thread.Key, error) {
	for at := 65 + 4; at+32 <= len(wire); at++ { // keys begin behind the header; every one is 32 bytes
		if key := thread.Key(wire[at : at+32]); w.threads[key] != nil {
			return key, nil
		}
	}
	return thread.Key{}, errors.New("a transaction of no thread")
}

// kept is a folder that several ledgers open, one after the other.
type kept struct{ *mem.Disk }

func (kept) Lock() (io.Closer, error) { return io.NopCloser(nil), nil }

// hall is a service in a world.
type hall struct {
	*world
	service *Service
	settled chan Settlement
	stop    func()
}

// enter starts a service on a folder; nil is one of its own.
func (w *world) enter(tb testing.TB, b queue.Disk, change func(*Config)) *hall {
	tb.Helper()
	if b == nil {
		b = mem.New()
	}
	book, err := ledger.Open(b, ledger.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	return w.enterWith(tb, book, change)
}

func (w *world) enterWith(tb testing.TB, book *ledger.Ledger, change func(*Config), o ...Observer) *hall {
	tb.Helper()
	h := &hall{world: w, settled: make(chan Settlement, 100_000)}
	c := Config{
		Profile: w.profile, Signer: w.signer, Chain: w, Submitter: w, Ledger: book,
		Hooks: Hooks{Settled: func(d Settlement) { h.settled <- d }},
	}
	if change != nil {
		change(&c)
	}
	var err error
	if len(o) > 0 {
		h.service, err = NewWithObserver(c, o[0])
	} else {
		h.service, err = New(c)
	}
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ended := make(chan error, 1)
	go func() { ended <- h.service.Run(ctx) }()
	h.stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, book.Close()); err != nil {
			tb.Errorf("run: %v", err)
		}
	})
	return h
}

func (h *hall) offer(tb testing.TB, key thread.Key) ledger.ID {
	tb.Helper()
	e := h.ready(key)
	if err := h.service.Offer(tb.Context(), e); err != nil {
		tb.Fatal(err)
	}
	return ledger.IDOf(key, e.State.ExecCount, false, 0)
}

func (h *hall) stats(tb testing.TB) Stats {
	tb.Helper()
	st, err := h.service.Stats(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return st
}

// tick moves the chain's clock on, and reports it.
func (h *hall) tick(seconds int64) {
	h.mu.Lock()
	h.clock.Unix += seconds
	h.clock.Slot += uint64(seconds) * 5 / 2
	h.height += uint64(seconds) * 5 / 2
	c := h.clock
	h.mu.Unlock()
	h.service.Tick(observe.ClockUpdate{Slot: c.Slot, Epoch: c.Epoch, UnixTimestamp: c.Unix})
}

// ends returns the execution that has ended, of which there must be one.
func (h *hall) ends(tb testing.TB) Settlement {
	tb.Helper()
	select {
	case d := <-h.settled:
		return d
	default:
		tb.Fatalf("nothing has ended: %+v", h.stats(tb))
		return Settlement{}
	}
}

// pass lets so much time pass, and all that happens in it.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// set changes how the world is.
func (w *world) set(how func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	how()
}
