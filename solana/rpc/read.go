package rpc

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gagliardetto/solana-go"
)

// Commitment is how sure an answer is.
type Commitment string

// The commitments: seen by the node, by most of the stake, and for ever.
const (
	Processed Commitment = "processed"
	Confirmed Commitment = "confirmed"
	Finalized Commitment = "finalized"
)

// base64Form is how data come and go.
const base64Form = "base64"

// options are the parameters of methods, besides the subject.
type options struct {
	Encoding    string     `json:"encoding,omitempty"`
	Commitment  Commitment `json:"commitment,omitempty"`
	WithContext bool       `json:"withContext,omitempty"`
	Filters     []filter   `json:"filters,omitempty"`
	Slice       *slice     `json:"dataSlice,omitempty"`
}

// slice is which part of the data is asked for.
type slice struct {
	Offset uint64 `json:"offset"`
	Length uint64 `json:"length"`
}

// filter is what data must have at an offset, in base58.
type filter struct {
	Memcmp memcmp `json:"memcmp"`
}

type memcmp struct {
	Offset uint64 `json:"offset"`
	Bytes  string `json:"bytes"`
}

// Account is what an address holds.
type Account struct {
	Lamports uint64
	Owner    solana.PublicKey
	Data     []byte
}

// UnmarshalJSON reads the form of nodes, with data in base64.
func (a *Account) UnmarshalJSON(data []byte) error {
	var form struct {
		Lamports uint64   `json:"lamports"`
		Owner    string   `json:"owner"`
		Data     []string `json:"data"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return err
	}
	if len(form.Data) != 2 || form.Data[1] != base64Form {
		return fmt.Errorf("the data of an account is not in base64")
	}
	owner, err := solana.PublicKeyFromBase58(form.Owner)
	if err != nil {
		return fmt.Errorf("the owner of an account: %w", err)
	}
	raw, err := base64.StdEncoding.DecodeString(form.Data[0])
	if err != nil {
		return fmt.Errorf("the data of an account: %w", err)
	}
	*a = Account{Lamports: form.Lamports, Owner: owner, Data: raw}
	return nil
}

// at is an answer with the slot that it holds for.
type at[T any] struct {
	Context *struct {
		Slot uint64 `json:"slot"`
	} `json:"context"`
	Value *T `json:"value"`
}

func (a *at[T]) check() error {
	if a.Context == nil || a.Value == nil {
		return errors.New("it has no slot that it holds for, or no value")
	}
	return nil
}

// each is an answer with as many values as were asked for.
type each[T any] struct {
	at[[]*T]
	asked int
}

func (e *each[T]) check() error {
	if err := e.at.check(); err != nil {
		return err
	}
	if got := len(*e.Value); got != e.asked {
		return fmt.Errorf("%d came, %d were asked for", got, e.asked)
	}
	return nil
}

// mostAccounts is how many accounts a request may ask for.
const mostAccounts = 100

// Accounts returns what addresses hold, nil for those that hold nothing, and the slot at which that was so. All are of one
// slot; 100 at most.
func (p *Pool) Accounts(ctx context.Context, c Commitment, keys ...solana.PublicKey) ([]*Account, uint64, error) {
	return p.accounts(ctx, options{Encoding: base64Form, Commitment: c}, keys)
}

// Parts is Accounts with length bytes of their data alone, from offset on, or as many as there are.
func (p *Pool) Parts(ctx context.Context, c Commitment, offset, length uint64, keys ...solana.PublicKey) ([]*Account, uint64, error) {
	return p.accounts(ctx, options{Encoding: base64Form, Commitment: c, Slice: &slice{Offset: offset, Length: length}}, keys)
}

func (p *Pool) accounts(ctx context.Context, o options, keys []solana.PublicKey) ([]*Account, uint64, error) {
	if len(keys) == 0 || len(keys) > mostAccounts {
		return nil, 0, fmt.Errorf("%d accounts are asked for at once, 1 to %d can be", len(keys), mostAccounts)
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.String()
	}
	got := each[Account]{asked: len(keys)}
	if err := p.callAny(ctx, Reading, "getMultipleAccounts", []any{names, o}, &got); err != nil {
		return nil, 0, err
	}
	return *got.Value, got.Context.Slot, nil
}

// Keyed is an account with where it is.
type Keyed struct {
	Key     solana.PublicKey `json:"pubkey"`
	Account Account          `json:"account"`
}

// ProgramAccounts returns the accounts that a program owns and whose data begin with prefix, and the slot at which that was
// so. One answer holds them all.
func (p *Pool) ProgramAccounts(ctx context.Context, c Commitment, program solana.PublicKey, prefix []byte) ([]Keyed, uint64, error) {
	begins := filter{Memcmp: memcmp{Bytes: solana.Base58(prefix).String()}}
	var got keyedList
	err := p.callAny(ctx, Reading, "getProgramAccounts",
		[]any{program.String(), options{Encoding: base64Form, Commitment: c, WithContext: true, Filters: []filter{begins}}}, &got)
	return got.all, got.slot, err
}

// Balance returns an address's lamports.
func (p *Pool) Balance(ctx context.Context, c Commitment, key solana.PublicKey) (uint64, error) {
	var got at[uint64]
	if err := p.callAny(ctx, Reading, "getBalance", []any{key.String(), options{Commitment: c}}, &got); err != nil {
		return 0, err
	}
	return *got.Value, nil
}

// Slot returns the slot at which a node stands.
func (p *Pool) Slot(ctx context.Context, c Commitment) (uint64, error) {
	var slot uint64
	err := p.callAny(ctx, Reading, "getSlot", []any{options{Commitment: c}}, &slot)
	return slot, err
}

// HashValid reports whether transactions with a blockhash can still land, and the slot at which that is so.
func (p *Pool) HashValid(ctx context.Context, hash solana.Hash) (valid bool, slot uint64, err error) {
	var got at[bool]
	if err := p.callAny(ctx, Reading, "isBlockhashValid", []any{hash.String(), options{Commitment: Confirmed}}, &got); err != nil {
		return false, 0, err
	}
	return *got.Value, got.Context.Slot, nil
}

// BlockHeight returns how many blocks there are: what a blockhash's life is counted in.
func (p *Pool) BlockHeight(ctx context.Context, c Commitment) (uint64, error) {
	var height uint64
	err := p.callAny(ctx, Reading, "getBlockHeight", []any{options{Commitment: c}}, &height)
	return height, err
}

// Blockhash is what a transaction is bound to.
type Blockhash struct {
	Hash solana.Hash
	// LastValid is the last block height at which a transaction with it can land.
	LastValid uint64
}

// recentHash keeps the newest.
type recentHash struct {
	hash Blockhash
	at   time.Time
}

// hashLife is for how long a blockhash is used for new transactions: it loses 5 of its 150 blocks.
const hashLife = 2 * time.Second

// hashKept is how long a newer hash outranks what a node returns. Beyond it the chain has
// taken another fork.
const hashKept = 10 * time.Second

// LatestBlockhash returns one that is 2 s old at most. However many ask, one of them asks a node.
func (p *Pool) LatestBlockhash(ctx context.Context) (Blockhash, error) {
	if h, known := p.knownHash(); known {
		return h, nil
	}
	select {
	case p.hashing <- struct{}{}:
		defer func() { <-p.hashing }()
	case <-ctx.Done():
		return Blockhash{}, ctx.Err()
	}
	if h, known := p.knownHash(); known {
		return h, nil
	}
	asked := time.Now()
	var got hashAnswer
	if err := p.callAny(ctx, Reading, "getLatestBlockhash", []any{options{Commitment: Confirmed}}, &got); err != nil {
		return Blockhash{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// A node that is behind gives an older one: what was known serves as well, unless it has been so for long.
	if fresh := (Blockhash{Hash: got.Value.Blockhash, LastValid: got.Value.LastValid}); fresh.LastValid >= p.recent.hash.LastValid || asked.Sub(p.recent.at) > hashKept {
		p.recent = recentHash{hash: fresh, at: asked}
	}
	return p.recent.hash, nil
}

// hashAnswer is a blockhash in the form that nodes return.
type hashAnswer struct {
	at[struct {
		Blockhash solana.Hash `json:"blockhash"`
		LastValid uint64      `json:"lastValidBlockHeight"`
	}]
}

// longestHash is more blocks than a blockhash lives for: the chain's are valid for 150.
const longestHash = 1500

// check refuses a hash that is none, and one that would live for ever: by its last height one sees that a transaction can never land.
// There are no more blocks than slots.
func (h *hashAnswer) check() error {
	if err := h.at.check(); err != nil {
		return err
	}
	switch last, slot := h.Value.LastValid, h.Context.Slot; {
	case h.Value.Blockhash == solana.Hash{} || last == 0:
		return errors.New("it has no blockhash, or not the last height at which that is valid")
	case last > slot && last-slot > longestHash:
		return fmt.Errorf("the blockhash would be valid up to the height %d, and the chain is at slot %d", last, slot)
	}
	return nil
}

// knownHash returns the one that is young enough.
func (p *Pool) knownHash() (Blockhash, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.recent.hash, !p.recent.at.IsZero() && time.Since(p.recent.at) < hashLife
}

// ForgetBlockhash reports that a hash was refused: the next call fetches a new one.
func (p *Pool) ForgetBlockhash(h solana.Hash) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.recent.hash.Hash == h {
		p.recent = recentHash{}
	}
}

// Epoch is where the chain is.
type Epoch struct {
	Epoch        uint64 `json:"epoch"`
	SlotIndex    uint64 `json:"slotIndex"`
	SlotsInEpoch uint64 `json:"slotsInEpoch"`
	AbsoluteSlot uint64 `json:"absoluteSlot"`
	BlockHeight  uint64 `json:"blockHeight"`
}

// check refuses a height that no chain can have: there are no more blocks than slots.
func (e *Epoch) check() error {
	if e.BlockHeight > e.AbsoluteSlot {
		return fmt.Errorf("a chain at slot %d has no %d blocks", e.AbsoluteSlot, e.BlockHeight)
	}
	return nil
}

// EpochInfo returns where the chain is.
func (p *Pool) EpochInfo(ctx context.Context, c Commitment) (Epoch, error) {
	var epoch Epoch
	err := p.callAny(ctx, Reading, "getEpochInfo", []any{options{Commitment: c}}, &epoch)
	return epoch, err
}

// Node is a member of the cluster.
type Node struct {
	Key     solana.PublicKey `json:"pubkey"`
	TPU     string           `json:"tpu"`     // host:port; empty: unknown
	TPUQUIC string           `json:"tpuQuic"` // host:port; empty: unknown
}

// Nodes returns the members of the cluster.
func (p *Pool) Nodes(ctx context.Context) ([]Node, error) {
	var nodes []Node
	err := p.callAny(ctx, Reading, "getClusterNodes", nil, &nodes)
	return nodes, err
}

// mostLeaders is the number of slots that a node returns leaders for.
const mostLeaders = 5000

// Leaders returns who leads the slots from one on; 5,000 at most.
func (p *Pool) Leaders(ctx context.Context, from uint64, slots int) ([]solana.PublicKey, error) {
	if slots < 1 || slots > mostLeaders {
		return nil, fmt.Errorf("the leaders of %d slots are asked for, 1 to %d can be", slots, mostLeaders)
	}
	var leaders []solana.PublicKey
	err := p.callAny(ctx, Reading, "getSlotLeaders", []any{from, slots}, &leaders)
	return leaders, err
}
