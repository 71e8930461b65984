package route

import (
	"context"
	"slices"
)

// shard sends the parts of a broadcast each to a place of its own: to its home if
// that is there, else to the address of its number, round and round. Each further
// try goes to the next one.
type shard struct{}

func (shard) choose(_ context.Context, r Request) (Choice, error) {
	if slices.Contains(r.Addresses, r.Home) {
		return Choice{Address: r.Home}, nil
	}
	return Choice{Address: r.Addresses[(r.Shard+r.Try)%len(r.Addresses)]}, nil
}
