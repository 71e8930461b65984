package runner

import (
	"context"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// stopwatch is a handler that remembers when each attempt began.
type stopwatch struct {
	since time.Time
	mu    sync.Mutex
	began map[int64]time.Duration
	lasts time.Duration
}

func newStopwatch() *stopwatch {
	return &stopwatch{since: time.Now(), began: make(map[int64]time.Duration)}
}

func (s *stopwatch) Handle(_ context.Context, t *handler.Task) error {
	s.mu.Lock()
	s.began[t.AttemptID] = time.Since(s.since)
	s.mu.Unlock()
	time.Sleep(s.lasts)
	return nil
}

func (s *stopwatch) expect(t *testing.T, want map[int64]time.Duration) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, maps.Clone(s.began)); diff != "" {
		t.Errorf("when attempts began (-want +got):\n%s", diff)
	}
}

// early is a task that begins so long from now.
func early(attempt, jobID int64, in time.Duration) job.Task {
	t := task(attempt, jobID, "it")
	t.StartAt = time.Now().Add(in)
	return t
}

const ms = time.Millisecond

// TestBeginsAtItsTime: each task begins at its time, whatever else waits for its own.
func TestBeginsAtItsTime(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		watch := newStopwatch()
		h.code["it"] = watch
		h.accept(early(1, 1, 80*ms), early(2, 2, 30*ms), early(3, 3, 30*ms+200*time.Microsecond), task(4, 4, "it"), early(5, 5, -ms))
		time.Sleep(29 * ms)
		h.accept(early(6, 6, 500*time.Microsecond), early(7, 7, 40*ms))
		time.Sleep(time.Second)
		watch.expect(h.t, map[int64]time.Duration{
			1: 80 * ms, 2: 30 * ms, 3: 30*ms + 200*time.Microsecond, 4: 0, 5: 0, 6: 29*ms + 500*time.Microsecond, 7: 69 * ms,
		})
		h.r.mu.Lock()
		defer h.r.mu.Unlock()
		if a := &h.r.alarms; len(a.lanes) != 0 || a.watch != nil || a.away != 0 {
			h.t.Errorf("%d alarms are left, the next one at %s", len(a.lanes), a.next)
		}
	})
}

// TestEarlyTasksOfAJob: tasks of a job begin in the order of their times, one after the other
// where the job is serial, and one that may begin at once is not held up.
func TestEarlyTasksOfAJob(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		overlap job.Overlap
		began   map[int64]time.Duration
	}{
		"serial":     {job.OverlapSerial, map[int64]time.Duration{3: 0, 2: 50 * ms, 1: 100 * ms, 4: 150 * ms, 5: 300 * ms}},
		"concurrent": {job.OverlapConcurrent, map[int64]time.Duration{3: 0, 2: 20 * ms, 1: 80 * ms, 4: 80 * ms, 5: 300 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				watch := newStopwatch()
				watch.lasts = 50 * ms
				h.code["it"] = watch
				all := []job.Task{early(1, 5, 80*ms), early(2, 5, 20*ms), task(3, 5, "it"), early(4, 5, 80*ms), early(5, 5, 300*ms)}
				for i := range all {
					all[i].Overlap, all[i].Concurrency = test.overlap, 8
				}
				h.accept(all...)
				time.Sleep(time.Second)
				watch.expect(h.t, test.began)
			})
		})
	}
}

// TestEarlyTaskIsEnded: a task that waits for its time is ended as any that waits, at once and
// without its handler.
func TestEarlyTaskIsEnded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(h *house)
		want []job.Outcome
	}{
		"cancelled": {func(h *house) {
			if ended, err := h.r.CancelAttempt(h.t.Context(), 1, "no"); !ended || err != nil {
				h.t.Errorf("cancelled %t, %v", ended, err)
			}
		}, []job.Outcome{want(1, job.Cancelled, "no [job not executed, in the job queue, killed.]")}},
		"killed": {func(h *house) {
			if !h.r.Kill(h.t.Context(), 5, "no") {
				h.t.Error("there was nothing to kill")
			}
		}, []job.Outcome{want(1, job.Cancelled, "no [job not executed, in the job queue, killed.]")}},
		"given back": {func(h *house) {
			h.r.Drain()
			if n := h.r.Return(h.t.Context()); n != 1 {
				h.t.Errorf("%d were given back", n)
			}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				watch := newStopwatch()
				h.code["it"] = watch
				h.accept(early(1, 5, 80*ms))
				busy := early(2, 5, 90*ms)
				busy.Overlap = job.OverlapDiscard
				if err := h.r.Accept(h.t.Context(), busy); !job.Is(err, job.Refused) {
					h.t.Errorf("a task that finds its job busy: %v", err)
				}
				time.Sleep(20 * ms)
				test.end(h)
				synctest.Wait()
				if test.want != nil {
					h.expect(test.want...)
				} else if got := h.outcomes(); len(got) != 1 || got[0].State != job.Failed {
					h.t.Errorf("outcomes %+v", got)
				}
				time.Sleep(time.Second)
				watch.expect(h.t, map[int64]time.Duration{})
				if len(h.outcomes()) != 1 || len(h.r.Running()) != 0 {
					h.t.Errorf("outcomes %+v, left %v", h.outcomes(), h.r.Running())
				}
			})
		})
	}
}

// TestEarlyTaskAfterARestart: an executor that starts again does not begin early either, and
// waits no longer than it would have, although its clock was set back.
func TestEarlyTaskAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, nil, nil).start()
		watch := newStopwatch()
		h.code["it"] = watch
		h.accept(early(1, 1, 80*ms), early(2, 2, time.Hour), early(3, 3, 10*ms))
		time.Sleep(5 * ms)
		h.stop()
		time.Sleep(15 * ms)
		h = build(t, h, nil).start()
		defer h.stop()
		time.Sleep(2 * time.Second)
		watch.expect(t, map[int64]time.Duration{1: 80 * ms, 2: 20*ms + job.MaxHold, 3: 20 * ms})
		h.expect(want(3, job.Succeeded, ""), want(1, job.Succeeded, ""), want(2, job.Succeeded, ""))
	})
}

// TestEarlyTaskOfAnIdleLane: a lane that ended meanwhile is not brought back by its alarm.
func TestEarlyTaskOfAnIdleLane(t *testing.T) {
	t.Parallel()
	live(t, func(c *Config) { c.IdleAfter = 10 * ms }, func(h *house) {
		watch := newStopwatch()
		h.code["it"] = watch
		h.accept(early(1, 5, 80*ms))
		if _, err := h.r.CancelAttempt(h.t.Context(), 1, "no"); err != nil {
			h.t.Error(err)
		}
		time.Sleep(30 * ms)
		if n := h.r.Load().Lanes; n != 0 {
			h.t.Fatalf("%d lanes are left", n)
		}
		h.accept(task(2, 5, "it"))
		time.Sleep(5 * ms)
		h.accept(early(3, 5, 100*ms))
		time.Sleep(time.Second)
		watch.expect(h.t, map[int64]time.Duration{2: 30 * ms, 3: 135 * ms})
		if load := h.r.Load(); load != (Load{}) {
			h.t.Errorf("left: %+v", load)
		}
	})
}
