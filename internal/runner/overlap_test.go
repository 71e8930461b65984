package runner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/internal/runner/overlap"
	"github.com/orthd/orth/internal/runner/texts"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

func with(overlap job.Overlap, concurrency int, t job.Task) job.Task {
	t.Overlap, t.Concurrency = overlap, concurrency
	return t
}

// gauge counts how many of its tasks run at the same time.
type gauge struct {
	mu        sync.Mutex
	now, most int
	started   []int64
	took      time.Duration
}

func (g *gauge) Handle(ctx context.Context, t *handler.Task) error {
	g.mu.Lock()
	g.now++
	g.most = max(g.most, g.now)
	g.started = append(g.started, t.AttemptID)
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.now--
		g.mu.Unlock()
	}()
	select {
	case <-time.After(g.took):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read returns how many run, how many ran at the same time, and who started.
func (g *gauge) read() (now, most int, started []int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now, g.most, slices.Clone(g.started)
}

func TestMeet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		overlap     job.Overlap
		concurrency int
		busy        bool
		want        overlap.Ruling
	}{
		{"", 0, true, overlap.Ruling{Width: 1}},
		{"whatever", 9, true, overlap.Ruling{Width: 1}},
		{job.OverlapSerial, 9, true, overlap.Ruling{Width: 1}},
		{job.OverlapDiscard, 9, false, overlap.Ruling{Width: 1}},
		{job.OverlapCover, 9, false, overlap.Ruling{Cover: true, Width: 1}},
		{job.OverlapCover, 9, true, overlap.Ruling{Cover: true, Width: 1}},
		{job.OverlapConcurrent, -1, true, overlap.Ruling{Width: 1}},
		{job.OverlapConcurrent, 0, true, overlap.Ruling{Width: 1}},
		{job.OverlapConcurrent, 3, true, overlap.Ruling{Width: 3}},
		{job.OverlapConcurrent, 1000, true, overlap.Ruling{Width: job.MaxConcurrency}},
	} {
		got := overlap.Of(test.overlap).Decide(test.busy, &job.Task{Concurrency: test.concurrency})
		if got.Refuse != nil || got.Cover != test.want.Cover || got.Width != test.want.Width {
			t.Errorf("%+v: %+v", test, got)
		}
	}
	refused := overlap.Of(job.OverlapDiscard).Decide(true, &job.Task{}).Refuse
	if !job.Is(refused, job.Refused) || !strings.HasPrefix(refused.Error(), "block strategy effect\uff1aDiscard Later:") || !errors.Is(refused, job.ErrDiscarded) {
		t.Errorf("discarded with %v", refused)
	}
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = &gauge{took: time.Second}
		discarded := func(attempt int64) bool {
			err := h.r.Accept(t.Context(), with(job.OverlapDiscard, 0, task(attempt, 5, "it")))
			if err != nil && !job.Is(err, job.Refused) {
				t.Error(err)
			}
			return err != nil
		}
		if discarded(1) {
			t.Error("the first was discarded")
		}
		if !discarded(2) {
			t.Error("one was taken while another runs")
		}
		h.accept(task(3, 5, "it"))
		time.Sleep(time.Second + 1)
		if !discarded(4) {
			t.Error("one was taken while another waits or runs")
		}
		time.Sleep(time.Second)
		if !discarded(2) {
			t.Error("what was discarded was taken later: its server has recorded that it never ran")
		}
		if discarded(5) {
			t.Error("an idle lane is busy")
		}
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.expect(want(1, job.Succeeded, ""), want(3, job.Succeeded, ""), want(5, job.Succeeded, ""))
	})
}

// TestDiscardRace: of tasks that come at the same time one is taken.
func TestDiscardRace(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		h.code["it"] = &gauge{took: time.Second}
		var g sync.WaitGroup
		var mu sync.Mutex
		taken := 0
		for i := int64(1); i <= 50; i++ {
			g.Go(func() {
				err := h.r.Accept(h.t.Context(), with(job.OverlapDiscard, 0, task(i, 5, "it")))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					taken++
				}
			})
		}
		g.Wait()
		if taken != 1 {
			h.t.Errorf("%d were taken", taken)
		}
	})
}

func TestCover(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		it := &gauge{took: time.Hour}
		h.code["it"] = it
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		h.accept(task(2, 5, "it"), task(3, 5, "it"), task(4, 6, "it"))
		h.accept(with(job.OverlapCover, 0, task(9, 5, "it")))
		synctest.Wait()
		if diff := cmp.Diff([]int64{4, 9}, h.r.Running()); diff != "" {
			t.Error(diff)
		}
		got := map[int64]string{}
		for _, o := range h.outcomes() {
			got[o.AttemptID] = o.Message
			if o.State != job.Cancelled {
				t.Errorf("attempt %d is %s", o.AttemptID, o.State)
			}
		}
		if diff := cmp.Diff(map[int64]string{
			1: "block strategy effect\uff1aCover Early [job running, killed]",
			2: "block strategy effect\uff1aCover Early [job not executed, in the job queue, killed.]",
			3: "block strategy effect\uff1aCover Early [job not executed, in the job queue, killed.]",
		}, got); diff != "" {
			t.Error(diff)
		}
		if _, most, _ := it.read(); most != 2 { // one of each job
			t.Errorf("%d ran at the same time", most)
		}
	})
}

// TestCoverIdle: nothing is ended for a task that comes to an idle job, and the
// handler stays prepared.
func TestCoverIdle(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		it := new(lifeline)
		h.code["it"] = it
		for i := int64(1); i <= 3; i++ {
			h.accept(with(job.OverlapCover, 0, task(i, 5, "it")))
			synctest.Wait()
		}
		it.expect(h.t, 1, 3, 0)
		h.expect(want(1, job.Succeeded, ""), want(2, job.Succeeded, ""), want(3, job.Succeeded, ""))
	})
}

// TestCoverNotTaken: a task that the store does not take covers nothing.
func TestCoverNotTaken(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = &gauge{took: time.Minute}
		h.accept(task(1, 5, "it"), task(2, 5, "it"))
		synctest.Wait()
		h.disk.broken.Store(true)
		if err := h.r.Accept(t.Context(), with(job.OverlapCover, 0, task(3, 5, "it"))); err == nil {
			t.Fatal("taken without a disk")
		}
		h.disk.broken.Store(false)
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.expect(want(1, job.Succeeded, ""), want(2, job.Succeeded, ""))
	})
}

// TestCoverStuck: what covers a handler that cannot be stopped waits for it, or
// is refused once that is known.
func TestCoverStuck(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		release := make(chan struct{})
		h.code["deaf"] = do(func(context.Context) error { <-release; return nil })
		h.accept(task(1, 5, "deaf"))
		synctest.Wait() // it has begun
		h.accept(with(job.OverlapCover, 0, task(2, 5, "deaf")))
		time.Sleep(time.Minute)
		h.expect(want(1, job.Cancelled, "block strategy effect\uff1aCover Early [job running, killed]"+texts.StillText))
		if err := h.r.Accept(t.Context(), with(job.OverlapCover, 0, task(3, 5, "deaf"))); !job.Is(err, job.Full) {
			t.Errorf("another one: %v", err)
		}
		close(release)
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(h.outcomes()); n != 2 {
			t.Errorf("%d outcomes", n)
		}
	})
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		it := &gauge{took: time.Second}
		h.code["it"] = it
		began := time.Now()
		for i := int64(1); i <= 4; i++ {
			h.accept(with(job.OverlapConcurrent, 3, task(i, 5, "it")))
		}
		synctest.Wait()
		if now, _, _ := it.read(); now != 3 || !h.r.Busy(5) {
			t.Errorf("%d run", now)
		}
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, most, _ := it.read(); time.Since(began) != 2*time.Second || most != 3 {
			t.Errorf("took %v, %d at the same time", time.Since(began), most)
		}
		synctest.Wait()
		if h.r.Busy(5) {
			t.Error("an idle lane is busy")
		}
	})
}

// TestConcurrentInit: a handler is prepared once for all that run side by side.
func TestConcurrentInit(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		it := new(lifeline)
		h.code["it"] = it
		for i := int64(1); i <= 20; i++ {
			h.accept(with(job.OverlapConcurrent, 10, task(i, 5, "it")))
		}
		it.expect(h.t, 1, 20, 0)
		h.stop()
		it.expect(h.t, 1, 20, 1)
	})
}

// TestConcurrentKill: each of what ran and what waited has its outcome.
func TestConcurrentKill(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = until
		for i := int64(1); i <= 5; i++ {
			h.accept(with(job.OverlapConcurrent, 2, task(i, 5, "it")))
		}
		synctest.Wait()
		h.r.Kill(t.Context(), 5, reason)
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		running := 0
		for _, o := range h.outcomes() {
			if o.Message == reason+texts.RunningKilled {
				running++
			} else if o.Message != reason+texts.QueuedKilled {
				t.Errorf("attempt %d: %q", o.AttemptID, o.Message)
			}
		}
		if n := len(h.outcomes()); n != 5 || running != 2 {
			t.Errorf("%d outcomes, %d of running tasks", n, running)
		}
	})
}

// TestConcurrentStuck: a slot that cannot be freed is not used again.
func TestConcurrentStuck(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		release := make(chan struct{})
		it := &gauge{took: time.Second}
		h.code["it"] = handler.Func(func(ctx context.Context, t *handler.Task) error {
			if t.AttemptID == 1 {
				<-release
				return nil
			}
			return it.Handle(ctx, t)
		})
		h.accept(with(job.OverlapConcurrent, 2, task(1, 5, "it")))
		synctest.Wait()
		if _, err := h.r.CancelAttempt(t.Context(), 1, "by ann"); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		for i := int64(2); i <= 5; i++ {
			h.accept(with(job.OverlapConcurrent, 2, task(i, 5, "it")))
		}
		time.Sleep(2*time.Second - 1)
		if _, most, started := it.read(); len(started) != 2 || most != 1 {
			t.Errorf("%d started, %d at the same time, in the one slot that is left", len(started), most)
		}
		close(release)
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, most, _ := it.read(); most != 2 {
			t.Errorf("%d at the same time after the slot was free again", most)
		}
	})
}

// TestShapeChanges: another number of slots, or another handler, takes effect
// when what runs has ended; nothing is killed and the order stays.
func TestShapeChanges(t *testing.T) {
	t.Parallel()
	concurrent := func(n int, attempt int64) job.Task {
		return with(job.OverlapConcurrent, n, task(attempt, 5, "it"))
	}
	newer := func(t job.Task) job.Task { t.Handler.SourceAt = time.UnixMilli(7); return t }
	for name, test := range map[string]struct {
		tasks []job.Task
		waves [][]int64 // what runs in each second
	}{
		"fewer": {
			[]job.Task{concurrent(3, 1), concurrent(3, 2), concurrent(2, 3), concurrent(2, 4), concurrent(2, 5)},
			[][]int64{{1, 2}, {3, 4}, {5}},
		},
		"more": {
			[]job.Task{concurrent(1, 1), concurrent(1, 2), concurrent(3, 3), concurrent(3, 4)},
			[][]int64{{1}, {2}, {3, 4}},
		},
		"none is one": {
			[]job.Task{concurrent(0, 1), concurrent(0, 2), concurrent(1, 3)},
			[][]int64{{1}, {2}, {3}},
		},
		"serial among concurrent ones": {
			[]job.Task{concurrent(2, 1), task(2, 5, "it"), concurrent(2, 3), concurrent(2, 4)},
			[][]int64{{1}, {2}, {3, 4}},
		},
		"another script": {
			[]job.Task{concurrent(3, 1), concurrent(3, 2), newer(concurrent(3, 3)), newer(concurrent(3, 4))},
			[][]int64{{1, 2}, {3, 4}},
		},
		"another handler": {
			[]job.Task{concurrent(3, 1), with(job.OverlapConcurrent, 3, task(2, 5, "other")), concurrent(3, 3)},
			[][]int64{{1}, {2}, {3}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live(t, nil, func(h *house) {
				began := time.Now()
				var mu sync.Mutex
				waves := make([][]int64, 9)
				it := handler.Func(func(_ context.Context, t *handler.Task) error {
					second := int(time.Since(began) / time.Second)
					mu.Lock()
					waves[second] = append(waves[second], t.AttemptID)
					mu.Unlock()
					time.Sleep(time.Second)
					return nil
				})
				h.code["it"], h.code["other"] = it, it
				h.accept(test.tasks...)
				if err := h.r.Wait(h.t.Context()); err != nil {
					h.t.Fatal(err)
				}
				for second, want := range test.waves {
					got := map[int64]bool{}
					for _, attempt := range waves[second] {
						got[attempt] = true
					}
					wanted := map[int64]bool{}
					for _, attempt := range want {
						wanted[attempt] = true
					}
					if diff := cmp.Diff(wanted, got); diff != "" {
						h.t.Errorf("second %d (-want +got):\n%s", second, diff)
					}
				}
				for _, o := range h.outcomes() {
					if o.State != job.Succeeded {
						h.t.Errorf("attempt %d %s: %s", o.AttemptID, o.State, o.Message)
					}
				}
			})
		})
	}
}

// TestConcurrentRecovered: waiting tasks keep their overlap over a restart.
func TestConcurrentRecovered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		former := left(t, func(h *house, tx *queue.Tx) (err error) {
			for i := int64(1); i <= 6; i++ {
				err = errors.Join(err, h.tasks.Push(tx, item(with(job.OverlapConcurrent, 3, task(i, 5, "it")))))
			}
			return err
		})
		it := &gauge{took: time.Second}
		former.code["it"] = it
		h := build(t, former, nil).start()
		defer h.stop()
		synctest.Wait()
		if now, _, _ := it.read(); now != 3 {
			t.Errorf("%d run", now)
		}
		err := h.r.Wait(t.Context())
		if _, most, _ := it.read(); err != nil || most != 3 {
			t.Errorf("%d at the same time, %v", most, err)
		}
	})
}

// TestReturn: a stopping executor hands back what waits.
func TestReturn(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		h.code["it"] = &gauge{took: time.Second}
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		h.accept(task(2, 5, "it"), task(3, 5, "it"))
		h.r.Drain()
		if n := h.r.Return(t.Context()); n != 2 || !h.r.Draining() {
			t.Errorf("%d were handed back", n)
		}
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		const text = texts.ReturnReason + texts.QueuedKilled
		h.expect(want(2, job.Failed, text), want(3, job.Failed, text), want(1, job.Succeeded, ""))
		if got := h.outcomes()[0].Class; got != retry.ClassResource {
			t.Errorf("class %q", got)
		}
		if s := h.stats(); s.Scheduled+s.Processing != 0 {
			t.Errorf("the queue has %+v", s)
		}
	})
}

// TestAdoptTogether: many who adopt the same task at the same time make one run.
func TestAdoptTogether(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		it := &gauge{took: time.Second}
		h.code["it"] = it
		synctest.Wait()
		err := h.store.Update(t.Context(), func(tx *queue.Tx) error { return h.tasks.Push(tx, item(task(7, 6, "it"))) })
		if err != nil {
			t.Fatal(err)
		}
		var g sync.WaitGroup
		for range 50 {
			g.Go(func() {
				if err := h.r.Adopt(t.Context(), []int64{7}); err != nil {
					t.Error(err)
				}
			})
		}
		g.Wait()
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, _, started := it.read(); len(started) != 1 {
			t.Errorf("ran %v", started)
		}
		h.expect(want(7, job.Succeeded, ""))
	})
}

// TestAdopt: what an operator puts back runs at once, and once.
func TestAdopt(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		t := h.t
		it := &gauge{took: time.Second}
		h.code["it"] = it
		synctest.Wait()
		h.accept(task(1, 5, "it"))
		synctest.Wait()
		err := h.store.Update(t.Context(), func(tx *queue.Tx) error {
			return errors.Join(h.tasks.Push(tx, item(task(7, 6, "it"))), h.tasks.Push(tx, queue.Item{Key: 8, Body: []byte("{")}))
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := h.r.Adopt(t.Context(), []int64{1, 7, 8, 99}); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, _, started := it.read(); !slices.Equal(started, []int64{1, 7}) {
			t.Errorf("ran %v", started)
		}
	})
}
