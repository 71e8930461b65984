package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// overload offers more and more over the XXL-JOB wire, and compares what is recorded of far
// too much with the best rate.
func overload(ctx context.Context, o options) (all []figure, err error) {
	var last, best float64
	for _, jobs := range []int{400, 600, 800, 1000, 2500} {
		p := offer(demand{jobs, 100 * time.Millisecond})
		figures, err := p.run(ctx, o)
		if err != nil {
			return all, fmt.Errorf("offer %.0f runs a second: %w", p.offered(), err)
		}
		for _, what := range []string{"recorded", "server CPU per run", "executor CPU per run"} {
			f := figures[slices.IndexFunc(figures, func(f figure) bool { return f.what == what })]
			if what == "recorded" {
				last = f.got
			}
			all = append(all, plain(fmt.Sprintf("%.0f/s offered: %s", p.offered(), what), f.got, f.unit))
		}
		best = max(best, last)
	}
	return append(all, atLeast("overloaded, of the best rate", last/best, ratio, 0.9)), nil
}
