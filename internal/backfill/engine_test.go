package backfill

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

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/pace"
	"github.com/orthd/orth/job"
)

// start runs an engine within the bubble of a test, until the test's end.
func start(t *testing.T, c Config) (e *Engine, stop func()) {
	t.Helper()
	e = New(c)
	stop = lifecycletest.Start(t, e.Run)
	synctest.Wait()
	return e, stop
}

// pass lets fake time pass and everybody finish what is to be done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// A quick handler ends each run at once; the rate is bounded by the breath
// between passes.
func TestQuickRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 10_000
		b := secondly(n)
		b.Parallel = job.MaxParallel
		store := newRows(b)
		var e *Engine
		ready := make(chan struct{}, 1)
		go func() { // dispatcher, executor and completer
			for range ready {
				for _, run := range store.open() {
					store.end(run, job.Succeeded)
					e.Ended(run)
				}
			}
		}()
		e = New(Config{Store: store, IDs: store, Hooks: Hooks{Ready: func(time.Time) {
			select {
			case ready <- struct{}{}:
			default:
			}
		}}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()
		pass(time.Second)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		close(ready)
		if got := store.of(9); got.State != job.BackfillFinished || got.Succeeded != n {
			t.Errorf("after a second the backfill is %s with %d of %d runs", got.State, got.Succeeded, n)
		}
	})
}

// Without a word from anybody the poll finds what is to be done.
func TestPollFindsAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		start(t, Config{Store: store, IDs: store})
		pass(10 * time.Minute)
		store.change(func() { store.backfills[9] = &row{Backfill: secondly(2), look: time.Now()} })
		for range 2 {
			pass(time.Second)
			open := store.open()
			if len(open) != 1 {
				t.Fatalf("%d runs are open, want 1", len(open))
			}
			store.end(open[0], job.Succeeded)
			pass(time.Second)
		}
		if got := store.of(9); got.State != job.BackfillFinished {
			t.Errorf("the backfill is %s", got.State)
		}
	})
}

func TestWakeAndEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		e, _ := start(t, Config{Store: store, IDs: store})
		pass(300 * time.Millisecond)
		store.change(func() { store.backfills[9] = &row{Backfill: secondly(2), look: time.Now()} })
		e.Wake()
		pass(pace.Breath)
		if open := store.open(); !slices.Equal(open, []int64{1}) {
			t.Fatalf("runs %v are open after Wake, want the first", open)
		}
		pass(time.Minute) // the run takes long and is looked at rarely
		claims := store.claims
		for range 100 {
			e.Ended(77) // a run of somebody else
		}
		pass(pace.Breath)
		if store.claims != claims {
			t.Errorf("%d claims for the ends of other runs", store.claims-claims)
		}
		store.end(1, job.Succeeded)
		e.Ended(1)
		pass(pace.Breath)
		if open := store.open(); !slices.Equal(open, []int64{2}) {
			t.Errorf("runs %v are open after the end of the first, want the second", open)
		}
	})
}

// An end that is only the end of a try is looked at, and the next one too.
func TestEndedOfARetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(secondly(1))
		e, _ := start(t, Config{Store: store, IDs: store})
		for range 3 {
			pass(time.Minute)
			e.Ended(1)
			pass(pace.Breath)
		}
		store.end(1, job.Failed)
		e.Ended(1)
		pass(pace.Breath)
		if got := store.of(9); got.State != job.BackfillFinished || got.Failed != 1 {
			t.Errorf("the backfill is %s with %d failed", got.State, got.Failed)
		}
	})
}

// A run is made when its time has come and not before, so that it is not there
// when the backfill is cancelled.
func TestSpacing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := secondly(10)
		b.Parallel, b.Spacing = 10, 7300*time.Millisecond
		store := newRows(b)
		begun := time.Now()
		store.made = func(r job.Run) {
			if now := time.Now(); !r.DueAt.Equal(now) || now.Sub(begun)%b.Spacing != 0 {
				t.Errorf("at %s a run is made for %s", now.Sub(begun), r.DueAt.Sub(begun))
			}
		}
		start(t, Config{Store: store, IDs: store})
		pass(3*b.Spacing + time.Second)
		if n := len(store.open()); n != 4 {
			t.Errorf("%d runs after three times the spacing, want 4", n)
		}
		store.change(func() { store.backfills[9].State = job.BackfillCancelled })
		pass(time.Hour)
		if n := len(store.open()); n != 4 {
			t.Errorf("%d runs after the backfill was cancelled", n)
		}
	})
}

// The store's errors are logged once each and nothing is lost by them; a claim
// whose step was never written is taken up at once.
func TestErrorsOfTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(secondly(1))
		away := 0
		store.fail = func() error {
			if away++; away >= 3 && away <= 5 { // the first commit, then two claims
				return errors.New("the database is away")
			}
			return nil
		}
		var logged bytes.Buffer
		start(t, Config{Store: store, IDs: store, Logger: slog.New(slog.NewTextHandler(&logged, nil))})
		pass(2900 * time.Millisecond)
		if n := len(store.open()); n != 0 {
			t.Fatalf("%d runs while the store was away", n)
		}
		pass(200 * time.Millisecond)
		if n := len(store.open()); n != 1 {
			t.Errorf("%d runs after the store came back, want 1", n)
		}
		if n := strings.Count(logged.String(), "backfilling stopped"); n != 3 {
			t.Errorf("%d lines for 3 errors:\n%s", n, logged.String())
		}
		if !strings.Contains(logged.String(), "backfill 9 of job 3: commit a step: the database is away") {
			t.Errorf("the log does not say what was tried:\n%s", logged.String())
		}
	})
}

// What a dead server had claimed is taken up by the next one at its start.
func TestClaimsOfADeadServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(secondly(1))
		store.backfills[9].look = time.Now().Add(30 * time.Second)
		start(t, Config{Store: store, IDs: store})
		if n := len(store.open()); n != 1 {
			t.Errorf("%d runs at once after the start, want 1", n)
		}
	})
}

// More backfills than a claim takes have their turns nevertheless.
func TestManyBackfills(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		for i := range int64(50) {
			b := secondly(1)
			b.ID = i + 1
			b.From = b.From.Add(time.Duration(i) * time.Second) // rows has one run per slot
			b.To = b.From.Add(time.Second)
			store.backfills[b.ID] = &row{Backfill: b}
		}
		start(t, Config{Store: store, IDs: store, Batch: 7})
		pass(100 * time.Millisecond)
		if n := len(store.open()); n != 50 {
			t.Errorf("%d runs of 50 backfills", n)
		}
	})
}

// A backfill whose step fails, always, does not hold up the one behind it.
func TestOneThatFailsHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, second := secondly(3), secondly(3)
		first.SkipSucceeded = true
		second.ID, second.Parallel = 10, 3
		store := newRows(first, second)
		store.mute = true
		_, stop := start(t, Config{Store: store, IDs: store})
		pass(5 * time.Second)
		stop()
		if made := store.backfills[10].Made; made != 3 {
			t.Errorf("the second backfill has made %d runs, want 3", made)
		}
		if made := store.backfills[9].Made; made != 0 {
			t.Errorf("the first backfill has made %d runs, want none", made)
		}
	})
}

func TestHooks(t *testing.T) {
	t.Parallel()
	b := secondly(6)
	b.Parallel, b.SkipSucceeded, b.Open = 2, true, []int64{1}
	store := newRows(b)
	store.runs[1] = &job.Run{ID: 1, State: job.Failed}
	store.lastID = 1
	store.succeeded[at(0)], store.succeeded[at(2)] = true, true
	var steps [][3]int
	var ready []time.Time
	e := New(Config{Store: store, IDs: store, Hooks: Hooks{
		Ready: func(at time.Time) { ready = append(ready, at) },
		Step:  func(made, skipped, ended int) { steps = append(steps, [3]int{made, skipped, ended}) },
	}})
	for range 2 { // the second has nothing to tell
		if _, err := e.runPass(t.Context(), now, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([][3]int{{2, 2, 1}}, steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]time.Time{now}, ready); diff != "" {
		t.Errorf("announced (-want +got):\n%s", diff)
	}
}

// A slot that is done costs little, and the questions are bounded.
func TestAllDone(t *testing.T) {
	t.Parallel()
	const n = 2500
	b := secondly(n)
	b.SkipSucceeded = true
	store := newRows(b)
	for i := range n {
		store.succeeded[at(i)] = true
	}
	e := New(Config{Store: store, IDs: store})
	passes := 0
	for ; store.of(9).State == job.BackfillRunning && passes < 10; passes++ {
		if _, err := e.runPass(t.Context(), now, 0); err != nil {
			t.Fatal(err)
		}
	}
	if b := store.of(9); passes != 3 || b.Skipped != n || b.Made != 0 || b.State != job.BackfillFinished {
		t.Errorf("%d passes, %d passed over, %d made, %s", passes, b.Skipped, b.Made, b.State)
	}
	if slices.Max(store.asked) > 1000 || len(store.asked) > 6 {
		t.Errorf("questions of %v slots", store.asked)
	}
}

// Somebody who only looks at a backfill without room asks nothing.
func TestNoRoomNoQuestions(t *testing.T) {
	t.Parallel()
	b := secondly(5)
	b.SkipSucceeded, b.Open = true, []int64{1}
	store := newRows(b)
	store.runs[1] = &job.Run{ID: 1, State: job.Running}
	if _, err := New(Config{Store: store, IDs: store}).runPass(t.Context(), now, 0); err != nil {
		t.Fatal(err)
	}
	if len(store.asked) != 0 || len(store.runs) != 1 {
		t.Errorf("%d questions, %d runs", len(store.asked), len(store.runs))
	}
}

// What a run's end brings is done within two seconds when another server has recorded the
// end, however long the run was under way, and when the server that waited for it stops,
// is drained, or is killed and found to be gone.
func TestEndsElsewhere(t *testing.T) {
	t.Parallel()
	const soon = 2 * time.Second
	for name, leave := range map[string]func(store *rows, stop func(), drained *atomic.Bool, other *Engine){
		"both work":       func(*rows, func(), *atomic.Bool, *Engine) {},
		"one has stopped": func(_ *rows, stop func(), _ *atomic.Bool, _ *Engine) { stop() },
		"one is drained":  func(_ *rows, _ func(), drained *atomic.Bool, _ *Engine) { drained.Store(true) },
		"one was killed in a step": func(store *rows, stop func(), _ *atomic.Bool, other *Engine) {
			stop()
			store.change(func() { store.backfills[9].look = time.Now().Add(30 * time.Second) })
			other.TakeOver()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := newRows(secondly(2))
				var drained atomic.Bool
				_, stop := start(t, Config{Store: store, IDs: store, Ends: store, Idle: drained.Load})
				pass(10 * time.Minute)
				other, _ := start(t, Config{Store: store, IDs: store, Ends: store}) // it hears of no end
				pass(time.Minute)
				store.end(1, job.Succeeded)
				leave(store, stop, &drained, other)
				pass(soon)
				open := store.open()
				if len(open) != 1 || store.of(9).Made != 2 {
					t.Errorf("%s later the runs %v are open, want the second", soon, open)
				}
			})
		})
	}
}

// A run that ends after its server was drained is found by the one that has taken the
// backfill over.
func TestEndsAfterADrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(secondly(2))
		var drained atomic.Bool
		left := 0
		hooks := Hooks{Left: func(n int) { left += n }}
		start(t, Config{Store: store, IDs: store, Ends: store, Idle: drained.Load, Hooks: hooks})
		pass(time.Minute)
		drained.Store(true)
		start(t, Config{Store: store, IDs: store, Ends: store})
		pass(time.Hour)
		if left != 1 {
			t.Errorf("%d backfills are counted as left to others, want one", left)
		}
		store.end(1, job.Succeeded)
		pass(2 * time.Second)
		if open := store.open(); len(open) != 1 || store.of(9).Made != 2 {
			t.Errorf("the runs %v are open, want the second", open)
		}
	})
}

// A database that was away costs a second once it is back: what had been claimed before is
// taken up again, by whichever server comes first.
func TestEndsWhileTheDatabaseWasAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(secondly(2))
		var away atomic.Bool
		store.fail = func() error {
			if away.Load() {
				return errBroken
			}
			return nil
		}
		for range 2 {
			start(t, Config{Store: store, IDs: store, Ends: store})
		}
		pass(10 * time.Minute)
		away.Store(true)
		pass(time.Minute)
		store.end(1, job.Succeeded)
		store.change(func() { store.backfills[9].look = time.Now().Add(15 * time.Second) })
		away.Store(false)
		pass(1100 * time.Millisecond)
		if open := store.open(); len(open) != 1 || store.of(9).Made != 2 {
			t.Errorf("the runs %v are open, want the second", open)
		}
	})
}

// What cannot be left to others is left when that is possible.
func TestLeavingFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows(secondly(2))
		var drained, broken atomic.Bool
		store.fail = func() error {
			if broken.Load() {
				return errBroken
			}
			return nil
		}
		var log bytes.Buffer
		start(t, Config{Store: store, IDs: store, Idle: drained.Load, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		pass(10 * time.Minute)
		hidden := store.of(9).look
		broken.Store(true)
		drained.Store(true)
		pass(3 * time.Second)
		if got := store.of(9).look; !got.Equal(hidden) || !strings.Contains(log.String(), "could not be left") {
			t.Errorf("its next look is at %s, was %s; the log: %s", got, hidden, &log)
		}
		broken.Store(false)
		pass(3 * time.Second)
		if got := store.of(9).look; got.After(time.Now()) {
			t.Errorf("its next look is at %s, now it is %s", got, time.Now())
		}
	})
}

// An end has one backfill looked at and not all; more runs are waited for than are asked
// after at once.
func TestAnEndIsOfOneBackfill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		const n = 500
		for i := range int64(n) {
			b := secondly(3)
			b.ID, b.Parallel = i+1, 3
			b.From = b.From.Add(time.Duration(3*i) * time.Second) // rows has one run per slot
			b.To = b.From.Add(3 * time.Second)
			store.backfills[b.ID] = &row{Backfill: b}
		}
		e, _ := start(t, Config{Store: store, IDs: store, Ends: store})
		pass(time.Hour)
		before := make(map[int64]int64)
		for id := range store.backfills {
			before[id] = store.of(id).step
		}
		store.end(1, job.Succeeded)
		e.Ended(1)
		pass(pace.Breath)
		touched := 0
		for id, step := range before {
			if store.of(id).step != step {
				touched++
			}
		}
		if touched != 1 || store.peeks != maxPeek {
			t.Errorf("%d backfills were touched by one end, and %d runs asked after at once, want 1 and %d", touched, store.peeks, maxPeek)
		}
	})
}

// stopped is rows whose engine is stopped when it has claimed something.
type stopped struct {
	*rows
	stop func()
}

func (s stopped) ClaimBackfills(ctx context.Context, c Claim) ([]Work, error) {
	works, err := s.rows.ClaimBackfills(ctx, c)
	s.stop()
	return works, err
}

func (s stopped) CommitStep(ctx context.Context, step Step) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return s.rows.CommitStep(ctx, step)
}

// A server that stops leaves nothing hidden that it has claimed.
func TestStopAfterClaim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		store := newRows(secondly(3))
		if err := New(Config{Store: stopped{store, stop}, IDs: store}).Run(ctx); err != nil {
			t.Fatal(err)
		}
		if n := len(store.open()); n == 0 || store.backfills[9].look.After(time.Now()) {
			t.Errorf("%d runs were made, and others find it in %s", n, time.Until(store.backfills[9].look))
		}
	})
}
