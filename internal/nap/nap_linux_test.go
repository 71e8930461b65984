package nap

import (
	"sync"
	"testing"
	"time"
)

// No nap ends before its time, also of more at once than clocks are kept.
func TestNap(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for i := range 4 * maxClocks {
		all.Go(func() {
			for _, d := range []time.Duration{0, 1, time.Microsecond, time.Duration(i) * 10 * time.Microsecond} {
				began := time.Now()
				if For(d); time.Since(began) < d {
					t.Errorf("a nap of %s ended after %s", d, time.Since(began))
				}
			}
		})
	}
	all.Wait()
	if n := len(clocks); n == 0 || n > maxClocks {
		t.Errorf("%d clocks are kept, want 1 to %d", n, maxClocks)
	}
}

// BenchmarkNap is a nap of 200 µs in a process that does nothing else: late/op is how late it
// ends.
func BenchmarkNap(b *testing.B) {
	const length = 200 * time.Microsecond
	var late time.Duration
	for b.Loop() {
		began := time.Now()
		For(length)
		late += time.Since(began) - length
	}
	b.ReportMetric(float64(late.Nanoseconds())/float64(b.N), "late/op")
}
