package planner

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// tally is what became of a job's firings.
type tally struct {
	onTime int // planned for their time
	madeUp int // planned late
	told   int // let go, with a record each
	summed int // let go, in the record of the others
}

// tallies counts the runs of each job, and checks what must hold of them all: no
// instant twice, a job's starts in the order of its instants, and not more than
// rate starts of what is made up for in any second.
func (w *world) tallies(t *testing.T, rate int, spacing time.Duration) map[int64]tally {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	counts := make(map[int64]tally)
	seen := make(map[runKey]bool)
	var starts []time.Time
	byJob := make(map[int64][]job.Run)
	for _, r := range w.runs {
		key := runKey{r.JobID, r.PlannedAt.UnixMilli(), "", 0}
		if seen[key] {
			t.Fatalf("job %d: the instant %s is there twice", r.JobID, r.PlannedAt)
		}
		seen[key] = true
		c := counts[r.JobID]
		switch {
		case r.State == job.Planned && r.Cause == job.CauseSchedule:
			c.onTime++
		case r.State == job.Planned:
			c.madeUp++
			starts = append(starts, r.DueAt)
			byJob[r.JobID] = append(byJob[r.JobID], r)
		case summedUp(t, r.Reason) > 0:
			c.summed += summedUp(t, r.Reason) + 1
		default:
			c.told++
		}
		counts[r.JobID] = c
	}
	if at, ok := quicker(starts, rate); ok {
		t.Errorf("more than %d starts in the second from %s", rate, at)
	}
	for id, runs := range byJob {
		slices.SortFunc(runs, func(a, b job.Run) int { return a.PlannedAt.Compare(b.PlannedAt) })
		for i := 1; i < len(runs); i++ {
			if gap := runs[i].DueAt.Sub(runs[i-1].DueAt); gap < max(spacing, 1) {
				t.Fatalf("job %d: the runs for %s and %s start %s apart", id, runs[i-1].PlannedAt, runs[i].PlannedAt, gap)
			}
		}
	}
	return counts
}

// outage is what each of many jobs of every minute does about 120 firings that it
// could not fire, 2 hours long, and about the three from its end on.
type outage struct {
	policy schedule.Misfire
	limits schedule.MisfireLimits
	want   tally
	why    string // in a reason of what was let go, the first that is told alone
}

// outages returns those of the names, or all.
func outages(names ...string) map[string]outage {
	const skip, once, all = schedule.MisfireSkip, schedule.MisfireFireOnce, schedule.MisfireFireAll
	half := schedule.MisfireLimits{Window: 30 * time.Minute, Max: 50, Spacing: time.Second}
	table := map[string]outage{
		//                                                                          on time  made up  told  summed
		"skip":            {skip, schedule.MisfireLimits{}, tally{3, 0, 100, 20}, "skip let it go"},
		"fire once":       {once, schedule.MisfireLimits{}, tally{3, 1, 100, 19}, "it makes up for the newest only"},
		"fire all":        {all, schedule.MisfireLimits{}, tally{3, 100, 20, 0}, "it makes up for the newest 100"},
		"most 50":         {all, schedule.MisfireLimits{Max: 50}, tally{3, 50, 70, 0}, "it makes up for the newest 50"},
		"half an hour":    {all, half, tally{3, 30, 90, 0}, "it makes up for those of the last 30m0s"},
		"most 5 spaced":   {all, schedule.MisfireLimits{Max: 5, Spacing: time.Minute}, tally{3, 5, 100, 15}, "the newest 5"},
		"all of them":     {all, schedule.MisfireLimits{Max: 1000}, tally{3, 120, 0, 0}, ""},
		"patient":         {skip, schedule.MisfireLimits{Threshold: time.Hour}, tally{63, 0, 60, 0}, "skip let it go"},
		"patient for all": {all, schedule.MisfireLimits{Threshold: 3 * time.Hour}, tally{123, 0, 0, 0}, ""},
	}
	maps.DeleteFunc(table, func(name string, _ outage) bool { return len(names) > 0 && !slices.Contains(names, name) })
	return table
}

// fill adds the jobs of an outage.
func (w *world) fill(o outage, jobs int64, first time.Time) {
	w.change(func() { w.free = 1_000_000 })
	for id := range jobs {
		w.add(Due{
			JobID: id + 1, Next: first, Misfire: o.policy, Limits: o.limits,
			Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "0 * * * * ?"},
		})
	}
}

func (w *world) check(t *testing.T, o outage, jobs int64, rate int) {
	t.Helper()
	counts := w.tallies(t, rate, o.limits.Spacing)
	for id := range jobs {
		if got := counts[id+1]; got != o.want {
			t.Fatalf("job %d: %+v, want %+v", id+1, got, o.want)
		}
	}
	for _, r := range w.runs {
		if r.JobID == 1 && r.State == job.Skipped && summedUp(t, r.Reason) == 0 {
			if !strings.Contains(r.Reason, o.why) {
				t.Errorf("reason %q, want %q in it", r.Reason, o.why)
			}
			return
		}
	}
	if o.why != "" {
		t.Errorf("no record says %q", o.why)
	}
}

// Nobody planned for two hours.
func TestSimOutage(t *testing.T) {
	t.Parallel()
	for name, o := range outages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, p := start(t, Config{CatchUpRate: 90})
				w.fill(o, 500, time.Now().Add(-2*time.Hour))
				single := int64(501)
				w.add(Due{
					JobID: single, Next: time.Now().Add(-time.Minute), Misfire: schedule.MisfireFireOnce,
					Schedule: schedule.Spec{Kind: schedule.KindOnce, At: time.Now().Add(-time.Minute)},
				})
				begin := time.Now()
				p.Wake()
				pass(2*time.Minute + time.Second)
				w.check(t, o, 500, 90)
				w.change(func() {
					for _, r := range w.runs {
						if r.JobID == single && r.DueAt.Sub(begin) > 25*time.Second {
							t.Errorf("the job of one missed firing waits %s behind those of many", r.DueAt.Sub(begin))
						}
					}
					if got := w.stopped[single]; got != over {
						t.Errorf("the job of one firing: %q", got)
					}
				})
			})
		})
	}
}

// A pause of two hours does to the schedule what an outage does, and its name is
// in each reason. Nothing starts before its end.
func TestSimPause(t *testing.T) {
	t.Parallel()
	for name, o := range outages("skip", "fire once", "half an hour", "patient") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, p := start(t, Config{})
				begin := time.Now().Add(10 * time.Minute)
				end := begin.Add(2 * time.Hour)
				w.ruled(func(r *Rules) {
					r.Pauses = []Pause{{Pause: job.Pause{Key: "upgrade", Reason: "new disks", From: begin, Until: end}}}
				})
				w.fill(o, 100, begin)
				p.Wake()
				pass(time.Until(begin) + time.Hour)
				w.change(func() {
					if len(w.runs) > 0 {
						t.Fatalf("%d runs within the pause", len(w.runs))
					}
					for _, d := range w.jobs {
						if d.HeldBy != "upgrade" || !d.Next.Equal(begin) || d.Look.After(end) || d.Look.Before(end.Add(-time.Minute)) {
							t.Fatalf("held %+v", d)
						}
					}
				})
				pass(time.Until(end) + 2*time.Minute + time.Second)
				w.check(t, o, 100, 100)
				w.change(func() {
					for _, r := range w.runs {
						if r.DueAt.Before(end) && r.State == job.Planned {
							t.Fatalf("run for %s starts at %s, before the end of the pause", r.PlannedAt, r.DueAt)
						}
						held := r.Cause == job.CauseMisfire || r.PlannedAt.Before(end)
						if held != strings.Contains(r.Reason, "held by pause upgrade (new disks)") {
							t.Fatalf("run for %s: %q", r.PlannedAt, r.Reason)
						}
					}
					if w.commits > 3000 {
						t.Errorf("%d commits for a pause of two hours", w.commits)
					}
				})
			})
		})
	}
}

// An open pause is lifted after half an hour: the planner acts at once.
func TestSimLifted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		begin := time.Now()
		w.ruled(func(r *Rules) { r.Pauses = []Pause{{Pause: job.Pause{Key: "all", From: begin}}} })
		o := outage{schedule.MisfireFireOnce, schedule.MisfireLimits{}, tally{2, 1, 29, 0}, "held by pause all"}
		w.fill(o, 100, begin)
		p.Wake()
		pass(30 * time.Minute)
		w.lift()
		p.Wake()
		pass(time.Minute)
		w.check(t, o, 100, 100)
		w.change(func() {
			if first := w.runs[0].CreatedAt.Sub(begin); first != 30*time.Minute {
				t.Errorf("the first run was made after %s", first)
			}
			for _, d := range w.jobs {
				if d.HeldBy != "" {
					t.Fatalf("still held: %+v", d)
				}
			}
		})
	})
}

// A window of maintenance comes each night; what it holds back is made up for
// each morning.
func TestSimWindow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{Poll: time.Minute}) // at midnight, UTC
		begin := time.Now()
		w.ruled(func(r *Rules) {
			r.Pauses = []Pause{{Pause: job.Pause{
				Key: "night", From: begin, Window: &job.Window{Cron: "0 0 2 * * ?", For: 3 * time.Hour},
			}}}
		})
		w.every(1, 15*time.Minute, begin)
		w.change(func() { w.jobs[1].Misfire = schedule.MisfireFireOnce })
		p.Wake()
		pass(3*24*time.Hour - time.Minute)
		// Of 96 firings a day 12 are held: 11 are let go, the newest is made
		// up for.
		if got, want := w.tallies(t, 100, 0)[1], (tally{3 * 84, 3, 33, 0}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		w.change(func() {
			for _, r := range w.runs {
				if hour := r.DueAt.Hour(); r.State == job.Planned && 2 <= hour && hour < 5 {
					t.Errorf("run for %s starts at %s", r.PlannedAt, r.DueAt)
				}
			}
		})
	})
}

// A job of every day at noon has a calendar, which changes again and again while
// the job waits.
func TestSimCalendar(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{Poll: time.Hour}) // Saturday, 2000-01-01
		noon := func(day int) time.Time { return time.Date(2000, 1, day, 12, 0, 0, 0, time.UTC) }
		save := func(closed ...int) {
			var rules calendar.Rules
			for _, day := range closed {
				rules.Dates = append(rules.Dates, calendar.Day{Date: calendar.DateOf(noon(day)), Name: fmt.Sprintf("day %d", day)})
			}
			w.ruled(func(r *Rules) {
				r.Calendars = []job.Calendar{{
					ID: 1, Namespace: job.DefaultNamespace, Key: "cal", Version: r.Version, Rules: rules,
				}}
				for _, d := range w.jobs {
					d.Look = time.Now()
				}
			})
			p.Wake()
			pass(time.Second)
		}
		next := func(want int) {
			t.Helper()
			w.change(func() {
				if d := w.jobs[1]; !d.Next.Equal(noon(want)) || !d.Look.Equal(d.Next) {
					t.Errorf("the next firing is on %s, want day %d; it is looked at on %s", d.Next, want, d.Look)
				}
			})
		}
		save()
		w.add(Due{JobID: 1, Next: noon(1), Schedule: schedule.Spec{
			Kind: schedule.KindCron, Cron: "0 0 12 * * ?", Calendars: []string{"cal"},
		}})
		pass(24 * time.Hour) // day 1 fires
		next(2)
		save(2, 3)
		next(4)
		save(2)
		next(3)
		save(2, 3, 4)
		next(5)
		pass(4 * 24 * time.Hour) // day 5 fires
		next(6)
		pass(time.Until(noon(6)) - 500*time.Millisecond)
		if got := len(w.planned(1)); got != 3 {
			t.Fatalf("%d runs, want those of days 1, 5 and 6", got)
		}
		save(7, 8)
		next(9)
		w.change(func() { w.rules.Calendars = nil; w.rules.Version++ })
		pass(time.Until(noon(9)))
		w.change(func() {
			var got []string
			for _, r := range w.runs {
				got = append(got, fmt.Sprintf("%d %s %s", r.PlannedAt.Day(), r.State, r.Reason))
			}
			slices.Sort(got)
			want := []string{
				"1 planned ",
				"2 skipped calendar cal does not allow the day, day 2",
				"3 skipped calendar cal does not allow the day, day 3",
				"4 skipped calendar cal does not allow the day, day 4",
				"5 planned ",
				"6 planned ",
				`9 skipped the job was stopped: its schedule cannot be read: `,
			}
			if !slices.EqualFunc(want, got, func(w, g string) bool { return strings.HasPrefix(g, w) }) {
				t.Errorf("runs:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if !strings.HasPrefix(w.stopped[1], "its schedule cannot be read") {
				t.Errorf("stopped with %q", w.stopped[1])
			}
		})
	})
}

// end ends the open run of a fixed delay, as the completer does.
func (w *world) end(id int64, after time.Duration) {
	w.change(func() {
		if d := w.jobs[id]; d != nil && d.Next.IsZero() {
			d.Next = time.Now().Add(after)
			d.Look = d.Next
		}
	})
}

// A fixed delay fires once, waits for the end of each run, and stops at its
// count. While its run is open it is nowhere due.
func TestSimAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		begin := time.Now()
		w.add(Due{JobID: 1, Next: begin, Schedule: schedule.Spec{Kind: schedule.KindAfter, After: 10 * time.Minute, Count: 4}})
		p.Wake()
		for n := range 4 {
			pass(time.Duration(n) * time.Hour) // each run takes longer
			if got := len(w.planned(1)); got != n+1 {
				t.Fatalf("%d runs, want %d", got, n+1)
			}
			w.end(1, 10*time.Minute)
			pass(10 * time.Minute)
		}
		want := []time.Time{
			begin, begin.Add(10 * time.Minute), begin.Add(80 * time.Minute), begin.Add(210 * time.Minute),
		}
		if got := w.planned(1); !slices.EqualFunc(got, want, time.Time.Equal) {
			t.Errorf("planned for %v, want %v", got, want)
		}
		w.change(func() {
			if got := w.stopped[1]; got != "its schedule has made its 4 runs" {
				t.Errorf("stopped with %q", got)
			}
		})
	})
}

// The count of a job holds through an outage, whatever makes up for it.
func TestSimCount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		policies := []schedule.Misfire{schedule.MisfireSkip, schedule.MisfireFireOnce, schedule.MisfireFireAll}
		for i, policy := range policies {
			w.add(Due{JobID: int64(i), Next: time.Now().Add(-time.Hour), Misfire: policy, Schedule: schedule.Spec{
				Kind: schedule.KindEvery, Every: time.Minute, Count: 70,
			}})
		}
		p.Wake()
		pass(2 * time.Hour)
		counts := w.tallies(t, 100, 0)
		for i, want := range []tally{{70, 0, 60, 0}, {69, 1, 59, 0}, {10, 60, 0, 0}} {
			if got := counts[int64(i)]; got != want {
				t.Errorf("%s: %+v, want %+v", policies[i], got, want)
			}
			w.change(func() {
				if got := w.stopped[int64(i)]; got != "its schedule has made its 70 runs" {
					t.Errorf("%s: stopped with %q", policies[i], got)
				}
			})
		}
	})
}

// Planners are killed and the store fails before and after commits, in the middle
// of catching up: each instant is there once, and none is lost.
func TestSimStorm(t *testing.T) {
	t.Parallel()
	for name, o := range outages("skip", "half an hour", "all of them") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				random, kills := rand.New(rand.NewPCG(5, uint64(len(name)))), rand.New(rand.NewPCG(6, 6))
				fate := func() error {
					if random.IntN(3) == 0 {
						return job.Errorf(job.Unavailable, "storm")
					}
					return nil
				}
				calm := func() error { return nil }
				w.change(func() { w.fail, w.failLate = fate, fate })
				begin := time.Now()
				w.fill(o, 100, begin.Add(-2*time.Hour))
				for range 12 {
					_, stop := w.run(t, Config{Batch: 20})
					pass(time.Duration(kills.IntN(4000)) * time.Millisecond)
					stop()
				}
				w.change(func() { w.fail, w.failLate = calm, calm })
				_, stop := w.run(t, Config{})
				pass(time.Until(begin.Add(2*time.Minute + time.Second)))
				stop()
				// Planners that were killed do not know what each other gave out.
				counts := w.tallies(t, len(w.runs), o.limits.Spacing)
				for id := range int64(100) {
					c := counts[id+1]
					if got, want := c.onTime+c.madeUp+c.told+c.summed, 123; got != want {
						t.Fatalf("job %d: %+v, %d in all, want %d", id+1, c, got, want)
					}
				}
			})
		})
	}
}

// A store that refuses a minute of commits, and then loses the answers, does not
// use up the rate: what was committed keeps its slots, what was not gives them
// back.
func TestSimLostAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, p := start(t, Config{})
		begin := time.Now()
		seen := 0
		w.change(func() {
			w.fail = func() error {
				if w.commits == seen || w.commits > 60 { // a read, or enough
					return nil
				}
				seen = w.commits
				return job.Errorf(job.Unavailable, "refused")
			}
			w.failLate = func() error { return job.Errorf(job.Unavailable, "lost") }
		})
		for id := range int64(30) {
			w.every(id, time.Minute, begin.Add(-3*time.Hour))
			w.change(func() { w.jobs[id].Misfire = schedule.MisfireFireAll })
		}
		p.Wake()
		pass(time.Hour)
		w.change(func() { w.failLate = func() error { return nil } })
		w.tallies(t, 100, 0)
		w.change(func() {
			var last time.Time
			for _, r := range w.runs {
				if r.Cause == job.CauseMisfire {
					last = laterOf(last, r.DueAt)
				}
			}
			// 3000 starts after a minute, nine tenths of them at half of a
			// hundred a second.
			if took := last.Sub(begin); took > 140*time.Second {
				t.Errorf("the last start is after %s", took)
			}
		})
	})
}
