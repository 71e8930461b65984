package runner

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner/taskrecord"
	"github.com/orthd/orth/internal/runner/texts"
	"github.com/orthd/orth/job"
)

// left is a store as a crash leaves it: fill puts tasks where they were.
func left(t *testing.T, fill func(h *house, tx *queue.Tx) error) *house {
	t.Helper()
	h := build(t, nil, nil).start() // which keeps the boot
	synctest.Wait()
	err := h.store.Update(t.Context(), func(tx *queue.Tx) error { return fill(h, tx) })
	if err != nil {
		t.Fatal(err)
	}
	h.stop()
	return h
}

func item(task job.Task) queue.Item {
	return queue.Item{Key: task.AttemptID, Body: taskrecord.Encode(task)}
}

func TestRecover(t *testing.T) {
	t.Parallel()
	rerunning := func(attempt int64) job.Task {
		task := task(attempt, 5, "it")
		task.OnCrash = job.CrashRerun
		return task
	}
	const crashed = "executor stopped during the run"
	for _, test := range []struct {
		name    string
		task    job.Task
		place   queue.Place
		reruns  int
		started bool // it was marked
		boot    string
		runs    int
		outcome job.Outcome
		found   Recovery
	}{
		{
			name: "waiting", task: task(1, 5, "it"), place: queue.Scheduled,
			runs: 1, outcome: want(1, job.Succeeded, "ran"), found: Recovery{Waiting: 1},
		},
		{
			name: "accepted, not started", task: task(1, 5, "it"), place: queue.Processing,
			runs: 1, outcome: want(1, job.Succeeded, "ran"), found: Recovery{Waiting: 1},
		},
		{
			name: "started", task: task(1, 5, "it"), place: queue.Processing, started: true,
			outcome: want(1, job.Failed, crashed), found: Recovery{Interrupted: 1},
		},
		{
			name: "perhaps started before a reboot", task: task(1, 5, "it"), place: queue.Processing, boot: "another boot",
			outcome: want(1, job.Failed, crashed), found: Recovery{Interrupted: 1},
		},
		{
			name: "the boot cannot be told", task: task(1, 5, "it"), place: queue.Processing, boot: "none",
			outcome: want(1, job.Failed, crashed), found: Recovery{Interrupted: 1},
		},
		{
			name: "waiting before a reboot", task: task(1, 5, "it"), place: queue.Scheduled, boot: "another boot",
			runs: 1, outcome: want(1, job.Succeeded, "ran"), found: Recovery{Waiting: 1},
		},
		{
			name: "started, may run again", task: rerunning(1), place: queue.Processing, started: true,
			runs: 1, outcome: want(1, job.Succeeded, "ran"), found: Recovery{Waiting: 1, Rerun: 1},
		},
		{
			name: "started, ran again twice", task: rerunning(1), place: queue.Processing, started: true, reruns: 2,
			runs: 1, outcome: want(1, job.Succeeded, "ran"), found: Recovery{Waiting: 1, Rerun: 1},
		},
		{
			name: "started, ran again too often", task: rerunning(1), place: queue.Processing, started: true, reruns: 3,
			outcome: want(1, job.Failed, "executor stopped during the run 4 times, not run again"), found: Recovery{Buried: 1},
		},
		{
			name: "handler is gone", task: task(1, 5, "old"), place: queue.Scheduled,
			outcome: want(1, job.Failed, "job handler [old] not found."), found: Recovery{Waiting: 1},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				former := left(t, func(h *house, tx *queue.Tx) error {
					it := item(test.task)
					if test.place == queue.Scheduled {
						return h.tasks.Push(tx, it)
					}
					err := h.tasks.PushStarted(tx, it)
					for range test.reruns {
						err = errors.Join(err, h.tasks.Nack(tx, 1, time.Time{}, ""), h.tasks.Start(tx, 1))
					}
					return err
				})
				if test.started {
					if _, err := former.starts.Mark(1); err != nil {
						t.Fatal(err)
					}
				}
				runs := 0
				former.code["it"] = handler.Func(func(_ context.Context, t *handler.Task) error {
					runs++
					t.Result("ran")
					return nil
				})
				h := build(t, former, nil)
				switch test.boot {
				case "none":
					h.r.boot = ""
				case "":
				default:
					h.r.boot = test.boot
				}
				h.start()
				defer h.stop()
				synctest.Wait()
				h.expect(test.outcome)
				if runs != test.runs {
					t.Errorf("%d runs, want %d", runs, test.runs)
				}
				if diff := cmp.Diff([]Recovery{test.found}, h.found); diff != "" {
					t.Error(diff)
				}
				if s := h.stats(); s.Scheduled+s.Processing != 0 {
					t.Errorf("the queue has %+v", s)
				}
				if !h.outcomes()[0].TriggeredAt.Equal(triggered) {
					t.Errorf("triggered at %v", h.outcomes()[0].TriggeredAt)
				}
				if test.outcome.Message == crashed {
					h.expectLog(1, "<br>----------- executor stopped during the run\n")
				}
				if err := h.r.Accept(t.Context(), task(1, 5, "it")); !job.Is(err, job.Duplicate) {
					t.Errorf("the same attempt again: %v", err)
				}
			})
		})
	}
}

// TestRecoverUnreadable: what cannot be read is reported and stops nothing.
func TestRecoverUnreadable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		former := left(t, func(h *house, tx *queue.Tx) error {
			return errors.Join(
				h.tasks.PushStarted(tx, queue.Item{Key: 1, Body: []byte("{")}),
				h.tasks.Push(tx, queue.Item{Key: 2, Body: []byte(`{"v":9}`)}),
				h.tasks.Push(tx, item(task(3, 5, "it"))),
			)
		})
		former.code["it"] = do(func(context.Context) error { return nil })
		h := build(t, former, nil).start()
		defer h.stop()
		synctest.Wait()
		h.expect(
			want(1, job.Failed, "the task kept on this executor's disk cannot be read: unexpected end of JSON input"),
			want(2, job.Failed, "the task kept on this executor's disk cannot be read: version 9 is not known, 1 is"),
			want(3, job.Succeeded, ""),
		)
		if s := h.stats(); s.Dead != 2 {
			t.Errorf("%d dead letters, want both", s.Dead)
		}
	})
}

// TestRecoverOrder: many pages of waiting tasks run in the order of arrival,
// those that had not started in their old place.
func TestRecoverOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 3*recoverPage + 5
		former := left(t, func(h *house, tx *queue.Tx) error {
			err := h.tasks.PushStarted(tx, item(task(1000, 5, "it")))
			for i := int64(1); i < n; i++ {
				err = errors.Join(err, h.tasks.Push(tx, item(task(1000-i, 5, "it"))))
			}
			return err
		})
		var order []int64
		former.code["it"] = handler.Func(func(_ context.Context, t *handler.Task) error {
			order = append(order, t.AttemptID)
			return nil
		})
		h := build(t, former, func(c *Config) { c.LaneQueue = 1; c.Lanes = 1 }).start()
		defer h.stop()
		if err := h.r.Accept(t.Context(), task(1, 5, "it")); !job.Is(err, job.Full) {
			t.Errorf("accepted beyond the limit: %v", err)
		}
		synctest.Wait()
		if len(order) != n {
			t.Fatalf("%d runs, want %d", len(order), n)
		}
		for i, attempt := range order {
			if attempt != int64(1000-i) {
				t.Fatalf("run %d is attempt %d", i, attempt)
			}
		}
	})
}

// TestStop: the stop fails what runs, keeps what waits, and the next start goes
// on with that.
func TestStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, nil, nil).start()
		h.code["it"] = until
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		h.accept(task(2, 5, "it"))
		h.stop()
		h.expect(want(1, job.Failed, "web container destroy and kill the job. [job running, killed]"))
		if s := h.stats(); s.Scheduled != 1 || s.Processing != 0 {
			t.Errorf("the queue has %+v", s)
		}
		if err := h.r.Accept(t.Context(), task(3, 5, "it")); !job.Is(err, job.Unavailable) {
			t.Errorf("after the stop: %v", err)
		}
		h.code["it"] = do(func(context.Context) error { return nil })
		next := build(t, h, nil).start()
		defer next.stop()
		synctest.Wait()
		next.expect(want(1, job.Failed, "web container destroy and kill the job. [job running, killed]"), want(2, job.Succeeded, ""))
	})
}

// TestStopBeforeStart: a task whose start waits for the disk when the executor
// stops runs at the next start, also on another boot.
func TestStopBeforeStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, nil, nil).start()
		synctest.Wait()
		in := task(1, 5, "it")
		err := h.store.Update(t.Context(), func(tx *queue.Tx) error { return h.tasks.PushStarted(tx, item(in)) })
		if err != nil {
			t.Fatal(err)
		}
		a := &attempt{entry: entry{key: 1, task: &in}, lane: newLane(5)}
		a.ctx, a.cancel = context.WithCancelCause(t.Context())
		a.cancel(&cancelled{reason: texts.StopReason, kind: byStop})
		h.r.attempt(a)
		h.stop()
		h.expect()
		if s := h.stats(); s.Scheduled != 1 || s.Processing != 0 {
			t.Errorf("the queue has %+v", s)
		}
	})
}

// TestStopWithStuckHandler: the stop takes no longer than the grace.
func TestStopWithStuckHandler(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		release := make(chan struct{})
		defer close(release)
		h.code["it"] = do(func(context.Context) error { <-release; return nil })
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		began := time.Now()
		h.stop()
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("the stop took %v", took)
		}
		h.expect(want(1, job.Failed, "web container destroy and kill the job. [job running, killed]"+texts.StillText))
	})
}

// TestStopWithoutDisk: the stop does not wait for ever for a store that fails;
// the next start reports the task as interrupted.
func TestStopWithoutDisk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, nil, nil).start()
		h.code["it"] = do(func(context.Context) error { return nil })
		h.outbox.refuse(job.Errorf(job.Unavailable, "no space left"))
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		began := time.Now()
		h.stop()
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("the stop took %v", took)
		}
		next := build(t, h, nil).start()
		defer next.stop()
		synctest.Wait()
		next.expect(want(1, job.Failed, "executor stopped during the run"))
	})
}

// TestRunWithoutStore: an error of recovery ends Run, and Accept says so.
func TestRunWithoutStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := build(t, nil, nil)
		h.code["it"] = until
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := h.store.Run(ended); err != nil {
			t.Fatal(err)
		}
		if err := h.r.Run(t.Context()); !job.Is(err, job.Unavailable) {
			t.Errorf("ran without a store: %v", err)
		}
		if err := h.r.Accept(t.Context(), task(1, 5, "it")); !job.Is(err, job.Unavailable) {
			t.Errorf("accepted: %v", err)
		}
	})
}
