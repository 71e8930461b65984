package svmtest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"
	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/solana/thread"
)

// Every method answers in the form that clients read.
func TestMethods(t *testing.T) {
	b := newBench(t)
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("found"), Trigger: every(60), Schedule: timed(0, now)}, b.Succeed())
	processed := map[string]any{"commitment": "processed"}
	hash, finalized := b.Blockhash(), map[string]any{"commitment": "finalized"}
	leader := "Leader1111111111111111111111111111111111111"
	filter := map[string]any{"memcmp": map[string]any{"offset": 0, "bytes": "Y8UnU4foPt5"}} // threads
	none := map[string]int{"offset": 0, "length": 0}
	empty := map[string]any{"encoding": "base64", "dataSlice": none, "commitment": "processed"}
	account := func(owner Key, lamports uint64, space int) string {
		return fmt.Sprintf(`{"lamports":%d,"owner":%q,"executable":false,"rentEpoch":18446744073709551615,"space":%d,"data":["","base64"]}`, lamports, owner, space)
	}
	found := account(b.Profile.Program, threadLamports, threadSize)
	const at = `{"context":{"slot":1000,"apiVersion":"4.3.0"},"value":`
	for _, c := range []struct {
		method string
		params []any
		want   string
	}{
		{"getHealth", nil, `"ok"`},
		{"getVersion", nil, `{"solana-core":"4.3.0","feature-set":1}`},
		{"getIdentity", nil, `{"identity":"` + leader + `"}`},
		{"getGenesisHash", nil, `"FkKGbfafoWjDtnDiymLnjRD8ZomsHJH2YBRDK361FcTR"`},
		{"getSlot", nil, `968`},
		{"getSlot", []any{processed}, `1000`},
		{"getBlockHeight", []any{processed}, `132`},
		{"getBlockTime", []any{1000}, `1700000000`},
		{"getEpochInfo", []any{processed}, `{"absoluteSlot":1000,"blockHeight":132,"epoch":0,"slotIndex":1000,"slotsInEpoch":432000,"transactionCount":0}`},
		{"getEpochSchedule", nil, `{"slotsPerEpoch":432000,"leaderScheduleSlotOffset":432000,"warmup":false,"firstNormalEpoch":0,"firstNormalSlot":0}`},
		{"getLatestBlockhash", []any{processed}, at + `{"blockhash":"` + hash.String() + `","lastValidBlockHeight":282}}`},
		{"isBlockhashValid", []any{hash, processed}, at + `true}`},
		{"isBlockhashValid", []any{hash, finalized}, `{"context":{"slot":968,"apiVersion":"4.3.0"},"value":false}`},
		{"getMinimumBalanceForRentExemption", []any{threadSize}, `8908800`},
		{"getBalance", []any{key, processed}, at + `50000000}`},
		{"getBalance", []any{Wallet("nobody").PublicKey(), processed}, at + `0}`},
		{"getAccountInfo", []any{key, empty}, at + found + `}`},
		{"getAccountInfo", []any{Wallet("nobody").PublicKey(), empty}, at + `null}`},
		{"getMultipleAccounts", []any{[]Key{Wallet("nobody").PublicKey(), key}, empty}, at + `[null,` + found + `]}`},
		{"getProgramAccounts", []any{b.Profile.Program, map[string]any{"encoding": "base64", "dataSlice": none, "filters": []any{filter}}}, `[{"pubkey":"` + key.String() + `","account":` + found + `}]`},
		{"getProgramAccounts", []any{b.Profile.Fibers, map[string]any{"withContext": true, "filters": []any{filter}}}, `{"context":{"slot":968,"apiVersion":"4.3.0"},"value":[]}`},
		{"getSignatureStatuses", []any{[]string{"nothing"}}, at + `[null]}`},
		{"getSlotLeader", nil, `"` + leader + `"`},
		{"getSlotLeaders", []any{7, 2}, `["` + leader + `","` + leader + `"]`},
		{"getLeaderSchedule", []any{nil, map[string]any{"identity": key}}, `{}`},
		{"getClusterNodes", nil, `[{"pubkey":"` + leader + `","gossip":"127.0.0.1:8001","tpu":null,"tpuQuic":null,"rpc":null,"pubsub":null,"version":"4.3.0","featureSet":1,"shredVersion":1}]`},
	} {
		var got json.RawMessage
		if err := b.Ask(t.Context(), &got, c.method, c.params...); err != nil || string(got) != c.want {
			t.Errorf("%s%v: %v\n%s\nwant %s", c.method, c.params, err, got, c.want)
		}
	}
	var schedule map[string][]int
	b.do(&schedule, "getLeaderSchedule")
	if len(schedule[leader]) != 432_000 {
		t.Errorf("the leader has %d slots", len(schedule[leader]))
	}
	b.Configure(Settings{PriorityFee: new(9)})
	var fees []struct{ Slot, PrioritizationFee uint64 }
	if b.do(&fees, "getRecentPrioritizationFees", []Key{key}); len(fees) != 33 || fees[32].Slot != 1000 || fees[32].PrioritizationFee != 9 {
		t.Errorf("priority fees %+v", fees)
	}
}

// A simulation says what would be, and has no consequences; what it says of accounts is what they would be.
func TestSimulate(t *testing.T) {
	b := newBench(t)
	key := b.Put(thread.Thread{Authority: b.authority, ID: []byte("tried"), Trigger: every(60), Schedule: timed(0, now)}, b.Return(SignalOf(thread.Repeat, 0)))
	in := b.Exec(Exec{Executor: b.executor.PublicKey(), Thread: key})
	wire := base64.StdEncoding.EncodeToString(b.Wire(b.SignWith(solana.Hash{}, []solana.PrivateKey{b.executor}, in)))
	var tried struct {
		Value struct {
			Err                  any
			Logs                 []string
			UnitsConsumed        uint64
			ReturnData           struct{ ProgramID, Data any }
			Accounts             []struct{ Data [2]string }
			ReplacementBlockhash struct{ Blockhash solana.Hash }
		}
	}
	options := map[string]any{
		"encoding": "base64", "commitment": "processed", "replaceRecentBlockhash": true, "accounts": map[string]any{"addresses": []Key{key}},
	}
	b.do(&tried, "simulateTransaction", wire, options)
	v := tried.Value
	if v.Err != nil || v.UnitsConsumed < 1000 || len(v.Logs) < 4 || v.ReplacementBlockhash.Blockhash != b.Blockhash() || len(v.Accounts) != 1 {
		t.Fatalf("%+v", v)
	}
	data, err := base64.StdEncoding.DecodeString(v.Accounts[0].Data[0])
	if err != nil {
		t.Fatal(err)
	}
	if after, err := b.Profile.DecodeThread(data); err != nil || after.ExecCount != 1 {
		t.Errorf("the thread would be %+v, %v", after, err)
	}
	if b.Thread(key).ExecCount != 0 {
		t.Error("a simulation has had consequences")
	}
	if s := b.Simulate(t.Context(), b.Sign([]solana.PrivateKey{b.executor}, in)); string(s.Err) != "null" || s.UnitsConsumed != v.UnitsConsumed {
		t.Errorf("with a blockhash: %s, %d units", s.Err, s.UnitsConsumed)
	}
	delete(options, "replaceRecentBlockhash")
	if b.do(&tried, "simulateTransaction", wire, options); tried.Value.Err != "BlockhashNotFound" {
		t.Errorf("without a blockhash: %v", tried.Value.Err)
	}
	b.SetTime(now - 10)
	m := &money{Chain: b.Chain}
	refused := m.preflight(b.Sign([]solana.PrivateKey{b.executor}, in), nil)
	if refused == nil || refused.Code != -32002 || refused.Message != "Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1774" ||
		!strings.Contains(string(refused.Data), `"err":{"InstructionError":[0,{"Custom":6004}]}`) {
		t.Errorf("before its time: %v %s", refused, refused.Data)
	}
}

// An airdrop is a transaction of the next block.
func TestAirdrop(t *testing.T) {
	c := Start(t)
	key := Wallet("a").PublicKey()
	var signature string
	c.do(&signature, "requestAirdrop", key, sol)
	if c.Balance(key) != 0 {
		t.Error("it is there before its block")
	}
	c.Tick(1)
	if s := c.status(signature); c.Balance(key) != sol || s == nil || s.ConfirmationStatus != "processed" {
		t.Errorf("%d lamports, %+v", c.Balance(key), s)
	}
}

// raw sends a body as it is.
func raw(t *testing.T, c *Chain, body string) string {
	t.Helper()
	response, err := http.Post(c.RPC, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Ids come back as they were written, whatever they are, and batches in their order.
func TestIDs(t *testing.T) {
	c := Start(t)
	for _, id := range []string{`1`, `9223372036854775807`, `18446744073709551616123`, `1.50`, `-0`, `"9223372036854775807"`, `"\u0041\"1"`, `null`} {
		var answer struct{ ID json.RawMessage }
		text := raw(t, c, `{"jsonrpc":"2.0","id":`+id+`,"method":"getHealth"}`)
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if want := strings.ReplaceAll(id, `\u0041`, "A"); string(answer.ID) != want {
			t.Errorf("id %s comes back as %s", id, answer.ID)
		}
	}
	batch := raw(t, c, `[{"jsonrpc":"2.0","id":2,"method":"getHealth"},{"jsonrpc":"2.0","id":1,"method":"nothing"}]`)
	want := `[{"jsonrpc":"2.0","result":"ok","id":2},{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}]`
	if batch != want {
		t.Errorf("%s\nwant %s", batch, want)
	}
	for body, want := range map[string]string{`{`: "-32700", `[]`: "-32600", `{"id":1}`: "-32600", `{"id":1,"method":"constructor"}`: "-32601"} {
		if got := raw(t, c, body); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// Lamports beyond what a double holds are exact.
func TestExactLamports(t *testing.T) {
	c := Start(t)
	const many = 1<<63 + 12345
	key := Wallet("rich").PublicKey()
	c.Fund(key, many)
	if got := c.Balance(key); got != many {
		t.Errorf("%d, want %d", got, uint64(many))
	}
}

// What cannot be meant is refused with the code and the words of a node.
func TestRefusals(t *testing.T) {
	c := Start(t)
	key := Wallet("a").PublicKey().String()
	big := Wallet("big").PublicKey()
	c.SetAccount(big, Account{Lamports: sol, Data: make([]byte, 200)})
	long := base64.StdEncoding.EncodeToString(make([]byte, largestPacket+1))
	for _, r := range []struct {
		method string
		params []any
		code   int
		want   string
	}{
		{"getBalance", []any{"abc"}, -32602, "not 32"},
		{"getBalance", []any{"0O"}, -32602, "not base 58"},
		{"getSlot", []any{map[string]any{"commitment": "max"}}, -32602, "unknown commitment"},
		{"getSlot", []any{map[string]any{"minContextSlot": 5000}}, -32016, "Minimum context slot"},
		{"getAccountInfo", []any{big, map[string]any{"encoding": "base64+zstd"}}, -32602, "base64+zstd is not supported"},
		{"getAccountInfo", []any{big, map[string]any{"encoding": "base58"}}, -32600, "less than 128 bytes"},
		{"getAccountInfo", []any{big, map[string]any{"encoding": "hex"}}, -32602, "unknown variant"},
		{"getMultipleAccounts", []any{slices.Repeat([]string{key}, 101)}, -32602, "max 100"},
		{"getSignatureStatuses", []any{slices.Repeat([]string{"x"}, 257)}, -32602, "max 256"},
		{"getProgramAccounts", []any{key, map[string]any{"filters": slices.Repeat([]any{map[string]any{"dataSize": 1}}, 5)}}, -32602, "max 4"},
		{"getSlotLeaders", []any{0, 5001}, -32602, "max 5000"},
		{"getMinimumBalanceForRentExemption", []any{-1}, -32602, "whole number"},
		{"sendTransaction", []any{long, map[string]any{"encoding": "base64"}}, -32602, "1233 bytes, 1232 are the limit"},
		{"sendTransaction", []any{"AAAA", map[string]any{"encoding": "base64"}}, -32602, "ends within"},
		{"sendTransaction", []any{"AAAA", map[string]any{"encoding": "hex"}}, -32602, "unsupported encoding"},
		{"simulateTransaction", []any{"AAAA", map[string]any{"sigVerify": true, "replaceRecentBlockhash": true}}, -32602, "may not be used"},
		{"test_config", []any{map[string]any{"speed": 9}}, -32602, "no setting speed"},
		{"test_config", []any{map[string]any{"loss": "much"}}, -32602, "must be a number"},
		{"test_config", []any{map[string]any{"leaders": []any{}}}, -32602, "list of"},
		{"test_tick", []any{1_000_000}, -32602, "too many"},
		{"test_addProgram", []any{key, "AAAA"}, -32602, "cannot be loaded"},
		{"test_sockets", []any{"paint"}, -32602, "nothing that can be done"},
	} {
		var refused *RPCError
		if err := c.Ask(t.Context(), nil, r.method, r.params...); !errors.As(err, &refused) || refused.Code != r.code || !strings.Contains(refused.Message, r.want) {
			t.Errorf("%s%v: %v, want %d and %q", r.method, r.params, err, r.code, r.want)
		}
	}
}

// Accounts come in the encoding that was asked for, cut as it was asked.
func TestEncodings(t *testing.T) {
	c := Start(t)
	key := Wallet("a").PublicKey()
	c.SetAccount(key, Account{Lamports: sol, Data: []byte("hello, world")})
	for _, e := range []struct {
		options map[string]any
		want    string
	}{
		{map[string]any{"encoding": "base64"}, `["aGVsbG8sIHdvcmxk","base64"]`},
		{map[string]any{"encoding": "jsonParsed"}, `["aGVsbG8sIHdvcmxk","base64"]`},
		{map[string]any{"encoding": "base58"}, `["2yGEbwRGRKr9Udf39","base58"]`},
		{map[string]any{}, `"2yGEbwRGRKr9Udf39"`},
		{map[string]any{"encoding": "base64", "dataSlice": map[string]int{"offset": 7, "length": 99}}, `["d29ybGQ=","base64"]`},
	} {
		var found struct {
			Value struct {
				Data  json.RawMessage
				Space int
			}
		}
		c.do(&found, "getAccountInfo", key.String(), e.options)
		if string(found.Value.Data) != e.want || found.Value.Space != 12 {
			t.Errorf("%v: %s of %d bytes, want %s", e.options, found.Value.Data, found.Value.Space, e.want)
		}
	}
}

// Filters compare sizes and bytes.
func TestFilters(t *testing.T) {
	c := Start(t)
	owner := Wallet("owner").PublicKey()
	for name, data := range map[string]string{"a": "one", "b": "two", "c": "three"} {
		c.SetAccount(Wallet(name).PublicKey(), Account{Lamports: sol, Owner: owner, Data: []byte(data)})
	}
	for _, f := range []struct {
		filters []any
		want    int
	}{
		{nil, 3},
		{[]any{map[string]any{"dataSize": 3}}, 2},
		{[]any{map[string]any{"memcmp": map[string]any{"offset": 0, "bytes": "dHc=", "encoding": "base64"}}}, 1},
		{[]any{map[string]any{"memcmp": map[string]any{"offset": 1, "bytes": []byte("w")}}, map[string]any{"dataSize": 3}}, 1},
		{[]any{map[string]any{"memcmp": map[string]any{"offset": 9, "bytes": "2g"}}}, 0},
	} {
		var found []any
		for i, one := range f.filters {
			if m, isMemcmp := one.(map[string]any)["memcmp"].(map[string]any); isMemcmp {
				if list, isList := m["bytes"].([]byte); isList {
					m["bytes"], f.filters[i] = []int{int(list[0])}, one
				}
			}
		}
		c.do(&found, "getProgramAccounts", owner.String(), map[string]any{"encoding": "base64", "filters": f.filters})
		if len(found) != f.want {
			t.Errorf("%v: %d accounts, want %d", f.filters, len(found), f.want)
		}
	}
}

// A node that a test has made ill answers as it was told, as often as it was told, and is well then.
func TestFaults(t *testing.T) {
	m := newMoney(t)
	tx := m.pay(some)
	m.Fail(
		Fault{Method: "getSlot", Times: 2, Status: http.StatusTooManyRequests, RetryAfter: 7},
		Fault{Method: "getBlockHeight", Code: -32005, Message: "Node is behind by 42 slots", Data: map[string]int{"numSlotsBehind": 42}},
		Fault{Method: "getHealth", Close: true},
		Fault{Method: "getVersion", Hang: true},
		Fault{Method: "sendTransaction", Status: http.StatusServiceUnavailable, Executed: true},
		Fault{Method: "*", Status: http.StatusBadGateway},
	)
	for range 2 {
		response, err := http.Post(m.RPC, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"getSlot"}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "7" {
			t.Errorf("%s, %q", response.Status, response.Header)
		}
	}
	var refused *RPCError
	if err := m.Ask(t.Context(), nil, "getBlockHeight"); !errors.As(err, &refused) || refused.Code != -32005 || string(refused.Data) != `{"numSlotsBehind":42}` {
		t.Errorf("behind: %v", err)
	}
	if err := m.Ask(t.Context(), nil, "getHealth"); err == nil || errors.As(err, &refused) {
		t.Errorf("closed: %v", err)
	}
	given, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := m.Ask(given, nil, "getVersion"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hanging: %v", err)
	}
	options := map[string]any{"encoding": "base64", "skipPreflight": true}
	if err := m.Ask(t.Context(), nil, "sendTransaction", base64.StdEncoding.EncodeToString(m.Wire(tx)), options); err == nil {
		t.Error("the answer is not lost")
	}
	m.Tick(1)
	if err := m.Ask(t.Context(), nil, "getBalance", m.to); err == nil || !strings.Contains(err.Error(), "502") {
		t.Errorf("every method, but not those of tests: %v", err)
	}
	m.Fail()
	if got := m.Balance(m.to); got != some {
		t.Errorf("what was executed without an answer has moved %d lamports, want %d", got, some)
	}
	if calls := m.Calls(); calls["sendTransaction"] != 1 || calls["getHealth"] != 0 {
		t.Errorf("executed: %v", calls)
	}
}

// Transactions with lookup tables write what the tables name.
func TestLookupTables(t *testing.T) {
	m := newMoney(t)
	table := Wallet("table").PublicKey()
	data := slices.Concat([]byte{1, 0, 0, 0}, bytes.Repeat([]byte{0xff}, 8), make([]byte, 44), m.to[:])
	m.SetAccount(table, Account{Lamports: sol, Owner: solana.MustPublicKeyFromBase58("AddressLookupTab1e1111111111111111111111111"), Data: data})
	tx, err := solana.NewTransaction([]solana.Instruction{system.NewTransferInstruction(some, m.from.PublicKey(), m.to).Build()}, m.Blockhash(),
		solana.TransactionPayer(m.from.PublicKey()), solana.TransactionAddressTables(map[Key]solana.PublicKeySlice{table: {m.to}}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Sign(func(Key) *solana.PrivateKey { return &m.from }); err != nil {
		t.Fatal(err)
	}
	m.Tick(40)
	tx.Message.RecentBlockhash = m.Blockhash()
	if _, err := tx.Sign(func(Key) *solana.PrivateKey { return &m.from }); err != nil {
		t.Fatal(err)
	}
	if l := m.Land(tx); l.Failure() != "" {
		t.Fatal(l.Failure(), l.Logs)
	}
	m.Rollback(1)
	if diff := cmp.Diff([]uint64{0, 10 * sol}, []uint64{m.Balance(m.to), m.Balance(m.from.PublicKey())}); diff != "" {
		t.Error(diff)
	}
}
