package rpc

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/google/go-cmp/cmp"
)

func key(b byte) solana.PublicKey       { return solana.PublicKey(bytes.Repeat([]byte{b}, 32)) }
func signature(b byte) solana.Signature { return solana.Signature(bytes.Repeat([]byte{b}, 64)) }

// held is an account as nodes write it.
func held(lamports uint64, data string) map[string]any {
	return map[string]any{
		"lamports": lamports, "owner": key(9).String(), "data": []string{base64.StdEncoding.EncodeToString([]byte(data)), "base64"},
		"executable": false, "rentEpoch": uint64(1<<64 - 1), "space": len(data),
	}
}

func inSlot(value any) map[string]any {
	return map[string]any{"context": map[string]any{"slot": 77, "apiVersion": "3.1.4"}, "value": value}
}

// one is a pool of one node that answers each method with its result.
func one(t *testing.T, results map[string]any) (*Pool, *nodes) {
	t.Helper()
	n := &nodes{does: map[string]func(call) answer{"a.example": func(c call) answer {
		if result, known := results[c.Method]; known {
			return answer{result: result}
		}
		return answer{code: -32601}
	}}}
	return pool(t, n, two()[:1]...), n
}

func TestReading(t *testing.T) {
	p, n := one(t, map[string]any{
		"getMultipleAccounts": inSlot([]any{held(5, "five"), nil}),
		"getProgramAccounts":  inSlot([]any{map[string]any{"pubkey": key(1).String(), "account": held(6, "six")}}),
		"getBalance":          inSlot(uint64(1 << 60)),
		"isBlockhashValid":    inSlot(true),
		"getBlockHeight":      70,
		"getEpochInfo":        map[string]any{"epoch": 2, "slotIndex": 3, "slotsInEpoch": 432000, "absoluteSlot": 867, "blockHeight": 800, "transactionCount": nil},
		"getClusterNodes":     []any{map[string]any{"pubkey": key(1).String(), "gossip": "1.2.3.4:8001", "tpu": nil, "tpuQuic": "1.2.3.4:8009"}},
		"getSlotLeaders":      []string{key(1).String(), key(1).String(), key(2).String()},
	})
	five, six := Account{5, key(9), []byte("five")}, Account{6, key(9), []byte("six")}
	accounts, slot, err := p.Accounts(t.Context(), Confirmed, key(1), key(2))
	check(t, "accounts", err, []any{[]*Account{&five, nil}, uint64(77)}, []any{accounts, slot})
	keyed, slot, err := p.ProgramAccounts(t.Context(), Confirmed, key(3), []byte{1, 2, 3})
	check(t, "program's accounts", err, []any{[]Keyed{{key(1), six}}, uint64(77)}, []any{keyed, slot})
	balance, err := p.Balance(t.Context(), Confirmed, key(1))
	check(t, "balance", err, uint64(1<<60), balance)
	height, err := p.BlockHeight(t.Context(), Confirmed)
	check(t, "height", err, uint64(70), height)
	epoch, err := p.EpochInfo(t.Context(), Processed)
	check(t, "epoch", err, Epoch{2, 3, 432000, 867, 800}, epoch)
	members, err := p.Nodes(t.Context())
	check(t, "nodes", err, []Node{{Key: key(1), TPUQUIC: "1.2.3.4:8009"}}, members)
	leaders, err := p.Leaders(t.Context(), 5, 3)
	check(t, "leaders", err, []solana.PublicKey{key(1), key(1), key(2)}, leaders)

	filter := string(n.calls[1].Params[1])
	if want := `{"encoding":"base64","commitment":"confirmed","withContext":true,"filters":[{"memcmp":{"offset":0,"bytes":"Ldp"}}]}`; filter != want {
		t.Errorf("asked %s, want %s", filter, want)
	}
	for name, ask := range map[string]func() error{
		"no accounts": func() error { _, _, err := p.Accounts(t.Context(), Confirmed); return err },
		"too many accounts": func() error {
			_, _, err := p.Accounts(t.Context(), Confirmed, make([]solana.PublicKey, 101)...)
			return err
		},
		"too few come":     func() error { _, _, err := p.Accounts(t.Context(), Confirmed, key(1)); return err },
		"no leaders":       func() error { _, err := p.Leaders(t.Context(), 1, 0); return err },
		"too many leaders": func() error { _, err := p.Leaders(t.Context(), 1, 5001); return err },
		"no signatures":    func() error { _, _, err := p.Statuses(t.Context(), false); return err },
		"many signatures": func() error {
			_, _, err := p.Statuses(t.Context(), false, make([]solana.Signature, 257)...)
			return err
		},
	} {
		if err := ask(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	valid, slot, err := p.HashValid(t.Context(), solana.Hash{1})
	check(t, "a blockhash", err, []any{true, uint64(77)}, []any{valid, slot})
}

func check(t *testing.T, name string, err error, want, got any) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s:\n%s", name, diff)
	}
}

// What a node answers that no chain can be, or not to what was asked, is not believed: another node is asked.
func TestAnswersThatCannotBe(t *testing.T) {
	hash := func(last any) map[string]any {
		return map[string]any{"blockhash": solana.Hash(key(1)).String(), "lastValidBlockHeight": last}
	}
	for _, c := range []struct {
		method string
		well   any
		ask    func(context.Context, *Pool) error
		odd    []any
	}{
		{"getMultipleAccounts", inSlot([]any{nil}), func(ctx context.Context, p *Pool) error { _, _, err := p.Accounts(ctx, Confirmed, key(1)); return err }, []any{
			inSlot(nil), inSlot([]any{}), inSlot([]any{nil, nil}), inSlot("x"), inSlot([]any{held(1, "x")["data"]}),
			map[string]any{"value": []any{nil}},
			map[string]any{"context": nil, "value": []any{nil}},
			map[string]any{"context": map[string]any{"slot": -1}, "value": []any{nil}},
		}},
		{"getProgramAccounts", inSlot([]any{}), func(ctx context.Context, p *Pool) error {
			_, _, err := p.ProgramAccounts(ctx, Confirmed, key(1), nil)
			return err
		}, []any{
			nil, inSlot([]any{nil}), inSlot([]any{map[string]any{}}), inSlot([]any{map[string]any{"account": held(1, "x")}}), inSlot([]any{map[string]any{"pubkey": key(1).String()}}),
		}},
		{"getBalance", inSlot(5), func(ctx context.Context, p *Pool) error { _, err := p.Balance(ctx, Confirmed, key(1)); return err }, []any{
			nil, 5, inSlot(nil), inSlot(-5), inSlot(5.5), inSlot("5"),
		}},
		{"getLatestBlockhash", inSlot(hash(150)), func(ctx context.Context, p *Pool) error { _, err := p.LatestBlockhash(ctx); return err }, []any{
			nil, inSlot(nil), inSlot(map[string]any{}), inSlot(map[string]any{"lastValidBlockHeight": 150}), inSlot(hash(nil)), inSlot(hash(0)), inSlot(hash(-1)),
			inSlot(hash(uint64(math.MaxUint64))), inSlot(hash(77 + longestHash + 1)),
			inSlot(map[string]any{"blockhash": solana.Hash{}.String(), "lastValidBlockHeight": 150}),
		}},
		{"isBlockhashValid", inSlot(false), func(ctx context.Context, p *Pool) error { _, _, err := p.HashValid(ctx, solana.Hash{1}); return err }, []any{
			nil, true, inSlot(nil), inSlot("true"), map[string]any{"value": true},
		}},
		{"getEpochInfo", map[string]any{"absoluteSlot": 9, "blockHeight": 9}, func(ctx context.Context, p *Pool) error { _, err := p.EpochInfo(ctx, Confirmed); return err }, []any{
			nil,
			[]any{},
			map[string]any{"absoluteSlot": 9, "blockHeight": 10},
			map[string]any{"absoluteSlot": -9, "blockHeight": -10},
			map[string]any{"blockHeight": uint64(math.MaxUint64)},
		}},
		{"simulateTransaction", inSlot(map[string]any{"accounts": []any{nil}}), func(ctx context.Context, p *Pool) error {
			_, err := p.Simulate(ctx, []byte("wire"), key(1))
			return err
		}, []any{
			nil, inSlot(nil), inSlot(map[string]any{}), inSlot(map[string]any{"accounts": []any{}}), inSlot(map[string]any{"err": 5}), inSlot(map[string]any{"unitsConsumed": -1, "accounts": []any{nil}}),
		}},
		{"getSignatureStatuses", inSlot([]any{nil}), func(ctx context.Context, p *Pool) error {
			_, _, err := p.Statuses(ctx, false, signature(1))
			return err
		}, []any{
			nil, []any{}, inSlot(nil), inSlot([]any{}), inSlot([]any{nil, nil}), inSlot([]any{"confirmed"}), inSlot([]any{map[string]any{"slot": -5}}),
		}},
		{"sendTransaction", signature(1).String(), func(ctx context.Context, p *Pool) error { _, err := p.Send(ctx, []byte("wire"), false); return err }, []any{
			nil, "", "no signature", 5,
		}},
	} {
		for _, odd := range c.odd {
			synctest.Test(t, func(t *testing.T) {
				n := &nodes{does: map[string]func(call) answer{"a.example": says(answer{result: odd}), "b.example": says(answer{result: c.well})}}
				if err := c.ask(t.Context(), pool(t, n, two()...)); err != nil || len(n.hosts()) != 2 {
					t.Errorf("%s: %v is believed: %v, asked %v", c.method, odd, err, n.hosts())
				}
			})
		}
	}
}

func TestAccountsOfAnotherForm(t *testing.T) {
	for name, form := range map[string]string{
		"base58":      `{"lamports":1,"owner":"11111111111111111111111111111111","data":["abc","base58"]}`,
		"parsed":      `{"lamports":1,"owner":"11111111111111111111111111111111","data":{"parsed":{}}}`,
		"no owner":    `{"lamports":1,"owner":"x","data":["","base64"]}`,
		"not base64":  `{"lamports":1,"owner":"11111111111111111111111111111111","data":["!","base64"]}`,
		"no account":  `[]`,
		"no lamports": `{"lamports":-1,"owner":"11111111111111111111111111111111","data":["","base64"]}`,
	} {
		var a Account
		if err := json.Unmarshal([]byte(form), &a); err == nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// A blockhash is asked for every two seconds, and a node that is behind does not bring an older one back.
func TestLatestBlockhash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		height := uint64(100)
		n := &nodes{does: map[string]func(call) answer{"a.example": func(call) answer {
			return answer{result: inSlot(map[string]any{"blockhash": solana.Hash(key(byte(height))).String(), "lastValidBlockHeight": height})}
		}}}
		p := pool(t, n, two()[:1]...)
		get := func() uint64 {
			h, err := p.LatestBlockhash(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return h.LastValid
		}
		if first, second := get(), get(); first != 100 || second != 100 || len(n.hosts()) != 1 {
			t.Errorf("asked %d times for %d and %d", len(n.hosts()), first, second)
		}
		height = 105
		time.Sleep(hashLife)
		if got := get(); got != 105 {
			t.Errorf("after 2 s it is valid up to %d", got)
		}
		height = 110
		p.ForgetBlockhash(solana.Hash(key(1)))
		if got := get(); got != 105 {
			t.Errorf("another hash was refused, and it is valid up to %d", got)
		}
		p.ForgetBlockhash(solana.Hash(key(105)))
		if got := get(); got != 110 {
			t.Errorf("it was refused, and it is valid up to %d", got)
		}
		height = 90
		time.Sleep(hashLife)
		if got := get(); got != 110 {
			t.Errorf("a node that is behind brought back one that is valid up to %d", got)
		}
		time.Sleep(hashKept)
		if got := get(); got != 90 {
			t.Errorf("of a chain that was set back the hash is valid up to %d", got)
		}
	})
}

func TestSimulate(t *testing.T) {
	results := map[string]any{"simulateTransaction": inSlot(map[string]any{
		"err": nil, "logs": []string{"Program x success"}, "unitsConsumed": 1234, "accounts": []any{held(5, "five")},
	})}
	p, n := one(t, results)
	got, err := p.Simulate(t.Context(), []byte("wire"), key(1))
	check(t, "simulated", err, &Simulated{Logs: []string{"Program x success"}, Units: 1234, Accounts: []*Account{{5, key(9), []byte("five")}}, Slot: 77}, got)
	if want := `{"encoding":"base64","commitment":"processed","sigVerify":false,"replaceRecentBlockhash":true,"accounts":{"encoding":"base64","addresses":["` + key(1).String() + `"]}}`; string(n.calls[0].Params[1]) != want {
		t.Errorf("asked %s, want %s", n.calls[0].Params[1], want)
	}
	if _, err := p.Simulate(t.Context(), []byte("wire"), key(1), key(2)); err == nil {
		t.Error("an account that did not come is missed by nobody")
	}
	results["simulateTransaction"] = inSlot(map[string]any{"err": map[string]any{"InstructionError": []any{2, map[string]any{"Custom": 6004}}}, "logs": nil, "accounts": nil})
	got, err = p.Simulate(t.Context(), []byte("wire"), key(1))
	check(t, "failed", err, &Simulated{Err: &TxError{Kind: InstructionError, Instruction: 2, InstructionKind: Custom, Code: 6004}, Slot: 77}, got)
}

func TestSend(t *testing.T) {
	p, n := one(t, map[string]any{"sendTransaction": signature(4).String()})
	got, err := p.Send(t.Context(), []byte("wire"), false)
	check(t, "sent", err, signature(4), got)
	if want := `{"encoding":"base64","skipPreflight":true,"preflightCommitment":"confirmed","maxRetries":3}`; string(n.calls[0].Params[1]) != want {
		t.Errorf("asked %s, want %s", n.calls[0].Params[1], want)
	}
	n.does["a.example"] = says(answer{code: codePreflight, data: map[string]any{"err": "BlockhashNotFound", "logs": []string{"x"}}})
	_, err = p.Send(t.Context(), []byte("wire"), true)
	refused, logs, ok := Rejected(err)
	if !ok || refused.Kind != BlockhashNotFound || !slices.Equal(logs, []string{"x"}) || IsTransient(err) {
		t.Errorf("refused with %v, %q, %v of %v", refused, logs, ok, err)
	}
	if _, _, ok := Rejected(&Error{Code: codePreflight, Data: json.RawMessage(`"no"`)}); ok {
		t.Error("data that cannot be read say how a transaction fails")
	}
	if _, _, ok := Rejected(errors.New("no")); ok {
		t.Error("any error says how a transaction fails")
	}
}

func TestStatuses(t *testing.T) {
	p, _ := one(t, map[string]any{"getSignatureStatuses": inSlot([]any{
		nil,
		map[string]any{"slot": 5, "confirmations": 0, "err": nil, "confirmationStatus": "processed"},
		map[string]any{"slot": 6, "confirmations": 3, "err": "AccountInUse", "confirmationStatus": "confirmed"},
		map[string]any{"slot": 7, "confirmations": nil, "err": nil},
		map[string]any{"slot": 8, "confirmations": 2, "err": nil},
		map[string]any{"slot": 9, "confirmations": nil, "err": nil, "confirmationStatus": "certified"},
		map[string]any{"slot": 9, "confirmations": 3, "err": nil, "confirmationStatus": "certified"},
	})})
	got, slot, err := p.Statuses(t.Context(), true, make([]solana.Signature, 7)...)
	check(t, "statuses", err, []*Landed{
		nil,
		{Slot: 5, Commitment: Processed},
		{Slot: 6, Commitment: Confirmed, Err: &TxError{Kind: "AccountInUse"}},
		{Slot: 7, Commitment: Finalized},
		{Slot: 8, Commitment: Processed},
		{Slot: 9, Commitment: Finalized},
		{Slot: 9, Commitment: Processed},
	}, got)
	if slot != 77 {
		t.Errorf("the node stood at slot %d", slot)
	}
	if got[1].IsSure() || !got[2].IsSure() || !got[3].IsSure() || got[4].IsSure() {
		t.Error("what is sure is not told from what is not")
	}
	if _, _, err := p.Statuses(t.Context(), false, signature(1)); err == nil {
		t.Error("five answers to one question are taken")
	}
}

func TestOneAsksForTheBlockhash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &nodes{does: map[string]func(call) answer{"a.example": func(call) answer {
			time.Sleep(time.Second)
			return answer{result: inSlot(map[string]any{"blockhash": solana.Hash(key(1)).String(), "lastValidBlockHeight": 5})}
		}}}
		p := pool(t, n, two()[:1]...)
		for range 50 {
			go func() {
				if h, err := p.LatestBlockhash(t.Context()); err != nil || h.LastValid != 5 {
					t.Errorf("%v, %v", h, err)
				}
			}()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := p.LatestBlockhash(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who has no time to wait gets %v", err)
		}
		time.Sleep(2 * time.Second)
		if got := len(n.hosts()); got != 1 {
			t.Errorf("51 asked, and a node was asked %d times", got)
		}
	})
}
