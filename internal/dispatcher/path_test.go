package dispatcher

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/job"
)

// A firing planned ahead reaches its executor in the millisecond it is due.
func TestSentWhenDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		due := time.Now().Add(1500 * time.Millisecond).Truncate(time.Millisecond)
		r := w.add(due, 15*time.Second)
		d.Take([]job.Run{r})
		pass(1489 * time.Millisecond)
		w.want(t, r.ID, job.Planned, "")
		pass(10 * time.Millisecond)
		w.want(t, r.ID, job.Dispatched, "") // marked ahead
		if n := len(w.sent()); n != 0 {
			t.Fatalf("%d tasks were sent before the run was due", n)
		}
		pass(time.Millisecond)
		sent := w.sent()
		if len(sent) != 1 || !sent[0].at.Equal(due) {
			t.Fatalf("sent %+v, want one task at %s", sent, due)
		}
		if task := sent[0].task; !task.TriggeredAt.Equal(due) || !task.PlannedAt.Equal(due) || task.ShardTotal != 1 {
			t.Errorf("task %+v", task)
		}
		w.want(t, r.ID, job.Dispatched, "") // the acceptance waits for company
		pass(acceptDelay)
		w.want(t, r.ID, job.Running, "")
	})
}

func TestOrderOfDueTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerAddress: 1})
		now := time.Now()
		var runs []job.Run
		for i := range 20 {
			runs = append(runs, w.add(now.Add(time.Duration((i*7)%20)*50*time.Millisecond), 15*time.Second))
		}
		d.Take(runs)
		pass(2 * time.Second)
		sent := w.sent()
		for i, s := range sent {
			if i > 0 && s.task.PlannedAt.Before(sent[i-1].task.PlannedAt) {
				t.Errorf("run %d was sent out of order", s.run)
			}
			if late := s.at.Sub(s.task.PlannedAt); late < 0 || late > time.Millisecond {
				t.Errorf("run %d was sent %s after its time", s.run, late)
			}
		}
		if len(sent) != 20 {
			t.Errorf("%d tasks were sent, want 20", len(sent))
		}
	})
}

// What happens to the row between plan and dispatch wins.
func TestChangesBeforeTheMark(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(w *world, r *row)
		want   job.State
		sent   int
	}{
		{"the job is stopped", func(_ *world, r *row) { r.State = job.Cancelled }, job.Cancelled, 0},
		{"another server sent it", func(_ *world, r *row) { r.State, r.AttemptID = job.Dispatched, 99 }, job.Dispatched, 0},
		{"the job is edited", func(w *world, r *row) {
			r.JobVersion = 2
			j := w.jobs[theJob]
			j.Version, j.Param = 2, "new"
			w.jobs[theJob] = j
		}, job.Running, 1},
		{"the job is deleted, its runs are not", func(w *world, _ *row) { delete(w.jobs, theJob) }, job.Cancelled, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				r := w.add(time.Now().Add(time.Second), 15*time.Second)
				d.Take([]job.Run{r})
				pass(500 * time.Millisecond)
				w.change(func() { test.change(w, w.runs[r.ID]) })
				pass(5 * time.Second)
				w.want(t, r.ID, test.want, "")
				sent := w.sent()
				if len(sent) != test.sent {
					t.Fatalf("%d tasks were sent, want %d", len(sent), test.sent)
				}
				if test.sent == 1 && sent[0].task.Param != "new" {
					t.Errorf("the old definition was sent")
				}
				if marks := w.count(&w.marks); marks > 3 {
					t.Errorf("%d marks for one run", marks)
				}
			})
		})
	}
}

// A job that is known is read again when a run names a newer version.
func TestEditedJobIsReadAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		pass(100 * time.Millisecond)
		r := w.add(time.Now(), 15*time.Second)
		w.change(func() {
			j := w.jobs[theJob]
			j.Version, j.Param = 2, "new"
			w.jobs[theJob] = j
			w.runs[r.ID].JobVersion = 2
		})
		d.Take([]job.Run{w.run(r.ID)})
		pass(100 * time.Millisecond)
		if sent := w.sent(); len(sent) != 2 || sent[1].task.Param != "new" {
			t.Errorf("sent %+v, want the new definition second", sent)
		}
	})
}

// A run that was made from an older version than the job has by now is sent as
// the job is now.
func TestRunOlderThanItsJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() {
			j := w.jobs[theJob]
			j.Version, j.Param = 5, "new"
			w.jobs[theJob] = j
		})
		r := w.add(time.Now(), 0)
		d.WakeAt(time.Now())
		pass(100 * time.Millisecond)
		w.want(t, r.ID, job.Running, "")
		if got := w.sent()[0].task.Param; got != "new" {
			t.Errorf("sent with param %q", got)
		}
	})
}

func TestRowsAreFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		announced := w.add(time.Now(), 0)
		d.WakeAt(time.Now())
		pass(50 * time.Millisecond)
		w.want(t, announced.ID, job.Running, "")

		silent := w.add(time.Now(), 0)
		pass(1100 * time.Millisecond) // a poll
		w.want(t, silent.ID, job.Running, "")

		retry := w.add(time.Now().Add(time.Minute), 0)
		d.WakeAt(retry.ReadyAt)
		pass(time.Minute - time.Millisecond)
		if n := len(w.sent()); n != 2 {
			t.Fatalf("%d tasks before the retry was due", n)
		}
		pass(time.Millisecond)
		if n := len(w.sent()); n != 3 {
			t.Fatalf("%d tasks when the retry was due", n)
		}
	})
}

func TestNoExecutor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() { delete(w.alive, theGroup) })
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(time.Minute)
		w.want(t, r.ID, job.Queued, "no executor of group g is alive")
		if r := w.run(r.ID); r.Tries != 0 || r.Undelivered != 0 {
			t.Errorf("waiting counts as %d tries, %d undelivered", r.Tries, r.Undelivered)
		}
		for range 100 { // a group that comes and goes is not a busy loop
			w.change(func() { w.alive[2] = []string{"http://2"} })
			d.Wake()
			pass(time.Millisecond)
			w.change(func() { delete(w.alive, 2) })
		}
		if claims := w.count(&w.claims); claims > 110 {
			t.Errorf("%d claims for 100 changes", claims)
		}
		w.change(func() { w.alive[theGroup] = []string{"http://1"} })
		d.Wake()
		pass(acceptDelay)
		w.want(t, r.ID, job.Running, "")
	})
}

func TestWakeInTheSameInstant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() { delete(w.alive, theGroup) })
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(10 * time.Millisecond)
		w.change(func() { w.alive[theGroup] = []string{"http://1"} })
		d.Wake()
		pass(0)
		if len(w.sent()) != 1 {
			t.Error("the run was not sent at once when its executor came")
		}
	})
}

func TestBackPressure(t *testing.T) {
	t.Parallel()
	rooms := make(chan struct{}, 1000)
	c := Config{Held: 64, Batch: 8, PerAddress: 1, Hooks: Hooks{Room: func() { rooms <- struct{}{} }}}
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, c)
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 10 * time.Millisecond, nil }
		})
		if free := d.Free(); free != 56 {
			t.Fatalf("Free() = %d, want 64 less an eighth", free)
		}
		for range 56 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		if free := d.Free(); free != 0 {
			t.Errorf("Free() = %d after it was filled", free)
		}
		row := w.add(time.Now(), 0) // the eighth that is kept for rows
		d.WakeAt(time.Now())
		pass(5 * time.Millisecond)
		if w.run(row.ID).ReadyAt.Equal(row.ReadyAt) {
			t.Error("the row was not claimed while firings filled the memory")
		}
		pass(time.Second)
		if len(rooms) == 0 {
			t.Error("nobody was told that there is room again")
		}
		if free := d.Free(); free != 56 {
			t.Errorf("Free() = %d when all is done", free)
		}
		if n := len(w.sent()); n != 57 {
			t.Errorf("%d of 57 were sent", n)
		}
	})
}

// A backlog of rows leaves room for new firings, and is claimed on as soon as
// there is room, not at the next poll.
func TestBacklog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{Held: 64, Batch: 8, PerAddress: 8})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 10 * time.Millisecond, nil }
		})
		for range 1000 {
			w.add(time.Now(), 0)
		}
		d.WakeAt(time.Now())
		for range 5 {
			pass(100 * time.Millisecond)
			if free := d.Free(); free < 20 {
				t.Errorf("Free() = %d while there is a backlog of rows", free)
			}
		}
		pass(time.Second) // 1000 runs, 8 at a time, 10 ms each
		if n := len(w.sent()); n != 1000 {
			t.Errorf("%d of 1000 were sent in 1.5 s", n)
		}
	})
}

// A flood of rows for one executor is sent as fast as it takes them, and what it
// cannot take yet is left alone.
func TestFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{Held: 2048, PerAddress: 4})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 10 * time.Millisecond, nil }
		})
		for range 4000 {
			w.add(time.Now(), 0)
		}
		d.WakeAt(time.Now())
		pass(10 * time.Second) // 400 a second
		if n := len(w.sent()); n < 3500 {
			t.Errorf("%d of 4000 were sent in the time that the executor needs for all", n)
		}
		pass(5 * time.Second)
		if n := len(w.sent()); n != 4000 {
			t.Errorf("%d of 4000 were sent", n)
		}
		if n := w.count(&w.requeued); n > 600 {
			t.Errorf("%d rows were put back", n)
		}
	})
}

// What waits in memory for its turn keeps its order, does not wait for an
// executor that has left, and is released at a stop.
func TestParked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, stop := start(t, Config{PerAddress: 1})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 100 * time.Millisecond, nil }
		})
		for i := range 30 {
			d.Take([]job.Run{w.add(time.Now().Add(time.Duration(i)*time.Millisecond), 15*time.Second)})
		}
		pass(time.Second)
		if n := d.held.Size(); n < 5 || len(d.held.Parked) != 1 {
			t.Fatalf("%d runs are held for %d addresses", n, len(d.held.Parked))
		}
		w.change(func() { w.alive[theGroup] = []string{"http://2"} })
		pass(time.Second)
		last := make(map[string]int64) // by address
		for _, s := range w.sent() {
			if s.run < last[s.address] {
				t.Errorf("run %d was sent to %s after run %d", s.run, s.address, last[s.address])
			}
			last[s.address] = s.run
		}
		if last["http://2"] == 0 {
			t.Error("nothing was sent to the executor that came")
		}
		for range 30 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		pass(10 * time.Millisecond)
		stop()
		w.change(func() {
			for id, r := range w.runs {
				if r.State != job.Running && r.State != job.Queued {
					t.Errorf("run %d is %s after the stop", id, r.State)
				}
			}
		})
	})
}

// A busy executor keeps no other one waiting, and its backlog in memory costs no
// writes.
func TestBusyExecutorBesideAQuickOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerAddress: 4})
		w.change(func() {
			w.alive[2] = []string{"http://quick"}
			w.jobs[4] = job.Job{ID: 4, GroupID: 2, Group: "quick", Route: job.RouteFirst, Version: 1}
			w.answer = func(address string, _ job.Task) (time.Duration, error) {
				if address == "http://quick" {
					return 0, nil
				}
				return 10 * time.Millisecond, nil
			}
		})
		for range 2000 { // five seconds of work
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		for range 10 {
			pass(100 * time.Millisecond)
			r := w.add(time.Now(), 15*time.Second)
			w.change(func() { w.runs[r.ID].JobID, w.runs[r.ID].GroupID = 4, 2 })
			d.Take([]job.Run{w.run(r.ID)})
			pass(0)
			if w.run(r.ID).State != job.Dispatched {
				t.Errorf("run %d waits behind another executor's", r.ID)
			}
		}
		if load := d.lanes.loadOf("http://1", 1, time.Now()); load.waiting < 200 {
			t.Errorf("a lane that did 400 in a second has %+v", load)
		}
		pass(4100 * time.Millisecond)
		if n := len(w.sent()); n != 2010 {
			t.Errorf("%d of 2010 were sent in five seconds", n)
		}
		if n := w.count(&w.requeued); n != 0 {
			t.Errorf("%d rows were put back", n)
		}
	})
}

func TestUnparkInOrder(t *testing.T) {
	t.Parallel()
	d := New(Config{PerAddress: 2})
	now := time.Now()
	for i := range 10 {
		address := []string{"http://1", "http://2"}[i%2]
		d.held.ParkAt(waiting.Spot{Group: 1, Address: address}, &waiting.HeldRun{Rank: 1, Run: job.Run{ID: int64(i + 1)}, Due: now.Add(time.Duration(i) * time.Millisecond)})
	}
	for _, want := range [][]int64{{1, 2, 3, 4, 5, 6, 7, 8}, {9, 10}} {
		var got []int64
		for _, it := range d.unpark(1, now, 512) {
			got = append(got, it.Run.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("unparked %v, want %v", got, want)
		}
	}
}

func TestLaneDepth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerAddress: 2})
		room := func() int { return d.lanes.loadOf("http://1", 1, time.Now()).room }
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return time.Hour, job.Errorf(job.Ambiguous, "") }
		})
		for range 20 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		pass(time.Second)
		load := d.lanes.loadOf("http://1", 1, time.Now())
		if load.waiting > 4 || load.stuck {
			t.Errorf("an executor that does nothing has %+v after a second", load)
		}
		pass(3 * time.Second)
		if !d.lanes.loadOf("http://1", 1, time.Now()).stuck {
			t.Error("an executor that does nothing is not stuck after four seconds")
		}
		if room() > 4 {
			t.Errorf("an executor that does nothing has room for %d", room())
		}
		w.change(func() { w.answer = func(string, job.Task) (time.Duration, error) { return 0, nil } })
		pass(2 * time.Hour)
		if room() != 4 {
			t.Errorf("an executor that is idle has room for %d", room())
		}
		if n := len(w.sent()); n != 16 { // the four in the lane are upkeep's after an hour
			t.Errorf("%d of 16 were sent when it was back", n)
		}
	})
}

func TestJobsAreReadOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		for range 50 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second), w.add(time.Now(), 15*time.Second)})
			pass(10 * time.Millisecond)
		}
		if reads := w.count(&w.reads); reads != 1 {
			t.Errorf("the job was read %d times", reads)
		}
	})
}

func TestJobCacheIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld()
	c := waiting.NewJobCache(w)
	big := string(make([]byte, job.MaxSource))
	for id := range int64(500) {
		w.jobs[id+1] = job.Job{ID: id + 1, Handler: job.Handler{Source: big}}
		it := &waiting.HeldRun{Run: job.Run{ID: id, JobID: id + 1}}
		if err := c.LoadJobs(t.Context(), []*waiting.HeldRun{it}); err != nil || it.Job == nil {
			t.Fatalf("load: %v", err)
		}
		if c.Bytes > waiting.CachedBytes || c.Bytes != len(c.Known)*job.MaxSource {
			t.Fatalf("%d bytes in %d jobs", c.Bytes, len(c.Known))
		}
	}
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, stop := start(t, Config{PerAddress: 2})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 2 * time.Second, nil }
		})
		var runs []job.Run
		for range 5 {
			runs = append(runs, w.add(time.Now(), 15*time.Second))
		}
		ahead := w.add(time.Now().Add(1900*time.Millisecond), 15*time.Second)
		d.Take(append(runs, ahead))
		pass(time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took < time.Second || took > 1100*time.Millisecond {
			t.Errorf("the stop took %s, want the rest of the calls under way", took)
		}
		if n := len(w.sent()); n != 2 {
			t.Errorf("%d tasks were sent, want the two under way", n)
		}
		for i, r := range runs {
			if i < 2 {
				w.want(t, r.ID, job.Running, "")
				continue
			}
			w.want(t, r.ID, job.Queued, "this server stopped before the task was sent")
			if ready := w.run(r.ID).ReadyAt; ready.After(time.Now()) {
				t.Errorf("run %d is hidden until %s", r.ID, ready)
			}
		}
		w.want(t, ahead.ID, job.Planned, "") // users may still decide about it
		if ready := w.run(ahead.ID).ReadyAt; !ready.Equal(ahead.PlannedAt) {
			t.Errorf("the run ahead is ready at %s, want its time", ready)
		}
	})
}

// A stop ends although the store is away.
func TestShutdownWithoutStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, stop := start(t, Config{})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) {
				return time.Second, job.Errorf(job.Unreachable, "refused")
			}
		})
		for range 2000 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		pass(100 * time.Millisecond)
		w.change(func() { w.fail = func() error { return job.Errorf(job.Unavailable, "away") } })
		began := time.Now()
		stop()
		if took := time.Since(began); took > farewell+time.Second {
			t.Errorf("the stop took %s", took)
		}
	})
}

func TestWithdraw(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{PerAddress: 1})
		w.change(func() {
			w.answer = func(string, job.Task) (time.Duration, error) { return 500 * time.Millisecond, nil }
		})
		first, second := w.add(time.Now(), 15*time.Second), w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{first, second})
		pass(10 * time.Millisecond)
		if d.Withdraw(w.run(first.ID).AttemptID) {
			t.Error("an attempt that was sent was withdrawn")
		}
		if !d.Withdraw(w.run(second.ID).AttemptID) || d.Withdraw(w.run(second.ID).AttemptID) {
			t.Error("an attempt that waits for its turn was not withdrawn, or twice")
		}
		pass(2 * time.Second)
		if n := len(w.sent()); n != 1 {
			t.Errorf("%d tasks were sent, want 1", n)
		}
	})
}

func ExampleConfig() {
	d := New(Config{})
	fmt.Println(d.config.Held, d.config.Lead, d.config.Undelivered.Tries, d.Free())
	d = New(Config{Ahead: time.Second, Poll: time.Minute})
	fmt.Println(d.config.Poll)
	// Output:
	// 8192 20ms 12 7168
	// 500ms
}
