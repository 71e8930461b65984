package runlog

import (
	"cmp"
	"slices"
)

// spanCount is how many spans describe a pack: servers that number their
// attempts apart from one another leave gaps, and a few spans keep them out.
const spanCount = 8

// attemptRange is a range of attempts, both ends included. The zero span is empty:
// attempts start at 1.
type attemptRange struct{ low, high int64 }

// spans record which attempts a pack may have.
type spans [spanCount]attemptRange

// contains reports whether the attempt lies in one of the spans.
func (s *spans) contains(attempt int64) bool {
	for _, p := range s {
		if p.low <= attempt && attempt <= p.high {
			return true
		}
	}
	return false
}

// makeSpans returns the spans that hold all entries, which are in order, and
// leave out the widest gaps.
func makeSpans(entries []recordLocation) spans {
	var s spans
	if len(entries) == 0 {
		return s
	}
	var ends []int // the entries before a gap
	for i := range len(entries) - 1 {
		if entries[i+1].attempt-entries[i].attempt > 1 {
			ends = append(ends, i)
		}
	}
	gap := func(i int) int64 { return entries[i+1].attempt - entries[i].attempt }
	slices.SortFunc(ends, func(a, b int) int { return cmp.Compare(gap(b), gap(a)) })
	ends = ends[:min(len(ends), spanCount-1)]
	slices.Sort(ends)
	low := entries[0].attempt
	for n, i := range ends {
		s[n] = attemptRange{low, entries[i].attempt}
		low = entries[i+1].attempt
	}
	s[len(ends)] = attemptRange{low, entries[len(entries)-1].attempt}
	return s
}

const (
	// rememberedPacks is of how many packs, the last that were sealed, a shelf remembers the
	// attempts: a new attempt may have a number between those of packs, because it is that of
	// its run, and runs wait. Otherwise each of them would be searched for on the disk.
	rememberedPacks = 8
	// maxIDSpan bounds the numbers of a set, whose bits take an eighth as many bytes.
	maxIDSpan = 1 << 20
)

// idSet is the attempts of a pack: a bit for each number from the lowest on.
type idSet struct {
	low  int64
	bits []uint64
}

// makeIDSet returns the set of entries, which are in order; nil when they lie too far apart.
func makeIDSet(entries []recordLocation) *idSet {
	if len(entries) == 0 || entries[len(entries)-1].attempt-entries[0].attempt >= maxIDSpan {
		return nil
	}
	low := entries[0].attempt
	s := &idSet{low: low, bits: make([]uint64, (entries[len(entries)-1].attempt-low)/64+1)}
	for i := range entries {
		n := entries[i].attempt - low
		s.bits[n/64] |= 1 << (n % 64)
	}
	return s
}

// mayHave reports whether the attempt is in the set, or that is not known.
func (s *idSet) mayHave(attempt int64) bool {
	if s == nil {
		return true
	}
	n := attempt - s.low
	return n >= 0 && n/64 < int64(len(s.bits)) && s.bits[n/64]&(1<<(n%64)) != 0
}
