package runlog

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOpenPack: the last record of an attempt counts, whenever it is asked for.
func TestOpenPack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := &openPack{has: make(map[int64]uint64), index: make(map[int64]recordLocation)}
		want := make(map[int64]recordLocation)
		attempt := rapid.Int64Range(1, 150)
		for offset := range rapid.Uint32Range(0, 60).Draw(t, "records") {
			e := recordLocation{attempt: attempt.Draw(t, "attempt"), offset: offset}
			p.addEntry(e)
			want[e.attempt] = e
			if rapid.Bool().Draw(t, "ask") {
				asked := attempt.Draw(t, "asked")
				known, has := want[asked]
				if got, found := p.findEntry(asked); found != has || got != known {
					t.Fatalf("attempt %d is %v, %t, want %v, %t", asked, got, found, known, has)
				}
			}
		}
		if got, all := p.sorted(), sorted(want); !slices.Equal(got, all) {
			t.Fatalf("sorted is %v, want %v", got, all)
		}
	})
}
