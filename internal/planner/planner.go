// Package planner turns due firings into runs: the first step of the path on
// the server.
//
// It knows which jobs are due soon, the misfire policy of each, and how far
// ahead to plan. It must never know executors, routes, protocols or SQL. Due
// jobs come in from the store; runs, committed in the same transaction that
// moves the job's next firing on, go out, and are handed to the dispatcher as a
// hint. The row is the truth: a hint that is lost costs time, never a firing.
//
//	DueJobs ──▶ decide(due, now) ──▶ CommitPlan ──▶ Handoff.Take
package planner

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/job"
)

// Handoff takes freshly planned runs without going through the database again.
type Handoff interface {
	// Free returns how many runs may be handed over now. Zero means: plan
	// nothing, the jobs stay due.
	Free() int
	// Take hands over committed runs, at most as many as Free has returned,
	// in no particular order.
	Take(runs []job.Run)
}

// Config says how the planner works.
type Config struct {
	Store   Store
	IDs     IDs
	Handoff Handoff
	// Horizon is how far ahead of its time a firing becomes a row.
	// Defaults to 2 s.
	Horizon time.Duration
	// Tolerance is how late a firing may be planned without being a
	// misfire. Defaults to 5 s.
	Tolerance time.Duration
	// Batch is the number of jobs in a transaction. Defaults to 500.
	Batch int
	// PerJob bounds the runs of one job in one plan: its firings, and the
	// missed ones that are made up for, each for itself. Defaults to 100.
	PerJob int
	// Claim is how long after its planned time a run that was handed over
	// stays hidden from other dispatchers. Defaults to 15 s.
	Claim time.Duration
	// Poll is how often the store is asked although nothing announced a
	// change. Defaults to 1 s; firings do not wait for it.
	Poll   time.Duration
	Logger *slog.Logger
	Hooks  Hooks
}

// Hooks are called by the planner's goroutine; they must return at once.
type Hooks struct {
	// Planned tells how many jobs were moved on and how many runs were made,
	// with those that only tell what was skipped.
	Planned func(jobs, runs int)
}

func (c *Config) defaults() {
	if c.Horizon <= 0 {
		c.Horizon = 2 * time.Second
	}
	if c.Tolerance <= 0 {
		c.Tolerance = 5 * time.Second
	}
	if c.Batch <= 0 {
		c.Batch = 500
	}
	if c.PerJob <= 0 {
		c.PerJob = 100
	}
	if c.Claim <= 0 {
		c.Claim = 15 * time.Second
	}
	if c.Poll <= 0 {
		c.Poll = time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Hooks.Planned == nil {
		c.Hooks.Planned = func(int, int) {}
	}
}

// Planner is the planning loop of one server.
type Planner struct {
	config    Config
	schedules *schedules // used by the loop only
	wake      chan struct{}
}

// New returns a planner that does nothing until Run.
func New(c Config) *Planner {
	c.defaults()
	return &Planner{config: c, schedules: newSchedules(20_000), wake: make(chan struct{}, 1)}
}

// Wake makes the loop look at the store now: a job was created, started or
// changed, or the handoff has room again. It never blocks.
func (p *Planner) Wake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Run plans until ctx ends. An error of the store is logged and tried again
// after a second: jobs stay due meanwhile.
func (p *Planner) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-p.wake:
		}
		wait, err := p.turn(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			p.config.Logger.Error("planning stopped; trying again", "error", err)
			select { // whoever calls Wake meanwhile
			case <-ctx.Done():
				return nil
			case <-time.After(afterError):
			}
		}
		timer.Reset(wait)
	}
}

// Pauses of the loop.
const (
	// afterError is the time after an error of the store.
	afterError = time.Second
	// afterNothing is the time after a plan of which nothing took effect:
	// somebody else was quicker with all of it.
	afterNothing = 100 * time.Millisecond
	// steps is how often, within a horizon, jobs are looked at that come due
	// by the passing of time alone. A firing is planned at least seven eighths
	// of a horizon ahead, and all firings of a step share a transaction.
	steps = 8
)

// turn plans one batch and returns how long to wait before the next one.
func (p *Planner) turn(ctx context.Context) (time.Duration, error) {
	free := p.config.Handoff.Free()
	if free <= 0 {
		return p.config.Poll, nil
	}
	now := time.Now()
	limit := min(p.config.Batch, free)
	due, err := p.config.Store.DueJobs(ctx, now.Add(p.config.Horizon), limit)
	if err != nil {
		return 0, fmt.Errorf("read due jobs: %w", err)
	}
	if len(due) == 0 {
		return p.idle(ctx, now)
	}
	plans, err := p.plan(ctx, due, now, free)
	if err != nil {
		return 0, err
	}
	moves := make([]Move, len(plans))
	for i := range plans {
		moves[i] = plans[i].move
	}
	done, err := p.config.Store.CommitPlan(ctx, moves)
	if err != nil {
		return 0, fmt.Errorf("commit a plan of %d jobs: %w", len(moves), err)
	}
	failpoint.Hit("planner/committed")
	switch {
	case p.hand(plans, done) == 0:
		return afterNothing, nil
	case len(due) < limit:
		return p.config.Horizon / steps, nil
	}
	return 0, nil
}

// idle returns the wait until the next firing comes within the horizon, and at
// least a step.
func (p *Planner) idle(ctx context.Context, now time.Time) (time.Duration, error) {
	next, ok, err := p.config.Store.NextDue(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the next firing: %w", err)
	}
	if !ok {
		return p.config.Poll, nil
	}
	wait := next.Add(-p.config.Horizon).Sub(now)
	return min(max(wait, p.config.Horizon/steps), p.config.Poll), nil
}

// plan decides for each job, until the handoff would be full. The others stay
// due.
func (p *Planner) plan(ctx context.Context, due []Due, now time.Time, free int) ([]plan, error) {
	l := limits{
		now: now.UTC().Truncate(time.Millisecond), until: now.Add(p.config.Horizon),
		tolerance: p.config.Tolerance, perJob: p.config.PerJob, claim: p.config.Claim,
	}
	plans := make([]plan, 0, len(due))
	for _, d := range due {
		var move Move
		if s, err := p.schedules.of(d); err != nil {
			p.config.Logger.Error("schedule cannot be read; the job is stopped", "job_id", d.JobID, "error", err)
			move = unreadable(d, err, l)
		} else {
			move = decide(d, s, l)
		}
		for i := range move.Runs {
			var err error
			if move.Runs[i].ID, err = p.config.IDs.NextRunID(ctx); err != nil {
				return nil, fmt.Errorf("draw a run id: %w", err)
			}
		}
		handed := handOver(&move, free, l.claim)
		plans = append(plans, plan{move, handed})
		if free -= len(handed); free <= 0 {
			break
		}
	}
	return plans, nil
}

// hand gives the runs that were committed to the dispatcher and returns how many
// jobs were moved on.
func (p *Planner) hand(plans []plan, done []bool) int {
	var handed []job.Run
	jobs, runs := 0, 0
	for i := range plans {
		if !done[i] {
			continue
		}
		jobs++
		runs += len(plans[i].move.Runs)
		handed = append(handed, plans[i].handed...)
	}
	if len(handed) > 0 {
		p.config.Handoff.Take(handed)
	}
	p.config.Hooks.Planned(jobs, runs)
	return jobs
}
