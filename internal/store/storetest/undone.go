package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// Pair is two stores on one database, as two servers have them.
type Pair struct {
	First, Second store.Store
	// Undo has the database undo the next transaction of First, as it does for the sake of
	// another one, and calls between before First does the same again.
	Undo func(between func())
}

// Undone tests operations that the database undoes, and that another server carries out
// before they are done again: what an operation answers is what it would have answered
// if the other server had come first.
func Undone(t *testing.T, open func(tb testing.TB, dir string) Pair) {
	t.Helper()
	for name, prepare := range undoneOperations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := func(undone bool) string {
				var p Pair
				b := newBench(t, func(tb testing.TB, dir string) store.Store {
					tb.Helper()
					p = open(tb, dir)
					return both{p.First, p.Second}
				})
				operation, others := prepare(b), 0
				do := func(s store.Store) string {
					got, err := operation(s)
					if err != nil {
						t.Errorf("unexpected error: %v", err)
					}
					return fmt.Sprintf("%+v", got)
				}
				second := func() { do(p.Second); others++ }
				if undone {
					p.Undo(second)
				} else {
					second()
				}
				first := do(p.First)
				if others != 1 {
					t.Fatal("nothing was undone: the operation writes nothing")
				}
				return first
			}
			if want, got := answer(false), answer(true); got != want {
				t.Errorf("done again after another server did the same it answers\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// both runs and closes two stores. The first is used.
type both struct {
	store.Store
	second store.Store
}

func (p both) Run(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- p.second.Run(ctx) }()
	return errors.Join(p.Store.Run(ctx), <-ended)
}

func (p both) Close() error { return errors.Join(p.Store.Close(), p.second.Close()) }

// do does an operation on one of the stores.
type do = func(s store.Store) (any, error)

// undoneOperations returns, by name, what prepares an operation and returns it. Two servers
// do it with the same arguments.
func undoneOperations() map[string]func(b *bench) do {
	all := undoneEngines()
	maps.Copy(all, map[string]func(b *bench) do{
		"a plan": func(b *bench) do {
			j := b.create()
			moves := []planner.Move{{JobID: j.ID, Version: 1, From: b.now, Next: b.at(1), Runs: []job.Run{b.firing(j, b.now)}}}
			return func(s store.Store) (any, error) { return s.CommitPlan(b.ctx(), moves) }
		},
		"a firing": func(b *bench) do {
			firings := []dispatcher.Firing{b.firingOf(b.create(), true), b.firingOf(b.create(), false)}
			return func(s store.Store) (any, error) { return s.CommitFirings(b.ctx(), firings) }
		},
		"a claim of runs": func(b *bench) do {
			j := b.create()
			b.trigger(j, b.now)
			c := dispatcher.Claim{Groups: []int64{j.GroupID}, Until: b.at(1), Lease: b.at(9), Limit: 9}
			return func(s store.Store) (any, error) {
				claimed, err := s.ClaimRuns(b.ctx(), c)
				return idsOf(claimed.Runs), err
			}
		},
		"a renewal of claims": func(b *bench) do {
			j := b.create()
			renewals := []dispatcher.Renewal{{Run: b.trigger(j, b.at(3)), From: b.at(3), Until: b.at(9)}}
			return func(s store.Store) (any, error) { return s.RenewClaims(b.ctx(), renewals) }
		},
		"a mark": func(b *bench) do {
			marks := []dispatcher.Mark{b.markOf(b.trigger(b.create(), b.now), executorAddress)}
			return func(s store.Store) (any, error) { return s.MarkDispatched(b.ctx(), marks) }
		},
		"the end of an attempt": func(b *bench) do {
			ends := []completer.Completion{b.completion(b.dispatch(b.trigger(b.create(), b.now)), job.Succeeded)}
			return func(s store.Store) (any, error) { return s.CommitCompletions(b.ctx(), ends) }
		},
		"runs that expire": func(b *bench) do {
			r := b.trigger(b.create(expiringAfter(time.Second)), b.at(-9))
			r.Reason, r.EndedAt = "too late", b.now
			return func(s store.Store) (any, error) { return s.ExpireRuns(b.ctx(), []job.Run{r}) }
		},
		"a cancel": func(b *bench) do {
			r := b.trigger(b.create(), b.now)
			return func(s store.Store) (any, error) {
				was, err := s.CancelRun(b.ctx(), r.ID, "", b.now)
				return was.State, err
			}
		},
		"a stop": func(b *bench) do {
			a := b.dispatch(b.trigger(b.create(), b.now))
			return func(s store.Store) (any, error) { return s.StopRun(b.ctx(), job.NewStop(a.RunID, a.ID, b.now), "") }
		},
		"a redrive": func(b *bench) do {
			wanted := []deadletters.Redrive{b.wish(b.bury(b.create(), b.now, job.Failed).ID)}
			return func(s store.Store) (any, error) { return s.RedriveLetters(b.ctx(), wanted) }
		},
		"the close of a dead letter": func(b *bench) do {
			dead := b.bury(b.create(), b.now, job.Failed)
			return func(s store.Store) (any, error) { return s.CloseLetters(b.ctx(), []int64{dead.ID}, "", b.now) }
		},
		"a claim of what has no answer": func(b *bench) do {
			b.dispatch(b.trigger(b.create(), b.now))
			open, err := b.Unanswered(b.ctx(), b.at(99), 9)
			b.ok(err)
			return func(s store.Store) (any, error) { return s.ClaimUnanswered(b.ctx(), open, b.at(200)) }
		},
		"the removal of runs": func(b *bench) do {
			r := b.over(b.create(), job.Succeeded)
			return func(s store.Store) (any, error) { return s.RemoveRuns(b.ctx(), []int64{r.ID}) }
		},
		"runs of the past": func(b *bench) do {
			r := b.firing(b.create(), b.at(-99))
			r.State, r.ReadyAt, r.EndedAt = job.Succeeded, time.Time{}, b.at(-98)
			return func(s store.Store) (any, error) { return s.AddPastRuns(b.ctx(), []job.Run{r}) }
		},
		"a fold of statistics": func(b *bench) do {
			b.over(b.create(), job.Succeeded)
			return func(s store.Store) (any, error) {
				rows, more, err := s.FoldStats(b.ctx())
				return []any{rows, more}, err
			}
		},
		"a claim of a message": func(b *bench) do {
			b.posted(b.message(1, 7))
			m := b.due(b.at(1))[0]
			return func(s store.Store) (any, error) {
				mine := m
				return s.ClaimMessage(b.ctx(), &mine, b.at(9))
			}
		},
		"a claim of logs": func(b *bench) do {
			b.complete(b.attempt(), job.Succeeded)
			owed := b.owed(b.at(99))
			return func(s store.Store) (any, error) { return s.ClaimLogs(b.ctx(), owed, b.at(9)) }
		},
	})
	return all
}

// undoneEngines returns the operations of backfills, workflows and broadcasts.
func undoneEngines() map[string]func(b *bench) do {
	return map[string]func(b *bench) do{
		"a step of a backfill": func(b *bench) do {
			j := b.create()
			f := b.backfill(j)
			w := b.work(0, 30, 1)[0]
			step := backfill.Step{Backfill: w.Backfill, Number: w.Step, Runs: []job.Run{b.slot(f, j, b.now)}, Look: b.at(5)}
			return func(s store.Store) (any, error) { return s.CommitStep(b.ctx(), step) }
		},
		"a claim of a backfill": func(b *bench) do {
			b.backfill(b.create())
			return func(s store.Store) (any, error) {
				work, err := s.ClaimBackfills(b.ctx(), backfill.Claim{Until: b.now, Lease: b.at(9), Limit: 9})
				return len(work), err
			}
		},
		"the cancel of a backfill": func(b *bench) do {
			f := b.backfill(b.create())
			return func(s store.Store) (any, error) {
				was, err := s.CancelBackfill(b.ctx(), f.ID, "", b.now)
				return []any{was.State, was.EndedAt, was.Open}, err
			}
		},
		"a step of a workflow": func(b *bench) do {
			j := b.create()
			b.flowRun("nightly", j)
			step := b.started(b.flowWork(0, 30, 9)[0], j)
			return func(s store.Store) (any, error) { return s.CommitWorkflowStep(b.ctx(), step) }
		},
		"a claim of a workflow run": func(b *bench) do {
			b.flowRun("nightly", b.create())
			return func(s store.Store) (any, error) {
				work, err := s.ClaimWorkflowRuns(b.ctx(), workflow.Claim{Until: b.now, Lease: b.at(9), Limit: 9})
				return len(work), err
			}
		},
		"a claim of a broadcast": func(b *bench) do {
			_, shards := b.split(b.create(), 1)
			b.part(shards[0].Run, job.Succeeded)
			return func(s store.Store) (any, error) {
				work, err := s.ClaimBroadcasts(b.ctx(), b.at(20), b.at(50), 9)
				return len(work), err
			}
		},
	}
}
