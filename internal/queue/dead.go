package queue

import (
	"time"

	"github.com/orthd/orth/job"
)

// Bury moves an item from processing to dead. When more than KeepDead are
// there, the oldest is removed and counted as evicted.
func (q *Queue) Bury(tx *Tx, key int64, reason string) error {
	return q.bury(tx, key, func(it *Item) { it.Note = reason })
}

func (q *Queue) bury(tx *Tx, key int64, change func(*Item)) error {
	if err := q.move(tx, key, Dead, change, Processing); err != nil {
		return err
	}
	return q.evict(tx)
}

// Redrive moves a dead item to scheduled with its tries set to zero. It is
// job.Full when the queue is at its capacity.
func (q *Queue) Redrive(tx *Tx, key int64, due time.Time) error {
	h, err := tx.edit(q.name)
	if err != nil {
		return err
	}
	if err := q.room(h); err != nil {
		return err
	}
	return q.move(tx, key, Scheduled, func(it *Item) {
		it.Due, it.Tries = due, 0
	}, Dead)
}

// RedriveAll redrives up to n dead items, the first that arrived first, as far
// as there is room, and returns how many. It is job.Full when there is room for
// none. Call it until it returns 0: a page per transaction keeps the writer
// free for others.
func (q *Queue) RedriveAll(tx *Tx, due time.Time, n int) (redriven int, err error) {
	items, err := q.List(tx, Dead, 0, n)
	if err != nil {
		return 0, err
	}
	for _, it := range items {
		err := q.Redrive(tx, it.Key, due)
		switch {
		case err == nil:
			redriven++
		case job.Is(err, job.Full) && redriven > 0:
			return redriven, nil
		default:
			return redriven, err
		}
	}
	return redriven, nil
}

// Purge removes a dead item. Its key is not remembered.
func (q *Queue) Purge(tx *Tx, key int64) error {
	h, err := tx.edit(q.name)
	if err != nil {
		return err
	}
	e, err := q.expect(tx, key, Dead)
	if err != nil {
		return err
	}
	return q.forget(tx, h, key, e)
}

// PurgeAll removes up to n dead items, the first that arrived first, and
// returns how many. Call it until it returns 0.
func (q *Queue) PurgeAll(tx *Tx, n int) (removed int, err error) {
	items, err := q.List(tx, Dead, 0, n)
	if err != nil {
		return 0, err
	}
	return q.purge(tx, items)
}

// Expire removes up to n dead items that are older than DeadFor and returns
// how many. The age counts from the item's Due, which [Queue.Fail] sets as it
// buries one, or from its AddedAt when that is later; an item that has neither
// stays. It reads every dead item, of which there are at most KeepDead, so it
// is for now and then.
func (q *Queue) Expire(tx *Tx, now time.Time, n int) (removed int, err error) {
	if q.config.DeadFor <= 0 || n <= 0 {
		return 0, nil
	}
	var old []Item
	for k, v := range tx.turn.txn.Walk(q.buckets[Dead], nil) {
		seq, ok := parseNumberKey(recordRow, k)
		it, err := decodeRecord(v)
		if !ok || err != nil || it.Seq != seq {
			tx.turn.suspect(q.name)
			continue
		}
		if q.expired(it, now) {
			old = append(old, Item{Key: it.Key})
		}
		if len(old) == n {
			break
		}
	}
	return q.purge(tx, old)
}

func (q *Queue) expired(it Item, now time.Time) bool {
	since := it.Due
	if it.AddedAt.After(since) {
		since = it.AddedAt
	}
	return !since.IsZero() && now.Sub(since) >= q.config.DeadFor
}

func (q *Queue) purge(tx *Tx, items []Item) (removed int, err error) {
	for _, it := range items {
		if err := q.Purge(tx, it.Key); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// evict removes the oldest dead letters beyond KeepDead.
func (q *Queue) evict(tx *Tx) error {
	h, err := tx.edit(q.name)
	if err != nil {
		return err
	}
	for range pruneSteps {
		if h.dead <= uint64(q.config.KeepDead) {
			return nil
		}
		items, err := q.List(tx, Dead, 0, 1)
		if err != nil || len(items) == 0 {
			return err
		}
		if err := q.forget(tx, h, items[0].Key, entryOf(Dead, items[0])); err != nil {
			return err
		}
		h.evicted++
	}
	return nil
}
