package job

import (
	"math"
	"math/bits"
	"time"
)

// SpreadBins is the number of ranges of a [Spread]: the first one is below 1 ms, each
// further one is twice as wide as the one before, and the last one begins at 18.6 h.
const SpreadBins = 28

// Spread is a histogram of durations, in ranges that double. It bounds any quantile to
// within such a range.
type Spread [SpreadBins]int64

// Count adds a duration. One below 0 counts as none.
func (s *Spread) Count(d time.Duration) {
	ms := uint64(max(d.Milliseconds(), 0))
	s[min(bits.Len64(ms), SpreadBins-1)]++
}

// Add adds what the other counted.
func (s *Spread) Add(other *Spread) {
	for i, n := range other {
		s[i] += n
	}
}

// Total is how many durations were counted.
func (s *Spread) Total() (n int64) {
	for _, in := range s {
		n += in
	}
	return n
}

// Share returns the quantile of a share, 0..1; 0 when there are no durations. most is the
// longest of all, which the result never exceeds. Within a range durations are assumed to
// be distributed by their logarithms, so the result is off by a factor of two at worst.
func (s *Spread) Share(share float64, most time.Duration) time.Duration {
	wanted := max(share*float64(s.Total()), 1)
	var before float64
	for i, n := range s {
		if n == 0 {
			continue
		}
		in := float64(n)
		if before+in < wanted {
			before += in
			continue
		}
		part := min((wanted-before)/in, 1)
		low, high := time.Duration(0), time.Millisecond
		if i > 0 {
			low = time.Millisecond << (i - 1)
			high = 2 * low
		}
		if i == SpreadBins-1 {
			high = max(most, low)
		}
		at := time.Duration(part * float64(high))
		if i > 0 {
			at = time.Duration(float64(low) * math.Pow(float64(high)/float64(low), part))
		}
		return min(at, most).Truncate(time.Millisecond / 10)
	}
	return 0
}
