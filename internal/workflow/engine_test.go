package workflow

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/pace"
	"github.com/orthd/orth/job"
)

// begin runs an engine within the bubble of a test, until the test's end.
func begin(t *testing.T, c Config) *Engine {
	t.Helper()
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

// A chain goes on as soon as each end is announced.
func TestEndsMoveItOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(running("a", "b:a", "c:b"))
		var ready []time.Time
		e := begin(t, Config{Store: store, IDs: store, Ready: func(at time.Time) { ready = append(ready, at) }})
		begun := time.Now()
		for run := int64(1); run <= 3; run++ {
			if open := store.open(); !slices.Equal(open, []int64{run}) {
				t.Fatalf("runs %v are open, want %d", open, run)
			}
			store.end(run, job.Succeeded, "")
			e.Ended(run)
			pass(2 * pace.Breath)
		}
		if got := store.of(7); got.State != job.WorkflowSucceeded || time.Since(begun) > time.Second {
			t.Errorf("after %s it is %s", time.Since(begun), got.State)
		}
		if len(ready) != 3 {
			t.Errorf("announced %v", ready)
		}
		claims := store.claims
		for range 100 {
			e.Ended(77) // a run of somebody else
			e.Ended(1)
		}
		pass(2 * pace.Breath)
		if store.claims != claims {
			t.Errorf("%d claims for ends that nobody waits for", store.claims-claims)
		}
	})
}

// Without a word from anybody the poll finds what is to be done.
func TestPollFindsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		begin(t, Config{Store: store, IDs: store})
		pass(10 * time.Minute)
		store.change(func() {
			r := running("a", "b:a")
			store.books[7] = &row{WorkflowRun: r, look: time.Now()}
			store.jobs["job-a"], store.jobs["job-b"] = 100, 101
		})
		for range 2 {
			pass(time.Second)
			open := store.open()
			if len(open) != 1 {
				t.Fatalf("%d runs are open, want 1", len(open))
			}
			store.end(open[0], job.Succeeded, "")
			pass(time.Second)
		}
		if got := store.of(7); got.State != job.WorkflowSucceeded {
			t.Errorf("it is %s", got.State)
		}
	})
}

func TestWake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		e := begin(t, Config{Store: store, IDs: store})
		pass(300 * time.Millisecond)
		store.change(func() {
			store.books[7] = &row{WorkflowRun: running("a"), look: time.Now()}
			store.jobs["job-a"] = 100
		})
		e.Wake()
		pass(pace.Breath)
		if open := store.open(); len(open) != 1 {
			t.Errorf("runs %v are open after Wake", open)
		}
	})
}

// The store's errors are logged once each, and nothing is lost or doubled.
func TestErrorsOfTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(running("a", "b"))
		away := 0
		store.fail = func() error {
			if away++; away >= 4 && away <= 6 { // the first commit, then two claims
				return errors.New("the database is away")
			}
			return nil
		}
		var logged bytes.Buffer
		begin(t, Config{Store: store, IDs: store, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		pass(2900 * time.Millisecond)
		if n := len(store.open()); n != 0 {
			t.Fatalf("%d runs while the store was away", n)
		}
		pass(200 * time.Millisecond)
		if n := len(store.open()); n != 2 {
			t.Errorf("%d runs after the store came back, want 2", n)
		}
		if n := strings.Count(logged.String(), "workflows stopped"); n != 3 {
			t.Errorf("%d lines for 3 errors:\n%s", n, logged.String())
		}
		if !strings.Contains(logged.String(), "run 7 of workflow nightly: commit a step: the database is away") {
			t.Errorf("the log does not say what was tried:\n%s", logged.String())
		}
	})
}

// A workflow run whose steps cannot be committed holds up no other.
func TestOneThatFailsHoldsUpNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := running("a"), running("a", "b:a")
		first.ID, second.ID = 1, 2 // which are looked at in this order
		store := newRows(first, second)
		store.refused = 1
		var logged bytes.Buffer
		e := begin(t, Config{Store: store, IDs: store, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		for range 2 {
			open := store.open()
			if len(open) != 1 {
				t.Fatalf("runs %v are open, want one of the second", open)
			}
			store.end(open[0], job.Succeeded, "")
			e.Ended(open[0])
			pass(2 * time.Second)
		}
		if got := store.of(2).State; got != job.WorkflowSucceeded {
			t.Errorf("the second is %s", got)
		}
		if got := store.of(1).State; got != job.WorkflowRunning || !strings.Contains(logged.String(), "run 1 of workflow nightly: commit a step: "+errBroken.Error()) {
			t.Errorf("the first is %s:\n%s", got, logged.String())
		}
	})
}

// What a dead server had claimed is taken up by the next one at its start.
func TestClaimsOfADeadServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(running("a"))
		store.books[7].look = time.Now().Add(30 * time.Second)
		begin(t, Config{Store: store, IDs: store})
		if n := len(store.open()); n != 1 {
			t.Errorf("%d runs at once after the start, want 1", n)
		}
	})
}

// More workflow runs than a claim takes have their turns nevertheless.
func TestManyWorkflowRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		store.jobs["job-a"] = 100
		for i := range int64(50) {
			r := running("a")
			r.ID = i + 1
			store.books[r.ID] = &row{WorkflowRun: r}
		}
		begin(t, Config{Store: store, IDs: store, Batch: 7})
		pass(100 * time.Millisecond)
		if n := len(store.open()); n != 50 {
			t.Errorf("%d runs of 50 workflow runs", n)
		}
	})
}

// A job that was deleted fails its node when that is looked at next.
func TestJobThatIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(running("a"))
		clear(store.jobs)
		var logged bytes.Buffer
		begin(t, Config{Store: store, IDs: store, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		pass(2 * time.Second)
		got := store.of(7)
		if got.State != job.WorkflowFailed || !strings.Contains(got.Nodes[0].Reason, "it does not exist") {
			t.Errorf("it is %s: %+v", got.State, got.Nodes)
		}
		if !strings.Contains(logged.String(), "workflow run failed") {
			t.Errorf("the log does not say so: %s", logged.String())
		}
	})
}

// The end of a run moves its own workflow run on, however many are open, and no
// other is touched.
func TestEndsAreFoundAmongMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		store.jobs["job-a"], store.jobs["job-b"] = 100, 101
		const n = 40
		for i := range int64(n) {
			r := running("a", "b:a")
			r.ID = i + 1
			store.books[r.ID] = &row{WorkflowRun: r}
		}
		e := begin(t, Config{Store: store, IDs: store, Batch: 5})
		pass(10 * time.Minute) // all are looked at rarely
		if n := len(store.open()); n != 40 {
			t.Fatalf("%d runs are open", n)
		}
		before := make(map[int64]int64)
		for id := range store.books {
			before[id] = store.of(id).step
		}
		last := store.of(n)
		store.end(last.Nodes[0].RunID, job.Succeeded, "")
		e.Ended(last.Nodes[0].RunID)
		pass(2 * pace.Breath)
		touched := 0
		for id, step := range before {
			if store.of(id).step != step {
				touched++
			}
		}
		if got := store.of(n); got.Nodes[1].State != job.NodeRunning || touched > 6 { // a few were due
			t.Errorf("%s; %d were touched", states(&got.WorkflowRun), touched)
		}
	})
}

// What a run's end brings is done within two seconds when another server has recorded the
// end, however long the node was under way, and when the server that waited for it stops
// or is drained.
func TestEndsElsewhere(t *testing.T) {
	t.Parallel()
	const soon = 2 * time.Second
	for name, leave := range map[string]func(stop func(), drained *atomic.Bool){
		"both work":       func(func(), *atomic.Bool) {},
		"one has stopped": func(stop func(), _ *atomic.Bool) { stop() },
		"one is drained":  func(_ func(), drained *atomic.Bool) { drained.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newRows(running("a", "b:a"))
				var drained atomic.Bool
				one := New(Config{Store: store, IDs: store, Ends: store, Idle: drained.Load})
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- one.Run(ctx) }()
				pass(10 * time.Minute)
				begin(t, Config{Store: store, IDs: store, Ends: store}) // it hears of no end
				pass(time.Minute)
				store.end(1, job.Succeeded, "")
				leave(stop, &drained)
				pass(soon)
				if open := store.open(); !slices.Equal(open, []int64{2}) {
					t.Errorf("%s later the runs %v are open, want the one of b", soon, open)
				}
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A node that ends after its server was drained is found by the one that has taken it over.
func TestEndsAfterADrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(running("a", "b:a"))
		var drained atomic.Bool
		begin(t, Config{Store: store, IDs: store, Ends: store, Idle: drained.Load})
		pass(time.Minute)
		drained.Store(true)
		begin(t, Config{Store: store, IDs: store, Ends: store})
		pass(time.Hour)
		store.end(1, job.Succeeded, "")
		pass(2 * time.Second)
		if open := store.open(); !slices.Equal(open, []int64{2}) {
			t.Errorf("the runs %v are open, want the one of b", open)
		}
	})
}

// A server asks after a bounded number of runs at once, and comes to all of them.
func TestManyRunsAreWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		for id := range int64(2 * maxPeek) {
			r := running("a")
			r.ID = id + 1
			store.books[r.ID] = &row{WorkflowRun: r}
		}
		store.jobs["job-a"] = 100
		begin(t, Config{Store: store, IDs: store, Ends: store, Batch: 4 * maxPeek})
		pass(time.Hour)
		open := store.open()
		if len(open) != 2*maxPeek {
			t.Fatalf("%d runs are open", len(open))
		}
		for _, run := range open {
			store.end(run, job.Succeeded, "")
		}
		pass(16 * time.Second)
		over := 0
		for id := range int64(2 * maxPeek) {
			if got := store.of(id + 1); got.State == job.WorkflowSucceeded {
				over++
			}
		}
		if over != 2*maxPeek || store.asked != maxPeek {
			t.Errorf("%d are over, and %d were asked after at once, at most %d are allowed", over, store.asked, maxPeek)
		}
	})
}

// What cannot be left to others is left when that is possible.
func TestLeavingFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(running("a", "b:a"))
		var drained, broken atomic.Bool
		store.fail = func() error {
			if broken.Load() {
				return errBroken
			}
			return nil
		}
		var log bytes.Buffer
		begin(t, Config{Store: store, IDs: store, Idle: drained.Load, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		pass(10 * time.Minute)
		hidden := store.of(7).look
		broken.Store(true)
		drained.Store(true)
		pass(3 * time.Second)
		if got := store.of(7).look; !got.Equal(hidden) || !strings.Contains(log.String(), "could not be left") {
			t.Errorf("its next look is at %s, was %s; the log: %s", got, hidden, &log)
		}
		broken.Store(false)
		pass(3 * time.Second)
		if got := store.of(7).look; got.After(time.Now()) {
			t.Errorf("its next look is at %s, now it is %s", got, time.Now())
		}
	})
}

// stopped is rows whose engine is stopped when it has claimed something.
type stopped struct {
	*rows
	stop func()
}

func (s stopped) ClaimWorkflowRuns(ctx context.Context, c Claim) ([]Work, error) {
	works, err := s.rows.ClaimWorkflowRuns(ctx, c)
	s.stop()
	return works, err
}

func (s stopped) CommitWorkflowStep(ctx context.Context, step Step) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return s.rows.CommitWorkflowStep(ctx, step)
}

// A server that stops leaves nothing hidden that it has claimed.
func TestStopAfterClaim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		store := newRows(running("a", "b:a"))
		if err := New(Config{Store: stopped{store, stop}, IDs: store}).Run(ctx); err != nil {
			t.Fatal(err)
		}
		if n := len(store.open()); n != 1 || store.books[7].look.After(time.Now()) {
			t.Errorf("%d runs were made, and others find it in %s", n, time.Until(store.books[7].look))
		}
	})
}
