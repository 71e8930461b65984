package build

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// LargestTransaction is how many bytes of a transaction the chain takes.
const LargestTransaction = 1232

// MostUnits is how many compute units the chain gives a transaction.
const MostUnits = 1_400_000

// Signer holds the executor's key.
type Signer interface {
	Public() thread.Key
	// Sign returns the signature of a message.
	Sign(message []byte) (solana.Signature, error)
}

// newMessage makes a message of instructions, and reports when it is too large. Its signature is
// left empty.
func newMessage(payer thread.Key, instructions []solana.Instruction, hash solana.Hash, tables map[thread.Key]solana.PublicKeySlice) (*solana.Transaction, []byte, error) {
	options := []solana.TransactionOption{solana.TransactionPayer(payer)}
	if len(tables) > 0 {
		options = append(options, solana.TransactionAddressTables(tables))
	}
	tx, err := solana.NewTransaction(instructions, hash, options...)
	if err != nil {
		return nil, nil, fmt.Errorf("make a message: %w", err)
	}
	if signers := tx.Message.Header.NumRequiredSignatures; signers != 1 {
		return nil, nil, fmt.Errorf("the message needs %d signatures, and the executor's is the only one", signers)
	}
	tx.Signatures = make([]solana.Signature, 1)
	bytes, err := tx.MarshalBinary()
	if err != nil {
		return nil, nil, fmt.Errorf("encode a transaction: %w", err)
	}
	if len(bytes) > LargestTransaction {
		return nil, nil, fmt.Errorf("the transaction has %d bytes, the chain takes %d: the fiber has too many accounts or data; lookup tables make it smaller", len(bytes), LargestTransaction)
	}
	return tx, bytes, nil
}

// signMessage makes the transaction of a message.
func signMessage(s Signer, tx *solana.Transaction, hash rpc.Blockhash) (*rpc.Transaction, error) {
	message, err := tx.Message.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encode a message: %w", err)
	}
	signature, err := s.Sign(message)
	if err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	tx.Signatures = []solana.Signature{signature}
	bytes, err := tx.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encode a transaction: %w", err)
	}
	return &rpc.Transaction{Wire: bytes, Signature: signature, Blockhash: hash.Hash, LastValid: hash.LastValid}, nil
}

// unitsFor is the limit of a transaction that used so many compute units in its simulation: a quarter and 10,000 more, for
// the chain may find longer ways.
func unitsFor(used uint64) uint32 {
	return uint32(min(used+used/4+10_000, MostUnits))
}

// Header of a lookup table's account, and the mark that it is in use.
const (
	tableHeader = 56
	tableKind   = 1
	mostInTable = 256
)

// decodeTable reads a lookup table's addresses. A table that is being put out of use has none.
func decodeTable(data []byte) (solana.PublicKeySlice, error) {
	if len(data) < tableHeader || binary.LittleEndian.Uint32(data) != tableKind || (len(data)-tableHeader)%len(thread.Key{}) != 0 {
		return nil, fmt.Errorf("%w: %d bytes are no lookup table", thread.ErrFormat, len(data))
	}
	if binary.LittleEndian.Uint64(data[4:]) != math.MaxUint64 {
		return nil, nil
	}
	var keys solana.PublicKeySlice
	for rest := data[tableHeader:]; len(rest) > 0 && len(keys) < mostInTable; rest = rest[len(thread.Key{}):] {
		keys = append(keys, thread.Key(rest[:len(thread.Key{})]))
	}
	return keys, nil
}
