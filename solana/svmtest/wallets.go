package svmtest

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/gagliardetto/solana-go"
)

// Wallet is the key of a name: the same one in every test.
func Wallet(name string) solana.PrivateKey {
	seed := sha256.Sum256([]byte("wallet " + name))
	return solana.PrivateKey(ed25519.NewKeyFromSeed(seed[:]))
}

// Blockhash returns the hash of the newest block.
func (c *Chain) Blockhash() solana.Hash {
	c.t.Helper()
	var latest struct {
		Value struct {
			Blockhash solana.Hash `json:"blockhash"`
		} `json:"value"`
	}
	c.do(&latest, "getLatestBlockhash", map[string]string{"commitment": "processed"})
	return latest.Value.Blockhash
}

// Sign makes a transaction with the newest blockhash that the first signer pays for.
func (c *Chain) Sign(signers []solana.PrivateKey, instructions ...solana.Instruction) *solana.Transaction {
	c.t.Helper()
	return c.SignWith(c.Blockhash(), signers, instructions...)
}

// SignWith is Sign with another blockhash, or with a nonce.
func (c *Chain) SignWith(hash solana.Hash, signers []solana.PrivateKey, instructions ...solana.Instruction) *solana.Transaction {
	c.t.Helper()
	tx, err := solana.NewTransaction(instructions, hash, solana.TransactionPayer(signers[0].PublicKey()))
	if err == nil {
		_, err = tx.Sign(func(key Key) *solana.PrivateKey {
			for i := range signers {
				if signers[i].PublicKey() == key {
					return &signers[i]
				}
			}
			return nil
		})
	}
	if err != nil {
		c.fatal("sign", err)
	}
	return tx
}

// Wire is a transaction as it is sent.
func (c *Chain) Wire(tx *solana.Transaction) []byte {
	c.t.Helper()
	wire, err := tx.MarshalBinary()
	if err != nil {
		c.fatal("encode", err)
	}
	return wire
}

// Send sends a transaction without trying it first, and returns its signature.
func (c *Chain) Send(tx *solana.Transaction) string {
	c.t.Helper()
	var signature string
	c.do(&signature, "sendTransaction", base64.StdEncoding.EncodeToString(c.Wire(tx)), map[string]any{"encoding": "base64", "skipPreflight": true})
	return signature
}

// Land sends a transaction, makes the block in which it lands, and returns what became of it.
func (c *Chain) Land(tx *solana.Transaction) Landing {
	c.t.Helper()
	signature := c.Send(tx)
	c.Tick(1)
	for _, l := range slices.Backward(c.Landings(0)) {
		if l.Signature == signature {
			return l
		}
	}
	c.t.Fatalf("nothing is known of %s", signature)
	return Landing{}
}

// Failure is what a transaction failed with in a block, in JSON-RPC's words; "" when it did what it should.
func (l Landing) Failure() string {
	if l.Dropped != "" {
		return "dropped: " + l.Dropped
	}
	if string(l.Err) == "null" {
		return ""
	}
	return string(l.Err)
}

// Custom returns the code with which a program failed the transaction, and whether one did.
func (l Landing) Custom() (code uint32, failed bool) {
	var err struct {
		InstructionError [2]json.RawMessage `json:"InstructionError"`
	}
	var inner struct {
		Custom *uint32 `json:"Custom"`
	}
	if json.Unmarshal(l.Err, &err) != nil || json.Unmarshal(err.InstructionError[1], &inner) != nil || inner.Custom == nil {
		return 0, false
	}
	return *inner.Custom, true
}

// Simulation is what a transaction would do.
type Simulation struct {
	Err           json.RawMessage `json:"err"`
	Logs          []string        `json:"logs"`
	UnitsConsumed uint64          `json:"unitsConsumed"`
}

// Simulate tries a transaction on the newest block.
func (c *Chain) Simulate(ctx context.Context, tx *solana.Transaction) Simulation {
	c.t.Helper()
	var result struct {
		Value Simulation `json:"value"`
	}
	err := c.Ask(ctx, &result, "simulateTransaction", base64.StdEncoding.EncodeToString(c.Wire(tx)),
		map[string]any{"encoding": "base64", "commitment": "processed"})
	if err != nil {
		c.fatal("simulateTransaction", err)
	}
	return result.Value
}
