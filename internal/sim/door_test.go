package sim

import (
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/internal/backfill"
	"github.com/orthd/orth/internal/broadcast"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// life is one life of a process: it can be frozen, and it ends once.
type life struct {
	context.Context
	end context.CancelFunc

	mu     sync.Mutex
	frozen chan struct{} // guarded by mu: closed when it thaws; nil while it is not frozen
	trap   time.Time     // guarded by mu: until when it freezes at the next trip; in the past for not at all
	dead   bool          // guarded by mu
}

// arm makes the process freeze, until an instant, when it has next taken something
// on.
func (l *life) arm(until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trap = until
}

// trip freezes the process if it is armed, and reports whether it did.
func (l *life) trip() bool {
	l.mu.Lock()
	left := time.Until(l.trap)
	l.trap = time.Time{}
	l.mu.Unlock()
	if left <= 0 {
		return false
	}
	time.AfterFunc(left, l.freeze())
	return true
}

func newLife() *life {
	l := &life{}
	l.Context, l.end = context.WithCancel(context.Background())
	return l
}

// freeze stops the process at its next step to the outside, until thaw.
func (l *life) freeze() (thaw func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frozen != nil {
		return func() {}
	}
	frozen := make(chan struct{})
	l.frozen = frozen
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.frozen == frozen {
			l.frozen = nil
			close(frozen)
		}
	}
}

// kill ends the process: nothing of it reaches the outside any more.
func (l *life) kill() {
	l.mu.Lock()
	l.dead = true
	l.mu.Unlock()
	l.end()
}

// pass is a step to the outside: it waits while the process is frozen, and is
// errGone when it is dead.
func (l *life) pass(ctx context.Context) error {
	for {
		l.mu.Lock()
		dead, frozen := l.dead, l.frozen
		l.mu.Unlock()
		if dead {
			return errGone
		}
		if frozen == nil {
			return nil
		}
		select {
		case <-frozen:
		case <-l.Done():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// disk is how bad the way to the database is: shares of calls.
type disk struct {
	before float64 // nothing was done
	after  float64 // it was done, and the answer is an error all the same
}

// door is the database as one life of a server sees it. The methods that loops
// call while a platform works pass through it; the others are the store's own. The
// clock of the server is wrong where servers tell each other instants: leases,
// claims, and what is to be looked at.
type door struct {
	store.Store
	name  string
	judge *judge
	life  *life
	dice  *dice
	bad   func() disk
	skew  func() time.Duration
	ids   *block
}

// through is one call to the database.
func through[T any](ctx context.Context, d *door, call func() (T, error)) (T, error) {
	var none T
	if err := d.life.pass(ctx); err != nil {
		return none, away(err)
	}
	bad := d.bad()
	if d.dice.chance(bad.before) {
		return none, job.Errorf(job.Unavailable, "the database is away")
	}
	result, err := call()
	if err != nil {
		return none, err
	}
	if d.dice.chance(bad.after) {
		return none, job.Errorf(job.Unavailable, "the database went away before it answered")
	}
	if err := d.life.pass(ctx); err != nil {
		return none, away(err)
	}
	return result, nil
}

func away(err error) error {
	return job.Errorf(job.Unavailable, "reach the database: %w", err)
}

// taking is through for a call whose result the server is about to act on: it may
// be stopped with that in its hands.
func taking[T any](ctx context.Context, d *door, call func() (T, error)) (T, error) {
	result, err := through(ctx, d, call)
	if err == nil && d.life.trip() {
		err = d.life.pass(ctx)
	}
	return result, err
}

// do is through for a call without a result.
func (d *door) do(ctx context.Context, call func() error) error {
	_, err := through(ctx, d, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

func (d *door) DueJobs(ctx context.Context, after planner.Cursor, until time.Time, limit int) ([]planner.Due, error) {
	return taking(ctx, d, func() ([]planner.Due, error) { return d.Store.DueJobs(ctx, after, until, limit) })
}

func (d *door) CommitPlan(ctx context.Context, moves []planner.Move) ([]bool, error) {
	return through(ctx, d, func() ([]bool, error) {
		done, err := d.Store.CommitPlan(ctx, moves)
		each(d.judge.ledger, d.name, moves, done, planStep)
		return done, err
	})
}

func (d *door) CountReady(ctx context.Context, group int64, now time.Time, limit int) (int, error) {
	return through(ctx, d, func() (int, error) { return d.Store.CountReady(ctx, group, now.Add(d.skew()), limit) })
}

func (d *door) Rules(ctx context.Context, known int64) (*planner.Rules, error) {
	return through(ctx, d, func() (*planner.Rules, error) { return d.Store.Rules(ctx, known) })
}

func (d *door) ClaimRuns(ctx context.Context, c dispatcher.Claim) (dispatcher.Claimed, error) {
	c.Until, c.Lease = c.Until.Add(d.skew()), c.Lease.Add(d.skew())
	return taking(ctx, d, func() (dispatcher.Claimed, error) { return d.Store.ClaimRuns(ctx, c) })
}

// RenewClaims is told what ClaimRuns has said: the clock of the claim is that of the store.
func (d *door) RenewClaims(ctx context.Context, renewals []dispatcher.Renewal) ([]bool, error) {
	return through(ctx, d, func() ([]bool, error) { return d.Store.RenewClaims(ctx, renewals) })
}

func (d *door) MarkDispatched(ctx context.Context, marks []dispatcher.Mark) ([]bool, error) {
	return through(ctx, d, func() ([]bool, error) {
		done, err := d.Store.MarkDispatched(ctx, marks)
		for i := range done {
			if done[i] {
				d.judge.ledger.takeMark(d.name, &marks[i])
			}
		}
		return done, err
	})
}

func (d *door) CommitFirings(ctx context.Context, firings []dispatcher.Firing) ([]dispatcher.Birth, error) {
	return through(ctx, d, func() ([]dispatcher.Birth, error) {
		births, err := d.Store.CommitFirings(ctx, firings)
		for i, b := range births {
			if b != dispatcher.BirthNone && b != dispatcher.BirthBusy {
				d.judge.ledger.take(d.name, planStep(firings[i].Move))
			}
			if b == dispatcher.BirthSent {
				d.judge.ledger.takeMark(d.name, firings[i].Mark)
			}
		}
		return births, err
	})
}

func (d *door) Requeue(ctx context.Context, items []dispatcher.Requeued) error {
	return d.do(ctx, func() error {
		for i := range items {
			d.judge.ledger.giveBack(d.name, &items[i])
		}
		return d.Store.Requeue(ctx, items)
	})
}

func (d *door) MarkAccepted(ctx context.Context, accepted []dispatcher.Accepted) error {
	return d.do(ctx, func() error { return d.Store.MarkAccepted(ctx, accepted) })
}

func (d *door) JobsByID(ctx context.Context, ids []int64) ([]job.Job, error) {
	return through(ctx, d, func() ([]job.Job, error) { return d.Store.JobsByID(ctx, ids) })
}

func (d *door) NextAttemptID(ctx context.Context) (int64, error) {
	return through(ctx, d, func() (int64, error) { return d.ids.draw(ctx, d.Store.NextAttemptID) })
}

func (d *door) NextRunID(ctx context.Context) (int64, error) {
	return through(ctx, d, func() (int64, error) { return d.ids.draw(ctx, d.Store.NextRunID) })
}

func (d *door) Snapshots(ctx context.Context, attempts []int64) ([]completer.Snapshot, error) {
	return taking(ctx, d, func() ([]completer.Snapshot, error) { return d.Store.Snapshots(ctx, attempts) })
}

func (d *door) CommitCompletions(ctx context.Context, completions []completer.Completion) ([]bool, error) {
	return through(ctx, d, func() ([]bool, error) {
		done, err := d.Store.CommitCompletions(ctx, completions)
		each(d.judge.ledger, d.name, completions, done, endStep)
		return done, err
	})
}

func (d *door) PutLease(ctx context.Context, e job.Executor) (job.Executor, error) {
	return through(ctx, d, func() (job.Executor, error) { return d.Store.PutLease(ctx, e) })
}

func (d *door) DropLease(ctx context.Context, group, address string) error {
	return d.do(ctx, func() error { return d.Store.DropLease(ctx, group, address) })
}

func (d *door) Leases(ctx context.Context, now time.Time) ([]job.Executor, error) {
	return through(ctx, d, func() ([]job.Executor, error) { return d.Store.Leases(ctx, now) })
}

func (d *door) ClaimUnanswered(ctx context.Context, open []upkeep.Open, until time.Time) ([]bool, error) {
	return taking(ctx, d, func() ([]bool, error) {
		done, err := d.Store.ClaimUnanswered(ctx, open, until)
		each(d.judge.ledger, d.name, open, done, claimStep)
		return done, err
	})
}

func (d *door) Unanswered(ctx context.Context, now time.Time, limit int) ([]upkeep.Open, error) {
	return taking(ctx, d, func() ([]upkeep.Open, error) { return d.Store.Unanswered(ctx, now, limit) })
}

func (d *door) Orphans(ctx context.Context, now time.Time, limit int) ([]upkeep.Open, error) {
	return taking(ctx, d, func() ([]upkeep.Open, error) { return d.Store.Orphans(ctx, now, limit) })
}

func (d *door) Postpone(ctx context.Context, runs []int64, at time.Time) error {
	return d.do(ctx, func() error { return d.Store.Postpone(ctx, runs, at) })
}

func (d *door) AddRun(ctx context.Context, r job.Run) error {
	return d.do(ctx, func() error { return d.Store.AddRun(ctx, r) })
}

func (d *door) ClaimBackfills(ctx context.Context, c backfill.Claim) ([]backfill.Work, error) {
	c.Until, c.Lease = c.Until.Add(d.skew()), c.Lease.Add(d.skew())
	return taking(ctx, d, func() ([]backfill.Work, error) { return d.Store.ClaimBackfills(ctx, c) })
}

func (d *door) CommitStep(ctx context.Context, s backfill.Step) (bool, error) {
	return through(ctx, d, func() (bool, error) {
		done, err := d.Store.CommitStep(ctx, s)
		if done && err == nil {
			d.judge.ledger.take(d.name, backfillStep(&s))
		}
		return done, err
	})
}

func (d *door) KeepEvidence(ctx context.Context, evidence []job.Evidence) error {
	return d.do(ctx, func() error { return d.Store.KeepEvidence(ctx, evidence) })
}

func (d *door) Expiring(ctx context.Context, now time.Time, limit int) ([]upkeep.Expiring, error) {
	return taking(ctx, d, func() ([]upkeep.Expiring, error) { return d.Store.Expiring(ctx, now.Add(d.skew()), limit) })
}

func (d *door) ExpireRuns(ctx context.Context, runs []job.Run) ([]bool, error) {
	return through(ctx, d, func() ([]bool, error) {
		done, err := d.Store.ExpireRuns(ctx, runs)
		each(d.judge.ledger, d.name, runs, done, expireStep)
		return done, err
	})
}

func (d *door) RunningOn(ctx context.Context, address string, before time.Time, after int64, limit int) ([]job.Attempt, error) {
	return taking(ctx, d, func() ([]job.Attempt, error) { return d.Store.RunningOn(ctx, address, before, after, limit) })
}

func (d *door) CancelRun(ctx context.Context, id int64, reason string, now time.Time) (job.Run, error) {
	return through(ctx, d, func() (job.Run, error) { return d.Store.CancelRun(ctx, id, reason, now) })
}

func (d *door) ClaimWorkflowRuns(ctx context.Context, c workflow.Claim) ([]workflow.Work, error) {
	if !c.Until.IsZero() {
		c.Until = c.Until.Add(d.skew())
	}
	c.Lease = c.Lease.Add(d.skew())
	return taking(ctx, d, func() ([]workflow.Work, error) { return d.Store.ClaimWorkflowRuns(ctx, c) })
}

func (d *door) CommitWorkflowStep(ctx context.Context, s workflow.Step) (bool, error) {
	return through(ctx, d, func() (bool, error) {
		done, err := d.Store.CommitWorkflowStep(ctx, s)
		if done && err == nil {
			d.judge.ledger.take(d.name, workflowStep(&s))
		}
		return done, err
	})
}

func (d *door) AddWorkflowRun(ctx context.Context, r job.WorkflowRun) (job.WorkflowRun, error) {
	return through(ctx, d, func() (job.WorkflowRun, error) { return d.Store.AddWorkflowRun(ctx, r) })
}

func (d *door) SaveJob(ctx context.Context, j job.Job, reason string) (job.Job, error) {
	return through(ctx, d, func() (job.Job, error) { return d.Store.SaveJob(ctx, j, reason) })
}

func (d *door) DeleteJob(ctx context.Context, j job.Job, reason string) error {
	return d.do(ctx, func() error { return d.Store.DeleteJob(ctx, j, reason) })
}

func (d *door) History(ctx context.Context, jobID, after int64, limit int) ([]upkeep.Past, error) {
	return taking(ctx, d, func() ([]upkeep.Past, error) { return d.Store.History(ctx, jobID, after, limit) })
}

// RemoveRuns has the judge keep what is removed.
func (d *door) RemoveRuns(ctx context.Context, runs []int64) (int, error) {
	return through(ctx, d, func() (int, error) {
		d.judge.removing(runs)
		n, err := d.Store.RemoveRuns(ctx, runs)
		d.judge.removed(runs)
		return n, err
	})
}

func (d *door) Meet(ctx context.Context, marks []dispatcher.Mark) ([]dispatcher.Meeting, error) {
	return through(ctx, d, func() ([]dispatcher.Meeting, error) {
		met, err := d.Store.Meet(ctx, marks)
		for i := range met {
			if met[i].Fate == dispatcher.FateMarked {
				d.judge.ledger.takeMark(d.name, &marks[i])
			}
		}
		return met, err
	})
}

func (d *door) Stops(ctx context.Context, now time.Time, limit int) (due []upkeep.Stopping, more bool, err error) {
	due, err = taking(ctx, d, func() (all []upkeep.Stopping, err error) {
		all, more, err = d.Store.Stops(ctx, now.Add(d.skew()), limit)
		return all, err
	})
	return due, more, err
}

func (d *door) StopRun(ctx context.Context, s job.Stop, reason string) (bool, error) {
	return through(ctx, d, func() (bool, error) { return d.Store.StopRun(ctx, s, reason) })
}

func (d *door) SaveStop(ctx context.Context, s job.Stop, note string) error {
	return d.do(ctx, func() error { return d.Store.SaveStop(ctx, s, note) })
}

func (d *door) ClaimBroadcasts(ctx context.Context, now, lease time.Time, limit int) ([]broadcast.Work, error) {
	return taking(ctx, d, func() ([]broadcast.Work, error) {
		return d.Store.ClaimBroadcasts(ctx, now.Add(d.skew()), lease.Add(d.skew()), limit)
	})
}

func (d *door) Shards(ctx context.Context, run int64) ([]job.ShardRun, error) {
	return through(ctx, d, func() ([]job.ShardRun, error) { return d.Store.Shards(ctx, run) })
}

func (d *door) PutOff(ctx context.Context, w broadcast.Work, at time.Time) error {
	return d.do(ctx, func() error { return d.Store.PutOff(ctx, w, at) })
}
