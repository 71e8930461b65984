package executor

import (
	"sync/atomic"
	"time"
)

// boundCount is how many buckets have an upper bound.
const boundCount = 14

// bounds are the upper bounds of the buckets.
func bounds() [boundCount]time.Duration {
	return [boundCount]time.Duration{
		time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond,
		time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 3 * time.Hour,
	}
}

// durations counts durations by their length. It may be used by many goroutines and
// allocates nothing.
type durations struct {
	sum     atomic.Int64 // nanoseconds
	buckets [boundCount + 1]atomic.Uint64
}

// addDuration counts one; zero is none, because nothing was called.
func (d *durations) addDuration(took time.Duration) {
	if took <= 0 {
		return
	}
	at := boundCount
	for i, bound := range bounds() {
		if took <= bound {
			at = i
			break
		}
	}
	d.buckets[at].Add(1)
	d.sum.Add(int64(took))
}

// sample returns what was counted.
func (d *durations) sample(name, help string) Sample {
	s := Sample{Name: name, Help: help, Buckets: make(map[float64]uint64, boundCount)}
	for i, bound := range bounds() {
		s.Count += d.buckets[i].Load()
		s.Buckets[bound.Seconds()] = s.Count
	}
	s.Count += d.buckets[boundCount].Load()
	s.Value = time.Duration(d.sum.Load()).Seconds()
	return s
}
