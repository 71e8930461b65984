package build

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

func key(b byte) thread.Key { return thread.Key(bytes.Repeat([]byte{b}, 32)) }

// signer signs with a key that is made of one byte.
type signer struct{ private ed25519.PrivateKey }

func newSigner() *signer {
	return &signer{ed25519.NewKeyFromSeed(bytes.Repeat([]byte{42}, ed25519.SeedSize))}
}

func (s *signer) Public() thread.Key {
	return thread.Key(s.private.Public().(ed25519.PublicKey)) //nolint:forcetypeassert // it is one
}

func (s *signer) Sign(message []byte) (solana.Signature, error) {
	return solana.Signature(ed25519.Sign(s.private, message)), nil
}

// account writes borsh: numbers and flags in their width, bytes with their length, keys as they are.
func account(name string, values ...any) []byte {
	var b bytes.Buffer
	if name != "" {
		d := thread.AccountDiscriminator(name)
		b.Write(d[:])
	}
	for _, v := range values {
		switch v := v.(type) {
		case []byte:
			b.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(v))))
			b.Write(v)
		case thread.Key:
			b.Write(v[:])
		default:
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				panic(fmt.Sprintf("%T cannot be written: %v", v, err))
			}
		}
	}
	return b.Bytes()
}

// world is a chain that holds accounts and simulates as configured.
type world struct {
	accounts map[thread.Key]*rpc.Account
	// simulates is given the calls of a transaction to the thread program.
	simulates func(calls []solana.CompiledInstruction, tx *solana.Transaction) (*rpc.Simulated, error)
	asked     [][]solana.PublicKey // of each request for accounts
	given     []int                // bytes of each part of an account
	tried     int
	fails     error
}

func (w *world) Accounts(_ context.Context, _ rpc.Commitment, keys ...solana.PublicKey) ([]*rpc.Account, uint64, error) {
	if w.fails != nil {
		return nil, 0, w.fails
	}
	w.asked = append(w.asked, keys)
	found := make([]*rpc.Account, len(keys))
	for i, k := range keys {
		found[i] = w.accounts[k]
	}
	return found, 7, nil
}

// Parts is Accounts with a part of their data.
func (w *world) Parts(ctx context.Context, c rpc.Commitment, offset, length uint64, keys ...solana.PublicKey) ([]*rpc.Account, uint64, error) {
	found, slot, err := w.Accounts(ctx, c, keys...)
	for i, a := range found {
		if a != nil {
			part := *a
			from := min(offset, uint64(len(a.Data)))
			part.Data = a.Data[from : from+min(length, uint64(len(a.Data))-from)]
			w.given = append(w.given, len(part.Data))
			found[i] = &part
		}
	}
	return found, slot, err
}

func (w *world) Simulate(_ context.Context, wire []byte, accounts ...solana.PublicKey) (*rpc.Simulated, error) {
	w.tried++
	if len(accounts) != 2 {
		return nil, errors.New("executor and thread are asked for")
	}
	tx, err := solana.TransactionFromBase64(base64.StdEncoding.EncodeToString(wire))
	if err != nil {
		return nil, err
	}
	var calls []solana.CompiledInstruction
	for _, c := range tx.Message.Instructions {
		if program := tx.Message.AccountKeys[c.ProgramIDIndex]; program != solana.ComputeBudget {
			calls = append(calls, c)
		}
	}
	return w.simulates(calls, tx)
}

func (w *world) LatestBlockhash(context.Context) (rpc.Blockhash, error) {
	return rpc.Blockhash{Hash: solana.Hash(key(77)), LastValid: 1234}, nil
}

var demo = key(5) // where the thread is

// interval is a thread every 60 seconds that is due at 1000, with fibers 0 to 5.
func interval(cursor, signal uint8, paused bool) []byte {
	return account("Thread", uint8(1), uint8(254), key(1), []byte("demo"), []byte("demo"), int64(0), uint8(3), int64(60), false, uint64(0),
		uint8(1), int64(940), int64(1000), []byte{0, 1, 2, 3, 4, 5}, cursor, uint8(6), signal, paused, uint64(41), key(3), thread.Key{}, []byte{}, []byte{})
}

// memo is a fiber that calls program 9 with the payer, which signs and is written, and one more account.
func memo(priority uint64, tables ...thread.Key) []byte {
	values := []any{
		uint8(1), demo, account("", uint8(0), uint8(1), uint8(1), uint32(1), uint8(2), []byte{0, 1}, []byte("hello"), uint32(3), thread.Payer(), key(8), key(9)),
		int64(0), uint64(0), priority, uint32(len(tables)),
	}
	for _, t := range tables {
		values = append(values, t)
	}
	return account("FiberVersionedState", values...)
}

// newWorld holds the thread at 1010 seconds, and a simulation that pays 900 lamports.
func newWorld(t *testing.T) *world {
	t.Helper()
	p := thread.Newest()
	w := &world{accounts: map[thread.Key]*rpc.Account{
		demo:                          {Lamports: 1e9, Owner: p.Program, Data: interval(0, 0, false)},
		solana.SysVarClockPubkey:      {Data: account("", uint64(50), int64(0), uint64(2), uint64(3), int64(1010))},
		newSigner().Public():          {Lamports: 1e9},
		address(t)(p.ConfigAddress()): {Owner: p.Program, Data: account("ThreadConfig", uint64(1), uint8(254), key(2), false, uint64(1000), uint64(9000), uint64(1000), int64(5), int64(295))},
	}}
	for i := range uint8(6) {
		w.accounts[address(t)(p.FiberAddress(demo, i))] = &rpc.Account{Owner: p.Fibers, Data: memo(uint64(i) * 1000)}
	}
	w.simulates = func(calls []solana.CompiledInstruction, _ *solana.Transaction) (*rpc.Simulated, error) {
		return w.pays(900*len(calls), interval(uint8(len(calls)), 0, false)), nil
	}
	return w
}

func address(t *testing.T) func(thread.Key, error) thread.Key {
	t.Helper()
	return func(k thread.Key, err error) thread.Key {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
}

// pays is a simulation after which the executor has lamports more.
func (w *world) pays(lamports int, after []byte) *rpc.Simulated {
	executor := &rpc.Account{Lamports: uint64(int64(w.accounts[newSigner().Public()].Lamports) + int64(lamports))}
	return &rpc.Simulated{Units: 20_000, Slot: 50, Accounts: []*rpc.Account{executor, {Owner: thread.Newest().Program, Data: after}}}
}

func builder(w *world) *Builder {
	return New(Config{Profile: thread.Newest(), Signer: newSigner(), Chain: w})
}
