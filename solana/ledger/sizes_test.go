package ledger

import (
	"testing"

	"github.com/orthd/orth/solana/failure"
)

// What a store holds grows and shrinks with what is in it.
func TestSizes(t *testing.T) {
	t.Parallel()
	l := open(t, Config{})
	sizes := func() Sizes {
		t.Helper()
		s, err := l.Sizes(t.Context())
		must(t, err)
		return s
	}
	if got := sizes(); got != (Sizes{}) {
		t.Errorf("an empty one: %+v", got)
	}
	const many = page + 3
	tasks := make([]Task, many)
	for i := range tasks {
		tasks[i] = wanted(byte(i), 41)
		tasks[i].Thread[5] = byte(i >> 8)
	}
	all, err := l.Offer(t.Context(), day, tasks...)
	must(t, err)
	one := sizes().Scheduled
	if one < many*50 || sizes() != (Sizes{Scheduled: one}) {
		t.Errorf("%d tasks: %+v", many, sizes())
	}
	f := flight(1)
	must(t, l.Start(t.Context(), all[many-1].ID, f))
	if got := sizes(); got.Scheduled >= one || got.Processing < int64(len(f.Transaction.Wire))+64 || got.Dead != 0 {
		t.Errorf("one is on its way: %+v", got)
	}
	must(t, l.Settle(t.Context(), day, all[many-1].ID, true, CostOf(&f, true), nil))
	if got := sizes(); got.Processing != 0 || got.Metadata != accountSize+rememberedSize || got.Config != accountSize {
		t.Errorf("it was executed: %+v", got)
	}
	_, err = l.Bury(t.Context(), day, all[many-2].ID, Failure{Class: failure.Permanent, Reason: "too large"}, Cost{}, nil)
	must(t, err)
	if got := sizes(); got.Dead < 50 {
		t.Errorf("one is given up: %+v", got)
	}
}
