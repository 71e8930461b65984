package runner

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/runner/texts"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

func TestOutcomes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxMessage+1)
	for _, test := range []struct {
		name    string
		run     func(ctx context.Context, t *handler.Task) error
		timeout time.Duration
		state   job.State
		message string
		log     []string
	}{
		{
			name: "nothing said", run: func(context.Context, *handler.Task) error { return nil },
			state: job.Succeeded,
			log: []string{
				"<br>----------- orth job execute start -----------<br>----------- Param:p\n",
				"<br>----------- orth job execute end(finish) -----------<br>----------- Result: succeeded, message: \n",
			},
		},
		{
			name: "result", run: func(_ context.Context, t *handler.Task) error { t.Result("3 rows"); t.Log("busy"); return nil },
			state: job.Succeeded, message: "3 rows",
			log: []string{"execute start", "busy\n", "Result: succeeded, message: 3 rows\n"},
		},
		{
			name: "error", run: func(_ context.Context, t *handler.Task) error { t.Result("ignored"); return errors.New("no disk") },
			state: job.Failed, message: "no disk",
			log: []string{"orth job exception:no disk\n", "end(error)", "Result: failed, message: no disk\n"},
		},
		{
			name: "error without text", run: func(context.Context, *handler.Task) error { return errors.New("") },
			state: job.Failed, message: texts.EmptyErrorText,
		},
		{
			name: "long result", run: func(_ context.Context, t *handler.Task) error { t.Result(long); return nil },
			state: job.Succeeded, message: job.Clean(long, maxMessage), log: []string{"message: " + long + "\n"},
		},
		{
			name: "long failure", run: func(context.Context, *handler.Task) error { return errors.New(long) },
			state: job.Failed, message: job.Clean(long, maxMessage), log: []string{"message: " + long + "\n"},
		},
		{
			name: "panic", run: func(context.Context, *handler.Task) error { panic("boom") },
			state: job.Failed, message: "panic: boom",
			log: []string{"exception:panic: boom\n", "goroutine ", "outcome_test.go", "end(error)"},
		},
		{
			name: "panic with an error", run: func(context.Context, *handler.Task) error { panic(errors.New("bad")) },
			state: job.Failed, message: "panic: bad",
		},
		{
			name: "goroutine ended", run: func(context.Context, *handler.Task) error { runtime.Goexit(); return nil },
			state: job.Failed, message: texts.ExitText, log: []string{"end(error)"},
		},
		{
			name: "time up", timeout: time.Second, run: until.Handle,
			state: job.TimedOut, message: "job execute timeout ",
			log: []string{"<br>----------- orth job execute timeout\n", "Result: timed_out"},
		},
		{
			name: "time up, success claimed", timeout: time.Second,
			run: func(ctx context.Context, t *handler.Task) error {
				<-ctx.Done()
				t.Result("all good")
				return nil
			},
			state: job.TimedOut, message: "job execute timeout ",
		},
		{
			name: "time up, panic", timeout: time.Second,
			run:   func(ctx context.Context, _ *handler.Task) error { <-ctx.Done(); panic("late") },
			state: job.TimedOut, message: "job execute timeout ", log: []string{"timeout\n", "panic: late"},
		},
		{
			name: "in time", timeout: time.Second,
			run:   func(context.Context, *handler.Task) error { time.Sleep(time.Second - 1); return nil },
			state: job.Succeeded,
		},
		{
			name: "error of another context", run: func(context.Context, *handler.Task) error { return context.Canceled },
			state: job.Failed, message: "context canceled",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				t := h.t
				h.code["it"] = handler.Func(test.run)
				in := task(1, 5, "it")
				in.Timeout = test.timeout
				h.accept(in)
				if err := h.r.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				h.expect(want(1, test.state, test.message))
				h.expectLog(1, test.log...)
				if got := h.outcomes()[0]; !got.TriggeredAt.Equal(triggered) || got.EndedAt.IsZero() {
					t.Errorf("times of %+v", got)
				}
				if s := h.stats(); s.Scheduled+s.Processing+s.Dead != 0 || s.Remembered != 1 {
					t.Errorf("the queue has %+v", s)
				}
				synctest.Wait()
				if h.r.Busy(5) || len(h.r.Running()) != 0 {
					t.Error("the job is still busy")
				}
			})
		})
	}
}

func TestHandlerSeesTask(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		in := task(1, 5, "it")
		in.Timeout, in.ShardIndex, in.ShardTotal = time.Minute, 2, 3
		var got *handler.Task
		deadline := time.Now().Add(time.Minute)
		h.code["it"] = handler.Func(func(ctx context.Context, t *handler.Task) error {
			got = t
			if d, ok := ctx.Deadline(); !ok || !d.Equal(deadline) || handler.FromContext(ctx) != t {
				return errors.New("the context does not know the task")
			}
			return nil
		})
		h.accept(in)
		synctest.Wait()
		h.expect(want(1, job.Succeeded, ""))
		if got.AttemptID != 1 || got.JobID != 5 || got.Param != "p" || got.ShardIndex != 2 || got.ShardTotal != 3 ||
			!got.Deadline.Equal(deadline) || !got.TriggeredAt.Equal(triggered) || !got.PlannedAt.IsZero() {
			t.Errorf("the handler saw %+v", got)
		}
	})
}

// TestHandling: whoever traces wraps each handler, and hears how it ended.
func TestHandling(t *testing.T) {
	t.Parallel()
	type key struct{}
	ends := make(map[int64]error)
	live(t, func(c *Config) {
		c.Hooks.Handling = func(ctx context.Context, view *handler.Task) (context.Context, func(error)) {
			view.Trace += "-below"
			return context.WithValue(ctx, key{}, view.AttemptID), func(err error) { ends[view.AttemptID] = err }
		}
	}, func(h *house) {
		bad := errors.New("no disk")
		h.code["it"] = handler.Func(func(ctx context.Context, t *handler.Task) error {
			switch {
			case ctx.Value(key{}) != t.AttemptID || t.Trace != "above-below" || handler.FromContext(ctx) != t:
				return errors.New("the handler is not wrapped")
			case t.AttemptID == 2:
				return bad
			case t.AttemptID == 3:
				panic("boom")
			}
			return nil
		})
		for id := range int64(3) {
			in := task(id+1, id+1, "it")
			in.Trace = "above"
			h.accept(in)
			synctest.Wait()
		}
		if len(ends) != 3 || ends[1] != nil || !errors.Is(ends[2], bad) || !errors.Is(ends[3], errLeft) {
			h.t.Errorf("handlers ended with %v", ends)
		}
	})
}

// TestStuckHandler: a handler that ignores its context is reported after the
// grace and keeps its slot until it returns.
func TestStuckHandler(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		release := make(chan struct{})
		h.code["deaf"] = handler.Func(func(_ context.Context, t *handler.Task) error {
			<-release
			t.Log("nobody reads this")
			return nil
		})
		h.code["it"] = do(func(context.Context) error { return nil })
		first := task(1, 5, "deaf")
		first.Timeout = time.Second
		h.accept(first, task(2, 5, "it"))
		time.Sleep(time.Second + 10*time.Second - 1)
		h.expect()
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		late := want(1, job.TimedOut, "job execute timeout  (the handler ignores it: still running, cannot be stopped)")
		h.expect(late)
		h.expectLog(1, "the handler still runs 10s after it was cancelled", "Result: timed_out")
		if !h.r.Busy(5) || h.r.Load().Stuck != 1 {
			t.Errorf("the slot is free: %+v", h.r.Load())
		}
		if err := h.r.Accept(t.Context(), task(3, 5, "it")); !job.Is(err, job.Full) {
			t.Errorf("a task for a lane that cannot go on: %v", err)
		}
		h.accept(task(4, 6, "it"))
		synctest.Wait()
		close(release)
		synctest.Wait()
		if diff := cmp.Diff([]int{1, 0}, h.stuck); diff != "" {
			t.Errorf("stuck handlers: %s", diff)
		}
		h.expect(late, want(4, job.Succeeded, ""), want(2, job.Succeeded, ""))
		if strings.Contains(h.logs.text(1), "nobody reads this") {
			t.Error("a run log was written after its end")
		}
		h.accept(task(3, 5, "it"))
		synctest.Wait()
		if got := h.r.Load(); got != (Load{Lanes: 2, Idle: 2}) || h.starts.used() != 0 {
			t.Errorf("left %+v and %d marks", got, h.starts.used())
		}
	})
}

// TestClasses: what a handler says of its failure reaches the outcome.
func TestClasses(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	for name, test := range map[string]struct {
		err   error
		state job.State
		class retry.Class
		after time.Duration
	}{
		"unmarked":  {cause, job.Failed, "", 0},
		"transient": {retry.Transient(cause), job.Failed, "", 0},
		"permanent": {retry.Permanent(cause), job.Failed, retry.ClassPermanent, 0},
		"not ready": {retry.NotReady(cause, time.Minute), job.Failed, retry.ClassNotReady, time.Minute},
		"resource":  {fmt.Errorf("deep: %w", retry.Resource(cause)), job.Failed, retry.ClassResource, 0},
		"timed out": {handler.TimedOut("too slow"), job.TimedOut, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				h.code["it"] = do(func(context.Context) error { return test.err })
				h.accept(task(1, 5, "it"))
				synctest.Wait()
				got := h.outcomes()[0]
				if got.State != test.state || got.Class != test.class || got.RetryAfter != test.after || got.Message != test.err.Error() {
					h.t.Errorf("outcome %+v", got)
				}
			})
		})
	}
}

// TestGoexitGoesOn: a handler that ends its goroutine does not end its lane.
func TestGoexitGoesOn(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		h.code["exit"] = do(func(context.Context) error { runtime.Goexit(); return nil })
		h.code["it"] = do(func(context.Context) error { return nil })
		h.accept(task(1, 5, "exit"), task(2, 5, "exit"), task(3, 5, "it"))
		synctest.Wait()
		h.expect(want(1, job.Failed, texts.ExitText), want(2, job.Failed, texts.ExitText), want(3, job.Succeeded, ""))
	})
}

// TestGoexitOfStuck: so does one that is no longer waited for.
func TestGoexitOfStuck(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		release := make(chan struct{})
		h.code["exit"] = do(func(context.Context) error { <-release; runtime.Goexit(); return nil })
		h.code["it"] = do(func(context.Context) error { return nil })
		h.accept(task(1, 5, "exit"), task(2, 5, "it"))
		synctest.Wait()
		if _, err := h.r.CancelAttempt(h.t.Context(), 1, "by ann"); err != nil {
			h.t.Error(err)
		}
		time.Sleep(time.Minute)
		close(release)
		synctest.Wait()
		h.expect(want(1, job.Cancelled, "by ann [job running, killed]"+texts.StillText), want(2, job.Succeeded, ""))
	})
}

// TestNoMark: without evidence of the start nothing runs, for a crash would
// run it again.
func TestNoMark(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		h.code["it"] = do(func(context.Context) error { h.t.Error("it ran without a mark"); return nil })
		h.starts.fail = errFull
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		h.expect(want(1, job.Failed, "the start of the task cannot be noted on this executor's disk: no space left"))
		if got := h.outcomes()[0].Class; got != retry.ClassResource {
			h.t.Errorf("class %q", got)
		}
	})
}

func TestNoRunLog(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = do(func(context.Context) error { t.Error("it ran without a log"); return nil })
		h.logs.full = true
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		h.expect(want(1, job.Failed, "the run log cannot be written: no space left"))
	})
}

// TestOutcomeWaitsForDisk: an outcome that the store refuses is kept and tried
// again; meanwhile the lane waits.
func TestOutcomeWaitsForDisk(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		ran := 0
		h.code["it"] = do(func(context.Context) error { ran++; return nil })
		h.outbox.refuse(job.Errorf(job.Full, "the outbox is full"))
		h.accept(task(1, 5, "it"), task(2, 5, "it"))
		time.Sleep(time.Hour)
		h.expect()
		if ran != 1 || !h.r.Busy(5) {
			t.Errorf("%d runs behind an outcome that nobody has", ran)
		}
		h.outbox.refuse(nil)
		time.Sleep(10 * time.Second)
		h.expect(want(1, job.Succeeded, ""), want(2, job.Succeeded, ""))
	})
}

// lifeline counts its Inits and Destroys.
type lifeline struct {
	mu                    sync.Mutex
	inits, runs, destroys int
	fail                  error
	panics                bool
}

func (l *lifeline) count(n *int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*n++
}

func (l *lifeline) Init(context.Context) error { l.count(&l.inits); return l.fail }
func (l *lifeline) Destroy() {
	l.count(&l.destroys)
	if l.panics {
		panic("cannot")
	}
}

func (l *lifeline) Handle(context.Context, *handler.Task) error { l.count(&l.runs); return nil }

func (l *lifeline) expect(t *testing.T, inits, runs, destroys int) {
	t.Helper()
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inits != inits || l.runs != runs || l.destroys != destroys {
		t.Errorf("%d inits, %d runs, %d destroys; want %d, %d, %d", l.inits, l.runs, l.destroys, inits, runs, destroys)
	}
}

func TestLaneLife(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		it := &lifeline{panics: true}
		h.code["it"] = it
		h.accept(task(1, 5, "it"), task(2, 5, "it"))
		it.expect(t, 1, 2, 0)
		time.Sleep(89 * time.Second)
		h.accept(task(3, 5, "it")) // the idle time begins again
		time.Sleep(90*time.Second - 1)
		it.expect(t, 1, 3, 0)
		time.Sleep(time.Nanosecond)
		it.expect(t, 1, 3, 1)
		if len(h.r.lanes) != 0 || h.r.idlers.count != 0 {
			t.Errorf("%d lanes, %d idle", len(h.r.lanes), h.r.idlers.count)
		}
		h.accept(task(4, 5, "it"))
		it.expect(t, 2, 4, 1)
		h.stop()
		it.expect(t, 2, 4, 2)
	})
}

func TestInitFails(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		it := &lifeline{fail: errors.New("no connection")}
		h.code["it"] = it
		h.accept(task(1, 5, "it"))
		it.expect(t, 1, 0, 0)
		it.fail = nil
		h.accept(task(2, 5, "it"), task(3, 5, "it"))
		it.expect(t, 2, 2, 0)
		h.expect(want(1, job.Failed, "prepare the handler: no connection"), want(2, job.Succeeded, ""), want(3, job.Succeeded, ""))
	})
}

func TestHandlerChanges(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		a, b := new(lifeline), new(lifeline)
		h.code["a"], h.code["b"] = a, b
		h.accept(task(1, 5, "a"), task(2, 5, "a"), task(3, 5, "b"), task(4, 6, "b"))
		a.expect(t, 1, 2, 1)
		b.expect(t, 2, 2, 0)
		h.stop()
		b.expect(t, 2, 2, 2)
		a.expect(t, 1, 2, 1)
	})
}

// TestFailuresAreMasked: secrets are hidden in what is reported of a failure, however it
// came about, and results are left alone.
func TestFailuresAreMasked(t *testing.T) {
	t.Parallel()
	mask := func(c *Config) {
		c.Mask = func(text string) string { return strings.ReplaceAll(text, "hush-hush", "***") }
	}
	for name, test := range map[string]struct {
		run  func(ctx context.Context, t *handler.Task) error
		want job.Outcome
	}{
		"error":    {func(context.Context, *handler.Task) error { return errors.New("login with hush-hush") }, want(1, job.Failed, "login with ***")},
		"panic":    {func(context.Context, *handler.Task) error { panic("hush-hush") }, want(1, job.Failed, "panic: ***")},
		"time out": {func(context.Context, *handler.Task) error { return handler.TimedOut("hush-hush") }, want(1, job.TimedOut, "***")},
		"result":   {func(_ context.Context, t *handler.Task) error { t.Result("hush-hush"); return nil }, want(1, job.Succeeded, "hush-hush")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, mask, func(h *house) {
				h.code["it"] = handler.Func(test.run)
				h.accept(task(1, 5, "it"))
				if err := h.r.Wait(h.t.Context()); err != nil {
					h.t.Fatal(err)
				}
				h.expect(test.want)
			})
		})
	}
}
