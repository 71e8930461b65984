package runner

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/queue/mem"
	"github.com/orthd/orth/internal/runner/texts"
	"github.com/orthd/orth/job"
)

// together accepts tasks in one transaction.
func (h *house) together(tasks ...job.Task) []error {
	all := make([]*job.Task, len(tasks))
	for i := range tasks {
		all[i] = &tasks[i]
	}
	return h.r.AcceptAll(h.t.Context(), all)
}

// TestAcceptAll: each task of those that come together has the answer that it would have
// alone, and those that are taken run in their order.
func TestAcceptAll(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		var ran []int64
		release := make(chan struct{})
		h.code["it"] = handler.Func(func(_ context.Context, task *handler.Task) error {
			<-release
			ran = append(ran, task.AttemptID)
			return nil
		})
		h.accept(task(1, 5, "it"))
		busy := task(6, 5, "it")
		busy.Overlap = job.OverlapDiscard
		tasks := []job.Task{
			task(2, 5, "it"), task(3, 5, "nope"), task(1, 5, "it"), task(1, 5, "nope"), task(4, 5, "it"), task(4, 5, "it"),
			busy, task(0, 5, "it"), task(7, 5, "it"),
		}
		kinds := []job.Kind{"", job.Refused, job.Duplicate, job.Duplicate, "", job.Duplicate, job.Refused, job.Invalid, ""}
		for i, err := range h.together(tasks...) {
			if job.KindOf(err) != kinds[i] {
				t.Errorf("task %d, attempt %d: %v, want %s", i, tasks[i].AttemptID, err, kinds[i])
			}
		}
		if s := h.stats(); s.Scheduled != 3 || s.Processing != 1 {
			t.Errorf("the store has %+v", s)
		}
		close(release)
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []int64{1, 2, 4, 7}; !slices.Equal(ran, want) {
			t.Errorf("%v ran, want %v", ran, want)
		}
		if errs := h.together(); len(errs) != 0 {
			t.Errorf("nothing came, and %v is said of it", errs)
		}
	})
}

// TestAcceptAllWithoutDisk: of what could not be committed nothing is taken.
func TestAcceptAllWithoutDisk(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = do(func(context.Context) error { return nil })
		synctest.Wait()
		h.disk.broken.Store(true)
		for i, err := range h.together(task(1, 5, "it"), task(2, 5, "it"), task(3, 6, "nope")) {
			if want := []job.Kind{job.Unavailable, job.Unavailable, job.Refused}[i]; job.KindOf(err) != want {
				t.Errorf("task %d: %v, want %s", i, err, want)
			}
		}
		synctest.Wait()
		if h.r.Busy(5) || h.r.Busy(6) || len(h.r.Running()) != 0 {
			t.Error("a task that was not accepted is in a lane")
		}
		h.disk.broken.Store(false)
		for _, err := range h.together(task(1, 5, "it"), task(2, 5, "it")) {
			if err != nil {
				t.Errorf("with a disk: %v", err)
			}
		}
		synctest.Wait()
		h.expect(want(1, job.Succeeded, ""), want(2, job.Succeeded, ""))
	})
}

// TestWaitingTasksFromStore: a small task that waits is kept in memory, a large one or one
// of too many is read when it begins; both run as they came, and a record that was damaged
// meanwhile is an outcome.
func TestWaitingTasksFromStore(t *testing.T) {
	t.Parallel()
	for name, param := range map[string]string{"small": "p", "large": strings.Repeat("p", keptBytes), "not in memory": strings.Repeat("p", 9<<10)} {
		for _, damaged := range []bool{false, name == "not in memory"} {
			live(t, nil, func(h *house) {
				t := h.t
				release := make(chan struct{})
				h.code["it"] = handler.Func(func(_ context.Context, task *handler.Task) error {
					<-release
					if task.Param != "p" && task.Param != param {
						t.Errorf("%s: the parameter is %q", name, task.Param)
					}
					return nil
				})
				waits := task(2, 5, "it")
				waits.Param = param
				h.accept(task(1, 5, "it"), waits)
				expect := want(2, job.Succeeded, "")
				if damaged {
					h.damage(param)
					expect = want(2, job.Failed, texts.DamagedText)
				}
				close(release)
				if err := h.r.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				h.expect(want(1, job.Succeeded, ""), expect)
			})
		}
	}
}

// damage flips a bit of a text in the files of the store.
func (h *house) damage(text string) {
	h.t.Helper()
	names, err := h.backend.Names()
	if err != nil {
		h.t.Fatal(err)
	}
	found := false
	for _, name := range names {
		h.backend.Change(name, func(content []byte) {
			if i := bytes.Index(content, []byte(text)); i >= 0 {
				found = true
				content[i] ^= 1
			}
		})
	}
	if !found {
		h.t.Error("the text is in no file")
	}
}

// TestTasksKept: what waits takes so much memory and no more.
func TestTasksKept(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		synctest.Wait()
		one := task(1, 5, "it")
		for _, test := range []struct {
			name        string
			size, taken int
			kept        bool
		}{
			{"small", keptBytes, keptTasks - 2, true},
			{"large", keptBytes + 1, 0, false},
			{"one of too many", keptBytes, keptTasks - 1, false},
		} {
			first, err := h.r.reserve(&one, keptBytes+1)
			if err != nil {
				h.t.Fatal(err)
			}
			if !first.entry.processing || first.entry.task == nil {
				h.t.Errorf("%s: a task that begins at once is not at hand", test.name)
			}
			h.r.pending += test.taken
			second, err := h.r.reserve(&one, test.size)
			if err != nil {
				h.t.Fatal(err)
			}
			h.r.pending -= test.taken
			if kept := second.entry.task != nil; kept != test.kept || second.entry.processing {
				h.t.Errorf("%s: kept %v, want %v", test.name, kept, test.kept)
			}
			h.r.release(second)
			h.r.release(first)
		}
	})
}

// TestStartRidesOnTheEnd: tasks of one job that wait cost one commit each: their start is in the one of the
// end before it.
func TestStartRidesOnTheEnd(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		release := make(chan struct{})
		h.code["it"] = do(func(context.Context) error { <-release; return nil })
		synctest.Wait()
		tasks := make([]job.Task, 20)
		for i := range tasks {
			tasks[i] = task(int64(i+1), 5, "it")
		}
		for _, err := range h.together(tasks...) {
			if err != nil {
				t.Fatal(err)
			}
		}
		before := h.backend.Steps()
		close(release)
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		// A write and a sync for each, but for the last end: no start rides on it, so it is not forced.
		if n := h.backend.Steps() - before; n != 2*len(tasks)-1 {
			t.Errorf("%d changes of the disk for %d tasks", n, len(tasks))
		}
		if got := len(h.outcomes()); got != len(tasks) {
			t.Errorf("%d outcomes", got)
		}
	})
}

// TestLoneEnd: the end of a task that none follows outlives a kill at once; a power cut leaves
// the task ended or interrupted, and never one that could run again.
func TestLoneEnd(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		h.code["it"] = do(func(context.Context) error { return nil })
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		look := func(d *mem.Disk) (task queue.Place, outcome bool) {
			s, err := queue.Open(d, queue.Config{Hooks: queue.Hooks{Damaged: func(int) { h.t.Error("taken for damage") }}})
			if err != nil {
				h.t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			err = s.View(h.t.Context(), func(tx *queue.Tx) error {
				task, _ = s.Queue("tasks", queue.QueueConfig{}).Where(tx, 1)
				where, err := s.Queue("outbox", queue.QueueConfig{}).Where(tx, 1)
				outcome = where == queue.Scheduled
				return err
			})
			if err != nil {
				h.t.Error(err)
			}
			return task, outcome
		}
		if task, outcome := look(h.backend.Reopen()); task != queue.Remembered || !outcome {
			h.t.Errorf("after a kill the task is %s, with an outcome: %v", task, outcome)
		}
		task, outcome := look(h.backend.Reboot(1))
		if outcome != (task == queue.Remembered) || !outcome && task != queue.Processing {
			h.t.Errorf("after a power cut the task is %s, with an outcome: %v", task, outcome)
		}
	})
}
