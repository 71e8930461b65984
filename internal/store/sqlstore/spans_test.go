package sqlstore

import (
	"maps"
	"testing"
)

// A span of a job that may have been removed by the same transaction that wrote into it is not
// taken for noted, and neither is anything when there would be too much.
func TestSpansCommitted(t *testing.T) {
	t.Parallel()
	s := spans{known: map[int64]int64{1: 4, 2: 4, 3: 4}, fresh: []jobSpan{{1, 5}, {2, 5}, {4, 5}}, left: []int64{2}}
	s.committed()
	if want := map[int64]int64{1: 5, 3: 4, 4: 5}; !maps.Equal(s.known, want) {
		t.Errorf("got %v, want %v", s.known, want)
	}
	for id := range int64(maxKnownSpans) {
		s.known[id] = 5
	}
	s.fresh, s.left = []jobSpan{{7, 6}}, nil
	s.committed()
	if want := map[int64]int64{7: 6}; !maps.Equal(s.known, want) {
		t.Errorf("%d jobs are known", len(s.known))
	}
}
