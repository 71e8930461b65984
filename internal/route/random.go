package route

import "context"

// random picks each address with the same probability.
type random struct {
	draw func(n int) int
}

func (s random) choose(_ context.Context, r Request) (Choice, error) {
	return Choice{Address: r.Addresses[s.draw(len(r.Addresses))]}, nil
}
