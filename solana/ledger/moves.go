package ledger

import (
	"context"
	"math"
	"time"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// Offer adds tasks in one transaction, unless they are known, and supersedes earlier ones of the same thread that are scheduled.
// Of each task it takes Thread, State, ExecCount, ByTime, TriggerTime and Due; more than 1,000 are job.Invalid. When there is room
// for less than all, none is added: job.Full.
func (l *Ledger) Offer(ctx context.Context, now time.Time, tasks ...Task) ([]Offered, error) {
	if len(tasks) > mostOffered {
		return nil, job.FieldErrorf("tasks", "are %d, at most %d are taken at once", len(tasks), mostOffered)
	}
	type wanted struct {
		body    []byte
		rivals  []ID
		offered Offered
	}
	all := make([]wanted, len(tasks))
	for i := range tasks {
		r, err := newRecord(&tasks[i])
		if err != nil {
			return nil, err
		}
		if all[i].body, err = r.encode(); err != nil {
			return nil, err
		}
		all[i].rivals = l.known(tasks[i].Thread)
	}
	err := l.store.Update(ctx, func(tx *queue.Tx) error {
		for i := range all {
			o, err := l.offer(tx, now, &tasks[i], all[i].body, all[i].rivals)
			if err != nil {
				return err
			}
			all[i].offered = o
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	offered := make([]Offered, len(all))
	for i, w := range all {
		offered[i] = w.offered
		if w.offered.Answer == Added {
			l.noteTask(tasks[i].Thread, w.offered.ID, true)
		}
		for _, t := range w.offered.Superseded {
			l.noteTask(t.Thread, t.ID, false)
		}
	}
	return offered, nil
}

// mostAlike is how many tasks of other threads may share the bits of an ID.
const mostAlike = 8

// offer adds one task. Rivals may be live tasks of its thread.
func (l *Ledger) offer(tx *queue.Tx, now time.Time, t *Task, body []byte, rivals []ID) (Offered, error) {
	o := Offered{ID: IDOf(t.Thread, t.ExecCount, t.ByTime, t.TriggerTime)}
	for range mostAlike {
		it, place, found, err := l.tasks.Find(tx, int64(o.ID))
		switch {
		case err != nil:
			return o, err
		case found && place == queue.Remembered:
			o.Answer = Known
			return o, nil
		case found:
			if sameExecution(it.Body, t) {
				o.Answer, o.Place = Known, Place(place)
				return o, nil
			}
			o.ID = (o.ID + 1) & math.MaxInt64
			continue
		}
		return l.addTask(tx, now, t, body, rivals, o)
	}
	return o, job.Errorf(job.Internal, "%d tasks share the name of %s", mostAlike, t.Name())
}

// sameExecution reports whether a body is of the same execution as a task. What cannot be read has its name, and is taken for it.
func sameExecution(body []byte, t *Task) bool {
	r, err := decodeRecord(body)
	return err != nil || r.isExecutionOf(t)
}

func (l *Ledger) addTask(tx *queue.Tx, now time.Time, t *Task, body []byte, rivals []ID, o Offered) (Offered, error) {
	for _, id := range rivals {
		it, place, found, err := l.tasks.Find(tx, int64(id))
		if err != nil {
			return o, err
		}
		if !found || place != queue.Scheduled && place != queue.Processing {
			continue
		}
		rival := taskOf(it, place)
		switch {
		case rival.Unknown || rival.Thread != t.Thread:
		case rival.Order() > t.Order():
			o.Answer, o.Superseded = Late, nil
			return o, nil
		case place == queue.Scheduled:
			o.Superseded = append(o.Superseded, rival)
		}
	}
	for _, rival := range o.Superseded {
		if err := l.tasks.Remove(tx, int64(rival.ID)); err != nil {
			return o, err
		}
	}
	o.Answer = Added
	return o, l.tasks.Push(tx, queue.Item{Key: int64(o.ID), Due: now, AddedAt: now, Body: body})
}

// Start writes the transaction of a scheduled task, which may be sent as soon as Start has returned.
func (l *Ledger) Start(ctx context.Context, id ID, f Flight) error {
	err := l.store.Update(ctx, func(tx *queue.Tx) error {
		r, place, err := l.findForChange(tx, id)
		if err != nil {
			return err
		}
		if place != queue.Scheduled {
			return wrongPlace(id, place, Scheduled)
		}
		r.Flight = newFlight(&f)
		if err := l.amend(tx, id, r); err != nil {
			return err
		}
		return l.tasks.Start(tx, int64(id))
	})
	return err
}

// Postpone moves a scheduled or processing task to scheduled, and returns it as it is then. Of one in processing it must be
// certain that its transaction has failed, or cannot land any more.
func (l *Ledger) Postpone(ctx context.Context, id ID, p Postponement) (t Task, err error) {
	err = l.store.Update(ctx, func(tx *queue.Tx) error {
		r, _, err := l.findForChange(tx, id)
		if err != nil {
			return err
		}
		flew := r.Flight != nil
		r.Flight, r.Failed, r.Tries = nil, p.Failed.bounded(), p.Tries
		if p.Units > 0 {
			r.Units = p.Units
		}
		if err := l.amend(tx, id, r); err != nil {
			return err
		}
		if err := l.tasks.Defer(tx, int64(id), p.Due, ""); err != nil {
			return err
		}
		if t, err = l.readTask(tx, id); err != nil {
			return err
		}
		return l.addCost(tx, r.Thread, flew, p.Cost)
	})
	return t, err
}

// Bury gives a scheduled or processing task up, under the same condition, and returns the dead letter. The report, unless it is
// empty, is kept with it: see [Ledger.Reports].
func (l *Ledger) Bury(ctx context.Context, now time.Time, id ID, f Failure, cost Cost, report []byte) (t Task, err error) {
	err = l.store.Update(ctx, func(tx *queue.Tx) error {
		r, _, err := l.findForChange(tx, id)
		if err != nil {
			return err
		}
		flew := r.Flight != nil
		r.Flight, r.Failed = nil, f.bounded()
		if err := l.amend(tx, id, r); err != nil {
			return err
		}
		if err := l.tasks.Defer(tx, int64(id), now, ""); err != nil { // dead letters age from now on
			return err
		}
		if err := l.tasks.Start(tx, int64(id)); err != nil {
			return err
		}
		if err := l.tasks.Bury(tx, int64(id), r.Failed.Reason); err != nil {
			return err
		}
		if t, err = l.readTask(tx, id); err != nil {
			return err
		}
		if err := l.addCost(tx, r.Thread, flew, cost); err != nil {
			return err
		}
		return l.report(tx, now, report)
	})
	if err != nil {
		return Task{}, err
	}
	l.noteTask(t.Thread, id, false)
	return t, nil
}

// Settle ends a scheduled or processing task. What was executed is remembered; what was not, because it was superseded, may be
// offered again: a fork may take the reason back. The report, unless it is empty, is kept in the same transaction: see
// [Ledger.Reports].
func (l *Ledger) Settle(ctx context.Context, now time.Time, id ID, executed bool, cost Cost, report []byte) error {
	var r *taskRecord
	err := l.store.Update(ctx, func(tx *queue.Tx) error {
		var place queue.Place
		var err error
		if r, place, err = l.findForChange(tx, id); err != nil {
			return err
		}
		switch {
		case !executed:
			err = l.tasks.Remove(tx, int64(id))
		case place == queue.Scheduled:
			err = l.tasks.Drop(tx, int64(id), now)
		default:
			err = l.tasks.Ack(tx, int64(id), now)
		}
		if err != nil {
			return err
		}
		if err := l.addCost(tx, r.Thread, r.Flight != nil, cost); err != nil {
			return err
		}
		return l.report(tx, now, report)
	})
	if err != nil {
		return err
	}
	l.noteTask(r.Thread, id, false)
	return nil
}

// Redrive moves dead letters to scheduled, with their tries set to zero, in one transaction. It is job.NotFound when one is none,
// job.Full when there is no room, job.Conflict when a newer version wrote one, and then nothing is moved.
func (l *Ledger) Redrive(ctx context.Context, now time.Time, ids ...ID) error {
	if len(ids) > mostOffered {
		return job.FieldErrorf("ids", "are %d, at most %d are taken at once", len(ids), mostOffered)
	}
	driven := make([]*taskRecord, len(ids))
	err := l.store.Update(ctx, func(tx *queue.Tx) error {
		for i, id := range ids {
			r, err := l.findDead(tx, id)
			if err != nil {
				return err
			}
			r.Tries, r.Units = 0, 0
			if err := l.amend(tx, id, r); err != nil {
				return err
			}
			if err := l.tasks.Redrive(tx, int64(id), now); err != nil {
				return err
			}
			driven[i] = r
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, r := range driven {
		l.noteTask(r.Thread, ids[i], true)
	}
	return nil
}

// Purge removes dead letters, in one transaction; job.NotFound when one is none, and then nothing is removed.
func (l *Ledger) Purge(ctx context.Context, ids ...ID) error {
	if len(ids) > mostOffered {
		return job.FieldErrorf("ids", "are %d, at most %d are taken at once", len(ids), mostOffered)
	}
	return l.store.Update(ctx, func(tx *queue.Tx) error {
		for _, id := range ids {
			if err := l.tasks.Purge(tx, int64(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Expire removes up to n dead letters that were given up longer ago than DeadFor, and returns how many; those of a newer version
// stay. It reads all of them: for now and then.
func (l *Ledger) Expire(ctx context.Context, now time.Time, n int) (removed int, err error) {
	var old []ID
	err = l.store.View(ctx, func(tx *queue.Tx) error {
		return l.walkTasks(tx, Dead, func(t Task) error {
			if !t.Unknown && now.Sub(t.DueAt) >= l.config.DeadFor && len(old) < n {
				old = append(old, t.ID)
			}
			return nil
		})
	})
	if err != nil || len(old) == 0 {
		return 0, err
	}
	err = l.store.Update(ctx, func(tx *queue.Tx) error {
		removed = 0
		for _, id := range old {
			it, place, found, err := l.tasks.Find(tx, int64(id))
			if err != nil {
				return err
			}
			if !found || place != queue.Dead || now.Sub(it.Due) < l.config.DeadFor { // it was redriven
				continue
			}
			if err := l.tasks.Purge(tx, int64(id)); err != nil {
				return err
			}
			removed++
		}
		return nil
	})
	return removed, err
}

// findForChange reads a scheduled or processing task for changing.
func (l *Ledger) findForChange(tx *queue.Tx, id ID) (*taskRecord, queue.Place, error) {
	it, place, found, err := l.tasks.Find(tx, int64(id))
	switch {
	case err != nil:
		return nil, 0, err
	case !found:
		return nil, 0, job.Errorf(job.NotFound, "there is no task %v", id)
	case place != queue.Scheduled && place != queue.Processing:
		return nil, 0, wrongPlace(id, place, Processing)
	}
	r, err := decodeRecord(it.Body)
	if err != nil {
		return nil, 0, job.Errorf(job.Conflict, "task %v: %w", id, err)
	}
	return r, place, nil
}

func (l *Ledger) findDead(tx *queue.Tx, id ID) (*taskRecord, error) {
	it, place, found, err := l.tasks.Find(tx, int64(id))
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, job.Errorf(job.NotFound, "there is no task %v", id)
	case place != queue.Dead:
		return nil, wrongPlace(id, place, Dead)
	}
	r, err := decodeRecord(it.Body)
	if err != nil {
		return nil, job.Errorf(job.Conflict, "task %v: %w", id, err)
	}
	return r, nil
}

func wrongPlace(id ID, is queue.Place, want Place) error {
	return job.Errorf(job.NotFound, "task %v is not %v: it is %v", id, want, is)
}

func (l *Ledger) readTask(tx *queue.Tx, id ID) (Task, error) {
	it, place, _, err := l.tasks.Find(tx, int64(id))
	return taskOf(it, place), err
}

func (l *Ledger) amend(tx *queue.Tx, id ID, r *taskRecord) error {
	body, err := r.encode()
	if err != nil {
		return err
	}
	return l.tasks.Amend(tx, int64(id), body)
}
