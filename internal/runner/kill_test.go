package runner

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

const reason = "scheduling center kill job."

func TestKill(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = until
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		h.accept(task(2, 5, "it"), task(3, 5, "it"), task(4, 6, "it"))
		if !h.r.Kill(t.Context(), 5, reason) {
			t.Error("the job was not found")
		}
		if s := h.stats(); s.Scheduled != 0 {
			t.Errorf("%d tasks wait after the kill", s.Scheduled)
		}
		synctest.Wait()
		got := map[int64]job.Outcome{}
		for _, o := range h.outcomes() {
			got[o.AttemptID] = job.Outcome{AttemptID: o.AttemptID, State: o.State, Message: o.Message}
			if !o.TriggeredAt.Equal(triggered) {
				t.Errorf("attempt %d was triggered at %v", o.AttemptID, o.TriggeredAt)
			}
		}
		if diff := cmp.Diff(map[int64]job.Outcome{
			1: want(1, job.Cancelled, "scheduling center kill job. [job running, killed]"),
			2: want(2, job.Cancelled, "scheduling center kill job. [job not executed, in the job queue, killed.]"),
			3: want(3, job.Cancelled, "scheduling center kill job. [job not executed, in the job queue, killed.]"),
		}, got); diff != "" {
			t.Error(diff)
		}
		h.expectLog(1, "<br>----------- orth job stopped, reason:scheduling center kill job.\n", "end(error)")
		if h.r.Busy(5) || !h.r.Busy(6) {
			t.Error("the wrong job is busy")
		}
		if h.r.Kill(t.Context(), 5, reason) {
			t.Error("killed twice")
		}
		h.accept(task(9, 5, "it"))
		if !h.r.Busy(5) {
			t.Error("a killed job takes no more tasks")
		}
	})
}

func TestKillIdle(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		it := new(lifeline)
		h.code["it"] = it
		if h.r.Kill(t.Context(), 5, reason) {
			t.Error("killed what never was")
		}
		h.accept(task(1, 5, "it"))
		it.expect(t, 1, 1, 0)
		if !h.r.Kill(t.Context(), 5, reason) {
			t.Error("an idle lane was not found")
		}
		it.expect(t, 1, 1, 1)
		if h.r.Kill(t.Context(), 5, reason) {
			t.Error("an idle lane was killed twice")
		}
		h.expect(want(1, job.Succeeded, ""))
	})
}

// TestKillBeatsResult: a killed run is killed, whatever its handler says.
func TestKillBeatsResult(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = do(func(ctx context.Context) error { <-ctx.Done(); return nil })
		in := task(1, 5, "it")
		in.Timeout = time.Minute
		h.accept(in)
		synctest.Wait()
		h.r.Kill(t.Context(), 5, reason)
		synctest.Wait()
		h.expect(want(1, job.Cancelled, "scheduling center kill job. [job running, killed]"))
	})
}

// TestKillWithoutDisk: what cannot be dropped now is dropped later, and does
// not run.
func TestKillWithoutDisk(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		ran := 0
		h.code["it"] = do(func(ctx context.Context) error { ran++; <-ctx.Done(); return nil })
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		h.accept(task(2, 5, "it"), task(3, 5, "it"))
		h.outbox.refuse(job.Errorf(job.Unavailable, "no space left"))
		if !h.r.Kill(t.Context(), 5, reason) {
			t.Error("the job was not found")
		}
		time.Sleep(time.Minute)
		h.expect()
		h.outbox.refuse(nil)
		time.Sleep(time.Minute)
		h.expect(
			want(1, job.Cancelled, "scheduling center kill job. [job running, killed]"),
			want(2, job.Cancelled, "scheduling center kill job. [job not executed, in the job queue, killed.]"),
			want(3, job.Cancelled, "scheduling center kill job. [job not executed, in the job queue, killed.]"),
		)
		if ran != 1 {
			t.Errorf("%d runs, want the first only", ran)
		}
	})
}

func TestKillManyPages(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = until
		for i := int64(1); i <= 2*dropPage+10; i++ {
			h.accept(task(i, 5, "it"))
		}
		h.r.Kill(t.Context(), 5, reason)
		synctest.Wait()
		if n := len(h.outcomes()); n != 2*dropPage+10 {
			t.Errorf("%d outcomes", n)
		}
		if err := h.r.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestCancelAttempt(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = until
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		h.accept(task(2, 5, "it"), task(3, 5, "it"))
		for _, test := range []struct {
			attempt int64
			found   bool
		}{{2, true}, {2, false}, {1, true}, {99, false}} {
			if got, err := h.r.CancelAttempt(t.Context(), test.attempt, "by ann"); got != test.found || err != nil {
				t.Errorf("attempt %d: found %t, %v", test.attempt, got, err)
			}
			synctest.Wait()
		}
		h.expect(
			want(2, job.Cancelled, "by ann [job not executed, in the job queue, killed.]"),
			want(1, job.Cancelled, "by ann [job running, killed]"),
		)
		if diff := cmp.Diff([]int64{3}, h.r.Running()); diff != "" {
			t.Error(diff)
		}
	})
}
