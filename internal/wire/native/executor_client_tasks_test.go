package native

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

// ways is an executor that answers each task by its id, after a while.
type ways struct {
	mu      sync.Mutex
	flights map[string]int // under way, by address
	most    int            // flights to one address at once
	sizes   []int          // of the requests, as they came
	seen    map[int64]int  // how often each task came
	after   func(n int) time.Duration
	refuse  func(attempts []int64) error
}

func newWays(after func(n int) time.Duration) *ways {
	return &ways{flights: make(map[string]int), seen: make(map[int64]int), after: after, refuse: func([]int64) error { return nil }}
}

func (w *ways) deliver(_ context.Context, address string, batch []*sending) ([]error, error) {
	attempts := make([]int64, len(batch))
	for i, s := range batch {
		attempts[i] = s.attempt
	}
	w.mu.Lock()
	w.flights[address]++
	w.most = max(w.most, w.flights[address])
	w.sizes = append(w.sizes, len(batch))
	n := len(w.sizes)
	w.mu.Unlock()
	time.Sleep(w.after(n))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flights[address]--
	if err := w.refuse(attempts); err != nil {
		return nil, err
	}
	for _, attempt := range attempts {
		w.seen[attempt]++
	}
	return own(attempts), nil
}

// own returns each task's own answer: none for those whose id divides by three.
func own(attempts []int64) []error {
	answers := make([]error, len(attempts))
	for i, attempt := range attempts {
		if attempt%3 != 0 {
			answers[i] = ownAnswer(attempt)
		}
	}
	return answers
}

func ownAnswer(attempt int64) error { return job.Errorf(job.Refused, "no to %d", attempt) }

// TestBatcher: every task gets its own answer and is sent once, however they come
// together; there are never more than two requests to an executor, and none is too
// large.
func TestBatcher(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		tasks := rapid.IntRange(1, 60).Draw(rt, "tasks")
		addresses := rapid.IntRange(1, 3).Draw(rt, "addresses")
		limit := rapid.IntRange(1, 20).Draw(rt, "batch")
		gaps := rapid.SliceOfN(rapid.IntRange(0, 3), tasks, tasks).Draw(rt, "gaps")
		delays := rapid.SliceOfN(rapid.IntRange(0, 40), 5, 5).Draw(rt, "delays")
		leave := rapid.SliceOfN(rapid.IntRange(0, 60), tasks, tasks).Draw(rt, "leave")
		synctest.Test(t, func(t *testing.T) {
			w := newWays(func(n int) time.Duration { return time.Duration(delays[n%5]) * time.Millisecond })
			b := newBatcher(time.Second, w.deliver)
			var group sync.WaitGroup
			for i := range tasks {
				attempt := int64(i + 1)
				address := fmt.Sprint("http://", i%addresses)
				b.limit(address, limit)
				time.Sleep(time.Duration(gaps[i]) * time.Millisecond)
				group.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if leave[i] > 30 { // some go away while they wait
						timer := time.AfterFunc(time.Duration(leave[i]-30)*time.Millisecond, cancel)
						defer timer.Stop()
					}
					err := b.send(ctx, address, &sending{attempt: attempt, body: []byte(`{}`)})
					w.mu.Lock()
					sent := w.seen[attempt]
					w.mu.Unlock()
					switch {
					case job.Is(err, job.Unreachable):
						if sent != 0 || ctx.Err() == nil {
							rt.Errorf("attempt %d: sent %d times, and called unreachable", attempt, sent)
						}
					case sent != 1:
						rt.Errorf("attempt %d: sent %d times: %v", attempt, sent, err)
					case attempt%3 == 0 && err != nil, attempt%3 != 0 && (err == nil || err.Error() != ownAnswer(attempt).Error()):
						rt.Errorf("attempt %d has the answer of another: %v", attempt, err)
					}
				})
			}
			group.Wait()
			if w.most > maxFlights {
				rt.Errorf("%d requests at once", w.most)
			}
			for _, n := range w.sizes {
				if n > limit {
					rt.Errorf("a request with %d tasks; at most %d", n, limit)
				}
			}
			if len(b.lanes) != 0 {
				rt.Errorf("%d lanes are left", len(b.lanes))
			}
		})
	})
}

// TestBatcherGathers: the first task goes at once and alone, those that come
// meanwhile together.
func TestBatcherGathers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWays(func(int) time.Duration { return 10 * time.Millisecond })
		b := newBatcher(time.Second, w.deliver)
		var group sync.WaitGroup
		for i := range 600 {
			group.Go(func() { _ = b.send(t.Context(), "http://1", &sending{attempt: int64(i + 1), body: []byte(`{}`)}) })
			if i < 2 {
				synctest.Wait()
			}
		}
		group.Wait()
		if n := len(w.sizes); n > 6 || w.sizes[0] != 1 || w.sizes[1] != 1 || w.sizes[2] != 256 || w.sizes[3] != 256 {
			t.Errorf("requests of %v tasks", w.sizes)
		}
	})
}

// TestBatcherBounds: large tasks do not travel together, and more than may wait are
// refused.
func TestBatcherBounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWays(func(int) time.Duration { return 10 * time.Millisecond })
		b := newBatcher(time.Second, w.deliver)
		large := make([]byte, 3<<20)
		var group sync.WaitGroup
		var full int
		for i := range 10 {
			group.Go(func() {
				if job.Is(b.send(t.Context(), "http://1", &sending{attempt: int64(3*i + 3), body: large}), job.Full) {
					full++ // the tasks end one after the other
				}
			})
			synctest.Wait()
		}
		group.Wait()
		if got := fmt.Sprint(w.sizes, full); got != "[1 1 1 1 1 1 1] 3" {
			t.Errorf("requests and refusals: %s", got)
		}
	})
}

// TestBatcherPatience: a task that waits too long is taken back, and was not sent.
func TestBatcherPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWays(func(int) time.Duration { return time.Minute })
		b := newBatcher(3*time.Second, w.deliver)
		var group sync.WaitGroup
		for i := range 2 {
			group.Go(func() { _ = b.send(t.Context(), "http://1", &sending{attempt: int64(i + 1), body: nil}) })
		}
		synctest.Wait()
		began := time.Now()
		if err := b.send(t.Context(), "http://1", &sending{attempt: 3, body: nil}); !job.Is(err, job.Full) || time.Since(began) != 3*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		group.Wait()
		if w.seen[3] != 0 {
			t.Error("it was sent all the same")
		}
	})
}

// TestBatcherHalves: one task that a whole request is refused for does not stop the
// others.
func TestBatcherHalves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWays(func(int) time.Duration { return time.Millisecond })
		w.refuse = func(attempts []int64) error {
			if slices.Contains(attempts, 21) {
				return job.Errorf(job.Invalid, "tasks[%d] is odd", len(attempts))
			}
			return nil
		}
		b := newBatcher(time.Second, w.deliver)
		var group sync.WaitGroup
		for i := range 40 {
			attempt := int64(i + 1)
			group.Go(func() {
				err := b.send(t.Context(), "http://1", &sending{attempt: attempt, body: nil})
				if attempt == 21 {
					if !job.Is(err, job.Invalid) {
						t.Errorf("the odd one: %v", err)
					}
				} else if attempt%3 == 0 && err != nil || attempt%3 != 0 && !job.Is(err, job.Refused) {
					t.Errorf("attempt %d: %v", attempt, err)
				}
			})
		}
		group.Wait()
		for attempt, n := range w.seen {
			if n != 1 {
				t.Errorf("attempt %d was taken %d times", attempt, n)
			}
		}
	})
}

// TestBatcherFails: an error for all is an error for each.
func TestBatcherFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWays(func(int) time.Duration { return time.Millisecond })
		w.refuse = func([]int64) error { return job.Errorf(job.Ambiguous, "silence") }
		b := newBatcher(time.Second, w.deliver)
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				if err := b.send(t.Context(), "http://1", &sending{attempt: int64(i + 1), body: nil}); !job.Is(err, job.Ambiguous) {
					t.Errorf("%v", err)
				}
			})
		}
		group.Wait()
	})
}

// TestBatchMemory: how many tasks an executor takes is remembered for so many only.
func TestBatchMemory(t *testing.T) {
	t.Parallel()
	b := newBatcher(time.Second, func(context.Context, string, []*sending) ([]error, error) { return nil, errors.New("unused") })
	for i := range maxLanes + 1 {
		b.limit(fmt.Sprint(i), 1<<30)
	}
	if n := len(b.batches); n != 1 || b.batches[fmt.Sprint(maxLanes)] != maxTasks {
		t.Errorf("%d are remembered: %v", n, b.batches[fmt.Sprint(maxLanes)])
	}
}
