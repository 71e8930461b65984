package planner

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/orthd/orth/job"
)

// DueStore is the database of a [DuePlanner].
type DueStore interface {
	RuleStore
	// DueJob returns the job if it is enabled and due for the planner by until, and false
	// otherwise.
	DueJob(ctx context.Context, id int64, until time.Time) (Due, bool, error)
	// CommitPlan is that of [JobStore].
	CommitPlan(ctx context.Context, moves []Move) ([]bool, error)
}

// DueConfig configures a DuePlanner.
type DueConfig struct {
	Store       DueStore
	IDs         IDs
	CatchUpRate int // that of [Config], with the same default
	Logger      *slog.Logger
	Hooks       Hooks // those of [Config], except Turned
}

// DuePlanner plans the due firings of single jobs. A change that stops a job, deletes it or
// replaces its schedule applies to the firings after it. Firings that are due by then are
// planned first, because the planner may be late.
type DuePlanner struct {
	store DueStore
	hooks Hooks

	turn    chan struct{} // holds one token while a plan is made: the store may be slow, and a caller can give up waiting
	decider decider       // used by the holder of turn
}

// NewDuePlanner returns a DuePlanner.
func NewDuePlanner(c DueConfig) *DuePlanner {
	full := Config{IDs: c.IDs, CatchUpRate: c.CatchUpRate, Logger: c.Logger, Hooks: c.Hooks}
	full.defaults()
	return &DuePlanner{store: c.Store, hooks: full.Hooks, turn: make(chan struct{}, 1), decider: newDecider(&full, c.Store)}
}

const (
	// duePerPlan is how many firings that are on time one transaction plans.
	duePerPlan = 5_000
	// duePlans bounds the transactions for one job.
	duePlans = 10
)

// PlanDue plans the firings of a job that are due at an instant, as the planner would have
// done by then: firings that are on time get their runs, missed ones follow the misfire
// policy. Firings held by a pause stay held. It reports whether it has changed the job. One
// plan is made at a time. Kinds: those of the store; Full when more firings are due than it
// plans at once.
func (p *DuePlanner) PlanDue(ctx context.Context, jobID int64, at time.Time) (changed bool, err error) {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return false, fmt.Errorf("wait to plan the due firings of job %d: %w", jobID, ctx.Err())
	}
	for range duePlans {
		d, due, err := p.store.DueJob(ctx, jobID, at)
		if err != nil {
			return changed, fmt.Errorf("read a due job: %w", err)
		}
		if !due {
			return changed, nil
		}
		moved, err := p.planDue(ctx, &d, at)
		if err != nil {
			return changed, err
		}
		changed = changed || moved
	}
	return changed, job.Errorf(job.Full, "job %d has more firings due than can be planned at once; try again in a minute", jobID)
}

// planDue commits one plan of a due job, and reports whether it took effect.
func (p *DuePlanner) planDue(ctx context.Context, d *Due, at time.Time) (bool, error) {
	now := time.Now()
	p.decider.rules.stale = true
	if err := p.decider.rules.refresh(ctx, now); err != nil {
		return false, err
	}
	p.decider.pace.forget(at)
	next, err := p.decider.planOne(ctx, d, limits{now: at, read: now, until: at, perJob: duePerPlan, atOnce: true})
	if err != nil {
		return false, err
	}
	done, err := p.store.CommitPlan(ctx, []Move{next.move})
	if err != nil {
		return false, fmt.Errorf("plan the due firings of job %d: %w", d.JobID, err)
	}
	if !done[0] {
		p.decider.pace.release(next.slots)
		return false, nil
	}
	made := Planned{}
	made.countRuns(next.move.Runs)
	p.hooks.Planned(made)
	p.hooks.Left(at)
	return true, nil
}
