package runner

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// TestNoTaskWaitsForAnother: tasks that come together and wait for each other in their
// handlers all run, and the ends of those that came before are stored meanwhile.
func TestNoTaskWaitsForAnother(t *testing.T) {
	t.Parallel()
	for _, exits := range []bool{false, true} {
		live(t, nil, func(h *house) {
			t := h.t
			const quick, slow = 5, 60
			begun, all := make(chan struct{}, slow), make(chan struct{})
			h.code["quick"] = do(func(context.Context) error {
				if exits {
					runtime.Goexit()
				}
				return nil
			})
			h.code["slow"] = do(func(context.Context) error { begun <- struct{}{}; <-all; return nil })
			var tasks []job.Task
			for i := range int64(quick + slow) {
				name := "quick"
				if i >= quick {
					name = "slow"
				}
				tasks = append(tasks, task(i+1, i+1, name))
			}
			for _, err := range h.together(tasks...) {
				if err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			if n := len(begun); n != slow {
				t.Errorf("%d of %d handlers were called while others have not returned", n, slow)
			}
			if s := h.stats(); s.Processing != slow {
				t.Errorf("the store has %d tasks in processing, want the %d whose handlers have not returned", s.Processing, slow)
			}
			close(all)
			synctest.Wait()
			if s := h.stats(); s.Processing != 0 {
				t.Errorf("the store has %d tasks in processing after the last end", s.Processing)
			}
		})
	}
}

// TestEndsShareATransaction: tasks that end at the same time are stored together, those that
// the store refuses are stored later.
func TestEndsShareATransaction(t *testing.T) {
	t.Parallel()
	for _, broken := range []bool{false, true} {
		t.Run(fmt.Sprintf("broken=%t", broken), func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				t := h.t
				const n = 50
				release := make(chan struct{})
				h.code["it"] = handler.Func(func(context.Context, *handler.Task) error { <-release; return nil })
				var tasks []job.Task
				for i := range int64(n) {
					tasks = append(tasks, task(i+1, i+1, "it"))
				}
				h.together(tasks...)
				synctest.Wait()
				h.disk.broken.Store(broken)
				close(release)
				synctest.Wait()
				if s := h.stats(); broken != (s.Processing == n) || !broken && s.Processing != 0 {
					t.Errorf("the store has %d tasks in processing", s.Processing)
				}
				h.disk.broken.Store(false)
				if err := h.r.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				ended := make(map[int64]bool)
				for _, o := range h.outcomes() {
					ended[o.AttemptID] = o.State == job.Succeeded
				}
				if len(ended) != n || len(h.outcomes()) != n {
					t.Errorf("%d tasks of %d have ended, in %d outcomes", len(ended), n, len(h.outcomes()))
				}
			})
		})
	}
}
