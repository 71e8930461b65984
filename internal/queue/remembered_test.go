package queue

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestKeySet: it is a set, also of negative keys and of the ends of the range.
func TestKeySet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(rapid.Int64Range(-130, 130), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, math.MaxInt64 - 63}))
		set, want := make(keySet), make(map[int64]bool)
		for range rapid.IntRange(0, 50).Draw(t, "steps") {
			k := key.Draw(t, "key")
			if rapid.Bool().Draw(t, "add") {
				set.add(k)
				want[k] = true
			} else {
				set.remove(k)
				delete(want, k)
			}
			if other := key.Draw(t, "other"); set.has(other) != want[other] || set.has(k) != want[k] {
				t.Fatalf("has(%d) = %t, has(%d) = %t", other, set.has(other), k, set.has(k))
			}
		}
		for k := range want {
			set.remove(k)
		}
		if len(set) != 0 {
			t.Fatalf("%d words are left of no keys", len(set))
		}
	})
}
