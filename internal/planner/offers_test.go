package planner

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// A plan of one run is offered once, ahead of its time, and becomes rows when whoever has it
// commits it; the next one follows when that is known.
func TestOfferedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.late = true
		first := time.Now().Add(3 * time.Second)
		w.every(1, time.Minute, first)
		w.every(2, 100*time.Millisecond, first)
		_, stop := w.run(t, Config{})
		defer stop()
		pass(3*time.Second - 2*lead)
		w.change(func() {
			if w.offered != 2 || w.commits != 0 {
				t.Fatalf("%d offered and %d committed just before they are due, want 2 and none", w.offered, w.commits)
			}
		})
		pass(10 * time.Second)
		w.fires(t, 1, first, time.Minute, time.Minute)
		w.fires(t, 2, first, 100*time.Millisecond, 100*time.Millisecond)
		w.change(func() {
			for _, r := range w.runs {
				if late := r.CreatedAt.Sub(r.PlannedAt); late > 0 {
					t.Fatalf("a run for %s was decided %s late", r.PlannedAt, late)
				}
			}
			if w.lost > 0 || w.reads > 70 {
				t.Errorf("%d moves were lost, the store was asked %d times in 13 s", w.lost, w.reads)
			}
		})
	})
}

// A job that is changed after its move was given away is planned as it is then, also for an
// instant before that of the move.
func TestOfferedBeforeAChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.late = true
		start := time.Now()
		w.every(1, time.Hour, start.Add(2*time.Second))
		p, stop := w.run(t, Config{})
		defer stop()
		pass(1500 * time.Millisecond)
		w.change(func() {
			if w.offered != 1 {
				t.Fatalf("%d offered", w.offered)
			}
			d := w.jobs[1]
			d.Version, d.Next = 2, start.Add(1700*time.Millisecond)
			d.Look = d.Next
		})
		p.Wake()
		pass(5 * time.Second)
		if at := w.planned(1); len(at) != 2 || !at[0].Equal(start.Add(1700*time.Millisecond)) {
			t.Errorf("it has fired at %s, want once 300 ms earlier than before, and once by its schedule", at)
		}
		w.change(func() {
			if late := w.runs[0].CreatedAt.Sub(w.runs[0].PlannedAt); late > 0 {
				t.Errorf("it was decided %s late", late)
			}
		})
	})
}

// Errors before and after commits of what was offered: nothing is lost or doubled.
func TestOfferedMeetsStoreErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.late = true
		first := time.Now().Add(time.Second)
		random := rand.New(rand.NewPCG(3, 9))
		fate := func() error {
			if random.IntN(3) == 0 {
				return job.Errorf(job.Unavailable, "storm")
			}
			return nil
		}
		for id := range int64(5) {
			w.every(id+1, 700*time.Millisecond, first)
		}
		w.change(func() {
			for _, d := range w.jobs {
				d.Misfire = schedule.MisfireFireAll
			}
			w.fail, w.failLate = fate, fate
		})
		_, stop := w.run(t, Config{})
		defer stop()
		pass(30 * time.Second)
		w.change(func() { w.fail, w.failLate = func() error { return nil }, func() error { return nil } })
		pass(5 * time.Second)
		for id := range int64(5) {
			w.fires(t, id+1, first, 700*time.Millisecond, 700*time.Millisecond)
		}
	})
}
