package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// dispatch picks an executor for each item, marks those that have one, and passes them to
// the lanes. After an error the items concerned are held again and nothing of them has left
// this server.
func (d *Dispatcher) dispatch(ctx context.Context, items []*waiting.HeldRun, now time.Time) error {
	err := d.jobs.LoadJobs(ctx, items)
	if err == nil {
		err = waiting.SetTrials(ctx, d.config.Trials, items)
	}
	if err != nil {
		d.returnToHeld(items)
		return err
	}
	t := d.newTurn(now)
	chosen := make([]*waiting.HeldRun, 0, len(items))
	var unsent, late, orphans []*waiting.HeldRun
	for _, it := range d.ranked(items) {
		if it.Job == nil {
			orphans = append(orphans, it)
			continue
		}
		switch d.chooseAddress(ctx, it, t) {
		case probing: // it comes back by itself
		case parked:
			if !d.held.ParkAt(waiting.Spot{Group: it.Job.GroupID, Address: it.Address}, it) {
				d.forget(it)
			}
		case shelved:
			unsent = append(unsent, it)
		case expired:
			late = append(late, it)
		case picked:
			if it.Homes != nil && it.Soon && it.Due.Sub(now) > d.config.Lead { // it is running at once
				d.returnToHeld(notYet(it))
				continue
			}
			t.noteSent(it)
			chosen = append(chosen, it)
		}
	}
	return errors.Join(d.cancel(ctx, orphans, now), d.expire(ctx, late, now), d.shelve(ctx, unsent, now), d.commitAndSend(ctx, chosen, now))
}

// ranked sets the current priority of their jobs on the items, and sorts them.
func (d *Dispatcher) ranked(items []*waiting.HeldRun) []*waiting.HeldRun {
	for _, it := range items {
		if it.Job != nil {
			it.Rank = it.Job.Delivery.Priority.Rank()
		}
	}
	slices.SortFunc(items, waiting.InOrder)
	return items
}

// returnToHeld takes back items that could not be processed; their executors are picked again.
func (d *Dispatcher) returnToHeld(items []*waiting.HeldRun) {
	for _, it := range items {
		it.ForgetPick()
		d.addToHeld(it)
	}
}

// addToHeld puts the item into held, unless its run is there already. A claimed run has its
// priority from its row; for other runs it may be known.
func (d *Dispatcher) addToHeld(it *waiting.HeldRun) {
	it.Rank = it.Run.Priority.Rank()
	if j := d.jobs.Known[it.Run.JobID]; j != nil && !it.Claimed {
		it.Rank = j.Delivery.Priority.Rank()
	}
	if !d.held.Push(it) {
		d.forget(it)
	}
}

// cancel cancels runs whose job was deleted after they were created.
func (d *Dispatcher) cancel(ctx context.Context, orphans []*waiting.HeldRun, now time.Time) error {
	for i, it := range orphans {
		if it.Move != nil { // its move would not take effect
			d.config.Hooks.Settled([]*planner.Move{it.Move}, []bool{false})
			d.forget(it)
			continue
		}
		_, err := d.config.Store.CancelRun(ctx, it.Run.ID, "the job was deleted", now)
		if err != nil && !job.Is(err, job.NotFound) {
			d.returnToHeld(orphans[i:])
			return fmt.Errorf("cancel run %d of a deleted job: %w", it.Run.ID, err)
		}
		d.forget(it)
	}
	return nil
}

// expire ends runs that have waited too long.
func (d *Dispatcher) expire(ctx context.Context, late []*waiting.HeldRun, now time.Time) error {
	late, err := d.settle(ctx, late, now)
	if err != nil || len(late) == 0 {
		return err
	}
	runs := make([]job.Run, len(late))
	for i, it := range late {
		r := &runs[i]
		*r = it.Run
		r.ExpireAt, r.Reason, r.EndedAt = it.ExpireAt(), cmp.Or(it.Note, r.Reason), now
		r.Reason = job.ExpiredReason(r, it.Job.Delivery.ExpireAfter, now)
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
func (d *Dispatcher) shelve(ctx context.Context, unsent []*waiting.HeldRun, now time.Time) error {
	unsent, err := d.settle(ctx, unsent, now)
	if err != nil || len(unsent) == 0 {
		return err
	}
	rows := make([]Requeued, len(unsent))
	for i, it := range unsent {
		rows[i] = Requeued{RunID: it.Run.ID, Reason: it.Note, ReadyAt: waiting.Later(it.Due, now).Add(it.Again), Early: it.Early, Now: now}
	}
	if err := d.config.Store.Requeue(ctx, rows); err != nil {
		d.returnToHeld(unsent)
		return fmt.Errorf("put %s back to waiting: %w", plural.Count(len(rows), "run"), err)
	}
	for _, it := range unsent {
		d.forget(it)
	}
	d.config.Hooks.Kept(0, len(unsent), 0)
	return nil
}

// marked passes the items whose marks took effect to the lanes. A failed mark means that
// the job is busy, that the run was cancelled or that its job changed. The row has the
// current state, and is made visible again in case the run still waits.
func (d *Dispatcher) marked(ctx context.Context, chosen []*waiting.HeldRun, marks []Mark, done []bool, now time.Time) error {
	chosen, marks, done, err := d.resolveOverlaps(ctx, chosen, marks, done)
	marked := chosen[:0]
	var lost []*waiting.HeldRun
	for i, it := range chosen {
		if !done[i] {
			it.Note, it.Again = "the run or its job was changed before the run was sent", waiting.LostAgain
			lost = append(lost, it)
			continue
		}
		it.Attempt = marks[i].Attempt
		it.Task = job.NewTask(it.Job, &it.Run, &it.Attempt)
		if it.SendAt = it.Due; it.Due.After(now) && d.waitsThere(it) {
			it.SendAt, it.Task.StartAt = now, it.Due
		}
		marked = append(marked, it)
	}
	whole := d.undivided(marked, now)
	d.sent.Add(whole)
	d.lanes.enqueue(whole)
	if len(lost) > 0 {
		d.WakeAt(now.Add(waiting.LostAgain))
	}
	return errors.Join(err, d.shelve(ctx, lost, now))
}

// waitsThere reports whether the task waits for its due time at the executor: executors
// that take several tasks in a call can hold them. Overlap between a task and earlier ones
// on its executor is decided on arrival, so such a task has to arrive when it is due.
func (d *Dispatcher) waitsThere(it *waiting.HeldRun) bool {
	return it.Task.Overlap != job.OverlapDiscard && it.Task.Overlap != job.OverlapCover && d.config.Sender.Together(it.Address) > 1
}

func (d *Dispatcher) marks(ctx context.Context, chosen []*waiting.HeldRun, now time.Time) ([]Mark, error) {
	marks := make([]Mark, len(chosen))
	for i, it := range chosen {
		id := it.Run.ID // that of its first attempt
		if it.Run.Tries > 0 {
			var err error
			if id, err = d.config.IDs.NextAttemptID(ctx); err != nil {
				return nil, fmt.Errorf("draw an attempt id: %w", err)
			}
		}
		at := waiting.Later(it.Due, now).Truncate(time.Millisecond)
		mine := at.Sub(now) + d.config.Check
		it.Window, it.CheckAt = time.Now().Add(mine), d.config.Now().Add(mine).Truncate(time.Millisecond)
		marks[i] = Mark{
			From: it.Run.State, JobVersion: it.Run.JobVersion, CheckAt: it.CheckAt,
			Deadline: it.Job.Delivery.Deadline, Limit: d.limit(it, now),
			Attempt: job.Attempt{
				ID: id, RunID: it.Run.ID, JobID: it.Run.TaskJobID(), Number: it.Run.Tries + 1, Address: it.Address,
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
		items := d.held.Drain(d.config.Batch)
		if len(items) == 0 {
			if released > 0 {
				d.config.Logger.Info("the runs that were held are given back: other servers may send them now", "count", released)
			}
			return nil
		}
		now := time.Now()
		items = slices.DeleteFunc(items, func(it *waiting.HeldRun) bool {
			if it.Move != nil { // its job is due as before
				d.forget(it)
				return true
			}
			it.Note, it.Again = "the server that held the run stopped", 0
			it.Early = it.Run.State == job.Planned && it.Due.After(now)
			return false
		})
		if err := d.shelve(ctx, items, now); err != nil {
			return err
		}
		released += len(items)
	}
}
