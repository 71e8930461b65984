package planner

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a store and a dispatcher in memory, with the rules that the
// interfaces promise.
type world struct {
	mu      sync.Mutex
	jobs    map[int64]*Due // enabled ones
	runs    []job.Run
	taken   []job.Run
	free    int
	lastRun int64
	reads   int
	commits int

	fail     func() error // before a commit or a read: nothing happens
	failLate func() error // after a commit: it has happened
	between  func()       // between a read and its commit, under the lock
}

func newWorld() *world {
	never := func() error { return nil }
	return &world{jobs: make(map[int64]*Due), free: 1000, fail: never, failLate: never, between: func() {}}
}

func (w *world) change(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fn()
}

// every adds a job that fires each period, first at the instant.
func (w *world) every(id int64, period time.Duration, first time.Time) {
	w.change(func() {
		w.jobs[id] = &Due{
			JobID: id, Version: 1, GroupID: 1, Next: first, Misfire: schedule.MisfireSkip,
			Schedule: schedule.Spec{Kind: schedule.KindEvery, Every: period, Anchor: first},
		}
	})
}

func (w *world) DueJobs(_ context.Context, until time.Time, limit int) ([]Due, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	var due []Due
	for _, d := range w.jobs {
		if !d.Next.After(until) {
			due = append(due, *d)
		}
	}
	slices.SortFunc(due, func(a, b Due) int { return cmp.Or(a.Next.Compare(b.Next), cmp.Compare(a.JobID, b.JobID)) })
	w.between()
	return due[:min(limit, len(due))], w.fail()
}

func (w *world) NextDue(context.Context) (next time.Time, ok bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.jobs {
		if !ok || d.Next.Before(next) {
			next, ok = d.Next, true
		}
	}
	return next, ok, w.fail()
}

func (w *world) CommitPlan(_ context.Context, moves []Move) ([]bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commits++
	if err := w.fail(); err != nil {
		return nil, err
	}
	done := make([]bool, len(moves))
	for i, m := range moves {
		d := w.jobs[m.JobID]
		if d == nil || d.Version != m.Version || !d.Next.Equal(m.From) {
			continue
		}
		done[i] = true
		if d.Next = m.Next; m.Next.IsZero() {
			delete(w.jobs, m.JobID)
		}
		for _, r := range m.Runs {
			if !slices.ContainsFunc(w.runs, func(o job.Run) bool {
				return o.JobID == r.JobID && o.PlannedAt.Equal(r.PlannedAt) && o.Cause == r.Cause && o.CauseID == r.CauseID
			}) {
				w.runs = append(w.runs, r)
			}
		}
	}
	return done, w.failLate()
}

func (w *world) NextRunID(context.Context) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastRun++
	return w.lastRun, nil
}

func (w *world) Free() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.free
}

func (w *world) Take(runs []job.Run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.taken = append(w.taken, runs...)
	w.free -= len(runs)
}

// planned returns the planned times of the job's runs, in order.
func (w *world) planned(id int64) []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	var at []time.Time
	for _, r := range w.runs {
		if r.JobID == id && r.State == job.Planned {
			at = append(at, r.PlannedAt)
		}
	}
	slices.SortFunc(at, time.Time.Compare)
	return at
}

// start runs a planner within the bubble of a test, until its end.
func start(t *testing.T, c Config) (*world, *Planner) {
	t.Helper()
	w := newWorld()
	c.Store, c.IDs, c.Handoff = w, w, w
	p := New(c)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	synctest.Wait()
	return w, p
}

// pass lets fake time pass and everybody finish what is to be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
