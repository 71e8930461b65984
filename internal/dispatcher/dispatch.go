package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// The least delays before a run is tried again.
const (
	probeAgain = 5 * time.Second        // executors were probed and none would take it
	stuckAgain = time.Second            // its executor does not keep up
	lostAgain  = 100 * time.Millisecond // another writer changed its row
	trialAgain = 500 * time.Millisecond // another run tests whether its executor has recovered
	crowdAgain = 200 * time.Millisecond // its group has its share of the memory
	longestTry = 30 * time.Second       // the most, however long it has waited
)

// patience returns how long a run waits that has already waited for so long: half as long
// again, at least least. So the work for runs that cannot be sent grows with the logarithm
// of the time they wait.
func patience(waited, least time.Duration) time.Duration {
	wait := min(max(waited/2, least), longestTry)
	return wait + time.Duration((rand.Float64()-0.5)*0.4*float64(wait))
}

// dispatch picks an executor for each item, marks those that have one, and passes them to
// the lanes. After an error the items concerned are held again and nothing of them has left
// this server.
func (d *Dispatcher) dispatch(ctx context.Context, items []*item, now time.Time) error {
	err := d.jobs.loadJobs(ctx, items)
	if err == nil {
		err = d.trials(ctx, items)
	}
	if err != nil {
		d.returnToHeld(items)
		return err
	}
	t := d.newTurn(now)
	chosen := make([]*item, 0, len(items))
	var waiting, late, orphans []*item
	for _, it := range d.ranked(items) {
		if it.job == nil {
			orphans = append(orphans, it)
			continue
		}
		switch d.chooseAddress(ctx, it, t) {
		case probing: // it comes back by itself
		case parked:
			if !d.held.parkAt(place{it.job.GroupID, it.address}, it) {
				d.forget(it)
			}
		case shelved:
			waiting = append(waiting, it)
		case expired:
			late = append(late, it)
		case picked:
			if it.homes != nil && it.soon && it.due.Sub(now) > d.config.Lead { // it is running at once
				d.returnToHeld(notYet(it))
				continue
			}
			t.noteSent(it)
			chosen = append(chosen, it)
		}
	}
	return errors.Join(d.cancel(ctx, orphans, now), d.expire(ctx, late, now), d.shelve(ctx, waiting, now), d.commitAndSend(ctx, chosen, now))
}

// ranked sets the current priority of their jobs on the items, and sorts them.
func (d *Dispatcher) ranked(items []*item) []*item {
	for _, it := range items {
		if it.job != nil {
			it.rank = it.job.Delivery.Priority.Rank()
		}
	}
	slices.SortFunc(items, inOrder)
	return items
}

// returnToHeld takes back items that could not be processed; their executors are picked again.
func (d *Dispatcher) returnToHeld(items []*item) {
	for _, it := range items {
		it.forgetPick()
		d.addToHeld(it)
	}
}

// addToHeld puts the item into held, unless its run is there already. A claimed run has its
// priority from its row; for other runs it may be known.
func (d *Dispatcher) addToHeld(it *item) {
	it.rank = it.run.Priority.Rank()
	if j := d.jobs.known[it.run.JobID]; j != nil && !it.claimed {
		it.rank = j.Delivery.Priority.Rank()
	}
	if !d.held.push(it) {
		d.forget(it)
	}
}

// cancel cancels runs whose job was deleted after they were created.
func (d *Dispatcher) cancel(ctx context.Context, orphans []*item, now time.Time) error {
	for i, it := range orphans {
		if it.move != nil { // its move would not take effect
			d.config.Hooks.Settled([]*planner.Move{it.move}, []bool{false})
			d.forget(it)
			continue
		}
		_, err := d.config.Store.CancelRun(ctx, it.run.ID, "the job was deleted", now)
		if err != nil && !job.Is(err, job.NotFound) {
			d.returnToHeld(orphans[i:])
			return fmt.Errorf("cancel run %d of a deleted job: %w", it.run.ID, err)
		}
		d.forget(it)
	}
	return nil
}

// expire ends runs that have waited too long.
func (d *Dispatcher) expire(ctx context.Context, late []*item, now time.Time) error {
	late, err := d.settle(ctx, late, now)
	if err != nil || len(late) == 0 {
		return err
	}
	runs := make([]job.Run, len(late))
	for i, it := range late {
		r := &runs[i]
		*r = it.run
		r.ExpireAt, r.Reason, r.EndedAt = it.expireAt(), cmp.Or(it.note, r.Reason), now
		r.Reason = job.ExpiredReason(r, it.job.Delivery.ExpireAfter, now)
	}
	done, err := d.config.Expirer.ExpireRuns(ctx, runs)
	if err != nil {
		d.returnToHeld(late)
		return fmt.Errorf("give up %s that have waited too long: %w", plural.Count(len(late), "run"), err)
	}
	for i, it := range late {
		d.forget(it)
		if done[i] {
			d.config.Hooks.Expired(runs[i])
		}
	}
	return nil
}

// shelve writes why runs wait and drops them from memory; a claim finds them when an
// executor is there.
func (d *Dispatcher) shelve(ctx context.Context, waiting []*item, now time.Time) error {
	waiting, err := d.settle(ctx, waiting, now)
	if err != nil || len(waiting) == 0 {
		return err
	}
	rows := make([]Requeued, len(waiting))
	for i, it := range waiting {
		rows[i] = Requeued{RunID: it.run.ID, Reason: it.note, ReadyAt: later(it.due, now).Add(it.again), Early: it.early, Now: now}
	}
	if err := d.config.Store.Requeue(ctx, rows); err != nil {
		d.returnToHeld(waiting)
		return fmt.Errorf("put %s back to waiting: %w", plural.Count(len(rows), "run"), err)
	}
	for _, it := range waiting {
		d.forget(it)
	}
	d.config.Hooks.Kept(0, len(waiting), 0)
	return nil
}

// marked passes the items whose marks took effect to the lanes. A failed mark means that
// the job is busy, that the run was cancelled or that its job changed. The row has the
// current state, and is made visible again in case the run still waits.
func (d *Dispatcher) marked(ctx context.Context, chosen []*item, marks []Mark, done []bool, now time.Time) error {
	chosen, marks, done, err := d.resolveOverlaps(ctx, chosen, marks, done)
	marked := chosen[:0]
	var lost []*item
	for i, it := range chosen {
		if !done[i] {
			it.note, it.again = "the run or its job was changed before the run was sent", lostAgain
			lost = append(lost, it)
			continue
		}
		it.attempt = marks[i].Attempt
		it.task = job.NewTask(it.job, &it.run, &it.attempt)
		if it.sendAt = it.due; it.due.After(now) && d.waitsThere(it) {
			it.sendAt, it.task.StartAt = now, it.due
		}
		marked = append(marked, it)
	}
	whole := d.undivided(marked, now)
	d.sent.add(whole)
	d.lanes.enqueue(whole)
	if len(lost) > 0 {
		d.WakeAt(now.Add(lostAgain))
	}
	return errors.Join(err, d.shelve(ctx, lost, now))
}

// waitsThere reports whether the task waits for its due time at the executor: executors
// that take several tasks in a call can hold them. Overlap between a task and earlier ones
// on its executor is decided on arrival, so such a task has to arrive when it is due.
func (d *Dispatcher) waitsThere(it *item) bool {
	return it.task.Overlap != job.OverlapDiscard && it.task.Overlap != job.OverlapCover && d.config.Sender.Together(it.address) > 1
}

func (d *Dispatcher) marks(ctx context.Context, chosen []*item, now time.Time) ([]Mark, error) {
	marks := make([]Mark, len(chosen))
	for i, it := range chosen {
		id := it.run.ID // that of its first attempt
		if it.run.Tries > 0 {
			var err error
			if id, err = d.config.IDs.NextAttemptID(ctx); err != nil {
				return nil, fmt.Errorf("draw an attempt id: %w", err)
			}
		}
		at := later(it.due, now).Truncate(time.Millisecond)
		mine := at.Sub(now) + d.config.Check
		it.window, it.checkAt = time.Now().Add(mine), d.config.Now().Add(mine).Truncate(time.Millisecond)
		marks[i] = Mark{
			From: it.run.State, JobVersion: it.run.JobVersion, CheckAt: it.checkAt,
			Deadline: it.job.Delivery.Deadline, Limit: d.limit(it, now),
			Attempt: job.Attempt{
				ID: id, RunID: it.run.ID, JobID: it.run.TaskJobID(), Number: it.run.Tries + 1, Address: it.address,
				State: job.Dispatched, TriggeredAt: at,
			},
		}
		if err := d.divide(ctx, it, &marks[i]); err != nil {
			return nil, err
		}
	}
	return marks, nil
}

// release makes the rows of all held runs visible to other servers at once. If the write
// fails, they find the rows when the claims end.
func (d *Dispatcher) release(ctx context.Context) error {
	for released := 0; ; {
		items := d.held.drain(d.config.Batch)
		if len(items) == 0 {
			if released > 0 {
				d.config.Logger.Info("the runs that were held are given back: other servers may send them now", "count", released)
			}
			return nil
		}
		now := time.Now()
		items = slices.DeleteFunc(items, func(it *item) bool {
			if it.move != nil { // its job is due as before
				d.forget(it)
				return true
			}
			it.note, it.again = "the server that held the run stopped", 0
			it.early = it.run.State == job.Planned && it.due.After(now)
			return false
		})
		if err := d.shelve(ctx, items, now); err != nil {
			return err
		}
		released += len(items)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
