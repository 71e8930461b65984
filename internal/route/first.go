package route

import "context"

// first picks the first address, always.
type first struct{}

func (first) choose(_ context.Context, r Request) (Choice, error) {
	return Choice{Address: r.Addresses[0]}, nil
}
