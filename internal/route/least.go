package route

import "context"

// least picks the address with the fewest tasks under way, one of them at random
// when several have as few.
type least struct {
	draw func(n int) int
}

func newLeast(draw func(n int) int) least { return least{draw: draw} }

func (s least) choose(_ context.Context, r Request) (Choice, error) {
	fewest, equals := 0, 0
	chosen := ""
	for _, address := range r.Addresses {
		load := 0
		if r.Load != nil {
			load = r.Load(address)
		}
		switch {
		case chosen == "" || load < fewest:
			chosen, fewest, equals = address, load, 1
		case load == fewest:
			// Each of the equals is kept with the same probability.
			if equals++; s.draw(equals) == 0 {
				chosen = address
			}
		}
	}
	return Choice{Address: chosen}, nil
}
