package queue

import (
	"math"
	"time"

	"github.com/orthd/orth/job"
)

// Due returns the earliest Due among the scheduled items, and false when there
// are none.
func (q *Queue) Due(tx *Tx) (time.Time, bool, error) {
	for k := range tx.turn.txn.Walk(q.buckets[Scheduled], []byte{dueRow}) {
		if ms, _, ok := parseDueKey(k); ok {
			return instant(ms), true, nil
		}
		if k[0] == dueRow {
			tx.turn.suspect(q.name)
		}
		break
	}
	return time.Time{}, false, nil
}

// List returns up to n items of a place with a Seq above afterSeq, by Seq. To
// page, pass the last one's. Remembered keys have no items: job.Invalid.
func (q *Queue) List(tx *Tx, where Place, afterSeq uint64, n int) ([]Item, error) {
	if where < Scheduled || where > Dead {
		return nil, job.FieldErrorf("where", "has no items to list: %s", where)
	}
	if n <= 0 || afterSeq == math.MaxUint64 {
		return nil, nil
	}
	var items []Item
	for k, v := range tx.turn.txn.Walk(q.buckets[where], recordKey(afterSeq+1)) {
		seq, ok := parseNumberKey(recordRow, k)
		it, err := decodeRecord(v)
		if !ok || err != nil || it.Seq != seq {
			tx.turn.suspect(q.name)
			continue
		}
		items = append(items, it.owned())
		if len(items) == n {
			break
		}
	}
	return items, nil
}

// Find returns the item of a key and where it is, and false when the queue
// does not know the key. Of a remembered key only Key is set.
func (q *Queue) Find(tx *Tx, key int64) (Item, Place, bool, error) {
	e, found, err := q.locate(tx, key)
	if err != nil || !found {
		return Item{}, 0, false, err
	}
	if e.place == Remembered {
		return Item{Key: key}, Remembered, true, nil
	}
	it, err := decodeRecord(tx.get(q.buckets[e.place], recordKey(e.number)))
	if err != nil {
		return Item{}, 0, false, q.damaged(tx, key)
	}
	return it.owned(), e.place, true, nil
}

// Where returns where the item of a key is, and 0 when the queue does not know the
// key. It does not look at the item.
func (q *Queue) Where(tx *Tx, key int64) (Place, error) {
	e, _, err := q.locate(tx, key)
	return e.place, err
}

// Stats returns the counts of the queue. They are kept, not counted.
func (q *Queue) Stats(tx *Tx) (Stats, error) {
	h, err := tx.turn.header(q.name)
	if err != nil {
		return Stats{}, err
	}
	return Stats{
		Scheduled: int(h.scheduled), Processing: int(h.processing), Dead: int(h.dead),
		Remembered: int(h.remembered), Evicted: int(h.evicted), Damaged: int(h.damaged),
	}, nil
}
