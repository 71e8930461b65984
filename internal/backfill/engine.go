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

// Config says what the engine works with.
type Config struct {
	Store Store
	IDs   IDs
	// Ends is asked once a Poll for ends that other servers have recorded. Defaults to
	// none: then every end is announced.
	Ends Ends
	// Poll is how often running backfills are looked for although nobody
	// announced one, and how soon the first look at runs under way comes.
	// Defaults to 1 s.
	Poll time.Duration
	// Lease is how long a claimed backfill stays hidden from other servers.
	// Defaults to 30 s. Runs under way are looked at twice in it or oftener.
	Lease time.Duration
	// Batch is the number of backfills in a claim. Defaults to 200.
	Batch int
	// Idle reports whether this server begins nothing new, because others do. Defaults to
	// never.
	Idle   func() bool
	Logger *slog.Logger
	Hooks  Hooks
}

// Hooks are called by the engine's goroutine after a commit; they must return at
// once.
type Hooks struct {
	// Ready announces that runs become ready for a dispatcher.
	Ready func(at time.Time)
	// Step tells how many runs were made, how many slots were passed over, and
	// how many runs were counted as over.
	Step func(made, skipped, ended int)
	// Left tells how many backfills were left to other servers.
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
	// maxAhead bounds the slots that a step passes over.
	maxAhead = 1000
	// maxPeek bounds the runs that are asked after in one Poll. Of more some are found
	// out about later, at the latest after half a Lease.
	maxPeek = 1000
)

// Engine is the backfilling loop of one server.
type Engine struct {
	config    Config
	loop      *pace.Loop
	schedules *schedules  // used by the loop only
	watch     *pace.Watch // runs that are under way
	peeked    time.Time   // used by the loop only: when Ends was asked last
}

// New returns an engine that does nothing until Run.
func New(c Config) *Engine {
	c.defaults()
	e := &Engine{
		config: c, schedules: newSchedules(job.MaxBackfills), watch: pace.NewWatch(job.MaxBackfills * job.MaxParallel),
	}
	e.loop = pace.New(pace.Config{Pass: e.turn, Idle: c.Idle, Leave: e.letGo, Failed: func(err error) {
		c.Logger.Error("backfilling stopped; trying again", "error", err)
	}})
	return e
}

// Wake makes the loop look for backfills whose time has come: one was made. It
// never blocks.
func (e *Engine) Wake() { e.loop.Wake() }

// TakeOver makes the loop take over what servers have in hand that are gone: one was
// found to be. It never blocks.
func (e *Engine) TakeOver() { e.loop.TakeOver() }

// Ended announces that an attempt of a run has ended, of any run: it costs a
// look into a map, and wakes the loop when a backfill waits for the run. It is
// safe for concurrent use. A backfill whose run ended unannounced finds out when
// Ends is asked, or when it is looked at next, at the latest after half a Lease.
func (e *Engine) Ended(run int64) {
	if e.watch.Take(run) {
		e.Wake()
	}
}

// Run works on backfills until ctx ends, and leaves them to other servers then, as it
// does while it is idle. An error of the store is logged and
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

// pass works on the backfills of which a run has ended, and on those whose time comes
// within reach of now, and returns how long nothing will be.
func (e *Engine) pass(ctx context.Context, now time.Time, reach time.Duration) (time.Duration, error) {
	if err := e.peek(ctx, now); err != nil {
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
	var failed error // the first; the others go on, so that none holds up all
	for i := range works {
		step, err := e.step(ctx, &works[i], now)
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

// peek finds ends that other servers have recorded: executors bring outcomes to any.
func (e *Engine) peek(ctx context.Context, now time.Time) error {
	if e.config.Ends == nil || now.Sub(e.peeked) < e.config.Poll {
		return nil
	}
	e.peeked = now
	return e.watch.Peek(ctx, maxPeek, e.config.Ends.EndedRuns)
}

// letGo leaves the backfills of this server to others. When that fails they find them
// when they are to be looked at next.
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

// step moves one backfill on. When the commit has no effect somebody else was
// quicker, and knows when to go on.
func (e *Engine) step(ctx context.Context, w *Work, now time.Time) (Step, error) {
	v, err := e.view(ctx, w)
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
		e.tell(w, &step)
	}
	return step, nil
}

// tell calls the hooks after a step has taken effect.
func (e *Engine) tell(w *Work, step *Step) {
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

// view finds out what lies ahead of a backfill.
func (e *Engine) view(ctx context.Context, w *Work) (view, error) {
	v := view{Work: *w}
	if w.Deleted {
		return v, nil
	}
	found, refusal := e.schedules.of(w)
	if refusal != "" {
		v.refusal = refusal
		return v, nil
	}
	err := e.ahead(ctx, &v, found)
	return v, err
}

// ahead gathers the next slots: as many as one step may make runs for, and those
// between them to be passed over, up to maxAhead. Slots are asked about only when
// runs may be made.
func (e *Engine) ahead(ctx context.Context, v *view, s schedule.Schedule) error {
	b := settle(v.Work)
	left := min(b.Slots-b.Made-b.Skipped, maxAhead)
	from := b.From
	if !b.Cursor.IsZero() {
		from = b.Cursor.Add(1)
	}
	for fresh := want(&b); fresh > 0 && !v.end && left > 0; {
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

// judge says which slots are to be passed over.
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
