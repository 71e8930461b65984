package route

import "context"

// last picks the last address, always.
type last struct{}

func (last) choose(_ context.Context, r Request) (Choice, error) {
	return Choice{Address: r.Addresses[len(r.Addresses)-1]}, nil
}
