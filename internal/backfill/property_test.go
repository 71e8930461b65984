package backfill

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

var errBroken = errors.New("the connection is lost")

// storm is a backfill, its store and an engine to which bad things happen.
type storm struct {
	store     *rows
	engine    *Engine
	now       time.Time
	want      job.Backfill // as it was made
	starts    []time.Time
	lastMade  time.Time
	parallel  int
	tightest  time.Duration
	unordered bool
}

func newStorm(t *rapid.T) *storm {
	slots := rapid.IntRange(1, 40).Draw(t, "slots")
	b := secondly(slots)
	if rapid.Bool().Draw(t, "fewer than there are") {
		b.Slots = rapid.IntRange(1, slots).Draw(t, "counted")
	}
	b.Parallel = rapid.IntRange(1, 5).Draw(t, "parallel")
	b.Spacing = time.Duration(rapid.SampledFrom([]int{0, 0, 1, 700, 5000}).Draw(t, "spacing")) * time.Millisecond
	b.SkipSucceeded = rapid.Bool().Draw(t, "skip")
	s := &storm{store: newRows(b), now: now, want: b, tightest: time.Hour}
	for i := range slots {
		s.store.succeeded[at(i)] = rapid.IntRange(0, 2).Draw(t, "succeeded") == 0
	}
	s.store.made = s.note
	s.restart()
	return s
}

// note is called for each run that is written, within the store's lock.
func (s *storm) note(r job.Run) {
	open := 0
	for _, other := range s.store.runs {
		if !other.State.Final() {
			open++
		}
	}
	s.parallel = max(s.parallel, open)
	if n := len(s.starts); n > 0 {
		s.tightest = min(s.tightest, r.DueAt.Sub(s.starts[n-1]))
		s.unordered = s.unordered || !r.PlannedAt.After(s.lastMade)
	}
	s.starts, s.lastMade = append(s.starts, r.DueAt), r.PlannedAt
}

func (s *storm) restart() { s.engine = New(Config{Store: s.store, IDs: s.store}) }

// step lets one thing happen.
func (s *storm) step(t *rapid.T) {
	once := func() func() error {
		at := rapid.IntRange(1, 4).Draw(t, "at")
		return func() error {
			if at--; at == 0 {
				return errBroken
			}
			return nil
		}
	}
	never := func() error { return nil }
	switch rapid.IntRange(0, 9).Draw(t, "event") {
	case 0:
		s.restart()
	case 1:
		s.now = s.now.Add(time.Duration(rapid.IntRange(0, 40_000).Draw(t, "later")) * time.Millisecond)
	case 2:
		s.store.fail = once()
	case 3:
		s.store.failLate = once()
	case 4, 5, 6:
		if open := s.store.open(); len(open) > 0 {
			s.store.end(rapid.SampledFrom(open).Draw(t, "run"),
				rapid.SampledFrom([]job.State{job.Succeeded, job.Failed, job.Cancelled}).Draw(t, "as"))
		}
	default:
		s.now = s.now.Add(time.Duration(rapid.IntRange(0, 800).Draw(t, "passes")) * time.Millisecond)
		reach := time.Duration(rapid.IntRange(0, 30).Draw(t, "reach")) * time.Second
		_, err := s.engine.runPass(t.Context(), s.now, reach)
		if err != nil && !errors.Is(err, errBroken) {
			t.Fatalf("pass: %v", err)
		}
		s.store.fail, s.store.failLate = never, never
	}
}

// finish lets all be well until the backfill is over.
func (s *storm) finish(t *rapid.T) {
	s.store.fail = func() error { return nil }
	s.store.failLate = s.store.fail
	for range 500 {
		for _, run := range s.store.open() {
			s.store.end(run, job.Succeeded)
		}
		if _, err := s.engine.runPass(t.Context(), s.now, 0); err != nil {
			t.Fatalf("pass: %v", err)
		}
		if s.store.of(9).State != job.BackfillRunning {
			return
		}
		s.now = s.now.Add(5 * time.Second)
	}
	t.Fatal("the backfill does not end")
}

// Whatever happens, each slot has one run or was passed over, in order, within
// the bounds, and the counts say so.
func TestEachSlotOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStorm(t)
		for range rapid.IntRange(0, 60).Draw(t, "events") {
			s.step(t)
		}
		s.finish(t)
		b := s.store.of(9)
		skipped := 0
		for i := range b.Slots {
			run, made := s.store.firings[at(i)]
			passed := s.want.SkipSucceeded && s.store.succeeded[at(i)]
			if made == passed {
				t.Fatalf("slot %d: run %d, succeeded before: %t", i, run, passed)
			}
			if passed {
				skipped++
			}
		}
		switch made := len(s.store.runs); {
		case b.State != job.BackfillFinished || b.Reason != "" || b.EndedAt.IsZero():
			t.Fatalf("the backfill is %s (%q) at the end", b.State, b.Reason)
		case made+skipped != b.Slots:
			t.Fatalf("%d runs and %d slots passed over, want %d together", made, skipped, b.Slots)
		case b.Made != made || b.Skipped != skipped || b.Succeeded+b.Failed != made || len(b.Open) != 0:
			t.Fatalf("wrong counts: %+v", b.Backfill)
		case s.parallel > s.want.Parallel:
			t.Fatalf("%d runs were open at once, want at most %d", s.parallel, s.want.Parallel)
		case made > 1 && s.tightest < s.want.Spacing:
			t.Fatalf("two runs start within %s, want %s", s.tightest, s.want.Spacing)
		case s.unordered:
			t.Fatal("the slots are out of order")
		case b.Cursor != at(b.Slots-1):
			t.Fatalf("the cursor is %s at the end", b.Cursor)
		}
	})
}

// Two engines on one store get in each other's way and do no harm.
func TestTwoEngines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newStorm(t)
		other := New(Config{Store: s.store, IDs: s.store})
		for range 30 {
			works := [2][]Work{}
			for i := range works { // both read before either writes
				works[i], _ = s.store.ClaimBackfills(t.Context(), Claim{Until: s.now.Add(time.Minute), Lease: s.now, Limit: 10})
			}
			for i, e := range []*Engine{s.engine, other} {
				for _, w := range works[i] {
					if _, err := e.advance(t.Context(), &w, s.now); err != nil {
						t.Fatalf("step: %v", err)
					}
				}
			}
			if open := s.store.open(); len(open) > 0 {
				s.store.end(open[0], job.Succeeded)
			}
			s.now = s.now.Add(time.Second)
		}
		s.finish(t)
		if b := s.store.of(9); b.Made != len(s.store.runs) || b.Made+b.Skipped != b.Slots || s.parallel > b.Parallel {
			t.Fatalf("%d runs, at most %d at once, of %+v", len(s.store.runs), s.parallel, b.Backfill)
		}
	})
}
