package build

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/gagliardetto/solana-go"
	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

func TestBuild(t *testing.T) {
	w := newWorld(t)
	built, err := builder(w).Build(t.Context(), demo, Hint{Known: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(w.asked) != 1 || w.tried != 1 {
		t.Errorf("accounts were asked for %d times, and %d transactions tried; one of each is enough", len(w.asked), w.tried)
	}
	want := Expectation{Late: 10, Fee: 5000, Before: 1e9, After: 1e9 + 900}
	if diff := cmp.Diff(want, built.Expect); diff != "" {
		t.Error(diff)
	}
	if built.Expect.Net() != 900 || built.Units != 35_000 || built.Fibers != 1 || built.State.ExecCount != 41 || built.Slot != 50 {
		t.Errorf("%+v", built)
	}
	tx, err := solana.TransactionFromBase64(base64.StdEncoding.EncodeToString(built.Transaction.Wire))
	if err != nil {
		t.Fatal(err)
	}
	if err := tx.VerifySignatures(); err != nil || tx.Signatures[0] != built.Transaction.Signature {
		t.Errorf("signature %v, %v", tx.Signatures, err)
	}
	if tx.Message.RecentBlockhash != solana.Hash(key(77)) || built.Transaction.LastValid != 1234 || tx.Message.AccountKeys[0] != newSigner().Public() {
		t.Errorf("%+v", tx.Message)
	}
	limit := tx.Message.Instructions[0]
	if tx.Message.AccountKeys[limit.ProgramIDIndex] != solana.ComputeBudget || limit.Data[0] != 2 || binary.LittleEndian.Uint32(limit.Data[1:]) != 35_000 {
		t.Errorf("first instruction %+v", limit)
	}
	if len(tx.Message.Instructions) != 2 {
		t.Errorf("%d instructions: without a price there is no word of it", len(tx.Message.Instructions))
	}
}

// A hint that does not hold any more costs a request, nothing else.
func TestBuildWithAnOldHint(t *testing.T) {
	for name, h := range map[string]Hint{"none": {}, "another fiber": {Known: true, Index: 2}, "no such fiber": {Known: true, Index: 9}} {
		w := newWorld(t)
		if _, err := builder(w).Build(t.Context(), demo, h); err != nil || len(w.asked) != 2 {
			t.Errorf("%s: %v after %d requests", name, err, len(w.asked))
		}
	}
}

// What is paid for priority is what the fiber asks for, of the units that it gets.
func TestPriority(t *testing.T) {
	w := newWorld(t)
	w.accounts[demo].Data = interval(1, 0, false)
	w.simulates = func(_ []solana.CompiledInstruction, tx *solana.Transaction) (*rpc.Simulated, error) {
		for _, c := range tx.Message.Instructions {
			if tx.Message.AccountKeys[c.ProgramIDIndex] == solana.ComputeBudget && c.Data[0] == 3 {
				t.Error("a price is offered to a simulation")
			}
		}
		return w.pays(900, interval(2, 0, false)), nil
	}
	built, err := builder(w).Build(t.Context(), demo, Hint{})
	if err != nil {
		t.Fatal(err)
	}
	if built.Price != 1000 || built.Expect.Fee != 5035 || built.Expect.Net() != 900-35 {
		t.Errorf("price %d, %+v", built.Price, built.Expect)
	}
	tx, err := solana.TransactionFromBase64(base64.StdEncoding.EncodeToString(built.Transaction.Wire))
	if err != nil {
		t.Fatal(err)
	}
	if price := tx.Message.Instructions[1]; price.Data[0] != 3 || binary.LittleEndian.Uint64(price.Data[1:]) != 1000 {
		t.Errorf("second instruction %+v", price)
	}
}

// Fibers that follow each other at once go together, five at most, as long as they would succeed.
func TestChain(t *testing.T) {
	for _, c := range []struct {
		name   string
		batch  int
		chains int // how many fibers signal that the next follows
		fails  int // from how many calls on a simulation fails; 0: never
		want   int
	}{
		{"none", 0, 0, 0, 1},
		{"two", 0, 1, 0, 2},
		{"more than fit", 0, 100, 0, 5},
		{"as many as allowed", 3, 100, 0, 3},
		{"the third fails", 0, 100, 3, 2},
	} {
		w := newWorld(t)
		w.simulates = func(calls []solana.CompiledInstruction, _ *solana.Transaction) (*rpc.Simulated, error) {
			n := len(calls)
			if c.fails != 0 && n >= c.fails {
				return &rpc.Simulated{Err: &rpc.TxError{Kind: "AccountInUse"}}, nil
			}
			for i, call := range calls {
				if got := call.Data[9]; int(got) != i {
					t.Errorf("%s: call %d executes fiber %d", c.name, i, got)
				}
			}
			cursor, signal := uint8(n), uint8(0)
			if n <= c.chains {
				cursor, signal = uint8(n-1), 1
			}
			return w.pays(900*n, interval(cursor, signal, false)), nil
		}
		b := New(Config{Profile: thread.Newest(), Signer: newSigner(), Chain: w, Batch: c.batch})
		built, err := b.Build(t.Context(), demo, Hint{Known: true})
		if err != nil || built.Fibers != c.want || built.Expect.Net() > int64(900*c.want) {
			t.Errorf("%s: %v, %+v", c.name, err, built)
		}
	}
}

func TestNotNow(t *testing.T) {
	p := thread.Newest()
	config := address(t)(p.ConfigAddress())
	none := []byte{}
	for _, c := range []struct {
		name  string
		world func(*world)
		want  failure.Class
	}{
		{"not due", func(w *world) {
			w.accounts[solana.SysVarClockPubkey].Data = account("", uint64(50), int64(0), uint64(2), uint64(3), int64(999))
		}, failure.NotReady},
		{"paused", func(w *world) { w.accounts[demo].Data = interval(0, 0, true) }, failure.Paused},
		{"all paused", func(w *world) { w.accounts[config].Data[49] = 1 }, failure.Paused},
		{"closed", func(w *world) { delete(w.accounts, demo) }, failure.Superseded},
		{"another's account", func(w *world) { w.accounts[demo].Owner = key(9) }, failure.Superseded},
		{"no config", func(w *world) { delete(w.accounts, config) }, failure.Transient},
		{"another's config", func(w *world) { w.accounts[config].Owner = key(9) }, failure.Transient},
		{"a config that was cut", func(w *world) { w.accounts[config].Data = w.accounts[config].Data[:40] }, failure.Transient},
		{"a clock that was cut", func(w *world) { w.accounts[solana.SysVarClockPubkey].Data = make([]byte, 39) }, failure.Transient},
		{"no clock", func(w *world) { delete(w.accounts, solana.SysVarClockPubkey) }, failure.Transient},
		{"no thread", func(w *world) { w.accounts[demo].Data = none }, failure.Permanent},
		{"no fiber", func(w *world) { delete(w.accounts, address(t)(p.FiberAddress(demo, 0))) }, failure.Superseded},
		{"lamports at a fiber's address", func(w *world) {
			w.accounts[address(t)(p.FiberAddress(demo, 0))] = &rpc.Account{Lamports: 1, Owner: solana.SystemProgramID}
		}, failure.Superseded},
		{"an idle fiber", func(w *world) {
			w.accounts[address(t)(p.FiberAddress(demo, 0))].Data = account("FiberState", demo, none, int64(0), uint64(0), uint64(0))
		}, failure.Permanent},
		{"another thread's fiber", func(w *world) { w.accounts[address(t)(p.FiberAddress(demo, 0))].Data[9] = 99 }, failure.Permanent},
		{"nothing that can be due", func(w *world) { w.accounts[demo].Data = interval(9, 0, false) }, failure.Permanent},
		{"a poor executor", func(w *world) { w.accounts[newSigner().Public()].Lamports = 9_999_999 }, failure.Dry},
		{"no executor", func(w *world) { delete(w.accounts, newSigner().Public()) }, failure.Dry},
		{"away", func(w *world) { w.fails = &rpc.UnreachableError{Endpoint: "a", Err: errors.New("no")} }, failure.Transient},
	} {
		w := newWorld(t)
		c.world(w)
		_, err := builder(w).Build(t.Context(), demo, Hint{Known: true})
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Class != c.want || e.Reason == "" || w.tried != 0 {
			t.Errorf("%s: %v, %d transactions tried; want %s", c.name, err, w.tried, c.want)
		}
		if c.want == failure.NotReady && e.Due != (thread.Due{Unit: thread.Seconds, At: 1000}) {
			t.Errorf("due %+v", e.Due)
		}
	}
}

// Of the account that a trigger watches, which is anybody's and may be large, the part that it watches is asked for alone.
func TestWatchedPart(t *testing.T) {
	watching := func(hash uint64) []byte {
		return account("Thread", uint8(1), uint8(254), key(1), []byte("demo"), []byte("demo"), int64(0), uint8(0), key(8), uint64(2), uint64(4), uint8(0), hash,
			[]byte{0}, uint8(0), uint8(1), uint8(0), false, uint64(41), key(3), thread.Key{}, []byte{}, []byte{})
	}
	data := make([]byte, 1<<20)
	copy(data, "..news..")
	now := (&thread.Trigger{Offset: 2, Size: 4}).Watched(data)
	for name, c := range map[string]struct {
		hash uint64
		held *rpc.Account
		want failure.Class // "": it is built
	}{
		"it has changed":     {now + 1, &rpc.Account{Data: data}, ""},
		"it is as it was":    {now, &rpc.Account{Data: data}, failure.NotReady},
		"there is none":      {now + 1, nil, failure.NotReady},
		"it has become less": {now, &rpc.Account{Data: data[:3]}, ""},
	} {
		w := newWorld(t)
		w.accounts[demo].Data = watching(c.hash)
		w.accounts[key(8)] = c.held
		w.simulates = func([]solana.CompiledInstruction, *solana.Transaction) (*rpc.Simulated, error) {
			return w.pays(900, watching(now)), nil
		}
		_, err := builder(w).Build(t.Context(), demo, Hint{Known: true})
		e, refused := errors.AsType[*Error](err)
		if refused != (c.want != "") || refused && e.Class != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		for _, n := range w.given {
			if n > 4 {
				t.Errorf("%s: %d bytes were asked for", name, n)
			}
		}
	}
}

func TestSimulationsSay(t *testing.T) {
	for _, c := range []struct {
		name string
		says func(*world) (*rpc.Simulated, error)
		want failure.Class
	}{
		{"not due", func(*world) (*rpc.Simulated, error) {
			return &rpc.Simulated{
				Err:  &rpc.TxError{Kind: rpc.InstructionError, Instruction: 1, InstructionKind: rpc.Custom, Code: 6004},
				Logs: []string{"Program " + thread.Newest().Program.String() + " failed: custom program error: 0x1774"},
			}, nil
		}, failure.NotReady},
		{"too much work", func(*world) (*rpc.Simulated, error) {
			return &rpc.Simulated{Err: &rpc.TxError{Kind: rpc.InstructionError, InstructionKind: "ComputationalBudgetExceeded"}}, nil
		}, failure.Permanent},
		{"no hash", func(*world) (*rpc.Simulated, error) {
			return &rpc.Simulated{Err: &rpc.TxError{Kind: rpc.BlockhashNotFound}}, nil
		}, failure.Transient},
		{"away", func(*world) (*rpc.Simulated, error) {
			return nil, &rpc.UnreachableError{Endpoint: "a", Err: errors.New("no")}
		}, failure.Transient},
		{"it costs too much", func(w *world) (*rpc.Simulated, error) { return w.pays(-100_001, interval(1, 0, false)), nil }, failure.Permanent},
		{"it takes all", func(w *world) (*rpc.Simulated, error) {
			return &rpc.Simulated{Units: 1, Accounts: []*rpc.Account{nil, nil}}, nil
		}, failure.Permanent},
		{"it leaves no thread", func(w *world) (*rpc.Simulated, error) { return w.pays(0, []byte("what")), nil }, failure.Program},
	} {
		w := newWorld(t)
		w.simulates = func([]solana.CompiledInstruction, *solana.Transaction) (*rpc.Simulated, error) { return c.says(w) }
		_, err := builder(w).Build(t.Context(), demo, Hint{Known: true})
		if e, ok := errors.AsType[*Error](err); !ok || e.Class != c.want || e.Reason == "" {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// An impossible price is the thread's fault, and not the executor's need.
func TestPriceBeyondAll(t *testing.T) {
	w := newWorld(t)
	p := thread.Newest()
	w.accounts[address(t)(p.FiberAddress(demo, 0))].Data = memo(math.MaxUint64)
	_, err := builder(w).Build(t.Context(), demo, Hint{Known: true})
	if e, ok := errors.AsType[*Error](err); !ok || e.Class != failure.Permanent {
		t.Errorf("%v", err)
	}
}

func TestUnits(t *testing.T) {
	w := newWorld(t)
	built, err := builder(w).Build(t.Context(), demo, Hint{Known: true, Units: 90_000})
	if err != nil || built.Units != 90_000 {
		t.Errorf("%v, %+v", err, built)
	}
	for used, want := range map[uint64]uint32{0: 10_000, 20_000: 35_000, 1_112_000: 1_400_000, 1_200_000: MostUnits, MostUnits: MostUnits} {
		if got := unitsFor(used); got != want {
			t.Errorf("for %d units the limit is %d, want %d", used, got, want)
		}
	}
}

// A fiber with many accounts fits by its lookup table, and is refused with that reason
// where it has none.
func TestLookupTables(t *testing.T) {
	p := thread.Newest()
	table := []byte{}
	values := []any{uint8(0), uint8(0), uint8(0), uint32(1), uint8(0), make([]byte, 0), []byte("x"), uint32(40)}
	for i := range byte(40) {
		values = append(values, key(100+i))
		table = append(table, bytes.Repeat([]byte{100 + i}, 32)...)
	}
	fiber := func(tables ...thread.Key) []byte {
		all := []any{uint8(1), demo, account("", values...), int64(0), uint64(0), uint64(0), uint32(len(tables))}
		for _, t := range tables {
			all = append(all, t)
		}
		return account("FiberVersionedState", all...)
	}
	head := account("", uint32(1), uint64(math.MaxUint64), uint64(0), uint8(0), make([]byte, 31))
	head = append(head, make([]byte, 56-len(head))...)[:56]

	w := newWorld(t)
	where := address(t)(p.FiberAddress(demo, 0))
	w.accounts[where].Data = fiber()
	_, err := builder(w).Build(t.Context(), demo, Hint{Known: true})
	if e, ok := errors.AsType[*Error](err); !ok || e.Class != failure.Permanent || w.tried != 0 {
		t.Errorf("without a table: %v", err)
	}
	w.accounts[where].Data = fiber(key(60))
	w.accounts[key(60)] = &rpc.Account{Data: append(head[:56:56], table...)}
	b := builder(w)
	for range 2 {
		built, err := b.Build(t.Context(), demo, Hint{Known: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(built.Transaction.Wire); n > 700 {
			t.Errorf("with a table it has %d bytes", n)
		}
	}
	if got := len(w.asked); got != 1+3 {
		t.Errorf("accounts were asked for %d times: the table once for both", got)
	}
	for name, data := range map[string][]byte{"short": head[:55], "uneven": append(head[:56:56], 1), "another kind": make([]byte, 56)} {
		if _, err := decodeTable(data); !errors.Is(err, thread.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if keys, err := decodeTable(append(account("", uint32(1), uint64(5)), make([]byte, 44+32)...)); err != nil || keys != nil {
		t.Errorf("a table that is being closed has %v, %v", keys, err)
	}
}

// The thread's payment determines an execution's gain: the executor's own balance is that
// of all its executions.
func FuzzTable(f *testing.F) {
	head := account("", uint32(1), uint64(math.MaxUint64))
	f.Add(append(head, make([]byte, 44+32)...))
	f.Add(make([]byte, 56))
	f.Fuzz(func(t *testing.T, data []byte) {
		keys, err := decodeTable(data)
		if len(keys) > mostInTable || err != nil && (keys != nil || !errors.Is(err, thread.ErrFormat)) || len(keys)*32 > len(data) {
			t.Errorf("%d bytes are a table of %d, %v", len(data), len(keys), err)
		}
	})
}

func TestGain(t *testing.T) {
	t.Parallel()
	const others = 12_345 // has come in between, or gone
	for name, c := range map[string]struct {
		paid, others, fiber, want int64 // of the thread, of others, of the fiber, and what it brings
		touched                   bool
	}{
		"nothing but the execution":           {paid: 6000, want: 900},
		"others brought something":            {paid: 6000, others: others, want: 900},
		"others cost a fee":                   {paid: 6000, others: -5000, want: 900},
		"a fiber that takes nothing":          {paid: 6000, others: -900, want: 900, touched: true},
		"a fiber that takes, and gives back":  {paid: 50_000 + 1000, others: others, fiber: -50_000, want: -4100, touched: true},
		"a fiber that takes as much as a fee": {paid: 6000, fiber: -5000, others: 10, want: -4100, touched: true},
		"a fiber that gives":                  {paid: 100, fiber: 7000, want: 2000, touched: true},
	} {
		w := newWorld(t)
		f := memo(0)
		if !c.touched {
			f = account("FiberVersionedState", uint8(1), demo, account("", uint8(0), uint8(0), uint8(0), uint32(1), uint8(1), []byte{0}, []byte("hello"), uint32(2), key(8), key(9)),
				int64(0), uint64(0), uint64(0), uint32(0))
		}
		w.accounts[address(t)(thread.Newest().FiberAddress(demo, 0))].Data = f
		w.accounts[solana.SysVarClockPubkey].Data = account("", uint64(50), int64(0), uint64(2), uint64(3), int64(1000))
		gain := c.others + c.fiber - 5000
		if c.fiber <= 0 {
			gain += 900
			if c.fiber < 0 {
				gain -= c.fiber
			} else {
				gain += 5000
			}
		}
		w.simulates = func([]solana.CompiledInstruction, *solana.Transaction) (*rpc.Simulated, error) {
			got := w.pays(int(gain), interval(0, 0, false))
			got.Accounts[1].Lamports = uint64(1e9 - c.paid)
			return got, nil
		}
		built, err := builder(w).Build(t.Context(), demo, Hint{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := built.Expect.Net(); got != c.want {
			t.Errorf("%s: it brings %d, want %d", name, got, c.want)
		}
	}
}

// Transactions that would have the same bytes differ by their salt.
func TestSalt(t *testing.T) {
	t.Parallel()
	b := builder(newWorld(t))
	units := map[uint32]bool{}
	signatures := map[solana.Signature]bool{}
	for _, salt := range []uint32{0, 1, 1023, 5000} {
		built, err := b.Build(t.Context(), demo, Hint{Salt: salt, Units: MostUnits})
		if err != nil {
			t.Fatal(err)
		}
		units[built.Units], signatures[built.Transaction.Signature] = true, true
		if built.Units > MostUnits {
			t.Errorf("%d units", built.Units)
		}
	}
	if len(units) != 3 || len(signatures) != 3 { // the last is one too many, and cut
		t.Errorf("%v", units)
	}
}
