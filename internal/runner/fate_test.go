package runner

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// TestFailedCommitIsUndone: a commit that fails, whatever it has written, is undone for good before it
// is answered: the task may be sent elsewhere.
func TestFailedCommitIsUndone(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{true, false} {
		t.Run(fmt.Sprint("kept ", kept), func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				t := h.t
				var runs atomic.Int64
				h.code["it"] = do(func(context.Context) error { runs.Add(1); return nil })
				synctest.Wait()
				h.disk.kept.Store(kept)
				h.disk.broken.Store(true)
				err := h.r.Accept(t.Context(), task(1, 5, "it"))
				if !job.Is(err, job.Unavailable) {
					t.Errorf("the answer is %v", err)
				}
				h.disk.broken.Store(false)
				time.Sleep(time.Minute)
				h.stop()
				h = build(t, h, nil).start()
				defer h.stop()
				time.Sleep(time.Minute)
				if runs.Load() != 0 {
					t.Errorf("%d runs", runs.Load())
				}
			})
		})
	}
}

// TestFateIsUnknown: while nobody can tell whether a task is here, the answer says just that, for
// the same attempt again too; others are refused, and the attempt counts as held. It runs once, or
// not at all, when the disk works again or after a restart.
func TestFateIsUnknown(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{true, false} {
		for _, restart := range []bool{true, false} {
			t.Run(fmt.Sprintf("kept %v, restart %v", kept, restart), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					h := build(t, nil, nil).start()
					var runs atomic.Int64
					h.code["it"] = do(func(context.Context) error { runs.Add(1); return nil })
					synctest.Wait()
					h.disk.kept.Store(kept)
					h.disk.after.Store(true)
					h.disk.broken.Store(true)
					for range 2 {
						if err := h.r.Accept(t.Context(), task(1, 5, "it")); !job.Is(err, job.Ambiguous) {
							t.Errorf("the answer is %v", err)
						}
					}
					if err := h.r.Accept(t.Context(), task(2, 6, "it")); !job.Is(err, job.Unavailable) {
						t.Errorf("the answer for another task is %v", err)
					}
					if _, err := h.r.Standings(t.Context(), []int64{1}); err == nil && !kept {
						t.Error("it was said to be unknown")
					}
					if got := h.r.Running(); len(got) != 1 {
						t.Errorf("held: %v", got)
					}
					if runs.Load() != 0 {
						t.Error("it runs")
					}
					if restart {
						h.stop()
						h = build(t, h, nil).start()
					} else {
						h.disk.broken.Store(false)
						h.disk.shut.Store(false)
					}
					defer h.stop()
					time.Sleep(time.Minute)
					kept := kept && restart // otherwise it is undone
					if want := map[bool]int64{true: 1}[kept]; runs.Load() != want {
						t.Errorf("%d runs, want %d", runs.Load(), want)
					}
					err := h.r.Accept(t.Context(), task(1, 5, "it"))
					if kept && !job.Is(err, job.Duplicate) || !kept && err != nil {
						t.Errorf("in the end the answer is %v", err)
					}
				})
			})
		}
	}
}

// TestOutcomeOfUnknownFateIsSent: the commit that ends a task fails and takes effect all the
// same. The outcome is there, and must be sent without waiting for another one.
func TestOutcomeOfUnknownFateIsSent(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		release := make(chan struct{})
		breaking := sync.OnceFunc(func() {
			h.disk.kept.Store(true)
			h.disk.broken.Store(true)
		})
		h.code["it"] = do(func(context.Context) error {
			<-release
			breaking()
			return nil
		})
		synctest.Wait()
		h.accept(task(1, 5, "it"), task(2, 5, "it")) // the second one waits, so the end of the first is forced
		synctest.Wait()
		close(release)
		synctest.Wait()
		h.disk.broken.Store(false)
		time.Sleep(time.Minute)
		h.expect(want(1, job.Succeeded, ""), want(2, job.Succeeded, ""))
		if h.outbox.woken.Load() == 0 {
			h.t.Error("nobody sends the outcomes")
		}
	})
}
