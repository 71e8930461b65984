package workflow

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/pace"
	"github.com/orthd/orth/job"
)

// Config configures an Engine.
type Config struct {
	Store Store
	IDs   IDs
	// Ends is queried once a Poll for ends that other servers have recorded. Defaults to
	// none: then every end is announced.
	Ends Ends
	// Poll is how often the store is queried for open workflow runs that were not
	// announced, and how soon active runs are first checked. Defaults to 1 s.
	Poll time.Duration
	// Lease is how long a claimed workflow run stays hidden from other servers. Defaults to
	// 30 s. Active runs are checked at least twice within it.
	Lease time.Duration
	// Batch is the number of workflow runs in a claim. Defaults to 100.
	Batch int
	// Idle reports whether this server leaves new work to others. Defaults to never.
	Idle   func() bool
	Logger *slog.Logger
	// Ready announces that runs become ready for a dispatcher; it is called after the
	// commit and must return at once. Defaults to a no-op.
	Ready func(at time.Time)
	// Step reports, in the same way, how many runs a step has created and how many of its
	// nodes' runs have ended, unless both are 0. Defaults to a no-op.
	Step func(made, ended int)
	// Left reports, in the same way, how many workflow runs were released to other servers.
	// Defaults to a no-op.
	Left func(works int)
}

func (c *Config) defaults() {
	if c.Poll <= 0 {
		c.Poll = time.Second
	}
	if c.Lease <= 0 {
		c.Lease = 30 * time.Second
	}
	if c.Batch <= 0 {
		c.Batch = 100
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Ready == nil {
		c.Ready = func(time.Time) {}
	}
	if c.Step == nil {
		c.Step = func(int, int) {}
	}
	if c.Left == nil {
		c.Left = func(int) {}
	}
}

const (
	// maxWatched bounds the runs whose ends are awaited.
	maxWatched = 100_000
	// maxPeek bounds the runs queried in one Poll. When there are more, some ends are found
	// later, at the latest after half a Lease.
	maxPeek = 1000
)

// Engine is the loop of one server that advances workflow runs.
type Engine struct {
	config Config
	loop   *pace.Loop
	watch  *pace.Watch // active runs, and those that have ended
	peeked time.Time   // used by the loop only: last query of Ends
}

// New returns an Engine that does nothing until Run.
func New(c Config) *Engine {
	c.defaults()
	e := &Engine{config: c, watch: pace.NewWatch(maxWatched)}
	e.loop = pace.New(pace.Config{Pass: e.runTurn, Idle: c.Idle, Leave: e.letGo, Failed: func(err error) {
		c.Logger.Error("workflows stopped; trying again", "error", err)
	}})
	return e
}

// Wake makes the loop look for due workflow runs: one was created or resumed. It never
// blocks.
func (e *Engine) Wake() { e.loop.Wake() }

// TakeOver makes the loop take over the work of failed servers: one was detected. It never
// blocks.
func (e *Engine) TakeOver() { e.loop.TakeOver() }

// Ended announces that an attempt of any run has ended. It costs a map lookup, and wakes
// the loop when a workflow run waits for the run. It is safe for concurrent use. An end
// that is not announced is found when Ends is queried, or with the next check of the
// workflow run, at the latest after half a Lease.
func (e *Engine) Ended(run int64) {
	if e.watch.Take(run) {
		e.Wake()
	}
}

// Run advances workflow runs until ctx ends, and then releases them to other servers, as it
// does while it is idle. It logs an error of the store and tries again after a second; the
// interrupted step was then written either entirely or not at all.
func (e *Engine) Run(ctx context.Context) error { return e.loop.Run(ctx) }

// longest is the longest time between two checks of active runs.
func (e *Engine) longest() time.Duration { return e.config.Lease / 2 }

// runTurn makes a pass; the first one includes workflow runs claimed by a server that died.
func (e *Engine) runTurn(ctx context.Context, now time.Time, cause pace.Cause) (time.Duration, error) {
	if cause == pace.Fresh {
		return e.runPass(ctx, now, e.config.Lease)
	}
	return e.runPass(ctx, now, 0)
}

// runPass advances the workflow runs of which a run has ended, and those due within reach of
// now, and returns the time until the next pass.
func (e *Engine) runPass(ctx context.Context, now time.Time, reach time.Duration) (time.Duration, error) {
	if err := e.findForeignEnds(ctx, now); err != nil {
		return 0, err
	}
	ctx, finished := pace.Finish(ctx)
	defer finished()
	works, err := e.config.Store.ClaimWorkflowRuns(ctx, Claim{
		IDs: e.watch.Drain(), Until: now.Add(reach), Limit: e.config.Batch, Lease: now.Add(e.config.Lease),
	})
	if err != nil {
		return 0, fmt.Errorf("claim workflow runs: %w", err)
	}
	if len(works) > 0 {
		failpoint.Hit("workflow/claimed")
	}
	wait := e.config.Poll
	if len(works) >= e.config.Batch {
		wait = 0
	}
	var failed error // the first error; the others continue, so that one does not block all
	for i := range works {
		step, err := e.advance(ctx, &works[i], now)
		if err != nil {
			if failed == nil {
				failed = fmt.Errorf("run %d of workflow %s: %w", works[i].Run.ID, works[i].Run.Workflow, err)
			}
			if ctx.Err() != nil {
				break
			}
			continue
		}
		if !step.Run.State.Over() {
			wait = min(wait, step.Look.Sub(now))
		}
	}
	return max(wait, 0), failed
}

// findForeignEnds finds ends that other servers have recorded: executors report outcomes to any
// server.
func (e *Engine) findForeignEnds(ctx context.Context, now time.Time) error {
	if e.config.Ends == nil || now.Sub(e.peeked) < e.config.Poll {
		return nil
	}
	e.peeked = now
	return e.watch.Peek(ctx, maxPeek, e.config.Ends.EndedRuns)
}

// letGo releases the workflow runs of this server to others. After a failure others find
// them when their next check is due.
func (e *Engine) letGo(ctx context.Context) {
	n, err := e.watch.LetGo(ctx, e.config.Store.LetGoWorkflowRuns)
	switch {
	case err != nil:
		e.config.Logger.Warn("workflows could not be left to other servers; they wait a little", "count", n, "error", err)
	case n > 0:
		e.config.Logger.Info("workflows are left to other servers", "count", n)
		e.config.Left(n)
	}
}

// advance advances one workflow run. A commit without effect means that another server has
// advanced it, and has set its next check.
func (e *Engine) advance(ctx context.Context, w *Work, now time.Time) (Step, error) {
	step, starts := decide(*w, now, limits{poll: e.config.Poll, longest: e.longest()})
	for i, place := range starts {
		id, err := e.config.IDs.NextRunID(ctx)
		if err != nil {
			return Step{}, fmt.Errorf("draw a run id: %w", err)
		}
		step.Runs[i].ID, step.Runs[i].CauseID = id, id
		step.Run.Nodes[place].RunID = id
	}
	e.watch.Add(step.Run.ID, underWay(&step.Run)) // before the first of them can end
	done, err := e.config.Store.CommitWorkflowStep(ctx, step)
	if err != nil {
		return Step{}, fmt.Errorf("commit a step: %w", err)
	}
	failpoint.Hit("workflow/committed")
	if !done {
		return step, nil
	}
	if len(step.Runs) > 0 {
		e.config.Ready(step.Runs[0].ReadyAt)
	}
	if len(step.Runs)+len(w.Ended) > 0 {
		e.config.Step(len(step.Runs), len(w.Ended))
	}
	if step.Run.State == job.WorkflowFailed {
		e.config.Logger.Warn("workflow run failed", "workflow_run_id", step.Run.ID, "workflow", step.Run.Workflow,
			"reason", step.Run.Reason)
	}
	return step, nil
}

// underWay returns the runs of the nodes that are running.
func underWay(r *job.WorkflowRun) []int64 {
	var runs []int64
	for i := range r.Nodes {
		if r.Nodes[i].State == job.NodeRunning {
			runs = append(runs, r.Nodes[i].RunID)
		}
	}
	return runs
}
