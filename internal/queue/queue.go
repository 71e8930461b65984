package queue

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/orthd/orth/internal/queue/journal"
	"github.com/orthd/orth/job"
)

// Queue is one named queue of the [Store] of its transaction. Two values of one
// name are the same queue with limits of their own. Methods change nothing when they return an
// error. Kinds of error: job.NotFound when the key is not in the place the method
// starts from, job.Unavailable when a body cannot be read; one that was found
// damaged is set aside.
type Queue struct {
	name   string
	config QueueConfig
	store  *Store
	state  *state // in store
}

// stateIn returns the queue's state in the store of a transaction.
func (q *Queue) stateIn(tx *Tx) *state {
	if tx.store == q.store {
		return q.state
	}
	return tx.store.state(q.name)
}

// Push adds an item to scheduled, assigning its Seq. It is job.Duplicate when
// the key is in any place or still remembered, job.Full when the queue is at
// its capacity, job.Invalid when the body is too large.
func (q *Queue) Push(tx *Tx, it Item) error { return q.insertItem(tx, it, Scheduled) }

// PushStarted adds an item straight to processing, for a caller that starts at
// once. Otherwise it is as Push.
func (q *Queue) PushStarted(tx *Tx, it Item) error { return q.insertItem(tx, it, Processing) }

func (q *Queue) insertItem(tx *Tx, it Item, p Place) error {
	if err := checkBody(it.Body); err != nil {
		return err
	}
	if !tx.writable {
		return errView()
	}
	if where := q.stateIn(tx).where(it.Key); where != 0 {
		return job.Errorf(job.Duplicate, "queue %s has item %d already (%s)", q.name, it.Key, where)
	}
	if err := q.stateIn(tx).checkRoom(q.config.Capacity); err != nil {
		return err
	}
	tx.store.seq++
	tx.insertRow(&row{
		state: q.stateIn(tx), key: it.Key, seq: tx.store.seq, added: it.AddedAt.UnixMilli(),
		mutable: mutable{
			due: it.Due.UnixMilli(), note: job.Clean(it.Note, MaxNote), body: it.Body, place: p,
			tries: int32(min(max(it.Tries, 0), math.MaxInt32)),
		},
	})
	return nil
}

func checkBody(body []byte) error {
	if len(body) > MaxBody {
		return job.FieldErrorf("body", "has %d bytes, at most %d are allowed", len(body), MaxBody)
	}
	return nil
}

// Start moves a scheduled item to processing, due or not, for a caller that
// orders on its own.
func (q *Queue) Start(tx *Tx, key int64) error {
	return q.moveItem(tx, key, Processing, nil, Scheduled)
}

// Claim moves up to n items that are due to processing and returns them, by
// (Due, Seq).
func (q *Queue) Claim(tx *Tx, now time.Time, n int) ([]Item, error) {
	if n <= 0 {
		return nil, nil
	}
	if !tx.writable {
		return nil, errView()
	}
	items, err := tx.items(n, func(yield func(*row) bool) {
		q.stateIn(tx).due.each(func(r *row) bool { return r.due <= now.UnixMilli() && yield(r) })
	})
	if err != nil {
		return nil, err
	}
	for i := range items {
		tx.moveRow(q.stateIn(tx).rows[items[i].Key], Processing, nil)
	}
	return items, nil
}

// Nack moves an item from processing back to scheduled, counting a try.
func (q *Queue) Nack(tx *Tx, key int64, due time.Time, note string) error {
	return q.moveItem(tx, key, Scheduled, func(m *mutable) {
		m.due, m.note = due.UnixMilli(), note
		m.tries++
	}, Processing)
}

// Defer moves an item from processing or scheduled to scheduled at due. It
// counts no try.
func (q *Queue) Defer(tx *Tx, key int64, due time.Time, note string) error {
	return q.moveItem(tx, key, Scheduled, func(m *mutable) { m.due, m.note = due.UnixMilli(), note }, Processing, Scheduled)
}

// moveItem takes an item from one of the places to another, changed by edit.
func (q *Queue) moveItem(tx *Tx, key int64, to Place, edit func(*mutable), from ...Place) error {
	r, err := q.expect(tx, key, from...)
	if err != nil {
		return err
	}
	tx.moveRow(r, to, edit)
	return nil
}

// Amend replaces the body of an item where it is, and nothing else. It is
// job.Invalid when the body is too large.
func (q *Queue) Amend(tx *Tx, key int64, body []byte) error {
	if err := checkBody(body); err != nil {
		return err
	}
	r, err := q.expect(tx, key, Scheduled, Processing, Dead)
	if err != nil {
		return err
	}
	tx.amend(r, body)
	return nil
}

// Remove removes an item from scheduled or processing, as if it had never been
// there: its key is not remembered and may come again.
func (q *Queue) Remove(tx *Tx, key int64) error {
	r, err := q.expect(tx, key, Scheduled, Processing)
	if err != nil {
		return err
	}
	tx.remove(r)
	return nil
}

// expect returns the row of a key that must be in one of the places, for a
// change.
func (q *Queue) expect(tx *Tx, key int64, places ...Place) (*row, error) {
	if !tx.writable {
		return nil, errView()
	}
	r, where := q.stateIn(tx).findRow(key)
	switch {
	case where == 0:
		return nil, job.Errorf(job.NotFound, "queue %s has no item %d", q.name, key)
	case !slices.Contains(places, where):
		return nil, job.Errorf(job.NotFound, "queue %s has item %d not in %s: it is %s", q.name, key, places[0], where)
	}
	return r, nil
}

// where returns where a key is, 0 for nowhere.
func (st *state) where(key int64) Place {
	_, where := st.findRow(key)
	return where
}

// findRow returns where a key is, 0 for nowhere, and its row if it has one.
func (st *state) findRow(key int64) (*row, Place) {
	if r := st.rows[key]; r != nil {
		return r, r.place
	}
	if st.remembered.has(key) {
		return nil, Remembered
	}
	return nil, 0
}

func (st *state) checkRoom(capacity int) error {
	if live := st.count(Scheduled) + st.count(Processing); live >= capacity {
		return &job.Error{
			Kind:    job.Full,
			Message: fmt.Sprintf("queue %s is full: %d items of %d", st.name, live, capacity),
			Hint:    "try again later, or raise its capacity",
		}
	}
	return nil
}

// Due returns the earliest Due among the scheduled items, and false when there
// are none.
func (q *Queue) Due(tx *Tx) (time.Time, bool, error) {
	r := q.stateIn(tx).due.first()
	if r == nil {
		return time.Time{}, false, nil
	}
	return instant(r.due), true, nil
}

// List returns up to n items of a place with a Seq above afterSeq, by Seq. To
// page, pass the last one's. Remembered keys have no items: job.Invalid.
func (q *Queue) List(tx *Tx, where Place, afterSeq uint64, n int) ([]Item, error) {
	if where < Scheduled || where > Dead {
		return nil, job.FieldErrorf("where", "has no items to list: %s", where)
	}
	if n <= 0 {
		return nil, nil
	}
	if n = min(n, q.stateIn(tx).count(where)); n == 0 {
		return nil, nil
	}
	return tx.items(n, func(yield func(*row) bool) { q.stateIn(tx).places[where].after(afterSeq, yield) })
}

// items reads up to n rows. Damaged ones are left out, and set aside later.
func (tx *Tx) items(n int, rows func(yield func(*row) bool)) (items []Item, err error) {
	items = make([]Item, 0, min(n, 256))
	rows(func(r *row) bool {
		var it Item
		switch it, err = tx.itemOf(r); {
		case err == nil:
			items = append(items, it)
		case errors.Is(err, journal.ErrDamaged):
			err = nil
		}
		return err == nil && len(items) < n
	})
	if err != nil {
		return nil, err
	}
	return items, nil
}

// Find returns the item of a key and where it is, and false when the queue
// does not know the key. Of a remembered key only Key is set.
func (q *Queue) Find(tx *Tx, key int64) (Item, Place, bool, error) {
	r, where := q.stateIn(tx).findRow(key)
	switch {
	case where == 0:
		return Item{}, 0, false, nil
	case r == nil:
		return Item{Key: key}, where, true, nil
	}
	it, err := tx.itemOf(r)
	if err != nil {
		return Item{}, 0, false, err
	}
	return it, r.place, true, nil
}

// Where returns where the item of a key is, and 0 when the queue does not know the
// key. It does not look at the item.
func (q *Queue) Where(tx *Tx, key int64) (Place, error) { return q.stateIn(tx).where(key), nil }

// Stats returns the counts of the queue. They are kept, not counted.
func (q *Queue) Stats(tx *Tx) (Stats, error) {
	st := q.stateIn(tx)
	return Stats{
		Scheduled: st.count(Scheduled), Processing: st.count(Processing), Dead: st.count(Dead),
		Remembered: st.remembered.len(), Evicted: int(st.evicted), Damaged: int(tx.store.damaged),
	}, nil
}

// Uncertain returns how many items are [Item.Uncertain]. It looks at all of them.
func (q *Queue) Uncertain(tx *Tx) (n int) {
	for _, r := range q.stateIn(tx).rows {
		if r.uncertain {
			n++
		}
	}
	return n
}

// itemOf returns the item of a row.
func (tx *Tx) itemOf(r *row) (Item, error) {
	body, err := r.readBody()
	switch {
	case errors.Is(err, journal.ErrDamaged):
		tx.store.suspects = append(tx.store.suspects, r)
		return Item{}, &job.Error{
			Kind: job.Unavailable, Err: err,
			Message: fmt.Sprintf("queue %s found item %d damaged and is setting it aside", r.state.name, r.key),
		}
	case err != nil:
		return Item{}, job.Errorf(job.Unavailable, "queue %s cannot read item %d: %w", r.state.name, r.key, err)
	case body == nil:
		body = []byte{}
	}
	return Item{
		Key: r.key, Due: instant(r.due), AddedAt: instant(r.added), Seq: r.seq, Tries: int(r.tries), Body: body, Note: r.note,
		Uncertain: r.uncertain,
	}, nil
}

// readBody returns the body of a row.
func (r *row) readBody() ([]byte, error) {
	if !r.filed {
		return r.body, nil
	}
	content, err := r.home.segment.Read(r.at, int(r.size))
	if err != nil {
		return nil, err
	}
	f := fields{b: content}
	op, queue := f.readHead()
	put, err := f.readPut()
	if err != nil || op != opPut || queue != r.state.name || put.key != r.key || put.seq != r.seq {
		return nil, journal.ErrDamaged
	}
	return f.b, nil
}

func instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
