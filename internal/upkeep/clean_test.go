package upkeep

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		what job.Cleaning
		dry  bool
		n    int
		left []int64
	}{
		"all that is over":             {job.Cleaning{}, false, 4, []int64{5, 6, 7}},
		"all, dry":                     {job.Cleaning{}, true, 5, []int64{1, 2, 3, 4, 5, 6, 7}},
		"older than 30 days":           {job.Cleaning{Before: time.Unix(0, 0)}, false, 2, []int64{3, 4, 5, 6, 7}},
		"the newest are kept":          {job.Cleaning{Keep: 3}, false, 3, []int64{4, 5, 6, 7}},
		"more are kept than there are": {job.Cleaning{Keep: 100}, false, 0, []int64{1, 2, 3, 4, 5, 6, 7}},
		"both":                         {job.Cleaning{Before: time.Unix(0, 0), Keep: 5}, false, 1, []int64{2, 3, 4, 5, 6, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				now := time.Now()
				p := newPast()
				p.ended(now, 1, 1, 91*dayLong, 31*dayLong, 29*dayLong, time.Hour, 11*time.Minute, time.Minute)
				p.open(now, 1, 7, time.Hour)
				p.ended(now, 2, 100, 91*dayLong)
				p.held[5] = true
				if !c.what.Before.IsZero() {
					c.what.Before = now.Add(-30 * dayLong)
				}
				n, more, err := NewPruner(PruneConfig{History: p, Remover: p, Slice: 2}).Clean(t.Context(), 1, c.what, c.dry)
				if n != c.n || more || err != nil {
					t.Errorf("Clean = %d, %t, %v, want %d", n, more, err, c.n)
				}
				if diff := cmp.Diff(c.left, p.left(1)); diff != "" {
					t.Errorf("left (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff([]int64{100}, p.left(2)); diff != "" {
					t.Errorf("left of the other job (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestCleanGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPast()
		ages := make([]time.Duration, 2*maxCleaned+10)
		for i := range ages {
			ages[i] = dayLong
		}
		p.ended(time.Now(), 1, 1, ages...)
		cleaner := NewPruner(PruneConfig{History: p, Remover: p})
		for i, want := range []int{maxCleaned, maxCleaned, 10} {
			n, more, err := cleaner.Clean(t.Context(), 1, job.Cleaning{}, false)
			if n != want || more != (i < 2) || err != nil {
				t.Errorf("Clean %d = %d, %t, %v", i, n, more, err)
			}
		}
	})
}

func TestCleanRefuses(t *testing.T) {
	t.Parallel()
	p := newPast()
	_, _, err := NewPruner(PruneConfig{History: p, Remover: p}).Clean(t.Context(), 1, job.Cleaning{Keep: -1}, false)
	if !job.Is(err, job.Invalid) {
		t.Errorf("Clean = %v", err)
	}
}
