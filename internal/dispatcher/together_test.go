package dispatcher

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

// Tasks that are due at the same time share a call, two calls at once at most, and each gets
// its own answer.
func TestTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		under, most := 0, 0
		w.change(func() {
			w.together = 20
			w.answer = func(_ string, task job.Task) (time.Duration, error) {
				if task.RunID%5 == 0 {
					return 50 * time.Millisecond, job.Errorf(job.Refused, "no to run %d", task.RunID)
				}
				return 50 * time.Millisecond, nil
			}
		})
		at := time.Now().Add(time.Second)
		var runs []job.Run
		for range 60 {
			runs = append(runs, w.add(at, 15*time.Second))
		}
		d.Take(runs)
		pass(989 * time.Millisecond)
		if n := len(w.sent()); n != 0 {
			t.Fatalf("%d tasks left 11 ms before they were due", n)
		}
		for range 20 {
			pass(10 * time.Millisecond)
			under = d.lanes.underWay("http://1")
			most = max(most, under)
		}
		if want := []int{20, 20, 20}; !slices.Equal(w.calls, want) {
			t.Errorf("calls of %v tasks, want %v", w.calls, want)
		}
		if most != 60 || under != 0 {
			t.Errorf("%d tasks were on their way at most, and %d are; want 60 and 0", most, under)
		}
		for _, s := range w.sent() {
			if late := s.at.Sub(at); late != -10*time.Millisecond && late != 40*time.Millisecond || !s.task.StartAt.Equal(at) {
				t.Errorf("a task left %s after it was due, to begin %s after that", late, s.task.StartAt.Sub(at))
			}
		}
		refused := 0
		w.change(func() {
			for _, o := range w.outcomes {
				run := w.attempts[o.AttemptID].RunID
				if refused++; run%5 != 0 || o.Message != fmt.Sprintf("no to run %d (executor http://1)", run) {
					t.Errorf("run %d has the answer %q", run, o.Message)
				}
			}
		})
		if refused != 12 {
			t.Errorf("%d were refused, want 12", refused)
		}
	})
}

// A task that is due before the one that a lane waits for is not late for that, and neither is
// one that is due while another waits. One that its executor holds until it is due says so.
func TestEarlierTask(t *testing.T) {
	t.Parallel()
	for _, together := range []int{0, 256} {
		t.Run(fmt.Sprint(together), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{Lead: 200 * time.Millisecond})
				w.change(func() { w.together = together })
				began := time.Now()
				due := make(map[int64]time.Duration)
				for _, after := range []time.Duration{190 * time.Millisecond, 150 * time.Millisecond, 151 * time.Millisecond, 0, 20 * time.Millisecond} {
					r := w.add(began.Add(after), 15*time.Second)
					due[r.ID] = after
					d.Take([]job.Run{r})
					pass(0)
				}
				pass(time.Second)
				if n := len(w.sent()); n != len(due) {
					t.Fatalf("%d tasks were sent, want %d", n, len(due))
				}
				for _, s := range w.sent() {
					at := s.at
					if together > 1 && due[s.run] > 0 {
						if at = s.task.StartAt; s.at.After(began) {
							t.Errorf("run %d left after %s, and could leave at once", s.run, s.at.Sub(began))
						}
					}
					if at := at.Sub(began); at != due[s.run] {
						t.Errorf("run %d begins after %s, due after %s", s.run, at, due[s.run])
					}
				}
				if n := len(d.lanes.lanes); n != 0 {
					t.Errorf("%d lanes are left", n)
				}
			})
		})
	}
}

// What a task does to the one before it is decided when it comes: it does not come early.
func TestOverlapOfTheExecutorIsNotEarly(t *testing.T) {
	t.Parallel()
	for _, overlap := range []job.Overlap{job.OverlapDiscard, job.OverlapCover} {
		t.Run(string(overlap), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				w.change(func() {
					w.together = 20
					j := w.jobs[theJob]
					j.Overlap, j.OverlapScope = overlap, job.ScopeExecutor
					w.jobs[theJob] = j
				})
				due := time.Now().Add(time.Second)
				d.Offer([]planner.Offered{w.offer(due)})
				pass(2 * time.Second)
				if sent := w.sent(); len(sent) != 1 || !sent[0].at.Equal(due) || !sent[0].task.StartAt.IsZero() {
					t.Errorf("sent %+v, want one task at %s that begins at once", sent, due)
				}
			})
		})
	}
}

// A dispatcher that stops sends nothing that is not due yet, and gives it back at once: another
// one does not begin it before its time.
func TestStopBeforeTasksAreDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, stop := start(t, Config{Lead: 10 * time.Second})
		var runs []job.Run
		for i := range 50 {
			runs = append(runs, w.add(time.Now().Add(5*time.Second+time.Duration(i)*time.Millisecond), 15*time.Second))
		}
		d.Take(runs)
		pass(100 * time.Millisecond)
		began := time.Now()
		stop()
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %s to stop", took)
		}
		if n := len(w.sent()); n != 0 {
			t.Errorf("%d tasks were sent", n)
		}
		for _, r := range runs {
			w.want(t, r.ID, job.Queued, "stopped before the task was sent")
			if ready := w.run(r.ID).ReadyAt; !ready.Equal(r.PlannedAt.Add(time.Millisecond)) {
				t.Errorf("run %d is ready at %s, and due at %s", r.ID, ready, r.PlannedAt)
			}
		}
	})
}

// An attempt that waits to be due can be taken back.
func TestWithdrawBeforeItIsDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{Lead: time.Second})
		r := w.add(time.Now().Add(500*time.Millisecond), 15*time.Second)
		d.Take([]job.Run{r})
		pass(10 * time.Millisecond)
		if !d.Withdraw(w.run(r.ID).AttemptID) {
			t.Error("it could not be withdrawn")
		}
		pass(time.Second)
		if n := len(w.sent()); n != 0 || len(d.lanes.lanes) != 0 {
			t.Errorf("%d tasks were sent, %d lanes are left", n, len(d.lanes.lanes))
		}
	})
}

// However many tasks an executor takes at once, what a silent one can make uncertain is bounded.
func TestTogetherIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerAddress: 4})
		w.change(func() {
			w.together = 1000
			w.answer = func(string, job.Task) (time.Duration, error) {
				return 3 * time.Second, job.Errorf(job.Ambiguous, "silence")
			}
		})
		var runs []job.Run
		for range 200 {
			runs = append(runs, w.add(time.Now(), 15*time.Second))
		}
		d.Take(runs)
		pass(time.Second)
		if want := []int{8}; !slices.Equal(w.calls[:1], want) || len(w.calls) > fewCalls || len(w.sent()) > 8*fewCalls {
			t.Errorf("calls of %v tasks under way, want two of at most 8", w.calls)
		}
	})
}

// One answer among many says that somebody is there.
func TestBreakerOfCallsWithManyTasks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		silence := job.Errorf(job.Ambiguous, "silence")
		w.change(func() {
			w.together = 100
			w.answer = func(_ string, task job.Task) (time.Duration, error) {
				if task.RunID == 1 {
					return 0, nil
				}
				return 0, silence
			}
		})
		failures := func() int { return d.config.Breaker.Status("http://1", time.Now()).Failures }
		for _, want := range []int{0, 1} { // with the first run, and without it
			var runs []job.Run
			for range 10 {
				runs = append(runs, w.add(time.Now(), 15*time.Second))
			}
			d.Take(runs)
			pass(100 * time.Millisecond)
			if got := failures(); got != want {
				t.Errorf("%d calls failed in a row, want %d", got, want)
			}
		}
	})
}
