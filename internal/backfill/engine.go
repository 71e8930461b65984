package backfill

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/pace"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Config configures an Engine.
type Config struct {
	Store Store
	IDs   IDs
	// Ends is queried once a Poll for ends that other servers have recorded. Defaults to
	// none: then every end is announced.
	Ends Ends
	// Poll is how often the store is queried for running backfills that were not announced,
	// and how soon active runs are first checked. Defaults to 1 s.
	Poll time.Duration
	// Lease is how long a claimed backfill stays hidden from other servers. Defaults to 30
	// s. Active runs are checked at least twice within it.
	Lease time.Duration
	// Batch is the number of backfills in a claim. Defaults to 200.
	Batch int
	// Idle reports whether this server leaves new work to others. Defaults to never.
	Idle   func() bool
	Logger *slog.Logger
	Hooks  Hooks
}

// Hooks are called by the engine's goroutine after a commit; they must return at
// once.
type Hooks struct {
	// Ready announces that runs become ready for a dispatcher.
	Ready func(at time.Time)
	// Step reports how many runs were created, how many slots were skipped, and how many
	// runs were counted as over.
	Step func(made, skipped, ended int)
	// Left reports how many backfills were released to other servers.
	Left func(backfills int)
}

func (c *Config) defaults() {
	if c.Poll <= 0 {
		c.Poll = time.Second
	}
	if c.Lease <= 0 {
		c.Lease = 30 * time.Second
	}
	if c.Batch <= 0 {
		c.Batch = 200
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Hooks.Ready == nil {
		c.Hooks.Ready = func(time.Time) {}
	}
	if c.Hooks.Step == nil {
		c.Hooks.Step = func(int, int, int) {}
	}
	if c.Hooks.Left == nil {
		c.Hooks.Left = func(int) {}
	}
}

const (
	// maxAhead bounds the slots that a step skips.
	maxAhead = 1000
	// maxPeek bounds the runs queried in one Poll. When there are more, some ends are found
	// later, at the latest after half a Lease.
	maxPeek = 1000
)

// Engine is the backfilling loop of one server.
type Engine struct {
	config    Config
	loop      *pace.Loop
	schedules *schedules  // used by the loop only
	watch     *pace.Watch // active runs
	peeked    time.Time   // used by the loop only: last query of Ends
}

// New returns an Engine that does nothing until Run.
func New(c Config) *Engine {
	c.defaults()
	e := &Engine{
		config: c, schedules: newSchedules(job.MaxBackfills), watch: pace.NewWatch(job.MaxBackfills * job.MaxParallel),
	}
	e.loop = pace.New(pace.Config{Pass: e.runTurn, Idle: c.Idle, Leave: e.letGo, Failed: func(err error) {
		c.Logger.Error("backfilling stopped; trying again", "error", err)
	}})
	return e
}

// Wake makes the loop look for due backfills: one was created. It never blocks.
func (e *Engine) Wake() { e.loop.Wake() }

// TakeOver makes the loop take over the work of failed servers: one was detected. It never
// blocks.
func (e *Engine) TakeOver() { e.loop.TakeOver() }

// Ended announces that an attempt of any run has ended. It costs a map lookup, and wakes
// the loop when a backfill waits for the run. It is safe for concurrent use. An end that is
// not announced is found when Ends is queried, or with the next check of the backfill, at
// the latest after half a Lease.
func (e *Engine) Ended(run int64) {
	if e.watch.Take(run) {
		e.Wake()
	}
}

// Run advances backfills until ctx ends, and then releases them to other servers, as it
// does while it is idle. It logs an error of the store and tries again after a second; the
// interrupted step was then written either entirely or not at all.
func (e *Engine) Run(ctx context.Context) error { return e.loop.Run(ctx) }

// longest is the longest time between two checks of active runs.
func (e *Engine) longest() time.Duration { return e.config.Lease / 2 }

// runTurn makes a pass; the first one includes backfills claimed by a server that died.
func (e *Engine) runTurn(ctx context.Context, now time.Time, cause pace.Cause) (time.Duration, error) {
	if cause == pace.Fresh {
		return e.runPass(ctx, now, e.config.Lease)
	}
	return e.runPass(ctx, now, 0)
}

// runPass advances the backfills of which a run has ended, and those due within reach of now,
// and returns the time until the next pass.
func (e *Engine) runPass(ctx context.Context, now time.Time, reach time.Duration) (time.Duration, error) {
	if err := e.findForeignEnds(ctx, now); err != nil {
		return 0, err
	}
	ctx, finished := pace.Finish(ctx)
	defer finished()
	works, err := e.config.Store.ClaimBackfills(ctx, Claim{
		IDs: e.watch.Drain(), Until: now.Add(reach), Limit: e.config.Batch, Lease: now.Add(e.config.Lease),
	})
	if err != nil {
		return 0, fmt.Errorf("claim backfills: %w", err)
	}
	if len(works) > 0 {
		failpoint.Hit("backfill/claimed")
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
				failed = fmt.Errorf("backfill %d of job %d: %w", works[i].Backfill.ID, works[i].Backfill.JobID, err)
			}
			if ctx.Err() != nil {
				break
			}
			continue
		}
		if step.Backfill.State == job.BackfillRunning {
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

// letGo releases the backfills of this server to others. After a failure others find them
// when their next check is due.
func (e *Engine) letGo(ctx context.Context) {
	n, err := e.watch.LetGo(ctx, e.config.Store.LetGoBackfills)
	switch {
	case err != nil:
		e.config.Logger.Warn("backfills could not be left to other servers; they wait a little", "count", n, "error", err)
	case n > 0:
		e.config.Logger.Info("backfills are left to other servers", "count", n)
		e.config.Hooks.Left(n)
	}
}

// advance advances one backfill. A commit without effect means that another server has
// advanced it, and has set its next check.
func (e *Engine) advance(ctx context.Context, w *Work, now time.Time) (Step, error) {
	v, err := e.readView(ctx, w)
	if err != nil {
		return Step{}, err
	}
	step := decide(v, now, limits{poll: e.config.Poll, longest: e.longest()})
	b := &step.Backfill
	for i := range step.Runs {
		if step.Runs[i].ID, err = e.config.IDs.NextRunID(ctx); err != nil {
			return Step{}, fmt.Errorf("draw a run id: %w", err)
		}
		b.Open = append(b.Open, step.Runs[i].ID)
	}
	e.watch.Add(b.ID, b.Open) // before the first of them can end
	done, err := e.config.Store.CommitStep(ctx, step)
	if err != nil {
		return Step{}, fmt.Errorf("commit a step: %w", err)
	}
	failpoint.Hit("backfill/committed")
	if done {
		e.reportStep(w, &step)
	}
	return step, nil
}

// reportStep calls the hooks after a step has taken effect.
func (e *Engine) reportStep(w *Work, step *Step) {
	b := &step.Backfill
	if b.State == job.BackfillCancelled {
		e.config.Logger.Warn("backfill was cancelled", "backfill_id", b.ID, "job_id", b.JobID, "reason", b.Reason)
	}
	if len(step.Runs) > 0 {
		e.config.Hooks.Ready(step.Runs[0].ReadyAt)
	}
	ended := len(w.Backfill.Open) + len(step.Runs) - len(b.Open)
	if skipped := b.Skipped - w.Backfill.Skipped; len(step.Runs)+skipped+ended > 0 {
		e.config.Hooks.Step(len(step.Runs), skipped, ended)
	}
}

// readView reads the next slots of a backfill.
func (e *Engine) readView(ctx context.Context, w *Work) (claimedBackfill, error) {
	v := claimedBackfill{Work: *w}
	if w.Deleted {
		return v, nil
	}
	found, refusal := e.schedules.scheduleOf(w)
	if refusal != "" {
		v.refusal = refusal
		return v, nil
	}
	err := e.ahead(ctx, &v, found)
	return v, err
}

// ahead collects the next slots: as many as one step may create runs for, and the skipped
// ones between them, up to maxAhead. It reads slots only when runs may be created.
func (e *Engine) ahead(ctx context.Context, v *claimedBackfill, s schedule.Schedule) error {
	b := settle(v.Work)
	left := min(b.Slots-b.Made-b.Skipped, maxAhead)
	from := b.From
	if !b.Cursor.IsZero() {
		from = b.Cursor.Add(1)
	}
	for fresh := runsPerStep(&b); fresh > 0 && !v.end && left > 0; {
		n := min(fresh, left)
		if len(v.slots) > 0 { // many in a row are done
			n = left
		}
		found := schedule.Between(s, from, b.To, n)
		v.end = len(found) < n
		if len(found) == 0 {
			break
		}
		left -= len(found)
		from = found[len(found)-1].Add(1)
		slots, err := e.judge(ctx, &b, found)
		if err != nil {
			return err
		}
		for _, slot := range slots {
			if !slot.done {
				fresh--
			}
		}
		v.slots = append(v.slots, slots...)
	}
	v.end = v.end || b.Made+b.Skipped+len(v.slots) >= b.Slots
	return nil
}

// judge decides which slots are skipped.
func (e *Engine) judge(ctx context.Context, b *job.Backfill, found []time.Time) ([]slot, error) {
	slots := make([]slot, len(found))
	for i := range found {
		slots[i].at = found[i]
	}
	if !b.SkipSucceeded {
		return slots, nil
	}
	succeeded, err := e.config.Store.Succeeded(ctx, b.JobID, found)
	if err != nil {
		return nil, fmt.Errorf("read which of %s have succeeded: %w", plural.Count(len(found), "slot"), err)
	}
	done := make(map[int64]struct{}, len(succeeded))
	for _, at := range succeeded {
		done[at.UnixMilli()] = struct{}{}
	}
	for i := range slots {
		_, slots[i].done = done[slots[i].at.UnixMilli()]
	}
	return slots, nil
}
