package planner

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func TestBacklog(t *testing.T) {
	t.Parallel()
	b := &backlog{limit: 10}
	want := func(group int64, room int) {
		t.Helper()
		if got := b.roomOf(group); got != room {
			t.Errorf("group %d has room for %d, want %d", group, got, room)
		}
	}
	want(1, 10)
	b.addRows(1, 7)
	b.addRows(2, 10)
	want(1, 3)
	want(2, 0)
	b.claimed(map[int64]int{1: 2, 3: 5}, false)
	want(1, 5)
	want(2, 0)
	want(3, 10)
	b.claimed(map[int64]int{2: 1}, true)
	want(1, 5)
	want(2, 10)
	b.claimed(map[int64]int{1: 100}, false) // others planned rows as well
	want(1, 10)
	if len(b.rows) != 0 {
		t.Errorf("groups without rows are remembered: %v", b.rows)
	}
}

// Whoever asks for room before adding never goes beyond the limit, whatever is
// claimed.
func TestBacklogIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := &backlog{limit: rapid.IntRange(1, 50).Draw(t, "limit")}
		written := make(map[int64]int)
		for range 100 {
			group := rapid.Int64Range(1, 3).Draw(t, "group")
			n := rapid.IntRange(0, 60).Draw(t, "n")
			if rapid.Bool().Draw(t, "claim") {
				n = min(n, written[group])
				written[group] -= n
				b.claimed(map[int64]int{group: n}, written[group] == 0)
			} else {
				n = min(n, b.roomOf(group))
				written[group] += n
				b.addRows(group, n)
			}
			if left := b.roomOf(group); left != b.limit-written[group] || left < 0 {
				t.Fatalf("room for %d beside %d rows of at most %d", left, written[group], b.limit)
			}
		}
	})
}

// summary is what became of the jobs of a world.
type summary struct{ visible, handed, skipped int }

func (w *world) summary() (s summary) {
	w.change(func() {
		hidden := make(map[int64]bool)
		for _, r := range w.taken {
			hidden[r.ID] = true
			s.handed++
		}
		for _, r := range w.runs {
			switch {
			case r.State == job.Skipped:
				s.skipped++
			case !hidden[r.ID] && !r.ReadyAt.After(time.Now()):
				s.visible++
			}
		}
	})
	return s
}

// When the dispatcher has no room, firings are held back for a moment, and then
// become rows that anybody may take: nothing is missed, nothing is planned ahead.
func TestHerdBeyondTheRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told atomic.Int64
		w, p := start(t, Config{Hooks: Hooks{Left: func(time.Time) { told.Add(1) }}})
		w.change(func() { w.free = 10 })
		for id := range int64(2000) {
			w.every(id+1, time.Hour, time.Now().Add(3*time.Second))
		}
		w.every(5000, time.Hour, time.Now().Add(time.Minute))
		p.Wake()
		pass(3 * time.Second)
		if got, want := w.summary(), (summary{handed: 10}); got != want {
			t.Errorf("when they are due: %+v, want %+v", got, want)
		}
		pass(patience + 300*time.Millisecond)
		if got, want := w.summary(), (summary{handed: 10, visible: 1990}); got != want {
			t.Errorf("soon after: %+v, want %+v", got, want)
		}
		if told.Load() == 0 {
			t.Error("nobody was told of the rows")
		}
		pass(57 * time.Second)
		if got, want := w.summary(), (summary{handed: 10, visible: 1991}); got != want {
			t.Errorf("after a minute: %+v, want %+v", got, want)
		}
	})
}

// What waits as rows is bounded by group; what is missed because of it follows the
// policy, in one record for each job.
func TestBacklogHoldsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{Backlog: 30})
		w.change(func() { w.free = 0 })
		for id := range int64(50) {
			w.every(id+1, time.Hour, time.Now())
		}
		w.every(100, time.Hour, time.Now().Add(time.Millisecond))
		w.change(func() { w.jobs[100].GroupID = 2 })
		p.Wake()
		pass(patience + 500*time.Millisecond)
		if got, want := w.summary(), (summary{visible: 31}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		w.change(func() { w.claimed = 5 })
		p.Claimed(map[int64]int{1: 5}, false)
		pass(time.Second)
		if got, want := w.summary(), (summary{visible: 36}); got != want {
			t.Errorf("when five were claimed: %+v, want %+v", got, want)
		}
		reads := 0
		w.change(func() { reads = w.reads })
		pass(10 * time.Second)
		w.change(func() {
			if w.reads-reads > 60 {
				t.Errorf("%d reads in 10 s without room", w.reads-reads)
			}
		})
		w.change(func() { w.claimed = 35 })
		p.Claimed(map[int64]int{1: 30}, true)
		pass(time.Second)
		if got, want := w.summary(), (summary{visible: 36, skipped: 15}); got != want {
			t.Errorf("when all were claimed too late: %+v, want %+v", got, want)
		}
	})
}

// Servers that have no room write no more rows than one of them does.
func TestBacklogOfSeveralServers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{Backlog: 30})
		w.change(func() { w.free = 0 })
		for id := range int64(20) { // another server's
			w.change(func() {
				w.runs = append(w.runs, job.Run{ID: 1_000_000 + id, GroupID: 1, State: job.Planned, ReadyAt: time.Now()})
			})
		}
		for id := range int64(50) {
			w.every(id+1, time.Hour, time.Now())
		}
		p.Wake()
		pass(3 * time.Second)
		if got, want := w.summary(), (summary{visible: 30}); got != want {
			t.Errorf("beside the rows of another server: %+v, want %+v", got, want)
		}
		w.change(func() { w.claimed = 7 }) // by the other one
		pass(3 * time.Second)
		if got, want := w.summary(), (summary{visible: 37}); got != want {
			t.Errorf("when it has claimed some: %+v, want %+v", got, want)
		}
	})
}

// A planner that was held back tells in one record of all firings of a job that
// it let go.
func TestBriefAfterBeingHeldBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{Backlog: 1})
		w.change(func() { w.free = 0 })
		w.every(1, 100*time.Millisecond, time.Now())
		p.Wake()
		pass(15 * time.Second)
		w.change(func() { w.free = 1000 })
		p.Wake()
		pass(0)
		told, planned := 0, len(w.planned(1))
		w.change(func() {
			for _, r := range w.runs {
				if r.State == job.Skipped {
					told += 1 + summedUp(t, r.Reason)
				}
			}
		})
		if s := w.summary(); s.skipped != 1 || told+planned != 161 {
			t.Errorf("%d records tell of %d firings, %d are planned; want one record, and 161 in all", s.skipped, told, planned)
		}
	})
}

func TestTogether(t *testing.T) {
	t.Parallel()
	at := func(n int) time.Time { return now.Add(time.Duration(n) * time.Minute) }
	older := schedule.Stretch{Count: 5, First: at(0), Last: at(4), Truncated: true}
	for _, c := range []struct {
		older schedule.Stretch
		newer []time.Time
		want  schedule.Stretch
	}{
		{older, nil, older},
		{schedule.Stretch{}, nil, schedule.Stretch{}},
		{schedule.Stretch{}, []time.Time{at(7)}, schedule.Stretch{Count: 1, First: at(7), Last: at(7)}},
		{older, []time.Time{at(5), at(6)}, schedule.Stretch{Count: 7, First: at(0), Last: at(6), Truncated: true}},
	} {
		if got := together(c.older, c.newer); got != c.want {
			t.Errorf("%+v and %v are %+v, want %+v", c.older, c.newer, got, c.want)
		}
	}
}
