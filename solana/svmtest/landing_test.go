package svmtest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/gagliardetto/solana-go"
	computebudget "github.com/gagliardetto/solana-go/programs/compute-budget"
	"github.com/gagliardetto/solana-go/programs/system"
)

// money is a chain with one account that has money, and another that may receive it.
type money struct {
	*Chain
	from solana.PrivateKey
	to   Key
}

const (
	sol  = solana.LAMPORTS_PER_SOL
	some = sol / 10 // more than the rent of an account without data
)

func newMoney(t *testing.T) *money {
	t.Helper()
	m := &money{Chain: Start(t), from: Wallet("from"), to: Wallet("to").PublicKey()}
	m.Fund(m.from.PublicKey(), 10*sol)
	return m
}

func (m *money) pay(lamports uint64) *solana.Transaction {
	return transfer(m.Chain, m.from, m.to, lamports)
}

// preflight sends a transaction as nodes do by themselves: tried first, at a commitment.
func (m *money) preflight(tx *solana.Transaction, options map[string]any) *RPCError {
	m.t.Helper()
	all := map[string]any{"encoding": "base64", "preflightCommitment": "processed"}
	maps.Copy(all, options)
	err := m.Ask(m.t.Context(), nil, "sendTransaction", base64.StdEncoding.EncodeToString(m.Wire(tx)), all)
	var refused *RPCError
	if err != nil && !errors.As(err, &refused) {
		m.t.Fatal(err)
	}
	return refused
}

// status is a node's answer about a signature.
type status struct {
	Slot               uint64  `json:"slot"`
	Confirmations      *uint64 `json:"confirmations"`
	ConfirmationStatus string  `json:"confirmationStatus"`
	Err                any     `json:"err"`
}

func (c *Chain) status(signature string) *status {
	c.t.Helper()
	var found struct{ Value []*status }
	c.do(&found, "getSignatureStatuses", []string{signature})
	return found.Value[0]
}

// A blockhash is good for 150 blocks behind its own, and a transaction that is later is nowhere.
func TestBlockhashExpires(t *testing.T) {
	m := newMoney(t)
	old := m.Blockhash()
	m.Tick(149)
	in := system.NewTransferInstruction(some, m.from.PublicKey(), m.to).Build()
	if l := m.Land(m.SignWith(old, []solana.PrivateKey{m.from}, in)); l.Failure() != "" {
		t.Errorf("after 150 blocks: %s", l.Failure())
	}
	valid := func() bool {
		var found struct{ Value bool }
		m.do(&found, "isBlockhashValid", old.String(), map[string]string{"commitment": "processed"})
		return found.Value
	}
	if !valid() {
		t.Error("it is not valid in its last block")
	}
	late := m.SignWith(old, []solana.PrivateKey{m.from}, system.NewTransferInstruction(some+1, m.from.PublicKey(), m.to).Build())
	l := m.Land(late)
	if l.Dropped != "BlockhashNotFound" || valid() {
		t.Errorf("after 151 blocks: %+v, valid %v", l, valid())
	}
	if m.status(late.Signatures[0].String()) != nil {
		t.Error("it has a status")
	}
	if err := m.preflight(late, nil); err == nil || err.Code != -32002 || !strings.Contains(string(err.Data), `"err":"BlockhashNotFound"`) {
		t.Errorf("preflight: %v", err)
	}
}

// A node looks a blockhash up at the commitment of the preflight, which defaults to
// finalized.
func TestPreflightCommitment(t *testing.T) {
	m := newMoney(t)
	tx := m.pay(some)
	if err := m.preflight(tx, map[string]any{"preflightCommitment": "finalized"}); err == nil || !strings.Contains(string(err.Data), "BlockhashNotFound") {
		t.Errorf("the newest hash at finalized: %v", err)
	}
	if err := m.preflight(tx, map[string]any{"preflightCommitment": "confirmed"}); err == nil {
		t.Error("the newest hash is confirmed")
	}
	if err := m.preflight(tx, nil); err != nil {
		t.Error(err)
	}
}

// The same transaction lands once, however often it is sent.
func TestOnce(t *testing.T) {
	m := newMoney(t)
	tx := m.pay(some)
	m.Send(tx)
	m.Send(tx)
	m.Tick(1)
	m.Send(tx)
	m.Tick(1)
	if got := m.Balance(m.to); got != some {
		t.Errorf("%d lamports have come, want %d", got, some)
	}
	if err := m.preflight(tx, nil); err == nil || !strings.Contains(string(err.Data), `"err":"AlreadyProcessed"`) {
		t.Errorf("preflight: %v", err)
	}
}

// A transaction without a payer that can be charged is in no block.
func TestDropped(t *testing.T) {
	m := newMoney(t)
	poor, nobody := Wallet("poor"), Wallet("nobody")
	m.Fund(poor.PublicKey(), 4000)
	forged := m.pay(some)
	forged.Signatures[0][7] ^= 1
	for _, c := range []struct {
		name string
		tx   *solana.Transaction
		want string
	}{
		{"forged", forged, "SignatureFailure"},
		{"poor", transfer(m.Chain, poor, m.to, 1), "InsufficientFundsForFee"},
		{"nobody", transfer(m.Chain, nobody, m.to, 1), "AccountNotFound"},
	} {
		if l := m.Land(c.tx); l.Dropped != c.want {
			t.Errorf("%s: %+v, want %s", c.name, l, c.want)
		}
	}
	if err := m.preflight(forged, nil); err == nil || err.Code != -32003 {
		t.Errorf("preflight of a forged transaction: %v", err)
	}
	if got := m.Balance(poor.PublicKey()); got != 4000 {
		t.Errorf("the poor one has %d", got)
	}
}

// A transaction that fails pays its fee, one that no program executes too, and more for its place.
func TestFees(t *testing.T) {
	m := newMoney(t)
	had := m.Balance(m.from.PublicKey())
	cost := func(l Landing, want uint64) {
		t.Helper()
		has := m.Balance(m.from.PublicKey())
		if had-has != want || l.Fee != want {
			t.Errorf("%s: it has cost %d, and says %d; want %d", l.Failure(), had-has, l.Fee, want)
		}
		had = has
	}
	cost(m.Land(m.pay(100*sol)), lamportsPerSignature)
	missing := solana.NewInstruction(Wallet("no program").PublicKey(), solana.AccountMetaSlice{}, nil)
	l := m.Land(m.Sign([]solana.PrivateKey{m.from}, missing))
	if l.Failure() != `"InvalidProgramForExecution"` {
		t.Errorf("a call of nothing: %s", l.Failure())
	}
	cost(l, lamportsPerSignature)
	limit, price := computebudget.NewSetComputeUnitLimitInstruction(100_001).Build(), computebudget.NewSetComputeUnitPriceInstruction(2_000_000).Build()
	tx := m.Sign([]solana.PrivateKey{m.from}, limit, price, system.NewTransferInstruction(1, m.from.PublicKey(), m.from.PublicKey()).Build())
	var fee struct{ Value *uint64 }
	message, err := tx.Message.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	m.do(&fee, "getFeeForMessage", base64.StdEncoding.EncodeToString(message), map[string]string{"commitment": "processed"})
	const want = lamportsPerSignature + 200_002
	if fee.Value == nil || *fee.Value != want {
		t.Errorf("the fee is to be %v", fee.Value)
	}
	cost(m.Land(tx), want)
	m.do(&fee, "getFeeForMessage", base64.StdEncoding.EncodeToString(message), map[string]string{"commitment": "finalized"})
	if fee.Value != nil {
		t.Errorf("a message with an unknown blockhash costs %d", *fee.Value)
	}
}

// What was sent lands after the delay that was set, unless it is lost.
func TestDelayAndLoss(t *testing.T) {
	m := newMoney(t)
	m.Configure(Settings{LandDelay: new(3)})
	tx := m.pay(some)
	m.Send(tx)
	m.Tick(2)
	if m.status(tx.Signatures[0].String()) != nil {
		t.Error("it has landed too soon")
	}
	m.Tick(1)
	if m.status(tx.Signatures[0].String()) == nil {
		t.Error("it has not landed")
	}
	m.Configure(Settings{LandDelay: new(1), DropNext: new(1)})
	again := m.pay(some + 1)
	if l := m.Land(again); l.Dropped != "injected" {
		t.Errorf("%+v", l)
	}
	if l := m.Land(again); l.Failure() != "" {
		t.Errorf("sent again: %s", l.Failure())
	}
	lost := func() (pattern []bool) {
		m.Configure(Settings{Loss: new(0.3), Seed: new(7)})
		m.Tick(1) // another blockhash, so other transactions
		for i := range 40 {
			pattern = append(pattern, m.Land(m.pay(some+uint64(i)+2)).Dropped != "")
		}
		return pattern
	}
	first, second := lost(), lost()
	many := 0
	for i := range first {
		if first[i] != second[i] {
			t.Fatal("the same seed loses other transactions")
		}
		if first[i] {
			many++
		}
	}
	if many == 0 || many > 25 {
		t.Errorf("%d of 40 are lost", many)
	}
}

// What has landed is processed, confirmed a block later, and finalized 32 blocks later; so is what can be read.
func TestCommitments(t *testing.T) {
	m := newMoney(t)
	m.Fund(m.to, some)
	tx := m.pay(some)
	signature := tx.Signatures[0].String()
	if m.Land(tx).Failure() != "" {
		t.Fatal("it has failed")
	}
	balance := func(commitment string) uint64 {
		var found struct{ Value uint64 }
		m.do(&found, "getBalance", m.to.String(), map[string]string{"commitment": commitment})
		return found.Value
	}
	for _, c := range []struct {
		ticks  int
		status string
		seen   [3]bool // at processed, confirmed and finalized
	}{{0, "processed", [3]bool{true}}, {1, "confirmed", [3]bool{true, true}}, {30, "confirmed", [3]bool{true, true}}, {1, "finalized", [3]bool{true, true, true}}} {
		if c.ticks > 0 {
			m.Tick(c.ticks)
		}
		s := m.status(signature)
		if s == nil || s.ConfirmationStatus != c.status || (s.Confirmations == nil) != (c.status == "finalized") {
			t.Errorf("after %d more: %+v, want %s", c.ticks, s, c.status)
		}
		for i, commitment := range []string{"processed", "confirmed", "finalized"} {
			if got := balance(commitment) == 2*some; got != c.seen[i] {
				t.Errorf("%s: at %s it is seen: %v", c.status, commitment, got)
			}
		}
	}
	m.Tick(300)
	if m.status(signature) != nil {
		t.Error("it is remembered without a search")
	}
	var found struct{ Value []*status }
	m.do(&found, "getSignatureStatuses", []string{signature}, map[string]bool{"searchTransactionHistory": true})
	if found.Value[0] == nil {
		t.Error("it is not found by a search")
	}
}

// On a fork that has lost, nothing has been.
func TestRollback(t *testing.T) {
	m := newMoney(t)
	kept := m.pay(some)
	m.Land(kept)
	had, slot := m.Balance(m.from.PublicKey()), m.Tick(1)
	lost := m.pay(2 * some)
	m.Land(lost)
	hash := m.Blockhash()
	m.Tick(1)
	m.Rollback(2)
	if got := m.Balance(m.from.PublicKey()); got != had {
		t.Errorf("there are %d lamports, want %d", got, had)
	}
	if m.status(lost.Signatures[0].String()) != nil || m.status(kept.Signatures[0].String()) == nil {
		t.Error("the wrong transaction is lost")
	}
	if l := m.Land(m.SignWith(hash, []solana.PrivateKey{m.from}, system.NewTransferInstruction(3*some, m.from.PublicKey(), m.to).Build())); l.Dropped != "BlockhashNotFound" {
		t.Errorf("the hash of a lost block: %+v", l)
	}
	l := m.Land(lost) // its own blockhash was of a block that is still there
	if l.Failure() != "" {
		t.Errorf("sent again: %s", l.Failure())
	}
	if l.Slot != slot+4 {
		t.Errorf("it is in slot %d: those of lost blocks do not come again, want %d", l.Slot, slot+4)
	}
	if err := m.Ask(t.Context(), nil, "test_rollback", 32); err == nil {
		t.Error("finalized blocks can be given up")
	}
}

// A transaction with a nonce lands whenever it comes, once; when it fails, its fee is paid and the nonce has moved on.
func TestNonce(t *testing.T) {
	b := newBench(t)
	nonce := b.makeNonce(b.executor.PublicKey())
	hash := func() solana.Hash { return solana.HashFromBytes(nonceData(t, b, nonce)) }
	advance := system.NewAdvanceNonceAccountInstruction(nonce, solana.SysVarRecentBlockHashesPubkey, b.executor.PublicKey()).Build()
	pay := func(lamports uint64) *solana.Transaction {
		return b.SignWith(hash(), []solana.PrivateKey{b.executor}, advance, system.NewTransferInstruction(lamports, b.executor.PublicKey(), b.authority).Build())
	}
	b.Tick(1)
	tx := pay(some)
	b.Tick(400)
	was := nonceData(t, b, nonce)
	b.good(b.Land(tx))
	if bytes.Equal(was, nonceData(t, b, nonce)) {
		t.Error("the nonce is the same")
	}
	if l := b.Land(tx); l.Dropped != "AlreadyProcessed" {
		t.Errorf("sent again: %+v", l)
	}
	was, had := nonceData(t, b, nonce), b.Balance(b.executor.PublicKey())
	failing := pay(1000 * sol)
	if l := b.Land(failing); !strings.Contains(l.Failure(), "InstructionError") {
		t.Errorf("a failing one: %s", l.Failure())
	}
	if bytes.Equal(was, nonceData(t, b, nonce)) || had-b.Balance(b.executor.PublicKey()) != lamportsPerSignature {
		t.Errorf("a failing one has cost %d", had-b.Balance(b.executor.PublicKey()))
	}
	stale := b.SignWith(solana.HashFromBytes(was), []solana.PrivateKey{b.executor}, advance, system.NewTransferInstruction(5*some, b.executor.PublicKey(), b.authority).Build())
	if l := b.Land(stale); l.Dropped != "BlockhashNotFound" {
		t.Errorf("with a nonce that has moved on: %+v", l)
	}
	notFirst := b.SignWith(hash(), []solana.PrivateKey{b.executor}, system.NewTransferInstruction(some, b.executor.PublicKey(), b.authority).Build(), advance)
	if l := b.Land(notFirst); l.Dropped != "BlockhashNotFound" {
		t.Errorf("advanced in the second instruction: %+v", l)
	}
}

// Slots without a block move the clock and the epoch, and not the height of blocks.
func TestSkippedSlots(t *testing.T) {
	m := newMoney(t)
	ask := func(method string) (n uint64) {
		m.do(&n, method, map[string]string{"commitment": "processed"})
		return n
	}
	slot, height := ask("getSlot"), ask("getBlockHeight")
	hash := m.Blockhash()
	if got := m.Skip(500); got != slot+501 || ask("getBlockHeight") != height+1 {
		t.Errorf("slot %d, height %d, from %d and %d", got, ask("getBlockHeight"), slot, height)
	}
	if l := m.Land(m.SignWith(hash, []solana.PrivateKey{m.from}, system.NewTransferInstruction(some, m.from.PublicKey(), m.to).Build())); l.Failure() != "" {
		t.Errorf("a blockhash of two blocks ago: %s", l.Failure())
	}
	var refused *RPCError
	if err := m.Ask(t.Context(), nil, "getBlockTime", slot+3); !errors.As(err, &refused) || refused.Code != -32007 {
		t.Errorf("the time of a skipped slot: %v", err)
	}
	if err := m.Ask(t.Context(), nil, "getBlockTime", slot+30_000); !errors.As(err, &refused) || refused.Code != -32004 {
		t.Errorf("the time of a slot to come: %v", err)
	}
	var unix int64
	m.do(&unix, "getBlockTime", slot)
	if unix != now {
		t.Errorf("the first block is of %d", unix)
	}
}
