package planner

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// consecutive reports what is wrong with a job's runs: each firing since first
// must be there, once, up to now.
func (w *world) consecutive(t *testing.T, id int64, first time.Time, period time.Duration) {
	t.Helper()
	w.fires(t, id, first, period, 0)
}

// fires is consecutive for runs that are planned at their time, or some time later.
func (w *world) fires(t *testing.T, id int64, first time.Time, period, late time.Duration) {
	t.Helper()
	planned := w.planned(id)
	for i, at := range planned {
		if want := first.Add(time.Duration(i) * period); !at.Equal(want) {
			t.Fatalf("job %d: run %d is planned for %s, want %s", id, i, at, want)
		}
	}
	end := first
	if len(planned) > 0 {
		end = planned[len(planned)-1]
	}
	if behind := time.Since(end); behind > late {
		t.Errorf("job %d: the last run was planned for %s ago", id, behind)
	}
}

func TestPlansAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		first := time.Now().Add(10 * time.Second)
		w.every(1, time.Second, first)
		p.Wake()
		pass(8900 * time.Millisecond)
		if n := len(w.planned(1)); n != 0 {
			t.Fatalf("%d runs are planned 1.1 s ahead", n)
		}
		pass(350 * time.Millisecond)
		if n := len(w.planned(1)); n != 1 {
			t.Fatalf("%d runs are planned 0.75 s ahead, want 1", n)
		}
		pass(time.Minute)
		w.consecutive(t, 1, first, time.Second)
		w.change(func() {
			if len(w.taken) != len(w.runs) {
				t.Errorf("%d of %d runs were handed over", len(w.taken), len(w.runs))
			}
			for _, r := range w.taken {
				if r.ID == 0 || !r.ReadyAt.Equal(r.PlannedAt.Add(15*time.Second)) {
					t.Fatalf("handed over %+v, which others may take at %s", r, r.ReadyAt)
				}
			}
			if w.reads > 200 {
				t.Errorf("%d reads in a minute with a firing a second", w.reads)
			}
		})
	})
}

func TestIdleIsQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		pass(time.Minute)
		w.every(1, 24*time.Hour, time.Now().Add(3*time.Hour))
		p.Wake()
		pass(time.Minute)
		w.change(func() {
			if w.reads > 125 || w.commits > 0 {
				t.Errorf("%d reads and %d commits in two minutes without a firing", w.reads, w.commits)
			}
		})
	})
}

func TestNewJobIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{Poll: time.Hour})
		w.every(1, time.Minute, time.Now().Add(50*time.Millisecond))
		p.Wake()
		synctest.Wait()
		if n := len(w.planned(1)); n != 1 {
			t.Errorf("%d runs after Wake, want 1", n)
		}
	})
}

// Two planners see the same jobs, and users change them between read and commit:
// what took effect is planned once, and only by its owner handed over.
func TestLosersHandOverNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		w.every(1, time.Minute, time.Now().Add(time.Second))
		w.every(2, time.Minute, time.Now().Add(time.Second))
		w.change(func() {
			w.between = func() {
				if d := w.jobs[1]; d != nil && d.Version < 4 {
					d.Version++ // a user saves it while it is being planned
				}
			}
		})
		p.Wake()
		pass(time.Second)
		if a, b := len(w.planned(1)), len(w.planned(2)); a != 1 || b != 1 {
			t.Errorf("%d and %d runs, want one each", a, b)
		}
		w.change(func() {
			if len(w.taken) != 2 || w.taken[1].JobVersion != 4 {
				t.Errorf("handed over %+v", w.taken)
			}
		})
	})
}

// A plan that never takes effect is not a busy loop.
func TestQuickerRival(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		w.every(1, time.Minute, time.Now())
		w.change(func() { w.between = func() { w.jobs[1].Version++ } })
		p.Wake()
		pass(10 * time.Second)
		w.change(func() {
			if w.commits > 105 {
				t.Errorf("%d commits in 10 s", w.commits)
			}
		})
	})
}

// The planner never plans more than the dispatcher has room for: the others stay
// due.
func TestBackPressure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		w.change(func() { w.free = 7 })
		for id := range int64(20) {
			w.every(id+1, time.Minute, time.Now().Add(time.Second))
		}
		p.Wake()
		pass(500 * time.Millisecond)
		w.change(func() {
			if len(w.taken) != 7 || len(w.runs) != 7 || w.free != 0 {
				t.Fatalf("%d runs, %d handed over, %d free", len(w.runs), len(w.taken), w.free)
			}
			w.free = 100
		})
		p.Wake()
		pass(0)
		w.change(func() {
			if len(w.taken) != 20 {
				t.Errorf("%d of 20 handed over when there was room again", len(w.taken))
			}
			w.free = 2
		})

		w.every(100, 100*time.Millisecond, time.Now())
		w.every(101, 100*time.Millisecond, time.Now().Add(time.Millisecond)) // stays due
		p.Wake()
		pass(0)
		w.change(func() {
			var hidden, visible int
			for _, r := range w.runs[20:] {
				if r.ReadyAt.Equal(r.PlannedAt) {
					visible++
				} else {
					hidden++
				}
			}
			if hidden != 2 || visible != 0 || len(w.taken) != 22 {
				t.Errorf("%d handed over and hidden, %d visible, %d taken", hidden, visible, len(w.taken))
			}
		})
	})
}

func TestMisfiresAfterAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		w.every(1, time.Minute, time.Now().Add(-3*time.Hour))
		w.change(func() { w.jobs[1].Misfire = schedule.MisfireFireAll })
		p.Wake()
		pass(time.Second)
		missed, skipped := 0, 0
		w.change(func() {
			for _, r := range w.runs {
				switch {
				case r.State == job.Skipped:
					skipped++
				case r.Cause == job.CauseMisfire:
					missed++
				}
			}
		})
		if missed != 100 || skipped != 80 {
			t.Errorf("%d runs make up for firings, %d tell of those let go; want 100 and 80", missed, skipped)
		}
	})
}

func TestUnreadableScheduleStopsTheJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		w.every(1, time.Minute, time.Now())
		w.every(2, time.Minute, time.Now())
		w.change(func() { w.jobs[1].Schedule = schedule.Spec{Kind: "moon"} })
		p.Wake()
		pass(time.Second)
		w.change(func() {
			if w.jobs[1] != nil {
				t.Error("the job is still enabled")
			}
			if len(w.taken) != 1 || w.taken[0].JobID != 2 {
				t.Errorf("handed over %+v", w.taken)
			}
		})
	})
}

// Errors before and after commits, for a while: nothing is lost or doubled, and
// they do not make the loop busy.
func TestStoreErrors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		first := time.Now()
		random := rand.New(rand.NewPCG(7, 7))
		fate := func() error {
			if random.IntN(2) == 0 {
				return job.Errorf(job.Unavailable, "storm")
			}
			return nil
		}
		w.change(func() { w.fail, w.failLate = fate, fate })
		w.every(1, 500*time.Millisecond, first)
		w.change(func() { w.jobs[1].Misfire = schedule.MisfireFireAll })
		for range 600 {
			p.Wake()
			pass(100 * time.Millisecond)
		}
		w.change(func() {
			if w.reads > 200 {
				t.Errorf("%d reads in a minute of errors", w.reads)
			}
			w.fail, w.failLate = func() error { return nil }, func() error { return nil }
		})
		pass(5 * time.Second)
		w.consecutive(t, 1, first, 500*time.Millisecond)
		w.change(func() {
			ids := make(map[int64]bool)
			for _, r := range w.runs {
				if ids[r.ID] {
					t.Fatalf("id %d was given twice", r.ID)
				}
				ids[r.ID] = true
			}
		})
	})
}

func TestScheduleCache(t *testing.T) {
	t.Parallel()
	cache := newSchedules(10)
	for id := range int64(100) {
		d := due(time.Minute, now, schedule.MisfireSkip)
		d.JobID = id
		if _, err := cache.scheduleOf(&d, &rules{}); err != nil {
			t.Fatal(err)
		}
		if len(cache.known) > 10 {
			t.Fatalf("%d schedules are remembered", len(cache.known))
		}
	}
	d := due(time.Minute, now, schedule.MisfireSkip)
	d.JobID = 99
	d.Schedule.Every, d.Version = time.Hour, 5
	s, err := cache.scheduleOf(&d, &rules{})
	if err != nil {
		t.Fatal(err)
	}
	if next, _ := s.Next(now); !next.Equal(now.Add(time.Hour)) {
		t.Errorf("the old schedule was used for the new version: next is %s", next)
	}
}

// Busy as it is, the planner asks for the rules once a second. When a job is
// looked at because they have changed, it goes by the new ones, although nobody
// woke it.
func TestRulesAreFreshForAChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		w.every(1, 100*time.Millisecond, time.Now())
		p.Wake()
		pass(10 * time.Second)
		w.change(func() {
			if w.asked < 8 || w.asked > 12 {
				t.Errorf("asked for the rules %d times in 10 s", w.asked)
			}
		})
		today := time.Now().UTC().Truncate(24 * time.Hour)
		save := func(rules calendar.Rules) {
			w.ruled(func(r *Rules) {
				r.Calendars = []job.Calendar{{ID: 1, Namespace: job.DefaultNamespace, Key: "cal", Version: r.Version, Rules: rules}}
			})
		}
		save(calendar.Rules{})
		w.add(Due{JobID: 2, Next: today.AddDate(0, 0, 1), Schedule: schedule.Spec{
			Kind: schedule.KindCron, Cron: "0 0 0 * * ?", Calendars: []string{"cal"},
		}})
		for day := 1; day < 20; day++ {
			w.change(func() { w.jobs[2].Look = time.Now() })
			save(calendar.Rules{Ranges: []calendar.Range{{
				From: calendar.DateOf(today), To: calendar.DateOf(today.AddDate(0, 0, day)),
			}}})
			pass(300 * time.Millisecond)
			w.change(func() {
				if next := w.jobs[2].Next; !next.Equal(today.AddDate(0, 0, day+1)) {
					t.Fatalf("with %d days closed it fires on %s", day+1, next)
				}
			})
		}
	})
}

// A job may be newer than the rules that the planner has: it is not stopped for a
// calendar that there is.
func TestNewCalendarIsFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		w.every(1, 100*time.Millisecond, time.Now())
		p.Wake()
		for id := range int64(20) {
			pass(250 * time.Millisecond)
			key := fmt.Sprint("cal", id)
			w.ruled(func(r *Rules) {
				r.Calendars = append(r.Calendars, job.Calendar{ID: id + 1, Namespace: job.DefaultNamespace, Key: key, Version: 1})
			})
			w.add(Due{JobID: 10 + id, Next: time.Now(), Schedule: schedule.Spec{
				Kind: schedule.KindEvery, Every: time.Hour, Anchor: time.Now(), Calendars: []string{key},
			}})
		}
		pass(time.Second)
		w.change(func() {
			if len(w.stopped) > 0 || len(w.jobs) != 21 {
				t.Errorf("jobs were stopped: %v", w.stopped)
			}
		})
	})
}
