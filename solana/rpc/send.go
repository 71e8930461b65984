package rpc

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/gagliardetto/solana-go"
)

// The methods that are about a transaction.
const (
	methodSimulate = "simulateTransaction"
	methodSend     = "sendTransaction"
)

// simulation, sending and looking are the parameters of methods, besides the subject.
type (
	simulation struct {
		options
		Verify   bool    `json:"sigVerify"`
		Replace  bool    `json:"replaceRecentBlockhash"`
		Accounts *wanted `json:"accounts,omitempty"`
	}
	wanted struct {
		Encoding  string   `json:"encoding"`
		Addresses []string `json:"addresses"`
	}
	sending struct {
		options
		Skip      bool       `json:"skipPreflight"`
		Preflight Commitment `json:"preflightCommitment"`
		Retries   int        `json:"maxRetries"`
	}
	looking struct {
		History bool `json:"searchTransactionHistory"`
	}
)

// Simulated is how a transaction would end now.
type Simulated struct {
	Err      *TxError
	Logs     []string
	Units    uint64 // compute units; 0: the node does not report them
	Accounts []*Account
	Slot     uint64
}

// simulated is Simulated in the form that nodes return.
type simulated struct {
	at[struct {
		Err      *TxError   `json:"err"`
		Logs     []string   `json:"logs"`
		Units    uint64     `json:"unitsConsumed"`
		Accounts []*Account `json:"accounts"`
	}]
	asked int
}

func (s *simulated) check() error {
	if err := s.at.check(); err != nil {
		return err
	}
	if got := len(s.Value.Accounts); got != s.asked && s.Value.Err == nil {
		return fmt.Errorf("%d accounts came, %d were asked for", got, s.asked)
	}
	return nil
}

// Simulate tries a transaction on the newest state that a node has, with a blockhash of the node's own and without looking
// at signatures. It returns what the accounts asked for would hold.
func (p *Pool) Simulate(ctx context.Context, wire []byte, accounts ...solana.PublicKey) (*Simulated, error) {
	how := simulation{options: options{Encoding: base64Form, Commitment: Processed}, Replace: true}
	if len(accounts) > 0 {
		names := make([]string, len(accounts))
		for i, k := range accounts {
			names[i] = k.String()
		}
		how.Accounts = &wanted{Encoding: base64Form, Addresses: names}
	}
	got := simulated{asked: len(accounts)}
	if err := p.callAny(ctx, Reading, methodSimulate, []any{base64.StdEncoding.EncodeToString(wire), how}, &got); err != nil {
		return nil, err
	}
	return &Simulated{Err: got.Value.Err, Logs: got.Value.Logs, Units: got.Value.Units, Accounts: got.Value.Accounts, Slot: got.Context.Slot}, nil
}

// Send submits a signed transaction to a node, which forwards it. Acceptance does not mean
// that it lands. The same bytes may be sent any number of times: they land once. With
// preflight the node simulates first, and refuses a transaction that would fail; see
// [Rejected].
func (p *Pool) Send(ctx context.Context, wire []byte, preflight bool) (solana.Signature, error) {
	// The commitment is set although nothing is simulated: nodes look the blockhash up at
	// it.
	how := sending{options: options{Encoding: base64Form}, Skip: !preflight, Preflight: Confirmed, Retries: 3}
	var signature solana.Signature
	err := p.callAny(ctx, Submitting, methodSend, []any{base64.StdEncoding.EncodeToString(wire), how}, &signature)
	return signature, err
}

// Transaction is signed, and is the same bytes for ever: it may be sent as often as one likes and lands once.
type Transaction struct {
	Wire      []byte
	Signature solana.Signature
	// Blockhash is what it is bound to: beyond the block height LastValid it cannot land any more.
	Blockhash solana.Hash
	LastValid uint64
}

// Landed is what became of a transaction.
type Landed struct {
	Slot       uint64
	Commitment Commitment
	Err        *TxError // nil: it succeeded
}

// UnmarshalJSON reads the form of nodes. Without a known commitment it derives one from the
// count of confirmations.
func (l *Landed) UnmarshalJSON(data []byte) error {
	var form struct {
		Slot          uint64      `json:"slot"`
		Confirmations *uint64     `json:"confirmations"`
		Status        *Commitment `json:"confirmationStatus"`
		Err           *TxError    `json:"err"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return err
	}
	*l = Landed{Slot: form.Slot, Err: form.Err, Commitment: Processed}
	switch {
	case form.Status != nil && (*form.Status == Processed || *form.Status == Confirmed || *form.Status == Finalized):
		l.Commitment = *form.Status
	case form.Confirmations == nil:
		l.Commitment = Finalized
	}
	return nil
}

// IsSure reports whether most of the stake has seen it: it does not go away again.
func (l *Landed) IsSure() bool { return l.Commitment == Confirmed || l.Commitment == Finalized }

// MostSignatures is how many transactions a request may ask about.
const MostSignatures = 256

// Statuses returns what became of transactions, nil where the node has not seen one, and the slot at which the node stood.
// Older ones than some minutes are looked for only with history, which takes a node longer.
func (p *Pool) Statuses(ctx context.Context, history bool, signatures ...solana.Signature) ([]*Landed, uint64, error) {
	if len(signatures) == 0 || len(signatures) > MostSignatures {
		return nil, 0, fmt.Errorf("%d transactions are asked about at once, 1 to %d can be", len(signatures), MostSignatures)
	}
	names := make([]string, len(signatures))
	for i, s := range signatures {
		names[i] = s.String()
	}
	got := each[Landed]{asked: len(signatures)}
	if err := p.callAny(ctx, Reading, "getSignatureStatuses", []any{names, looking{History: history}}, &got); err != nil {
		return nil, 0, err
	}
	return *got.Value, got.Context.Slot, nil
}
