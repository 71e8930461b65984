package runner

import (
	"runtime"
	"testing"
)

// TestIdleLaneIsSmall: ten thousand idle jobs cost at most 4 KiB each and no
// goroutine.
func TestIdleLaneIsSmall(t *testing.T) {
	const lanes = 10_000
	h := build(t, nil, nil)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	goroutines := runtime.NumGoroutine()
	before := heap()
	h.r.mu.Lock()
	for i := range int64(lanes) {
		l, err := h.r.laneOf(i)
		if err != nil {
			t.Fatal(err)
		}
		h.r.settle(l)
	}
	h.r.mu.Unlock()
	each := (int64(heap()) - int64(before)) / lanes
	t.Logf("an idle lane takes %d bytes", each)
	if each > 4<<10 {
		t.Errorf("an idle lane takes %d bytes", each)
	}
	if n := runtime.NumGoroutine(); n > goroutines+2 {
		t.Errorf("%d goroutines for idle lanes", n-goroutines)
	}
	h.r.cancelRunning()
	h.r.giveUp()
}
