package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// TestSerialOrder: the tasks of a job run one by one in the order of arrival,
// those of two jobs side by side.
func TestSerialOrder(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		var mu sync.Mutex
		order := map[int64][]int64{}
		running := map[int64]int{}
		h.code["it"] = handler.Func(func(_ context.Context, task *handler.Task) error {
			mu.Lock()
			running[task.JobID]++
			if running[task.JobID] > 1 {
				t.Errorf("job %d runs twice at the same time", task.JobID)
			}
			order[task.JobID] = append(order[task.JobID], task.AttemptID)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running[task.JobID]--
			mu.Unlock()
			return nil
		})
		began := time.Now()
		for i := int64(1); i <= 10; i++ { // falling ids: arrival counts
			h.accept(task(101-i, 1, "it"), task(201-i, 2, "it"))
		}
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("two jobs of ten seconds took %v", took)
		}
		for jobID, got := range order {
			want := make([]int64, 10)
			for i := range want {
				want[i] = jobID*100 - int64(i)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("job %d: %s", jobID, diff)
			}
		}
		if len(h.outcomes()) != 20 {
			t.Errorf("%d outcomes", len(h.outcomes()))
		}
	})
}

func TestAcceptRefuses(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = until
		for name, test := range map[string]struct {
			task job.Task
			kind job.Kind
			text string
		}{
			"no handler": {task(1, 5, "nope"), job.Refused, "job handler [nope] not found."},
			"no attempt": {task(0, 5, "it"), job.Invalid, "attempt 0 of job 5: ids must be positive"},
		} {
			if err := h.r.Accept(t.Context(), test.task); job.KindOf(err) != test.kind || err.Error() != test.text {
				t.Errorf("%s: %v", name, err)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := h.r.Accept(gone, task(1, 5, "it")); !errors.Is(err, context.Canceled) {
			t.Errorf("a sender that went away: %v", err)
		}
		if s := h.stats(); s != (queue.Stats{}) || len(h.logs.logs) != 0 || h.r.Busy(5) {
			t.Errorf("a refusal left %+v", s)
		}
		h.code["nope"] = until
		if err := h.r.Accept(t.Context(), task(1, 5, "nope")); !job.Is(err, job.Refused) {
			t.Errorf("a copy of what was refused: %v", err)
		}
		h.accept(task(3, 5, "it"))
		h.r.Drain()
		if err := h.r.Accept(t.Context(), task(2, 5, "it")); !job.Is(err, job.Unavailable) {
			t.Errorf("while draining: %v", err)
		}
	})
}

func TestAcceptDuplicates(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		release := make(chan struct{})
		h.code["it"] = do(func(context.Context) error { <-release; return nil })
		h.accept(task(1, 5, "it"), task(2, 5, "it"))
		for _, attempt := range []int64{1, 2} {
			err := h.r.Accept(t.Context(), task(attempt, 5, "it"))
			where := map[int64]string{1: "(running)", 2: "(queued)"}[attempt]
			if !job.Is(err, job.Duplicate) || !strings.HasSuffix(err.Error(), where) {
				t.Errorf("attempt %d, unfinished: %v", attempt, err)
			}
		}
		close(release)
		synctest.Wait()
		err := h.r.Accept(t.Context(), task(1, 5, "it"))
		if !job.Is(err, job.Duplicate) || !strings.HasSuffix(err.Error(), "(finished)") {
			t.Errorf("attempt 1, finished: %v", err)
		}
		if err := h.r.Accept(t.Context(), task(2, 6, "it")); !job.Is(err, job.Duplicate) {
			t.Errorf("attempt 2 for another job: %v", err)
		}
		h.expect(want(1, job.Succeeded, ""), want(2, job.Succeeded, ""))
	})
}

// TestDuplicateBeforeRefusal: an ended attempt that is sent again is a duplicate,
// also while a new one would be refused.
func TestDuplicateBeforeRefusal(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		release := make(chan struct{})
		h.code["it"] = do(func(context.Context) error { <-release; return nil })
		discard := func(attempt int64) job.Task {
			one := task(attempt, 5, "it")
			one.Overlap = job.OverlapDiscard
			return one
		}
		repeated := func(when string) {
			t.Helper()
			if err := h.r.Accept(t.Context(), discard(1)); !job.Is(err, job.Duplicate) || !strings.HasSuffix(err.Error(), "(finished)") {
				t.Errorf("attempt 1 again, %s: %v", when, err)
			}
		}
		h.accept(discard(1))
		release <- struct{}{}
		synctest.Wait()
		h.accept(discard(2))
		if err := h.r.Accept(t.Context(), discard(3)); !job.Is(err, job.Refused) {
			t.Errorf("attempt 3 while 2 runs: %v", err)
		}
		repeated("while its job is busy")
		h.r.Drain()
		repeated("while the executor stops")
		delete(h.code, "it")
		repeated("without its handler")
		close(release)
		synctest.Wait()
		h.expect(want(1, job.Succeeded, ""), want(2, job.Succeeded, ""))
	})
}

// TestParallelDuplicates: a hundred senders of the same attempt make one run.
func TestParallelDuplicates(t *testing.T) {
	t.Parallel()
	for _, busy := range []bool{false, true} {
		t.Run(fmt.Sprintf("busy=%t", busy), func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				t := h.t
				var runs atomic.Int32
				h.code["it"] = do(func(context.Context) error { runs.Add(1); time.Sleep(time.Second); return nil })
				if busy {
					h.accept(task(7, 5, "it"))
				}
				var accepted, duplicates atomic.Int32
				var g sync.WaitGroup
				for range 100 {
					g.Go(func() {
						switch err := h.r.Accept(t.Context(), task(1, 5, "it")); {
						case err == nil:
							accepted.Add(1)
						case job.Is(err, job.Duplicate):
							duplicates.Add(1)
						default:
							t.Error(err)
						}
					})
				}
				g.Wait()
				if err := h.r.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				if accepted.Load() != 1 || duplicates.Load() != 99 {
					t.Errorf("%d accepted, %d duplicates", accepted.Load(), duplicates.Load())
				}
				want := int32(1)
				if busy {
					want = 2
				}
				if runs.Load() != want {
					t.Errorf("%d runs, want %d", runs.Load(), want)
				}
			})
		})
	}
}

func TestAcceptFull(t *testing.T) {
	t.Parallel()
	live(t, func(c *Config) { c.LaneQueue = 2; c.Lanes = 3 }, func(h *house) {
		t := h.t
		h.code["it"] = until
		quick := new(lifeline)
		h.code["quick"] = quick
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		h.accept(task(2, 5, "it"), task(3, 5, "it"))
		if err := h.r.Accept(t.Context(), task(4, 5, "it")); !job.Is(err, job.Full) {
			t.Errorf("a fourth task of the job: %v", err)
		}
		h.accept(task(5, 6, "it"), task(6, 7, "quick"))
		synctest.Wait()
		h.accept(task(7, 8, "it")) // takes the place of the idle job 7
		quick.expect(t, 1, 1, 1)
		if err := h.r.Accept(t.Context(), task(8, 9, "it")); !job.Is(err, job.Full) {
			t.Errorf("a fourth busy job: %v", err)
		}
		if diff := cmp.Diff([]int64{1, 2, 3, 5, 7}, h.r.Running()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestAcceptStoreFull: a task that the store refuses leaves no trace.
func TestAcceptStoreFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, nil, nil)
		h.tasks = h.store.Queue("tasks", queue.QueueConfig{Capacity: 1})
		h.r.config.Tasks = h.tasks
		h.start()
		defer h.stop()
		h.code["it"] = until
		h.accept(task(1, 5, "it"))
		for _, jobID := range []int64{5, 6} {
			if err := h.r.Accept(t.Context(), task(2, jobID, "it")); !job.Is(err, job.Full) {
				t.Errorf("job %d: %v", jobID, err)
			}
		}
		if h.r.Busy(6) || !slices.Equal(h.r.Running(), []int64{1}) {
			t.Errorf("running %v", h.r.Running())
		}
		time.Sleep(91 * time.Second)
		synctest.Wait()
		if len(h.r.lanes) != 1 {
			t.Errorf("%d lanes, want the busy one", len(h.r.lanes))
		}
	})
}

// TestAcceptWithoutRoom: a task is taken only when its outcome has a place.
func TestAcceptWithoutRoom(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.outbox.room = 3
		h.code["it"] = until
		h.code["quick"] = do(func(context.Context) error { return nil })
		h.accept(task(1, 5, "it"), task(2, 6, "quick"), task(3, 5, "it"))
		synctest.Wait()
		if err := h.r.Accept(t.Context(), task(4, 7, "it")); !job.Is(err, job.Full) {
			t.Errorf("a task without a place for its outcome: %v", err)
		}
		h.r.Kill(t.Context(), 5, reason)
		synctest.Wait()
		if n := len(h.outcomes()); n != 3 {
			t.Errorf("%d outcomes", n)
		}
	})
}

// TestRunningBound: what all jobs run at the same time is bounded, and who
// waited longest goes first.
func TestRunningBound(t *testing.T) {
	t.Parallel()
	live(t, func(c *Config) { c.Running = 2 }, func(h *house) {
		t := h.t
		var order []int64
		var mu sync.Mutex
		h.code["it"] = handler.Func(func(_ context.Context, t *handler.Task) error {
			mu.Lock()
			order = append(order, t.AttemptID)
			mu.Unlock()
			time.Sleep(time.Second)
			return nil
		})
		for i := int64(1); i <= 3; i++ {
			for jobID := int64(1); jobID <= 4; jobID++ {
				h.accept(task(10*jobID+i, jobID, "it"))
			}
		}
		synctest.Wait()
		if got := h.r.Load(); got.Running != 2 || got.Waiting != 10 {
			t.Errorf("load %+v", got)
		}
		began := time.Now()
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took != 6*time.Second {
			t.Errorf("twelve seconds of work in two places took %v", took)
		}
		for _, first := range []int64{31, 41} { // not starved by jobs 1 and 2
			if i := slices.Index(order, first); i < 0 || i > 3 {
				t.Errorf("attempt %d is number %d of %v", first, i, order)
			}
		}
	})
}

// TestAcceptWithoutDisk: what could not be committed does not run.
func TestAcceptWithoutDisk(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = do(func(context.Context) error { return nil })
		synctest.Wait()
		h.disk.broken.Store(true)
		if err := h.r.Accept(t.Context(), task(1, 5, "it")); !job.Is(err, job.Unavailable) || !errors.Is(err, errFull) {
			t.Errorf("without a disk: %v", err)
		}
		synctest.Wait()
		if h.r.Busy(5) || len(h.r.Running()) != 0 || h.logs.text(1) != "" {
			t.Error("a task that was not accepted is in a lane")
		}
		h.disk.broken.Store(false)
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		h.expect(want(1, job.Succeeded, ""))
	})
}

// TestIdleLanes: a task on its way keeps its lane, idle time begins again behind it, and each lane ends
// at its own time.
func TestIdleLanes(t *testing.T) {
	t.Parallel()
	live(t, func(c *Config) { c.IdleAfter = time.Minute }, func(h *house) {
		t := h.t
		synctest.Wait()
		lanes := func(want ...int64) {
			t.Helper()
			synctest.Wait()
			h.r.mu.Lock()
			defer h.r.mu.Unlock()
			if got := slices.Sorted(maps.Keys(h.r.lanes)); !slices.Equal(got, want) {
				t.Errorf("lanes %v, want %v", got, want)
			}
		}
		reserve := func(attempt, jobID int64) reservation {
			t.Helper()
			one := task(attempt, jobID, "it")
			place, err := h.r.reserve(&one, 0)
			if err != nil {
				t.Fatal(err)
			}
			return place
		}
		five, six, seven := reserve(1, 5), reserve(2, 6), reserve(3, 7)
		time.Sleep(10 * time.Minute)
		lanes(5, 6, 7)
		h.r.release(six)
		time.Sleep(20 * time.Second)
		h.r.release(five)
		time.Sleep(20 * time.Second)
		h.r.release(seven)
		again := reserve(1, 5)
		time.Sleep(20*time.Second - 1)
		lanes(5, 6, 7)
		time.Sleep(time.Nanosecond)
		lanes(5, 7)
		h.r.release(again)
		time.Sleep(40*time.Second - 1)
		lanes(5, 7)
		time.Sleep(time.Nanosecond)
		lanes(5)
		if got := h.r.Load(); got.Idle != 1 {
			t.Errorf("%+v", got)
		}
		time.Sleep(20 * time.Second)
		lanes()
		if got := h.r.Load(); got.Idle != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestAcceptWaitsForRecovery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, nil, nil)
		h.code["it"] = do(func(context.Context) error { return nil })
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.r.Accept(impatient, task(1, 5, "it")); !job.Is(err, job.Unavailable) {
			t.Errorf("before Run: %v", err)
		}
		accepted := make(chan error, 1)
		go func() { accepted <- h.r.Accept(t.Context(), task(1, 5, "it")) }()
		synctest.Wait()
		h.start()
		defer h.stop()
		if err := <-accepted; err != nil {
			t.Errorf("accepted after recovery: %v", err)
		}
		synctest.Wait()
		h.expect(want(1, job.Succeeded, ""))
	})
}

func TestDrainAndWait(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = do(func(context.Context) error { time.Sleep(time.Second); return nil })
		if err := h.r.Wait(t.Context()); err != nil {
			t.Errorf("nothing runs: %v", err)
		}
		h.accept(task(1, 5, "it"), task(2, 5, "it"))
		short, cancel := context.WithTimeout(t.Context(), time.Second+1)
		defer cancel()
		if err := h.r.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a task that waits: %v", err)
		}
		if err := h.r.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		h.expect(want(1, job.Succeeded, ""), want(2, job.Succeeded, ""))
	})
}

// TestDrainKeepsWhatWaits lets the running task end and leaves the one behind
// it in the store, where the next start finds it.
func TestDrainKeepsWhatWaits(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = do(func(context.Context) error { time.Sleep(time.Second); return nil })
		h.accept(task(1, 5, "it"), task(2, 5, "it"))
		synctest.Wait()
		h.r.Drain()
		if err := h.r.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		h.expect(want(1, job.Succeeded, ""))
		if s := h.stats(); s.Scheduled != 1 || s.Processing != 0 {
			t.Errorf("the store has %+v, want the second task scheduled", s)
		}
	})
}

func TestConfigMissing(t *testing.T) {
	t.Parallel()
	h := build(t, nil, nil)
	for name, change := range map[string]func(c *Config){
		"store":    func(c *Config) { c.Store = nil },
		"tasks":    func(c *Config) { c.Tasks = nil },
		"outbox":   func(c *Config) { c.Outbox = nil },
		"handlers": func(c *Config) { c.Handlers = nil },
		"logs":     func(c *Config) { c.Logs = nil },
		"starts":   func(c *Config) { c.Starts = nil },
	} {
		c := h.r.config
		change(&c)
		if _, err := New(c); !job.Is(err, job.Invalid) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
