package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/job"
)

// counted makes the server count the runs of the job.
func (w *world) counted(rule job.Overlap, meet func(m Mark) Meeting) {
	w.change(func() {
		j := w.jobs[theJob]
		j.Overlap, j.OverlapScope = rule, job.ScopeCluster
		w.jobs[theJob], w.meet = j, meet
	})
}

func TestLimit(t *testing.T) {
	t.Parallel()
	now := time.Now()
	with := New(newWorld().wire(Config{}))
	without := New(Config{})
	serial := job.Job{Overlap: job.OverlapSerial, OverlapScope: job.ScopeCluster, OverlapQueue: 5}
	wide := job.Job{Overlap: job.OverlapConcurrent, OverlapScope: job.ScopeCluster, Concurrency: 4}
	own := job.Job{Overlap: job.OverlapSerial, OverlapScope: job.ScopeExecutor}
	for _, c := range []struct {
		name  string
		d     *Dispatcher
		job   job.Job
		cause job.Cause
		want  Limit
	}{
		{"serial", with, serial, job.CauseSchedule, Limit{Runs: 1, Rule: job.OverlapSerial, Queue: 5, Now: now}},
		{"concurrent", with, wide, job.CauseManual, Limit{Runs: 4, Rule: job.OverlapConcurrent, Queue: 1000, Now: now}},
		{"the executor counts", with, own, job.CauseSchedule, Limit{}},
		{"a job of before", with, job.Job{Overlap: job.OverlapSerial}, job.CauseSchedule, Limit{}},
		{"a shard", with, serial, job.CauseShard, Limit{}},
		{"nobody counts", without, serial, job.CauseSchedule, Limit{}},
	} {
		it := &waiting.HeldRun{Job: &c.job, Run: job.Run{Cause: c.cause, CreatedAt: now}}
		got := c.d.limit(it, now)
		got.Again = time.Time{}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	// Who waits long is looked at less often.
	for waited, want := range map[time.Duration][2]time.Duration{
		0:                {time.Minute, 72 * time.Second},
		4 * time.Minute:  {2 * time.Minute, 144 * time.Second},
		10 * time.Hour:   {10 * time.Minute, 12 * time.Minute},
		90 * time.Second: {time.Minute, 72 * time.Second},
	} {
		for range 20 {
			it := &waiting.HeldRun{Job: &serial, Run: job.Run{CreatedAt: now.Add(-waited)}}
			if again := with.limit(it, now).Again.Sub(now); again < want[0] || again > want[1] {
				t.Errorf("after %s it is looked at again in %s, want %s to %s", waited, again, want[0], want[1])
			}
		}
	}
}

// A run that meets a busy job leaves the memory, and is sent when its row is ready
// again.
func TestBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		busy := true
		w.counted(job.OverlapSerial, func(Mark) Meeting {
			if busy {
				return Meeting{Fate: FateBlocked}
			}
			return Meeting{Fate: FateMarked}
		})
		first := w.add(time.Now(), time.Minute)
		second := w.add(time.Now(), time.Minute)
		d.Take([]job.Run{first, second})
		pass(time.Second)
		w.want(t, first.ID, job.Queued, "busy")
		if n := d.count.Load(); n != 0 {
			t.Errorf("%d runs are in memory", n)
		}
		w.change(func() {
			busy = false
			w.runs[first.ID].ReadyAt = time.Now()
		})
		d.WakeAt(time.Now())
		pass(100 * time.Millisecond)
		w.want(t, first.ID, job.Running, "")
		sent := w.sent()
		if len(sent) != 1 || sent[0].run != first.ID || sent[0].task.Overlap != job.OverlapSerial {
			t.Errorf("sent: %+v", sent)
		}
		// The other one is found in time, although nobody announces it.
		pass(2 * time.Minute)
		w.want(t, second.ID, job.Running, "")
	})
}

// What a meeting means to others is told, and what it does not concern is sent.
func TestMeetings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var skipped []int64
		w, d, _ := start(t, Config{Hooks: Hooks{Skipped: func(r job.Run) { skipped = append(skipped, r.ID) }}})
		w.counted(job.OverlapDiscard, func(m Mark) Meeting {
			switch m.Attempt.RunID {
			case 1:
				return Meeting{Fate: FateSkipped, Skipped: []job.Run{{ID: 1}, {ID: 77}}}
			case 3:
				return Meeting{}
			}
			return Meeting{Fate: FateMarked}
		})
		var runs []job.Run
		for range 5 {
			runs = append(runs, w.add(time.Now(), time.Hour))
		}
		w.change(func() { w.runs[4].Cause = job.CauseShard })
		runs[3].Cause = job.CauseShard
		d.Take(runs)
		pass(50 * time.Millisecond)
		w.want(t, 1, job.Skipped, "")
		w.want(t, 3, job.Queued, "the run or its job was changed")
		for _, id := range []int64{2, 4, 5} {
			w.want(t, id, job.Running, "")
		}
		if want := []int64{1, 77}; !slices.Equal(skipped, want) {
			t.Errorf("skipped were %v, want %v", skipped, want)
		}
		w.change(func() { w.meet = func(Mark) Meeting { return Meeting{Fate: FateMarked} } })
		pass(5 * time.Second)
		w.want(t, 3, job.Running, "")
	})
}

// While the store is away runs that met a busy job are held, and none is lost.
func TestMeetFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.counted(job.OverlapSerial, func(Mark) Meeting { return Meeting{Fate: FateMarked} })
		calls := 0
		w.change(func() {
			w.fail = func() error {
				if calls++; calls > 4 && calls < 9 { // what comes after the marks
					return job.Errorf(job.Unavailable, "away")
				}
				return nil
			}
		})
		var runs []job.Run
		for range 3 {
			runs = append(runs, w.add(time.Now(), time.Hour))
		}
		d.Take(runs)
		pass(10 * time.Second)
		for _, r := range runs {
			w.want(t, r.ID, job.Running, "")
		}
		if n := len(w.sent()); n != len(runs) {
			t.Errorf("%d tasks were sent", n)
		}
	})
}

// canceller counts runs that are being ended.
type canceller struct {
	mu    sync.Mutex
	calls map[int64]int
	why   map[int64]string
	now   int
	most  int
	takes time.Duration
	err   error
}

func (c *canceller) cancel(ctx context.Context, run int64, reason string) error {
	c.mu.Lock()
	c.calls[run]++
	c.why[run] = reason
	c.now++
	c.most = max(c.most, c.now)
	takes := c.takes
	c.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
	return c.err
}

func newCanceller(takes time.Duration) *canceller {
	return &canceller{calls: make(map[int64]int), why: make(map[int64]string), takes: takes}
}

func TestCovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCanceller(3 * time.Second)
		c.err = errors.New("nobody answers")
		w, d, stop := start(t, Config{Cancel: c.cancel})
		w.counted(job.OverlapCover, func(m Mark) Meeting {
			return Meeting{Fate: FateBlocked, Covered: []int64{1000 + m.Attempt.RunID/2}} // each twice
		})
		var runs []job.Run
		for range 40 {
			runs = append(runs, w.add(time.Now(), time.Hour))
		}
		d.Take(runs)
		pass(time.Second)
		c.mu.Lock()
		if c.most != coverCalls || c.now != coverCalls {
			t.Errorf("%d calls at once, want %d", c.most, coverCalls)
		}
		c.mu.Unlock()
		pass(15 * time.Second)
		c.mu.Lock()
		if len(c.calls) != 21 || c.now != 0 {
			t.Errorf("%d runs were ended, %d calls are under way", len(c.calls), c.now)
		}
		for run, n := range c.calls {
			if n != 1 {
				t.Errorf("run %d was ended %d times", run, n)
			}
		}
		c.calls = make(map[int64]int)
		c.mu.Unlock()

		// Those that cover are looked at again, and so is what they cover.
		pass(2 * time.Minute)
		c.mu.Lock()
		if len(c.calls) != 21 {
			t.Errorf("%d runs were ended again", len(c.calls))
		}
		c.mu.Unlock()

		// A stop does not wait for executors.
		pass(time.Minute)
		last := w.add(time.Now(), time.Hour)
		w.change(func() {
			w.meet = func(m Mark) Meeting {
				if m.Attempt.RunID != last.ID {
					return Meeting{Fate: FateBlocked}
				}
				return Meeting{Fate: FateBlocked, Covered: []int64{5000}}
			}
		})
		c.mu.Lock()
		c.takes = time.Hour
		c.mu.Unlock()
		d.Take([]job.Run{last})
		pass(10 * time.Second)
		c.mu.Lock()
		if want := fmt.Sprintf("covered by run %d", last.ID); c.why[5000] != want {
			t.Errorf("the reason is %q, want %q", c.why[5000], want)
		}
		c.mu.Unlock()
		before := time.Now()
		stop()
		if took := time.Since(before); took > time.Second {
			t.Errorf("the stop took %s", took)
		}
		d.coverer.enqueue([]int64{5}, 6) // nothing begins any more
		if d.coverer.calls != 0 {
			t.Errorf("%d calls are under way", d.coverer.calls)
		}
	})
}

func TestCoverKeepsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCanceller(time.Second)
		d := New(Config{Cancel: c.cancel})
		d.coverer.start(t.Context())
		for run := range int64(3 * coverKept) {
			d.coverer.enqueue([]int64{run + 1}, 9)
		}
		pass(10 * time.Minute)
		d.coverer.stopCalls()
		if n := len(c.calls); n < coverKept || n > coverKept+coverCalls {
			t.Errorf("%d runs were ended, want about %d", n, coverKept)
		}
	})
}

func TestWithout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ places, want []int }{
		{nil, []int{10, 11, 12, 13}},
		{[]int{0}, []int{11, 12, 13}},
		{[]int{1, 3}, []int{10, 12}},
		{[]int{0, 1, 2, 3}, []int{}},
	} {
		if got := without([]int{10, 11, 12, 13}, c.places); !slices.Equal(got, c.want) {
			t.Errorf("without %v: %v, want %v", c.places, got, c.want)
		}
	}
}
