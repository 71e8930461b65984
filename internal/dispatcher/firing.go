package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/plural"
)

// Offer takes uncommitted moves into memory, to be committed when their runs are sent, at
// their DueAt. It never blocks; the caller has called Free before. Hooks.Settled reports
// the result of each, except for those that are held when the dispatcher stops.
func (d *Dispatcher) Offer(moves []planner.Offered) {
	d.count.Add(int64(len(moves)))
	items := make([]*waiting.HeldRun, len(moves))
	now := time.Now()
	for i := range moves {
		o := &moves[i]
		items[i] = &waiting.HeldRun{Run: *o.Run(), Due: dueAt(o.Run(), now), Move: o.Move, Land: o.Land, Soon: true}
	}
	d.passToLoop(items)
}

// insertWaitingRows writes the runs of the items as rows that wait. Held items stay held, except those
// without effect: another planner committed first, or the job was changed.
func (d *Dispatcher) insertWaitingRows(ctx context.Context, items []*waiting.HeldRun, now time.Time) error {
	gone, err := d.landed(ctx, items, now)
	if len(gone) > 0 {
		d.held.Remove(gone)
		for it := range gone {
			d.forget(it)
		}
	}
	return err
}

// landed writes rows for the runs of those items that have none, and returns the items
// without effect.
func (d *Dispatcher) landed(ctx context.Context, items []*waiting.HeldRun, now time.Time) (gone map[*waiting.HeldRun]struct{}, err error) {
	var firings []Firing
	var of []*waiting.HeldRun
	for _, it := range items {
		if it.Move != nil {
			it.Lease = waiting.Later(it.Due, now).Add(d.config.Claim).Truncate(time.Millisecond)
			firings, of = append(firings, d.firing(it, nil)), append(of, it)
		}
	}
	births, err := d.commit(ctx, firings)
	if err != nil {
		return nil, err
	}
	gone = make(map[*waiting.HeldRun]struct{})
	for i, it := range of {
		if births[i] != BirthWaits {
			gone[it] = struct{}{}
		}
		it.Move = nil
	}
	return gone, nil
}

// firing returns the transaction for an item without a row. A row that waits is hidden from
// others for the duration of a claim.
func (d *Dispatcher) firing(it *waiting.HeldRun, m *Mark) Firing {
	it.Move.Runs[0].ReadyAt = it.Lease
	return Firing{Move: it.Move, Mark: m}
}

// commit commits firings, and reports the results of the moves to the planner.
func (d *Dispatcher) commit(ctx context.Context, firings []Firing) ([]Birth, error) {
	if len(firings) == 0 {
		return nil, nil
	}
	failpoint.Hit("dispatcher/firing")
	births, err := d.config.Store.CommitFirings(ctx, firings)
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", plural.Count(len(firings), "firing"), err)
	}
	failpoint.Hit("dispatcher/fired")
	moves, done := make([]*planner.Move, 0, len(firings)), make([]bool, 0, len(firings))
	for i := range firings {
		if births[i] != BirthBusy {
			moves, done = append(moves, firings[i].Move), append(done, births[i] != BirthNone)
		}
	}
	d.config.Hooks.Settled(moves, done)
	return births, nil
}

// settle replaces the items without a row in a list: they become rows, or are dropped. It
// returns the resulting rows with the others.
func (d *Dispatcher) settle(ctx context.Context, items []*waiting.HeldRun, now time.Time) ([]*waiting.HeldRun, error) {
	gone, err := d.landed(ctx, items, now)
	if err != nil {
		d.returnToHeld(items)
		return nil, err
	}
	if len(gone) == 0 {
		return items, nil
	}
	kept := items[:0]
	for _, it := range items {
		if _, is := gone[it]; is {
			d.forget(it)
			continue
		}
		kept = append(kept, it)
	}
	return kept, nil
}

// notYet returns the item marked for processing shortly before it is due.
func notYet(it *waiting.HeldRun) []*waiting.HeldRun {
	it.Soon = false
	return []*waiting.HeldRun{it}
}

// commitAndSend commits the addresses of the chosen items, and passes those whose commit took effect
// to the lanes: items without a row with the moves that make them, the others by their
// marks.
func (d *Dispatcher) commitAndSend(ctx context.Context, chosen []*waiting.HeldRun, now time.Time) error {
	if len(chosen) == 0 {
		return nil
	}
	marks, err := d.marks(ctx, chosen, now)
	if err != nil {
		d.returnToHeld(chosen)
		return err
	}
	var firings []Firing
	var fresh, rows []*waiting.HeldRun
	var freshMarks, rowMarks []Mark
	for i, it := range chosen {
		if it.Move == nil {
			rows, rowMarks = append(rows, it), append(rowMarks, marks[i])
			continue
		}
		it.Lease = waiting.Later(it.Due, now).Add(d.config.Claim).Truncate(time.Millisecond)
		fresh, freshMarks = append(fresh, it), append(freshMarks, marks[i])
		f := d.firing(it, &marks[i])
		f.IfFree = it.Soon && it.Due.Sub(now) > d.config.Lead
		firings = append(firings, f)
	}
	births, err := d.commit(ctx, firings)
	if err != nil {
		d.returnToHeld(chosen)
		return err
	}
	done := make([]bool, 0, len(chosen))
	all, allMarks := make([]*waiting.HeldRun, 0, len(chosen)), make([]Mark, 0, len(chosen))
	for i, it := range fresh {
		if births[i] != BirthBusy {
			it.Move = nil
		}
		switch births[i] {
		case BirthBusy:
			d.returnToHeld(notYet(it))
		case BirthNone, BirthKnown:
			d.forget(it)
		case BirthWaits, BirthSent:
			all, allMarks, done = append(all, it), append(allMarks, freshMarks[i]), append(done, births[i] == BirthSent)
		}
	}
	if len(rows) > 0 {
		marked, failed := d.config.Store.MarkDispatched(ctx, rowMarks)
		if failed != nil {
			d.returnToHeld(rows)
			err = fmt.Errorf("mark %s: %w", plural.Count(len(rows), "run"), failed)
		} else {
			all, allMarks, done = append(all, rows...), append(allMarks, rowMarks...), append(done, marked...)
		}
	}
	return errors.Join(err, d.marked(ctx, all, allMarks, done, now))
}
