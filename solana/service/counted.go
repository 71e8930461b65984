package service

import (
	"context"
	"sync/atomic"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/build"
	"github.com/orthd/orth/solana/rpc"
)

// requests counts what nodes are asked for one execution.
type requests struct{ n atomic.Int64 }

type requestsKey struct{}

func counting(ctx context.Context, r *requests) context.Context {
	return context.WithValue(ctx, requestsKey{}, r)
}

// counted is a chain that counts. A blockhash is not counted: one is asked for all.
type counted struct{ build.Chain }

func count(ctx context.Context) {
	if r, ok := ctx.Value(requestsKey{}).(*requests); ok {
		r.n.Add(1)
	}
}

// Accounts counts one.
func (c counted) Accounts(ctx context.Context, how rpc.Commitment, keys ...solana.PublicKey) ([]*rpc.Account, uint64, error) {
	count(ctx)
	return c.Chain.Accounts(ctx, how, keys...)
}

// Parts counts one.
func (c counted) Parts(ctx context.Context, how rpc.Commitment, offset, length uint64, keys ...solana.PublicKey) ([]*rpc.Account, uint64, error) {
	count(ctx)
	return c.Chain.Parts(ctx, how, offset, length, keys...)
}

// Simulate counts one.
func (c counted) Simulate(ctx context.Context, wire []byte, accounts ...solana.PublicKey) (*rpc.Simulated, error) {
	count(ctx)
	return c.Chain.Simulate(ctx, wire, accounts...)
}
