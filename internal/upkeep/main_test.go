package upkeep

import (
	"context"
	"fmt"
	"maps"
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

// world is a store, its recorder and executors in memory.
type world struct {
	mu       sync.Mutex
	attempts map[int64]job.Attempt
	checkAt  map[int64]time.Time // by run; unanswered attempts only
	leases   map[string]bool
	outcomes []job.Outcome
	fail     error // of the store's reads
	failing  error // of the recorder

	// By address: what an executor answers. A missing address refuses
	// connections.
	executors map[string]*executor
	asked     map[string]int // questions by address
	sent      []job.Task
	busy      int // questions under way
	busiest   int
	stolen    map[int64]bool // attempts that others take over first
}

// executor is how one answers.
type executor struct {
	holds map[int64]bool
	take  error         // of Send
	ask   error         // of Holds
	slow  time.Duration // of each question
	lossy int           // of each so many answers all but the last get lost
}

func newWorld() *world {
	return &world{
		stolen: make(map[int64]bool), attempts: make(map[int64]job.Attempt), checkAt: make(map[int64]time.Time), leases: make(map[string]bool),
		executors: make(map[string]*executor), asked: make(map[string]int),
	}
}

// open adds an open attempt and its run, which has ten times its id.
func (w *world) open(id int64, address string, state job.State) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attempts[id] = job.Attempt{ID: id, RunID: id * 10, JobID: 1, Address: address, State: state}
	if state == job.Dispatched {
		w.checkAt[id*10] = time.Now().Add(-time.Second)
	}
}

func (w *world) change(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fn()
}

func (w *world) state(id int64) job.State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.attempts[id].State
}

// sorted returns the open attempts by id, so that limits mean something.
func (w *world) sorted() []job.Attempt {
	var open []job.Attempt
	for _, id := range slices.Sorted(maps.Keys(w.attempts)) {
		if a := w.attempts[id]; !a.State.Final() {
			open = append(open, a)
		}
	}
	return open
}

// ClaimUnanswered takes over what is as it was read.
func (w *world) ClaimUnanswered(_ context.Context, open []Open, until time.Time) ([]bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := make([]bool, len(open))
	for i, o := range open {
		at, there := w.checkAt[o.Run.ID]
		if taken[i] = there && at.Equal(o.CheckAt) && !w.stolen[o.Attempt.ID]; taken[i] {
			w.checkAt[o.Run.ID] = until
		}
	}
	return taken, w.fail
}

func (w *world) Unanswered(_ context.Context, now time.Time, limit int) ([]Open, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []Open
	for _, a := range w.sorted() {
		if at, waits := w.checkAt[a.RunID]; waits && a.State == job.Dispatched && !at.After(now) && len(found) < limit {
			found = append(found, Open{Attempt: a, Run: job.Run{ID: a.RunID}, Job: job.Job{ID: a.JobID, Param: "p"}, CheckAt: at})
		}
	}
	return found, w.fail
}

// Orphans leaves out what is not to be looked at yet, as the store does.
func (w *world) Orphans(_ context.Context, now time.Time, limit int) ([]Open, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found []Open
	for _, a := range w.sorted() {
		later := a.State == job.Dispatched && w.checkAt[a.RunID].After(now)
		if !w.leases[a.Address] && !later && len(found) < limit {
			one := Open{Attempt: a, Run: job.Run{ID: a.RunID}}
			if a.State == job.Dispatched {
				one.CheckAt = w.checkAt[a.RunID]
			}
			found = append(found, one)
		}
	}
	return found, w.fail
}

func (w *world) Postpone(_ context.Context, runs []int64, at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, run := range runs {
		w.checkAt[run] = at
	}
	return w.fail
}

func (w *world) Accepted(_ context.Context, a job.Attempt) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if known := w.attempts[a.ID]; w.failing == nil && known.State == job.Dispatched {
		known.State = job.Running
		w.attempts[a.ID] = known
	}
	return w.failing
}

func (w *world) Complete(_ context.Context, outcomes []job.Outcome) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failing != nil {
		return w.failing
	}
	for _, o := range outcomes {
		if a := w.attempts[o.AttemptID]; !a.State.Final() {
			a.State = o.State
			w.attempts[o.AttemptID] = a
			w.outcomes = append(w.outcomes, o)
		}
	}
	return nil
}

// call finds the executor and lets its time pass.
func (w *world) call(ctx context.Context, address string) (*executor, error) {
	w.mu.Lock()
	w.asked[address]++
	n := w.asked[address]
	e := w.executors[address]
	w.busy++
	w.busiest = max(w.busiest, w.busy)
	w.mu.Unlock()
	defer w.change(func() { w.busy-- })
	if e == nil {
		return nil, job.Errorf(job.Unreachable, "connection refused")
	}
	select {
	case <-time.After(e.slow):
		if e.lossy > 0 && n%e.lossy != 0 {
			return nil, job.Errorf(job.Ambiguous, "connection reset by peer")
		}
		return e, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *world) Holds(ctx context.Context, address string, a job.Attempt) (bool, error) {
	e, err := w.call(ctx, address)
	if err != nil {
		return false, fmt.Errorf("ask: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return e.holds[a.ID], e.ask
}

func (w *world) Send(ctx context.Context, address string, t job.Task) error {
	e, err := w.call(ctx, address)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, t)
	return e.take
}

// start runs an upkeep within the bubble of a test, until its end.
func start(t *testing.T, c Config) *world {
	t.Helper()
	w := newWorld()
	c.Store, c.Executors, c.Recorder = w, w, w
	lifecycletest.Start(t, New(c).Run)
	synctest.Wait()
	return w
}

// pass lets fake time pass and everybody finish what is to be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
