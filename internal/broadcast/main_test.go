package broadcast

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is everything around an engine, in memory, with the rules that its
// interfaces promise.
type world struct {
	mu        sync.Mutex
	works     map[int64]*entry
	claims    int
	completed []job.Outcome
	cancelled []int64
	fail      error         // of everything
	slow      time.Duration // of each cancellation
	calls     int           // cancellations under way
	most      int
}

// entry is a broadcast with its shards.
type entry struct {
	Work
	look   time.Time // zero for never
	shards []job.ShardRun
}

func newWorld() *world { return &world{works: make(map[int64]*entry)} }

func (w *world) lock() func() { w.mu.Lock(); return w.mu.Unlock }

// add adds a broadcast with shards in the states, which is to be looked at.
func (w *world) add(run int64, cancel string, states ...job.State) {
	defer w.lock()()
	e := &entry{look: time.Now()}
	e.Run = job.Run{ID: run, State: job.Running}
	e.Broadcast = job.Broadcast{RunID: run, AttemptID: run + 1000, Total: len(states), Shards: len(states), Cancel: cancel}
	for i, s := range states {
		e.shards = append(e.shards, job.ShardRun{Run: job.Run{
			ID: run*100 + int64(i), CauseID: run, State: s, Shard: job.Shard{Index: i, Total: len(states)}, Message: "it is " + string(s),
		}})
	}
	w.works[run] = e
	e.count()
}

// count brings the counts up to date.
func (e *entry) count() {
	e.Broadcast.Open, e.Broadcast.Failed = 0, 0
	for _, s := range e.shards {
		switch {
		case !s.State.Final():
			e.Broadcast.Open++
		case s.State != job.Succeeded:
			e.Broadcast.Failed++
		}
	}
}

// end ends a shard as the store does.
func (w *world) end(run int64, index int, state job.State) {
	defer w.lock()()
	e := w.works[run]
	if e.shards[index].State.Final() {
		return
	}
	e.shards[index].State = state
	if e.count(); e.Broadcast.Open == 0 {
		e.look = time.Now()
	}
}

func (w *world) ClaimBroadcasts(_ context.Context, now, lease time.Time, limit int) ([]Work, error) {
	defer w.lock()()
	w.claims++
	var found []Work
	for _, run := range w.order() {
		e := w.works[run]
		if !e.look.IsZero() && !e.look.After(now) && len(found) < limit {
			e.look, e.Lease = lease, lease
			found = append(found, e.Work)
		}
	}
	return found, w.fail
}

func (w *world) order() []int64 {
	var ids []int64
	for id := range w.works {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (w *world) Shards(_ context.Context, run int64) ([]job.ShardRun, error) {
	defer w.lock()()
	return slices.Clone(w.works[run].shards), w.fail
}

func (w *world) PutOff(_ context.Context, claimed Work, at time.Time) error {
	defer w.lock()()
	if e := w.works[claimed.Run.ID]; e.look.Equal(claimed.Lease) {
		e.look = at
	}
	return w.fail
}

func (w *world) Complete(_ context.Context, outcomes []job.Outcome) error {
	defer w.lock()()
	if w.fail != nil {
		return w.fail
	}
	for _, o := range outcomes {
		e := w.works[o.AttemptID-1000]
		if e.Run.State.Final() {
			continue
		}
		e.Run.State, e.look = o.State, time.Time{}
		w.completed = append(w.completed, o)
	}
	return nil
}

func (w *world) CancelRun(_ context.Context, id int64, _ string) (job.Run, error) {
	w.mu.Lock()
	w.calls++
	w.most = max(w.most, w.calls)
	slow := w.slow
	w.cancelled = append(w.cancelled, id)
	w.mu.Unlock()
	time.Sleep(slow)
	w.end(id/100, int(id%100), job.Cancelled)
	defer w.lock()()
	w.calls--
	return job.Run{ID: id, State: job.Cancelled}, nil
}

// start runs an engine within the bubble of a test.
func start(t *testing.T, w *world, c Config) *Engine {
	t.Helper()
	c.Store, c.Completer, c.Canceller = w, w, w
	e := New(c)
	lifecycletest.Start(t, e.Run)
	synctest.Wait()
	return e
}

// pass lets fake time pass and everybody finish what is to be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (w *world) outcomes() []job.Outcome {
	defer w.lock()()
	return slices.Clone(w.completed)
}
