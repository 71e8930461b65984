package rpc

import "context"

// Version returns which software a node runs.
func (p *Pool) Version(ctx context.Context) (string, error) {
	var version struct {
		Core string `json:"solana-core"`
	}
	err := p.call(ctx, Reading, "getVersion", []any{}, &version)
	return version.Core, err
}
