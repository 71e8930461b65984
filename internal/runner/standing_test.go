package runner

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// TestStandings: an attempt is found wherever it is, for as long as it is remembered.
func TestStandings(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = &gauge{took: time.Second}
		h.accept(task(1, 5, "it"), task(2, 5, "it"))
		synctest.Wait()
		want := func(places ...queue.Place) {
			t.Helper()
			got, err := h.r.Standings(t.Context(), []int64{1, 2, 3}[:len(places)])
			if err != nil || !slices.Equal(got, places) {
				t.Errorf("standings %v, %v; want %v", got, err, places)
			}
		}
		want(queue.Processing, queue.Scheduled)
		time.Sleep(1500 * time.Millisecond)
		want(queue.Remembered, queue.Processing)
		time.Sleep(2 * time.Second)
		want(queue.Remembered, queue.Remembered)
		h.accept(task(3, 5, "it"))
		want(queue.Remembered, queue.Remembered, queue.Processing)
		time.Sleep(2 * time.Second)
		if places, err := h.r.Standings(t.Context(), []int64{4, 1}); err != nil || places[0] != 0 || places[1] != queue.Remembered {
			t.Errorf("standings %v, %v", places, err)
		}
	})
}

// TestSuspend: what was taken goes on, what comes again is told so, and nothing new is
// taken until the end of it.
func TestSuspend(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = &gauge{took: time.Second}
		h.accept(task(1, 5, "it"), task(2, 5, "it"))
		h.r.Suspend(true)
		if !h.r.Draining() {
			t.Error("it does not say so")
		}
		for attempt, want := range map[int64]job.Kind{1: job.Duplicate, 2: job.Duplicate, 3: job.Unavailable} {
			if err := h.r.Accept(t.Context(), task(attempt, 5, "it")); !job.Is(err, want) {
				t.Errorf("attempt %d: %v; want %s", attempt, err, want)
			}
		}
		time.Sleep(3 * time.Second)
		if n := len(h.outcomes()); n != 2 {
			t.Errorf("%d tasks have ended, want 2", n)
		}
		if err := h.r.Accept(t.Context(), task(2, 5, "it")); !job.Is(err, job.Duplicate) {
			t.Errorf("one that has ended: %v", err)
		}
		h.r.Suspend(false)
		if h.r.Draining() {
			t.Error("it still says so")
		}
		h.accept(task(3, 5, "it"))
		time.Sleep(2 * time.Second)
	})
}
