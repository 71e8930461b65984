package runner

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/orthd/orth/handler"
)

// TestBeginsBesideOthers: tasks begin at their times however many handlers are at work that began
// by a clock before, and however those end. No clock is left behind.
func TestBeginsBesideOthers(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){
		"short":              func() {},
		"long":               func() { time.Sleep(time.Second) },
		"ends its goroutine": func() { time.Sleep(3 * ms); runtime.Goexit() },
		"panics":             func() { time.Sleep(3 * ms); panic("no") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				watch := newStopwatch()
				h.code["it"] = handler.Func(func(ctx context.Context, t *handler.Task) error {
					defer end()
					return watch.Handle(ctx, t)
				})
				want := make(map[int64]time.Duration)
				for i := range int64(3 * mostAway) {
					at := time.Duration(i/2) * 2 * ms // two at each instant
					h.accept(early(i+1, i+1, at+10*ms))
					want[i+1] = at + 10*ms
				}
				time.Sleep(5 * time.Second)
				watch.expect(h.t, want)
				h.accept(early(100, 100, 10*ms))
				time.Sleep(5 * time.Second)
				want[100] = 5*time.Second + 10*ms
				watch.expect(h.t, want)
				h.r.mu.Lock()
				defer h.r.mu.Unlock()
				if a := &h.r.alarms; a.away != 0 || a.watch != nil || len(a.spare) > mostAway+1 {
					h.t.Errorf("%d are away, %d wait for no time, one for an instant: %t", a.away, len(a.spare), a.watch != nil)
				}
			})
		})
	}
}
