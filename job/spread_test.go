package job_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestSpreadOfNothing(t *testing.T) {
	t.Parallel()
	var s job.Spread
	if s.Total() != 0 || s.Share(0.5, time.Hour) != 0 {
		t.Errorf("nothing took %s", s.Share(0.5, time.Hour))
	}
	s.Count(-time.Second)
	if got := s.Share(0.99, 0); got != 0 || s[0] != 1 {
		t.Errorf("less than nothing took %s", got)
	}
}

func TestSpreadOfLong(t *testing.T) {
	t.Parallel()
	var s job.Spread
	for range 10 {
		s.Count(100 * time.Hour)
	}
	if got := s.Share(0.99, 100*time.Hour); got < 50*time.Hour || got > 100*time.Hour || s[job.SpreadBins-1] != 10 {
		t.Errorf("100 h took %s", got)
	}
}

// A share is never off by more than a factor of two, above 1 ms, and grows with what
// it is of; two halves make the whole.
func TestSpreadShare(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		took := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(1, 1<<rapid.IntRange(1, 26).Draw(r, "size")).Draw(r, "ms")) * time.Millisecond
		}), 1, 200).Draw(r, "took")
		var whole, left, right job.Spread
		for i, d := range took {
			whole.Count(d)
			if i%2 == 0 {
				left.Count(d)
			} else {
				right.Count(d)
			}
		}
		if left.Add(&right); left != whole {
			r.Fatal("the halves do not make the whole")
		}
		slices.Sort(took)
		most, before := took[len(took)-1], time.Duration(0)
		for _, share := range []float64{0, 0.01, 0.5, 0.9, 0.95, 0.99, 1} {
			got := whole.Share(share, most)
			rank := min(max(int(share*float64(len(took))+0.999999)-1, 0), len(took)-1)
			if exact := took[rank]; got < exact/2 || got > 2*exact || got < before || got > most {
				r.Fatalf("%g of %v took %s, it is said after %s: it is %s", share, took, got, before, exact)
			}
			before = got
		}
	})
}
