package runlog

import (
	"cmp"
	"slices"
)

// spanCount is how many spans describe a pack: servers that number their
// attempts apart from one another leave gaps, and a few spans keep them out.
const spanCount = 8

// span is a range of attempts, both ends included. The zero span is empty:
// attempts start at 1.
type span struct{ low, high int64 }

// spans tell which attempts a pack may have.
type spans [spanCount]span

// has reports whether the attempt lies in one of the spans.
func (s *spans) has(attempt int64) bool {
	for _, p := range s {
		if p.low <= attempt && attempt <= p.high {
			return true
		}
	}
	return false
}

// makeSpans returns the spans that hold all entries, which are in order, and
// leave out the widest gaps.
func makeSpans(entries []entry) spans {
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
		s[n] = span{low, entries[i].attempt}
		low = entries[i+1].attempt
	}
	s[len(ends)] = span{low, entries[len(entries)-1].attempt}
	return s
}
