package dispatcher

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/job"
)

// visible returns how many of the runs wait and could be claimed by another server.
func (w *world) visible(runs []job.Run, now time.Time) (n int) {
	defer w.lock()()
	for i := range runs {
		if r := w.runs[runs[i].ID]; r.State.Waiting() && !r.ReadyAt.After(now) {
			n++
		}
	}
	return n
}

// because returns the runs that wait for the reason.
func (w *world) because(reason string) (runs []int64) {
	defer w.lock()()
	for id, r := range w.runs {
		if r.State == job.Queued && r.Reason == reason {
			runs = append(runs, id)
		}
	}
	return runs
}

// TestClaimsOutlastTheQueue shows that runs that wait in a full memory for longer than a
// claim lasts are not shown to other servers meanwhile, that those that wait for much longer
// are, and that each is sent once.
func TestClaimsOutlastTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var renewed, back, lost atomic.Int64
		kept := func(r, b, l int) { renewed.Add(int64(r)); back.Add(int64(b)); lost.Add(int64(l)) }
		w, d, _ := start(t, Config{Held: 2048, PerAddress: 8, Hooks: Hooks{Kept: kept}})
		w.change(func() { // 32 a second
			w.answer = func(string, job.Task) (time.Duration, error) { return time.Second / 4, nil }
		})
		var all []job.Run
		for range 3000 {
			all = append(all, w.add(time.Now(), 0))
		}
		d.Wake()
		var taken []job.Run // those of the planner, who hands over what there is room for
		feed := func() {
			for range d.Free() {
				taken = append(taken, w.add(time.Now(), 15*time.Second))
				d.Take(taken[len(taken)-1:])
			}
		}
		for second := range 25 {
			feed()
			pass(time.Second)
			if n := w.visible(taken, time.Now().Add(d.config.Ahead)); n > 0 {
				t.Fatalf("after %d s %d of %d runs that were handed over may be claimed by others", second+1, n, len(taken))
			}
		}
		if d.Holding() < 1024 || w.count(&w.renewed) == 0 {
			t.Errorf("%d runs are held, and %d times claims were renewed: the memory is not full", d.Holding(), w.renewed)
		}
		if renewed.Load() < 1024 || back.Load() != 0 || lost.Load() != 0 {
			t.Errorf("%d claims are counted as renewed, %d as given back, %d as lost; none is over", renewed.Load(), back.Load(), lost.Load())
		}
		pass(15 * time.Second)
		if n := len(w.because("many runs of group g wait until executor http://1 takes them")); n == 0 || int64(n) > back.Load() {
			t.Errorf("%d runs say why they were given back, of %d", n, back.Load())
		}
		pass(285 * time.Second)
		if back.Load() == 0 || lost.Load() != 0 {
			t.Errorf("after minutes %d claims are counted as given back, %d as lost", back.Load(), lost.Load())
		}
		all = append(all, taken...)
		sent := make(map[int64]int)
		for _, s := range w.sent() {
			sent[s.run]++
		}
		for _, r := range all {
			if sent[r.ID] != 1 {
				t.Fatalf("run %d was sent %d times", r.ID, sent[r.ID])
			}
		}
	})
}

// TestClaimOfAnotherServer shows that a run is forgotten of which another server has got
// hold, and found again when that one has not sent it.
func TestClaimOfAnotherServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lost atomic.Int64
		w, d, _ := start(t, Config{PerGroup: 1, Hooks: Hooks{Kept: func(_, _, l int) { lost.Add(int64(l)) }}})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 30 * time.Second, nil }
		})
		first, second := w.add(time.Now(), 15*time.Second), w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{first, second})
		pass(5 * time.Second)
		w.change(func() { w.runs[second.ID].ReadyAt = time.Now().Add(time.Minute) })
		pass(10 * time.Second)
		if n := d.Holding(); n != 1 || lost.Load() != 1 {
			t.Errorf("%d runs are held, want the one that is being sent; %d claims are counted as lost", n, lost.Load())
		}
		pass(30 * time.Second)
		if n := len(w.sent()); n != 1 {
			t.Errorf("%d tasks were sent while another server had one of the runs", n)
		}
		pass(30 * time.Second)
		if sent := w.sent(); len(sent) != 2 || sent[1].run != second.ID {
			t.Errorf("sent: %v; want run %d at last", sent, second.ID)
		}
	})
}

// TestClaimsAreRenewedAgain shows that claims are renewed when the store is there again.
func TestClaimsAreRenewedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerGroup: 1})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 30 * time.Second, nil }
		})
		runs := []job.Run{w.add(time.Now(), 15*time.Second), w.add(time.Now(), 15*time.Second)}
		d.Take(runs)
		pass(5 * time.Second)
		w.change(func() { w.fail = func() error { return job.Errorf(job.Unavailable, "away") } })
		pass(6 * time.Second)
		w.change(func() { w.fail = func() error { return nil } })
		pass(5 * time.Second)
		if n := w.visible(runs, time.Now()); n > 0 || d.Holding() != 2 {
			t.Errorf("%d runs are visible, %d are held; want none and 2", n, d.Holding())
		}
	})
}

// TestDropped shows that what is dropped is nowhere, and that the others stay in order.
func TestDropped(t *testing.T) {
	t.Parallel()
	var h waiting.Held
	now := time.Unix(1_000_000, 0)
	gone := make(map[*waiting.HeldRun]struct{})
	for id := range int64(40) {
		it := &waiting.HeldRun{Run: job.Run{ID: id}, Due: now.Add(time.Duration(id*7%40) * time.Second), Rank: int(id % waiting.Ranks)}
		if id%2 == 0 {
			h.Push(it)
		} else {
			h.ParkAt(waiting.Spot{Group: id % 4}, it)
		}
		if id%3 == 0 {
			gone[it] = struct{}{}
		}
	}
	h.Remove(gone)
	if want := 40 - len(gone); h.Size() != want {
		t.Fatalf("%d are held, want %d", h.Size(), want)
	}
	for rank := range waiting.Ranks {
		before := time.Time{}
		for _, it := range h.PopDue(&h.Items[rank], now.Add(time.Hour), 40) {
			if _, is := gone[it]; is || it.Due.Before(before) {
				t.Errorf("run %d of rank %d: dropped %t, or out of order", it.Run.ID, rank, is)
			}
			before = it.Due
		}
	}
	for _, it := range h.Drain(40) {
		if _, is := gone[it]; is {
			t.Errorf("run %d is still parked", it.Run.ID)
		}
	}
	if h.Size() != 0 || len(h.Parked) != 0 || len(h.ParkedOf) != 0 {
		t.Errorf("left: %d, %v, %v", h.Size(), h.Parked, h.ParkedOf)
	}
}
