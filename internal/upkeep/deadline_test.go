package upkeep

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/job"
)

// clock is runs with deadlines in memory, and the executors that have them.
type clock struct {
	*world
	mu      sync.Mutex
	late    []Overdue // until they are completed
	ends    []job.Outcome
	told    []string // executors that were told to end an attempt
	failing error    // of the recorder
	away    error    // of the store
}

func (c *clock) Overdue(_ context.Context, _ time.Time, limit int) ([]Overdue, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := min(limit, len(c.late))
	return append([]Overdue(nil), c.late[:n]...), n == limit, c.away
}

func (c *clock) Complete(_ context.Context, outcomes []job.Outcome) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failing != nil {
		return c.failing
	}
	c.ends = append(c.ends, outcomes...)
	c.late = c.late[len(outcomes):]
	return nil
}

// done returns how many ends were recorded, and how many executors were told.
func (c *clock) done() (ends, told int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.ends), len(c.told)
}

func (c *clock) KillAttempt(_ context.Context, address string, _, _ int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, address)
	if address == "http://gone" {
		return job.Errorf(job.Unreachable, "connection refused")
	}
	return nil
}

// late returns a run over a deadline of two hours.
func late(id int64, address string, state job.State, waiting bool) Overdue {
	return Overdue{
		Attempt: job.Attempt{ID: id, RunID: id * 10, JobID: 1, Address: address, State: state},
		Waiting: waiting, Deadline: 2 * time.Hour,
	}
}

// run lets upkeep work on the clock for one look and a little.
func (c *clock) run(t *testing.T, looks int) {
	t.Helper()
	c.world = newWorld()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	u := New(Config{Store: c.world, Executors: c.world, Recorder: c, Deadlines: c, Killer: c, Batch: 3})
	go func() { ended <- u.Run(ctx) }()
	time.Sleep(time.Duration(looks)*5*time.Second - time.Second)
	synctest.Wait()
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestOverdueRunsAreLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &clock{late: []Overdue{
			late(1, "http://a", job.Running, false),
			late(2, "http://gone", job.Dispatched, false),
			late(3, "http://waiting", job.Failed, true),
			late(4, "http://b", job.Running, false),
		}}
		c.run(t, 1)
		want := make([]job.Outcome, 4)
		for i := range want {
			want[i] = job.Outcome{
				AttemptID: int64(i + 1), State: job.Lost, Message: "the deadline of 2h has passed", Over: "the deadline of 2h has passed",
			}
		}
		if diff := cmp.Diff(want, c.ends, cmpopts.IgnoreFields(job.Outcome{}, "EndedAt")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		less := func(a, b string) bool { return a < b }
		if diff := cmp.Diff([]string{"http://a", "http://b", "http://gone"}, c.told, cmpopts.SortSlices(less)); diff != "" {
			t.Errorf("told to end (-want +got):\n%s", diff)
		}
	})
}

// An executor is told only what is recorded: else the end that it reports would
// come first, and might be tried again.
func TestOverdueIsRecordedFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &clock{late: []Overdue{late(1, "http://a", job.Running, false)}, failing: job.Errorf(job.Unavailable, "away")}
		c.run(t, 2)
		if len(c.told) > 0 || len(c.late) != 1 {
			t.Errorf("%v were told of what is not recorded", c.told)
		}
		c.failing = nil
		c.run(t, 1)
		if len(c.told) != 1 || len(c.ends) != 1 {
			t.Errorf("%d ends, %d told after the store came back", len(c.ends), len(c.told))
		}
	})
}

// hiding is a clock that keeps back what a server may still send.
type hiding struct{ *clock }

func (h hiding) Overdue(ctx context.Context, now time.Time, limit int) ([]Overdue, bool, error) {
	h.clock.mu.Lock()
	var first int64
	if len(h.late) > 0 {
		first = h.late[0].Attempt.RunID
	}
	h.clock.mu.Unlock()
	h.world.mu.Lock()
	hidden := h.checkAt[first].After(now)
	h.world.mu.Unlock()
	if hidden {
		return nil, false, nil
	}
	return h.clock.Overdue(ctx, now, limit)
}

// An executor that never answers is asked about an attempt again and again, which hides the
// attempt from others. Its deadline comes all the same.
func TestOverdueComesBeforeQuestions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &clock{world: newWorld(), late: []Overdue{late(1, "http://gone", job.Dispatched, false)}}
		c.open(1, "http://gone", job.Dispatched)
		c.leases["http://gone"] = true
		c.checkAt[10] = time.Now().Add(7 * time.Second)
		u := New(Config{Store: c.world, Executors: c.world, Recorder: c, Deadlines: hiding{c}, Killer: c, Batch: 3})
		lifecycletest.Start(t, u.Run)
		time.Sleep(6 * time.Second)
		if ends, _ := c.done(); ends != 0 {
			t.Errorf("%d ends while it may be sent", ends)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if ends, told := c.done(); ends != 1 || told != 1 {
			t.Errorf("%d ends, %d told", ends, told)
		}
	})
}

// Servers agree by the database's time when an attempt is whose, and a deadline is over.
func TestQuestionsComeByTheDatabasesTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &clock{world: newWorld()}
		c.open(1, "http://a", job.Dispatched)
		c.leases["http://a"], c.executors["http://a"] = true, &executor{holds: map[int64]bool{1: true}}
		c.checkAt[10] = time.Now().Add(-time.Minute) // which is later, by the database's time
		behind := func() time.Time { return time.Now().Add(-time.Hour) }
		u := New(Config{Store: c.world, Executors: c.world, Recorder: c.world, Deadlines: hiding{c}, Killer: c, Now: behind})
		lifecycletest.Start(t, u.Run)
		time.Sleep(time.Minute)
		synctest.Wait()
		c.change(func() {
			if n := c.asked["http://a"]; n != 0 {
				t.Errorf("asked %d times before its time", n)
			}
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		if c.state(1) != job.Running {
			t.Errorf("the attempt is %s", c.state(1))
		}
	})
}

func TestOverdueWithoutTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &clock{late: []Overdue{late(1, "http://a", job.Running, false)}, away: errors.New("away")}
		c.run(t, 2)
		if len(c.ends) > 0 {
			t.Errorf("ended %+v", c.ends)
		}
	})
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		2 * time.Hour: "2h", 90 * time.Minute: "1h30m", time.Minute: "1m", 90 * time.Second: "1m30s",
		time.Hour + time.Second: "1h0m1s", 1500 * time.Millisecond: "1.5s", 0: "0s", 10 * time.Minute: "10m",
		100 * time.Hour: "100h", 20 * time.Second: "20s",
	} {
		if got := brief(d); got != want {
			t.Errorf("%s became %s, want %s", d, got, want)
		}
	}
}
