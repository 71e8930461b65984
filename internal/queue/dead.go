package queue

import (
	"time"

	"github.com/orthd/orth/job"
)

// Bury moves an item from processing to dead. When more than KeepDead are
// there, the oldest is removed and counted as evicted.
func (q *Queue) Bury(tx *Tx, key int64, reason string) error {
	return q.moveToDead(tx, key, func(m *mutable) { m.note = reason })
}

func (q *Queue) moveToDead(tx *Tx, key int64, edit func(*mutable)) error {
	if err := q.moveItem(tx, key, Dead, edit, Processing); err != nil {
		return err
	}
	dead := &q.stateIn(tx).places[Dead]
	for range pruneSteps {
		if dead.rows <= q.config.KeepDead {
			break
		}
		tx.remove(dead.first())
		tx.countEvicted(q.stateIn(tx))
	}
	return nil
}

// Redrive moves a dead item to scheduled with its tries set to zero. It is
// job.Full when the queue is at its capacity.
func (q *Queue) Redrive(tx *Tx, key int64, due time.Time) error {
	if err := q.stateIn(tx).checkRoom(q.config.Capacity); err != nil {
		return err
	}
	return q.moveItem(tx, key, Scheduled, func(m *mutable) { m.due, m.tries = due.UnixMilli(), 0 }, Dead)
}

// RedriveAll redrives up to n dead items, the first that arrived first, as far
// as there is room, and returns how many. It is job.Full when there is room for
// none. Call it until it returns 0: a page per transaction keeps the writer
// free for others.
func (q *Queue) RedriveAll(tx *Tx, due time.Time, n int) (redriven int, err error) {
	for _, key := range q.deadKeys(tx, n, func(*row) bool { return true }) {
		err := q.Redrive(tx, key, due)
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

// deadKeys returns the keys of up to n dead items that are wanted.
func (q *Queue) deadKeys(tx *Tx, n int, wanted func(*row) bool) (keys []int64) {
	if n <= 0 {
		return nil
	}
	q.stateIn(tx).places[Dead].each(func(r *row) bool {
		if wanted(r) {
			keys = append(keys, r.key)
		}
		return len(keys) < n
	})
	return keys
}

// Purge removes a dead item. Its key is not remembered.
func (q *Queue) Purge(tx *Tx, key int64) error {
	r, err := q.expect(tx, key, Dead)
	if err != nil {
		return err
	}
	tx.remove(r)
	return nil
}

// PurgeAll removes up to n dead items, the first that arrived first, and
// returns how many. Call it until it returns 0.
func (q *Queue) PurgeAll(tx *Tx, n int) (removed int, err error) {
	return q.purge(tx, q.deadKeys(tx, n, func(*row) bool { return true }))
}

// Expire removes up to n dead items that are older than DeadFor and returns
// how many. The age counts from the item's Due, which [Queue.Fail] sets as it
// buries one, or from its AddedAt when that is later; an item that has neither
// stays. It looks at every dead item, of which there are at most KeepDead, so it
// is for now and then.
func (q *Queue) Expire(tx *Tx, now time.Time, n int) (removed int, err error) {
	if q.config.DeadFor <= 0 {
		return 0, nil
	}
	none := time.Time{}.UnixMilli()
	return q.purge(tx, q.deadKeys(tx, n, func(r *row) bool {
		since := max(r.due, r.added)
		return since != none && now.Sub(instant(since)) >= q.config.DeadFor
	}))
}

func (q *Queue) purge(tx *Tx, keys []int64) (removed int, err error) {
	for _, key := range keys {
		if err := q.Purge(tx, key); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
