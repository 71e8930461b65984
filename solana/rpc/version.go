package rpc

import (
	"context"

	"github.com/gagliardetto/solana-go"
)

// Version returns which software a node runs.
func (p *Pool) Version(ctx context.Context) (string, error) {
	var version struct {
		Core string `json:"solana-core"`
	}
	err := p.callAny(ctx, Reading, "getVersion", []any{}, &version)
	return version.Core, err
}

// Genesis returns the hash of the chain's first block, which identifies the chain.
func (p *Pool) Genesis(ctx context.Context) (solana.Hash, error) {
	var hash solana.Hash
	err := p.callAny(ctx, Reading, "getGenesisHash", []any{}, &hash)
	return hash, err
}
