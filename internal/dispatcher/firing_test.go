package dispatcher

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

// A move that was offered becomes rows shortly before its run is due, in one transaction with
// the mark, and the planner is told. An executor of Orth has the task by then and waits with
// it, and others get it when it is due.
func TestOfferedIsCommittedWithItsMark(t *testing.T) {
	t.Parallel()
	for _, together := range []int{0, 20} {
		t.Run(fmt.Sprint(together), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				w.change(func() { w.together = together })
				due := time.Now().Add(time.Second)
				o := w.offer(due)
				d.Offer([]planner.Offered{o})
				pass(940 * time.Millisecond)
				if n := w.count(&w.firings); n != 0 || len(w.sent()) > 0 {
					t.Fatalf("%d transactions and %d tasks 60 ms ahead of time", n, len(w.sent()))
				}
				pass(20 * time.Millisecond)
				if n := w.count(&w.firings); n != 1 {
					t.Fatalf("%d transactions 40 ms ahead of time", n)
				}
				pass(50 * time.Millisecond)
				leaves, begins := due, time.Time{}
				if together > 1 {
					leaves, begins = due.Add(-50*time.Millisecond), due
				}
				if sent := w.sent(); len(sent) != 1 || !sent[0].at.Equal(leaves) || !sent[0].task.StartAt.Equal(begins) {
					t.Fatalf("sent %+v, want one task at %s that begins at %s", sent, leaves, begins)
				}
				w.change(func() {
					if w.firings != 1 || w.marks != 0 || !slices.Equal(w.settled, []bool{true}) {
						t.Errorf("%d transactions with moves and %d of marks; the planner heard %v", w.firings, w.marks, w.settled)
					}
				})
				pass(time.Second)
				w.want(t, o.Run().ID, job.Running, "")
				if one, ok := d.Sent(w.run(o.Run().ID).AttemptID); !ok || one.Attempt.AcceptedAt.Before(due) {
					t.Errorf("%t: it runs since %s before it was due", ok, due.Sub(one.Attempt.AcceptedAt))
				}
			})
		})
	}
}

// Firings of half the time of an early one share a transaction, and whatever wakes the
// dispatcher meanwhile does not tear them apart.
func TestEarlyFiringsShareATransaction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		began := time.Now()
		for i := range 10 {
			o := w.offer(began.Add(time.Second + time.Duration(5*i)*time.Millisecond))
			o.Move.JobID = int64(1000 + i) // each has firings of its own
			d.Offer([]planner.Offered{o})
		}
		for range 200 {
			pass(5 * time.Millisecond)
			d.Wake()
		}
		pass(time.Second)
		if n := w.count(&w.firings); n != 1 || len(w.sent()) != 10 {
			t.Errorf("%d transactions for %d tasks", n, len(w.sent()))
		}
		for _, s := range w.sent() {
			if !s.at.Equal(s.task.PlannedAt) {
				t.Errorf("run %d left %s after it was due", s.run, s.at.Sub(s.task.PlannedAt))
			}
		}
	})
}

// Firings that have waited for others half of their time share the transaction of somebody else,
// and those that are due within the time of early ones come along.
func TestFiringsComeAlong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before time.Duration // the first firing is due
		later  int           // firings that wait beside those
		along  int           // transactions of those that come along
		all    int           // of all ten
	}{
		"long before":    {500 * time.Millisecond, 0, 0, 1},
		"too early":      {80 * time.Millisecond, 0, 0, 1},
		"half of it":     {74 * time.Millisecond, 0, 1, 2}, // the last ones are not early
		"nearly all":     {51 * time.Millisecond, 0, 1, 1},
		"beside many":    {74 * time.Millisecond, sharedUpTo, 0, 1},
		"when it is due": {0, 0, 0, 1}, // it was committed with all others
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				due := time.Now().Add(time.Second)
				for i := range 10 {
					o := w.offer(due.Add(time.Duration(4*i) * time.Millisecond))
					o.Move.JobID = int64(1000 + i)
					d.Offer([]planner.Offered{o})
				}
				for i := range c.later {
					o := w.offer(due.Add(time.Minute))
					o.Move.JobID = int64(2000 + i)
					d.Offer([]planner.Offered{o})
				}
				pass(time.Second - c.before)
				was := w.count(&w.firings)
				d.Along()
				synctest.Wait()
				if got := w.count(&w.firings) - was; got != c.along {
					t.Errorf("%d transactions of firings that came along, want %d", got, c.along)
				}
				pass(time.Second)
				d.Along()
				if len(d.wake) != 0 {
					t.Error("the loop is woken without a firing")
				}
				if n := w.count(&w.firings); n != c.all || len(w.sent()) != 10 {
					t.Errorf("%d transactions for %d tasks, want %d for 10", n, len(w.sent()), c.all)
				}
			})
		})
	}
}

// Thousands of firings of one instant are committed so much earlier that the last of them is in
// time. Many firings that are not of one instant are not.
func TestCrowdsOfFiringsAreEarlier(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		n     int
		apart time.Duration
		early time.Duration
	}{
		"one":               {1, 0, 50 * time.Millisecond},
		"as many as always": {manyAtOnce, 0, 50 * time.Millisecond},
		"a crowd":           {manyAtOnce + 2500, 0, 250 * time.Millisecond},
		"a large crowd":     {7000, 0, 570 * time.Millisecond},
		"apart":             {4000, 250 * time.Microsecond, 50 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				due := time.Now().Add(time.Second)
				for i := range c.n {
					o := w.offer(due.Add(time.Duration(i) * c.apart))
					o.Move.JobID = int64(1000 + i)
					d.Offer([]planner.Offered{o})
				}
				pass(time.Second - c.early - 5*time.Millisecond)
				if n := w.count(&w.firings); n != 0 {
					t.Fatalf("%d transactions more than %s before", n, c.early)
				}
				pass(10 * time.Millisecond)
				if n := w.count(&w.firings); n == 0 {
					t.Fatalf("no transaction %s before", c.early)
				}
			})
		})
	}
}

// What becomes of the run of a busy job is decided when it is due, and not before: until then
// the job may be free.
func TestBusyJobIsNotDecidedEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		asked := 0
		w.change(func() {
			w.together = 20
			j := w.jobs[theJob]
			j.Overlap, j.OverlapScope = job.OverlapDiscard, job.ScopeCluster
			w.jobs[theJob] = j
			w.meet = func(Mark) Meeting {
				asked++
				return Meeting{Fate: FateSkipped}
			}
		})
		o := w.offer(time.Now().Add(time.Second))
		d.Offer([]planner.Offered{o})
		pass(970 * time.Millisecond) // it has been tried
		w.change(func() {
			if w.firings != 1 || len(w.runs) != 0 || asked != 0 || len(w.settled) != 0 {
				t.Fatalf("%d transactions, %d rows, %d decisions; the planner heard %v", w.firings, len(w.runs), asked, w.settled)
			}
			w.meet = nil // the run before it has ended
		})
		pass(time.Second)
		if n := w.count(&w.firings); n != 2 || len(w.sent()) != 1 {
			t.Errorf("%d transactions and %d tasks, want 2 and 1", n, len(w.sent()))
		}
		w.want(t, o.Run().ID, job.Running, "")
	})
}

// A move that does not take effect leaves nothing behind: no run, no task, no memory.
func TestOfferedThatIsLateForAnEdit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		edited, deleted := w.offer(time.Now().Add(time.Second)), w.offer(time.Now().Add(time.Second))
		deleted.Move.JobID, deleted.Move.Runs[0].JobID = 77, 77
		d.Offer([]planner.Offered{edited, deleted})
		pass(500 * time.Millisecond)
		w.change(func() {
			j := w.jobs[theJob]
			j.Version = 2
			w.jobs[theJob] = j
		})
		pass(time.Second)
		w.change(func() {
			if len(w.runs) != 0 || len(w.sends) != 0 || !slices.Equal(w.settled, []bool{false, false}) {
				t.Errorf("%d runs and %d tasks came of it; the planner heard %v", len(w.runs), len(w.sends), w.settled)
			}
		})
		if n := d.Holding(); n != 0 {
			t.Errorf("%d are held", n)
		}
	})
}

// Where no executor is alive the run becomes a row that says so, and is sent when one comes.
func TestOfferedWithoutAnExecutor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() { w.alive[theGroup] = nil })
		o := w.offer(time.Now().Add(time.Second))
		d.Offer([]planner.Offered{o})
		pass(1100 * time.Millisecond)
		w.want(t, o.Run().ID, job.Queued, "no executor of group g is alive")
		w.change(func() { w.alive[theGroup] = []string{"http://1"} })
		d.Wake()
		pass(time.Second)
		w.want(t, o.Run().ID, job.Running, "")
	})
}

// A run of a busy job becomes a row, and waits by the rule of the job.
func TestOfferedToABusyJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() {
			j := w.jobs[theJob]
			j.Overlap, j.OverlapScope = job.OverlapSerial, job.ScopeCluster
			w.jobs[theJob] = j
			w.meet = func(Mark) Meeting { return Meeting{Fate: FateBlocked} }
		})
		o := w.offer(time.Now().Add(time.Second))
		d.Offer([]planner.Offered{o})
		pass(1100 * time.Millisecond)
		w.want(t, o.Run().ID, job.Queued, "busy")
		if n := d.Holding(); n != 0 || len(w.sent()) > 0 {
			t.Errorf("%d are held, %d were sent", n, len(w.sent()))
		}
	})
}

// What nobody has room for becomes rows in time, so that it is late and not missed; it is
// still held here, hidden from others, and sent when there is room.
func TestOfferedIsLanded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerAddress: 1})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 3 * time.Second, nil }
		})
		due := time.Now().Add(time.Second)
		var all []planner.Offered
		for i := range 12 {
			o := w.offer(due)
			o.Move.JobID = int64(1000 + i) // each has firings of its own
			all = append(all, o)
		}
		d.Offer(all)
		pass(1200 * time.Millisecond)
		before := 0
		w.change(func() { before = len(w.runs) })
		if before == 0 || before == len(all) {
			t.Fatalf("%d of %d are rows while one is being sent", before, len(all))
		}
		pass(1500 * time.Millisecond)
		w.change(func() {
			for _, o := range all {
				r := w.runs[o.Run().ID]
				if r == nil || r.State == job.Planned && !r.ReadyAt.After(time.Now().Add(5*time.Second)) {
					t.Fatalf("run %d is %+v, want a row that others do not see", o.Run().ID, r)
				}
			}
		})
		pass(time.Minute)
		if n := len(w.sent()); n != len(all) {
			t.Errorf("%d of %d were sent", n, len(all))
		}
	})
}

// An error of the store loses nothing: what was not committed is committed later, and what
// was, although nobody heard of it, is not sent by the one who does not know.
func TestOfferedMeetsErrors(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"before": false, "after": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				down := func() error { return errors.New("the database is away") }
				w.change(func() {
					if late {
						w.failLate = down
					} else {
						w.fail = down
					}
				})
				o := w.offer(time.Now().Add(time.Second))
				d.Offer([]planner.Offered{o})
				pass(1100 * time.Millisecond)
				w.change(func() {
					w.fail, w.failLate = func() error { return nil }, func() error { return nil }
				})
				pass(3 * time.Second)
				sent := len(w.sent())
				switch {
				case late && (sent != 0 || w.run(o.Run().ID).State != job.Dispatched):
					t.Errorf("%d tasks were sent of a run that is %s", sent, w.run(o.Run().ID).State)
				case !late && sent != 1:
					t.Errorf("%d tasks were sent, want one", sent)
				}
				if n := d.Holding(); n != 0 {
					t.Errorf("%d are held", n)
				}
			})
		})
	}
}

// A dispatcher that stops forgets what was offered: the job is due as before.
func TestOfferedAtAStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, stop := start(t, Config{})
		d.Offer([]planner.Offered{w.offer(time.Now().Add(time.Minute))})
		pass(time.Second)
		stop()
		w.change(func() {
			if len(w.runs) != 0 || w.firings != 0 || w.requeued != 0 {
				t.Errorf("%d runs, %d transactions, %d put back", len(w.runs), w.firings, w.requeued)
			}
		})
		if n := d.Holding(); n != 0 {
			t.Errorf("%d are held", n)
		}
	})
}
