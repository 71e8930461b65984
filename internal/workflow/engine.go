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

// Config says what the engine works with.
type Config struct {
	Store Store
	IDs   IDs
	// Ends is asked once a Poll for ends that other servers have recorded. Defaults to
	// none: then every end is announced.
	Ends Ends
	// Poll is how often open workflow runs are looked for although nobody
	// announced one, and how soon the first look at runs under way comes.
	// Defaults to 1 s.
	Poll time.Duration
	// Lease is how long a claimed workflow run stays hidden from other servers.
	// Defaults to 30 s. Runs under way are looked at twice in it or oftener.
	Lease time.Duration
	// Batch is the number of workflow runs in a claim. Defaults to 100.
	Batch int
	// Idle reports whether this server begins nothing new, because others do. Defaults to
	// never.
	Idle   func() bool
	Logger *slog.Logger
	// Ready announces that runs become ready for a dispatcher; it is called
	// after the commit and must return at once. Defaults to nothing.
	Ready func(at time.Time)
	// Step tells, in the same way, how many runs a step has made and how many of its nodes'
	// runs it has found to be over, unless there was neither. Defaults to nothing.
	Step func(made, ended int)
	// Left tells, in the same way, how many workflow runs were left to other servers.
	// Defaults to nothing.
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
	// maxWatched bounds the runs whose ends are waited for.
	maxWatched = 100_000
	// maxPeek bounds the runs that are asked after in one Poll. Of more some are found
	// out about later, at the latest after half a Lease.
	maxPeek = 1000
)

// Engine is the loop of one server that moves workflow runs on.
type Engine struct {
	config Config
	loop   *pace.Loop
	watch  *pace.Watch // runs that are under way, and those that have ended
	peeked time.Time   // used by the loop only: when Ends was asked last
}

// New returns an engine that does nothing until Run.
func New(c Config) *Engine {
	c.defaults()
	e := &Engine{config: c, watch: pace.NewWatch(maxWatched)}
	e.loop = pace.New(pace.Config{Pass: e.turn, Idle: c.Idle, Leave: e.letGo, Failed: func(err error) {
		c.Logger.Error("workflows stopped; trying again", "error", err)
	}})
	return e
}

// Wake makes the loop look for workflow runs whose time has come: one was made
// or resumed. It never blocks.
func (e *Engine) Wake() { e.loop.Wake() }

// TakeOver makes the loop take over what servers have in hand that are gone: one was
// found to be. It never blocks.
func (e *Engine) TakeOver() { e.loop.TakeOver() }

// Ended announces that an attempt of a run has ended, of any run: it costs a
// look into a map, and wakes the loop when a workflow run waits for the run. It
// is safe for concurrent use. A workflow run whose node's run ended unannounced
// finds out when Ends is asked, or when it is looked at next, at the latest after half
// a Lease.
func (e *Engine) Ended(run int64) {
	if e.watch.Take(run) {
		e.Wake()
	}
}

// Run works on workflow runs until ctx ends, and leaves them to other servers then, as
// it does while it is idle. An error of the store is logged and
// tried again after a second; what was under way then stands in the store as it
// was before, or as it would be.
func (e *Engine) Run(ctx context.Context) error { return e.loop.Run(ctx) }

// longest is how long runs are under way at most before they are looked at.
func (e *Engine) longest() time.Duration { return e.config.Lease / 2 }

// turn makes a pass, at first over those too that a server has claimed that died.
func (e *Engine) turn(ctx context.Context, now time.Time, cause pace.Cause) (time.Duration, error) {
	if cause == pace.Fresh {
		return e.pass(ctx, now, e.config.Lease)
	}
	return e.pass(ctx, now, 0)
}

// pass works on the workflow runs of which a run has ended, and on those whose
// time comes within reach of now, and returns how long nothing will be.
func (e *Engine) pass(ctx context.Context, now time.Time, reach time.Duration) (time.Duration, error) {
	if err := e.peek(ctx, now); err != nil {
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
	var failed error // the first; the others go on, so that none holds up all
	for i := range works {
		step, err := e.step(ctx, &works[i], now)
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

// peek finds ends that other servers have recorded: executors bring outcomes to any.
func (e *Engine) peek(ctx context.Context, now time.Time) error {
	if e.config.Ends == nil || now.Sub(e.peeked) < e.config.Poll {
		return nil
	}
	e.peeked = now
	return e.watch.Peek(ctx, maxPeek, e.config.Ends.EndedRuns)
}

// letGo leaves the workflow runs of this server to others. When that fails they find
// them when they are to be looked at next.
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

// step moves one workflow run on. When the commit has no effect somebody else
// was quicker, and knows when to go on.
func (e *Engine) step(ctx context.Context, w *Work, now time.Time) (Step, error) {
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
