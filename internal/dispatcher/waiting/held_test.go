package waiting

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// The count of firings that are due at once is that of the items there are, whatever became of
// the others.
func TestCrowdIsCounted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var h Held
		epoch, id := time.UnixMilli(1_000_000), int64(0)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				id++
				due := epoch.Add(time.Duration(rapid.IntRange(0, 400).Draw(t, "due")) * time.Millisecond)
				h.Push(&HeldRun{Run: job.Run{ID: id}, Due: due, Rank: rapid.IntRange(0, Ranks-1).Draw(t, "rank"), Soon: rapid.Bool().Draw(t, "soon")})
			},
			"pop": func(t *rapid.T) {
				row := h.waitingRow(rapid.IntRange(0, Ranks-1).Draw(t, "rank"), rapid.Bool().Draw(t, "soon"))
				h.PopDue(row, epoch.Add(200*time.Millisecond), rapid.IntRange(0, 3).Draw(t, "n"))
			},
			"drain": func(t *rapid.T) { h.Drain(rapid.IntRange(0, 3).Draw(t, "n")) },
			"drop": func(t *rapid.T) {
				gone := map[*HeldRun]struct{}{}
				for _, id := range slices.Sorted(maps.Keys(h.ids)) {
					if rapid.Bool().Draw(t, "gone") {
						gone[h.ids[id]] = struct{}{}
					}
				}
				h.Remove(gone)
			},
			"": func(t *rapid.T) {
				want, first := map[int64]int{}, int64(math.MaxInt64)
				for _, it := range h.ids {
					if it.Soon {
						want[spanOf(it.Due)]++
						first = min(first, spanOf(it.Due))
					}
				}
				if diff := cmp.Diff(want, h.spans, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("crowds (-want +got):\n%s", diff)
				}
				if n := want[first] + want[first+1]; len(want) > 0 && h.AtOnce() != n || len(want) == 0 && h.AtOnce() != 0 {
					t.Fatalf("the next crowd has %d, want %d", h.AtOnce(), n)
				}
			},
		})
	})
}
