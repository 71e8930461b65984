package planner

import (
	"testing"
	"testing/synctest"
	"time"
)

// What another server should have planned is planned here a moment later; its jobs are left
// alone while it does so.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.late = true
		first := time.Now().Add(time.Second)
		for id := range int64(20) {
			w.every(id+1, time.Second, first)
		}
		even := func(id int64) bool { return id%2 == 0 }
		odd := func(id int64) bool { return id%2 == 1 }
		_, stop := w.run(t, Config{Mine: even})
		defer stop()
		_, kill := w.run(t, Config{Mine: odd})
		pass(10 * time.Second)
		w.change(func() {
			if w.lost > 0 {
				t.Errorf("%d moves met those of another server", w.lost)
			}
		})
		for id := range int64(20) {
			w.fires(t, id+1, first, time.Second, time.Second)
		}
		kill()
		pass(10*time.Second + 700*time.Millisecond)
		for id := range int64(20) {
			w.fires(t, id+1, first, time.Second, time.Second)
			if n := len(w.planned(id + 1)); n < 20 {
				t.Errorf("job %d has fired %d times in 20 s", id+1, n)
			}
		}
	})
}

// When there is more to do than all servers can do, the jobs of each are late, and the others
// leave them alone, until one is gone.
func TestLateAlike(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const jobs, period, behind = 20, 3 * time.Second, time.Second
		w := newWorld()
		w.late, w.behind, w.free = true, behind, 10_000
		first := time.Now().Add(time.Second)
		for id := range int64(jobs) { // of one server and of the other, in turn
			w.every(id+1, period, first.Add(time.Duration(id)*period/jobs))
		}
		even := func(id int64) bool { return id%2 == 0 }
		odd := func(id int64) bool { return id%2 == 1 }
		_, stop := w.run(t, Config{Mine: even})
		defer stop()
		_, kill := w.run(t, Config{Mine: odd})
		pass(30 * time.Second)
		w.change(func() {
			if w.lost > 0 {
				t.Errorf("%d moves met those of another server", w.lost)
			}
			if w.looks > 30*2*5/4 {
				t.Errorf("two servers have looked %d times in 30 s for what the other one left", w.looks)
			}
		})
		kill()
		pass(30 * time.Second)
		for id := range int64(jobs) {
			if n := len(w.planned(id + 1)); n < 18 {
				t.Errorf("job %d has fired %d times in 60 s", id+1, n)
			}
		}
	})
}
