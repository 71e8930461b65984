package sim

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// few is how many seeds a platform that is broken on purpose has to be found out.
const few = 6

// TestJudge breaks platforms on purpose and wants the judge to say so.
func TestJudge(t *testing.T) {
	t.Parallel()
	broken := map[string]struct {
		store func(store.Store) store.Store
		wire  func(w *world, to string, r *http.Request) []string
		deaf  bool   // servers do not hear that executors hold attempts
		says  string // the invariant that does not hold
	}{
		"a firing is moved on and has no run":   {store: func(s store.Store) store.Store { return &losesRuns{Store: s} }, says: "I1"},
		"a firing has two runs":                 {store: func(s store.Store) store.Store { return &doublesRuns{Store: s} }, says: "I2"},
		"a task goes to two executors":          {wire: doubleTask, says: "I4"},
		"an outcome is taken and not written":   {store: func(s store.Store) store.Store { return &swallowsOutcomes{Store: s} }, says: "I"},
		"a failure is written as a success":     {store: func(s store.Store) store.Store { return &flatters{Store: s} }, says: "I5"},
		"a child is not started":                {store: func(s store.Store) store.Store { return &losesChildren{Store: s} }, says: "I6"},
		"the past is removed that is kept":      {store: func(s store.Store) store.Store { return &forgets{Store: s} }, says: "I1"},
		"a job that was stopped goes on":        {store: func(s store.Store) store.Store { return &goesOn{Store: s} }, says: "I2"},
		"a node of a workflow starts twice":     {store: func(s store.Store) store.Store { return &doublesNodes{Store: s} }, says: "I2"},
		"what is claimed stays hidden for ever": {store: func(s store.Store) store.Store { return &losesClaims{Store: s} }, says: "I3"},
		"a living executor loses its attempts":  {store: func(s store.Store) store.Store { return &seesNoLeases{s} }, deaf: true, says: "I9"},
		"runs of a serial job overlap":          {store: func(s store.Store) store.Store { return &overlaps{s} }, says: "I8"},
		"two servers take the same step":        {store: func(s store.Store) store.Store { return &agrees{s} }, says: "I6"},
		"a run is skipped without a word":       {store: func(s store.Store) store.Store { return &saysNothing{s} }, says: "I10"},
		"a run ends and is not counted":         {store: func(s store.Store) store.Store { return &countsBadly{Store: s} }, says: "I11"},
	}
	empty := emptyDatabase(t)
	for name, b := range broken {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(few) {
				var faults []string
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, setting{seed: seed + 1, empty: empty, all: true, breakStore: b.store, breakWire: b.wire, deaf: b.deaf})
					faults = w.judged()
				})
				if slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, b.says) }) {
					return
				}
				t.Logf("seed %d: %d faults, none of them %s", seed+1, len(faults), b.says)
			}
			t.Errorf("nobody noticed in %d seeds", few)
		})
	}
}

// often is how many calls go well before one is done wrongly.
const often = 8

// wrong counts calls, and says which of them are done wrongly.
type wrong struct{ calls atomic.Int64 }

func (w *wrong) now() bool { return w.calls.Add(1)%often == 0 }

// losesRuns writes some moves without their runs.
type losesRuns struct {
	store.Store
	wrong
}

func (s *losesRuns) CommitPlan(ctx context.Context, moves []planner.Move) ([]bool, error) {
	moves = slices.Clone(moves)
	for i := range moves {
		if len(moves[i].Runs) > 0 && s.now() {
			moves[i].Runs = nil
		}
	}
	return s.Store.CommitPlan(ctx, moves)
}

// doublesRuns writes some runs a second time, a moment later.
type doublesRuns struct {
	store.Store
	wrong
}

func (s *doublesRuns) CommitPlan(ctx context.Context, moves []planner.Move) ([]bool, error) {
	moves = slices.Clone(moves)
	for i := range moves {
		m := &moves[i]
		if len(m.Runs) == 0 || !s.now() {
			continue
		}
		id, err := s.NextRunID(ctx)
		if err != nil {
			return nil, err
		}
		other := m.Runs[0]
		other.ID, other.PlannedAt = id, other.PlannedAt.Add(time.Millisecond)
		m.Runs = append(slices.Clone(m.Runs), other)
	}
	return s.Store.CommitPlan(ctx, moves)
}

// doubleTask has every task arrive at one more executor.
func doubleTask(w *world, to string, r *http.Request) []string {
	if !strings.HasSuffix(r.URL.Path, "/run") {
		return nil
	}
	for _, m := range w.machines {
		if m.name != to && m.tongue == family && m.current() != nil {
			return []string{m.name}
		}
	}
	return nil
}

// swallowsOutcomes says of some completions that they are written.
type swallowsOutcomes struct {
	store.Store
	wrong
}

func (s *swallowsOutcomes) CommitCompletions(ctx context.Context, all []completer.Completion) ([]bool, error) {
	if s.now() {
		done := make([]bool, len(all))
		for i := range done {
			done[i] = true
		}
		return done, nil
	}
	return s.Store.CommitCompletions(ctx, all)
}

// flatters writes some failures as successes.
type flatters struct {
	store.Store
	wrong
}

func (s *flatters) CommitCompletions(ctx context.Context, all []completer.Completion) ([]bool, error) {
	for i := range all {
		if all[i].Outcome == job.Failed && s.now() {
			all[i].Outcome, all[i].RunState = job.Succeeded, job.Succeeded
		}
	}
	return s.Store.CommitCompletions(ctx, all)
}

// losesChildren leaves out some runs that the end of another one starts.
type losesChildren struct {
	store.Store
	wrong
}

func (s *losesChildren) CommitCompletions(ctx context.Context, all []completer.Completion) ([]bool, error) {
	for i := range all {
		if len(all[i].Children) > 0 && s.now() {
			all[i].Children = nil
		}
	}
	return s.Store.CommitCompletions(ctx, all)
}

// forgets has pruners take every job for one that keeps one run.
type forgets struct{ store.Store }

func (s *forgets) Retentions(ctx context.Context, after int64, limit int) ([]upkeep.Retention, error) {
	all, err := s.Store.Retentions(ctx, after, limit)
	for i := range all {
		all[i].KeepRuns = 1
	}
	return all, err
}

// goesOn does not write that a job is stopped.
type goesOn struct{ store.Store }

func (s *goesOn) SaveJob(ctx context.Context, j job.Job, reason string) (job.Job, error) {
	if !j.Enabled {
		return j, nil
	}
	return s.Store.SaveJob(ctx, j, reason)
}

// doublesNodes starts some nodes of workflows twice.
type doublesNodes struct{ store.Store }

func (s *doublesNodes) CommitWorkflowStep(ctx context.Context, step workflow.Step) (bool, error) {
	if len(step.Runs) > 0 {
		id, err := s.NextRunID(ctx)
		if err != nil {
			return false, err
		}
		other := step.Runs[0]
		other.ID, other.CauseID = id, id
		step.Runs = append(slices.Clone(step.Runs), other)
	}
	return s.Store.CommitWorkflowStep(ctx, step)
}

// losesClaims hides what it claims for ever.
type losesClaims struct {
	store.Store
	wrong
}

func (s *losesClaims) ClaimRuns(ctx context.Context, c dispatcher.Claim) (dispatcher.Claimed, error) {
	c.Lease = c.Lease.Add(24 * time.Hour)
	claimed, err := s.Store.ClaimRuns(ctx, c)
	if len(claimed.Runs) > 0 && s.now() {
		return dispatcher.Claimed{}, err
	}
	return claimed, err
}

// seesNoLeases takes every executor for one without a lease.
type seesNoLeases struct{ store.Store }

func (s *seesNoLeases) Orphans(ctx context.Context, now time.Time, limit int) ([]upkeep.Open, error) {
	return s.Store.Orphans(ctx, now.Add(time.Hour), limit)
}

// overlaps forgets that jobs have limits.
type overlaps struct{ store.Store }

func (s *overlaps) MarkDispatched(ctx context.Context, marks []dispatcher.Mark) ([]bool, error) {
	marks = slices.Clone(marks)
	for i := range marks {
		marks[i].Limit = dispatcher.Limit{}
	}
	return s.Store.MarkDispatched(ctx, marks)
}

func (s *overlaps) CommitFirings(ctx context.Context, firings []dispatcher.Firing) ([]dispatcher.Birth, error) {
	firings = slices.Clone(firings)
	for i := range firings {
		if m := firings[i].Mark; m != nil {
			free := *m
			free.Limit = dispatcher.Limit{}
			firings[i].Mark = &free
		}
	}
	return s.Store.CommitFirings(ctx, firings)
}

// agrees says of every mark that it took effect.
type agrees struct{ store.Store }

func (s *agrees) MarkDispatched(ctx context.Context, marks []dispatcher.Mark) ([]bool, error) {
	done, err := s.Store.MarkDispatched(ctx, marks)
	for i := range done {
		done[i] = true
	}
	return done, err
}

func (s *agrees) CommitFirings(ctx context.Context, firings []dispatcher.Firing) ([]dispatcher.Birth, error) {
	births, err := s.Store.CommitFirings(ctx, firings)
	for i := range births {
		if firings[i].Mark != nil {
			births[i] = dispatcher.BirthSent
		}
	}
	return births, err
}

// saysNothing writes no reason for runs that are given up.
type saysNothing struct{ store.Store }

func (s *saysNothing) ExpireRuns(ctx context.Context, runs []job.Run) ([]bool, error) {
	runs = slices.Clone(runs)
	for i := range runs {
		runs[i].Reason = ""
	}
	return s.Store.ExpireRuns(ctx, runs)
}

// countsBadly writes some ends without their jobs.
type countsBadly struct {
	store.Store
	wrong
}

func (s *countsBadly) CommitCompletions(ctx context.Context, all []completer.Completion) ([]bool, error) {
	all = slices.Clone(all)
	for i := range all {
		if s.now() {
			all[i].JobID = 0
		}
	}
	return s.Store.CommitCompletions(ctx, all)
}
