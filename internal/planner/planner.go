// Package planner turns due firings into runs. It is the first step of the path on the
// server.
//
// It knows which jobs are due soon, the misfire policy of each, the calendars and pauses
// that exclude firings, and how far ahead to plan. It must never know executors, routes,
// protocols or SQL. It reads due jobs and rules from the store. It commits runs in the same
// transaction that advances the job's next firing, and hands them to the dispatcher as a
// hint. The row is authoritative: a lost hint costs time, never a firing.
//
//	DueJobs ──▶ decide(due, rules, now) ──▶ Handoff.Offer ──▶ Settled
//	                                    └─▶ spread ──▶ CommitPlan ──▶ Handoff.Take
//
// A plan of one run, which is almost every plan, is not committed here. The dispatcher gets
// it ahead of its time, and commits the move, the run and its dispatch in one transaction
// shortly before the run is due. All other plans, and those of runs for which there is no
// room, are committed here.
package planner

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// Config configures a Planner.
type Config struct {
	Store   Store
	IDs     IDs
	Handoff Handoff
	// Horizon is how far ahead of its time a firing is decided. Defaults to 1 s.
	Horizon time.Duration
	// Batch is the number of jobs in a transaction. Defaults to 500.
	Batch int
	// PerJob bounds the firings of one job in one plan that are on time. Missed ones have
	// the job's own limits. Defaults to 100.
	PerJob int
	// CatchUpRate is how many runs for missed firings may start in a second, of all jobs
	// together; at most 100,000. A planner remembers the starts that it has assigned, not
	// those of other servers, nor its own from before a restart. Defaults to 100.
	CatchUpRate int
	// Claim is how long after its time a run that was handed over stays hidden
	// from other dispatchers. Defaults to 15 s.
	Claim time.Duration
	// Poll is how often the store is queried without an announced change. Defaults to 1 s;
	// firings do not wait for it.
	Poll time.Duration
	// Backlog is how many runs of one group may wait as rows because the dispatcher has no
	// room for them. When there are more, its jobs stay due until there is room, and
	// firings missed until then follow their misfire policy. Defaults to 20,000.
	Backlog int
	// Mine reports whether this server plans a job on time. Otherwise another server plans
	// it; when that has not happened a moment later, this one does. Defaults to all jobs.
	// It must return at once.
	Mine func(job int64) bool
	// Idle reports whether this server leaves all planning to others. Defaults to false.
	Idle   func() bool
	Logger *slog.Logger
	Hooks  Hooks
}

// Hooks are called by the planner's goroutine; they must return at once.
type Hooks struct {
	// Planned reports the effects of a committed plan.
	Planned func(p Planned)
	// Turned reports that the loop has read the store once more, and the error if that
	// failed.
	Turned func(err error)
	// Left reports that runs were written that no server holds: they can be claimed from
	// the instant on.
	Left func(at time.Time)
}

func (c *Config) defaults() {
	if c.Horizon <= 0 {
		c.Horizon = time.Second
	}
	if c.Batch <= 0 {
		c.Batch = 500
	}
	if c.PerJob <= 0 {
		c.PerJob = 100
	}
	if c.CatchUpRate <= 0 {
		c.CatchUpRate = 100
	}
	c.CatchUpRate = min(c.CatchUpRate, maxRate)
	if c.Claim <= 0 {
		c.Claim = 15 * time.Second
	}
	if c.Poll <= 0 {
		c.Poll = time.Second
	}
	if c.Backlog <= 0 {
		c.Backlog = 20_000
	}
	if c.Idle == nil {
		c.Idle = func() bool { return false }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Hooks.Planned == nil {
		c.Hooks.Planned = func(Planned) {}
	}
	if c.Hooks.Turned == nil {
		c.Hooks.Turned = func(error) {}
	}
	if c.Hooks.Left == nil {
		c.Hooks.Left = func(time.Time) {}
	}
}

// Planner is the planning loop of one server.
type Planner struct {
	config  Config
	wake    chan struct{}
	backlog *backlog

	offers  offers
	changed atomic.Bool // something was created or changed since the loop last read the store

	// The loop alone uses these.
	decider
	cursor    Cursor    // jobs up to it were read and processed
	whole     bool      // all jobs are to be read again
	wholeAt   time.Time // when they are in any case
	lost      bool      // all jobs are to be read again, because moves did not take effect
	calm      time.Time // not before this instant, for that reason
	lateAt    time.Time // when to look for jobs that others have not planned
	readAt    time.Time // when to read the jobs after the cursor
	ready     []Due     // jobs that were read, or moved on, and are not yet planned
	full      time.Time // when the handoff last had no room
	heldUntil time.Time // when to check the backlogs for room again
	yield     int       // runs per job in the last plan, at least 1
	// doubts are the slots of moves with an unknown result: the store returned an error. By
	// job; from the last plan only.
	doubts map[int64]doubt
}

type doubt struct {
	from  time.Time
	slots []int64
}

// New returns a Planner that does nothing until Run.
func New(c Config) *Planner {
	c.defaults()
	return &Planner{
		config: c, wake: make(chan struct{}, 1), backlog: &backlog{limit: c.Backlog}, decider: newDecider(&c, c.Store), yield: 1,
	}
}

// Wake makes the loop read the store now: a job, a calendar or a pause was created or
// changed. It never blocks.
func (p *Planner) Wake() {
	p.changed.Store(true)
	p.Again()
}

// Again makes the loop continue: the handoff has room again. It never blocks.
func (p *Planner) Again() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Run plans until ctx ends. It logs an error of the store and tries again after a second;
// jobs stay due until then.
func (p *Planner) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-p.wake:
			if p.changed.Swap(false) {
				p.rules.stale, p.whole = true, true
			}
		}
		wait, err := p.planBatch(ctx)
		if p.lost {
			wait = min(wait, max(time.Until(p.calm), 0))
		}
		p.config.Hooks.Turned(err)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			p.whole, p.ready = true, nil
			p.config.Logger.Error("planning stopped; trying again", "error", err)
			select { // callers of Wake during the pause
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
	// afterError is the pause after an error of the store.
	afterError = time.Second
	// afterNothing is the pause after a plan without effect: other servers planned all of
	// it first.
	afterNothing = 100 * time.Millisecond
	// steps is how often, within a horizon, the loop checks for jobs that become due with
	// time. A firing is decided at least three quarters of a horizon ahead.
	steps = 4
)

// planBatch plans one batch and returns how long to wait before the next one.
func (p *Planner) planBatch(ctx context.Context) (time.Duration, error) {
	p.learn()
	if p.config.Idle() {
		p.whole, p.ready = true, nil
		return p.config.Poll, nil
	}
	now := time.Now()
	free := max(p.config.Handoff.Free(), 0)
	until, room := now.Add(p.config.Horizon), free
	if free == 0 {
		if p.full = now; now.Before(p.heldUntil) {
			return p.heldUntil.Sub(now), nil
		}
		until, room = now, p.config.Backlog
	}
	due, more, err := p.readDueJobs(ctx, now, until, min(p.config.Batch, room/p.yield+1))
	if err != nil {
		return 0, err
	}
	if len(due) == 0 {
		return p.idleTime(ctx, now)
	}
	if err := p.refresh(ctx, due, now); err != nil {
		return 0, err
	}
	plans, err := p.decideMoves(ctx, due, now, free)
	if err != nil {
		return 0, err
	}
	short := len(plans) < len(due)
	if free == 0 && short { // no more room in the backlog of a group, or in a transaction
		p.heldUntil = now.Add(p.config.Horizon / steps)
	}
	moved, err := p.commit(ctx, plans)
	switch {
	case err != nil:
		return 0, err
	case moved == 0:
		return afterNothing, nil
	case short, more:
		return 0, nil
	}
	return p.config.Horizon / steps, nil
}

// readDueJobs returns up to limit jobs to plan by until, and whether there may be more. The caller
// puts those that it does not plan back into p.ready. It reads all jobs of the store after
// a change, and once in a while; otherwise the jobs after the cursor.
func (p *Planner) readDueJobs(ctx context.Context, now, until time.Time, limit int) (due []Due, more bool, err error) {
	again := p.lost && !now.Before(p.calm)
	if p.whole || again || !now.Before(p.wholeAt) {
		p.cursor, p.ready, p.whole, p.lost = Cursor{}, nil, false, false
		p.wholeAt, p.readAt = now.Add(p.config.Poll), time.Time{}
	}
	if again {
		p.calm = now.Add(afterNothing) // another server may have planned all of them first
	}
	for len(p.ready) < limit && p.cursor.Before(until) && !now.Before(p.readAt) {
		page, err := p.config.Store.DueJobs(ctx, p.cursor, until, p.config.Batch)
		if err != nil {
			p.whole = true
			return nil, false, fmt.Errorf("read due jobs: %w", err)
		}
		if len(page) == p.config.Batch {
			last := &page[len(page)-1]
			p.cursor = Cursor{last.Look, last.JobID}
		} else {
			p.cursor, p.readAt = Cursor{until, math.MaxInt64}, now.Add(p.config.Horizon/steps)
		}
		for i := range page {
			if d := &page[i]; !p.offers.isOffered(d) && p.ownsJob(d.JobID) {
				p.ready = append(p.ready, *d)
			}
		}
	}
	if err := p.takeOver(ctx, now); err != nil {
		return nil, false, err
	}
	for i := range p.ready {
		if len(due) < limit && !p.ready[i].Look.After(until) {
			due = append(due, p.ready[i])
			continue
		}
		more = more || !p.ready[i].Look.After(until)
		p.ready[i-len(due)] = p.ready[i]
	}
	p.ready = p.ready[:len(p.ready)-len(due)]
	return due, more || p.cursor.Before(until) && !now.Before(p.readAt), nil
}

// ownsJob reports whether this server plans the job on time.
func (p *Planner) ownsJob(job int64) bool { return p.config.Mine == nil || p.config.Mine(job) }

// refresh reads the rules that a plan needs, and always when a job is checked because they
// have changed.
func (p *Planner) refresh(ctx context.Context, due []Due, now time.Time) error {
	for i := range due {
		if due[i].Look.Before(due[i].Next) {
			p.rules.stale = true
			break
		}
	}
	return p.rules.refresh(ctx, now)
}

// idleTime returns the wait until the next firing comes within the horizon, and at
// least a step.
func (p *Planner) idleTime(ctx context.Context, now time.Time) (time.Duration, error) {
	if len(p.offers.out) > 0 || len(p.ready) > 0 {
		return p.config.Horizon / steps, nil
	}
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

// runsPerPlan is how many runs fill a transaction. The remaining jobs stay due.
const runsPerPlan = 5_000

// decideMoves decides for each job, until there is no more room or the transaction is full. The
// others stay due.
func (p *Planner) decideMoves(ctx context.Context, due []Due, now time.Time, free int) ([]plan, error) {
	l := limits{
		now: now.UTC().Truncate(time.Millisecond), read: now, until: now.Add(p.config.Horizon), brief: now.Sub(p.full) < briefFor,
	}
	places := p.places(free)
	if !places.handed {
		l.until = now // nothing ahead of its time
		if err := p.count(ctx, due, now); err != nil {
			return nil, err
		}
	}
	p.settleDoubts(due)
	p.pace.forget(now)
	plans, runs, done := make([]plan, 0, len(due)), 0, 0
	for i := 0; i < len(due) && runs < runsPerPlan && !places.taken(); i++ {
		done = i + 1
		room := places.roomOf(due[i].GroupID)
		if room <= 0 || !places.handed && now.Sub(due[i].Look) < due[i].patient() {
			p.ready = append(p.ready, due[i])
			continue
		}
		l.perJob = min(p.config.PerJob, room)
		onTime := places.handed && due[i].HeldBy == "" && now.Sub(due[i].Next) < 2*due[i].patient()
		if onTime {
			l.perJob = 1
		}
		next, err := p.planOne(ctx, &due[i], l)
		if err != nil {
			p.release(plans)
			return nil, err
		}
		next.due, next.offer = due[i], onTime && next.offered()
		switch {
		case next.offer:
			places.reserve(due[i].GroupID, 1)
		case places.handed:
			next.handOver(room, l.until, p.config.Claim)
			places.reserve(due[i].GroupID, len(next.handed))
		default:
			next.left = next.waiting(l.now)
			places.reserve(due[i].GroupID, next.left)
		}
		plans = append(plans, next)
		runs += len(next.move.Runs)
	}
	p.ready = append(p.ready, due[done:]...)
	p.yield = max(runs/max(len(plans), 1), 1)
	return plans, nil
}

// commit offers the plans that the dispatcher commits, commits the others, and hands their
// runs to the dispatcher. It returns how many jobs were processed.
func (p *Planner) commit(ctx context.Context, plans []plan) (moved int, err error) {
	var offered []Offered
	var own []*plan
	for i := range plans {
		one := &plans[i]
		if !one.offer {
			own = append(own, one)
			continue
		}
		p.offers.handOver(&one.due, &one.move)
		offered = append(offered, Offered{&one.move, laterOf(one.due.Next, time.Now()).Add(one.due.patient())})
	}
	if len(offered) > 0 {
		p.config.Handoff.Offer(offered)
	}
	if len(own) == 0 {
		return len(offered), nil
	}
	moved, err = p.carryOut(ctx, own)
	return moved + len(offered), err
}

// carryOut commits plans and hands the committed runs to the dispatcher. It returns how
// many jobs were moved on.
func (p *Planner) carryOut(ctx context.Context, plans []*plan) (moved int, err error) {
	moves := make([]Move, len(plans))
	for i := range plans {
		moves[i] = plans[i].move
	}
	done, err := p.config.Store.CommitPlan(ctx, moves)
	if err != nil {
		p.doubt(plans)
		return 0, fmt.Errorf("commit a plan of %s: %w", plural.Count(len(moves), "job"), err)
	}
	failpoint.Hit("planner/committed")
	var handed []job.Run
	made, left := Planned{}, 0
	for i, one := range plans {
		if !done[i] {
			// The job or the rules have changed.
			p.rules.stale, p.lost = true, true
			p.pace.release(one.slots)
			continue
		}
		made.countRuns(one.move.Runs)
		handed = append(handed, one.handed...)
		if n := one.left; n > 0 {
			p.backlog.addRows(one.group, n)
			left += n
		}
		if next := one.move; !next.Next.IsZero() && !p.cursor.Before(next.Next) {
			p.ready = append(p.ready, one.due.after(&next))
		}
	}
	if left > 0 {
		p.config.Hooks.Left(time.Now())
	}
	if len(handed) > 0 {
		p.config.Handoff.Take(handed)
	}
	p.config.Hooks.Planned(made)
	return made.Jobs, nil
}

// release frees the slots of plans that are not committed.
func (p *Planner) release(plans []plan) {
	for i := range plans {
		p.pace.release(plans[i].slots)
	}
}

// doubt remembers the slots of plans that may have been committed.
func (p *Planner) doubt(plans []*plan) {
	p.doubts = make(map[int64]doubt)
	for i := range plans {
		if len(plans[i].slots) > 0 {
			p.doubts[plans[i].move.JobID] = doubt{plans[i].move.From, plans[i].slots}
		}
	}
}

// settleDoubts frees the slots of those plans that were not committed: the job is due as
// before.
func (p *Planner) settleDoubts(due []Due) {
	if p.doubts == nil {
		return
	}
	for i := range due {
		if was, ok := p.doubts[due[i].JobID]; ok && was.from.Equal(due[i].Next) {
			p.pace.release(was.slots)
		}
	}
	p.doubts = nil
}
