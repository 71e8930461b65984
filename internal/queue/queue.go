package queue

import (
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

// Queue is one named queue of a [Store]. It holds no state: two values of one
// name are the same queue. Methods change nothing when they return an error.
// Kinds of error, beside a back end's: job.NotFound when the key is not in the
// place the method starts from, job.Unavailable when its row was found
// damaged and is being mended.
type Queue struct {
	name     string
	config   QueueConfig
	buckets  [Dead + 1]string // by Place
	metadata string
}

func newQueue(name string, c QueueConfig) *Queue {
	q := &Queue{name: name, config: c.withDefaults(), metadata: bucketOf(name, metadataStore)}
	for _, p := range []Place{Scheduled, Processing, Dead} {
		q.buckets[p] = placeBucket(name, p)
	}
	return q
}

// Push adds an item to scheduled, assigning its Seq. It is job.Duplicate when
// the key is in any place or still remembered, job.Full when the queue is at
// its capacity, job.Invalid when the body is too large.
func (q *Queue) Push(tx *Tx, it Item) error { return q.add(tx, it, Scheduled) }

// PushStarted adds an item straight to processing, for a caller that starts at
// once. Otherwise it is as Push.
func (q *Queue) PushStarted(tx *Tx, it Item) error { return q.add(tx, it, Processing) }

func (q *Queue) add(tx *Tx, it Item, p Place) error {
	if len(it.Body) > MaxBody {
		return job.FieldErrorf("body", "has %d bytes, at most %d are allowed", len(it.Body), MaxBody)
	}
	h, err := tx.edit(q.name)
	if err != nil {
		return err
	}
	e, found, err := q.locate(tx, it.Key)
	switch {
	case err != nil:
		return err
	case found:
		return job.Errorf(job.Duplicate, "queue %s has item %d already (%s)", q.name, it.Key, e.place)
	}
	if err := q.room(h); err != nil {
		return err
	}
	it.Seq = tx.turn.nextSeq()
	it.Note = job.Clean(it.Note, MaxNote)
	return q.settle(tx, h, it, p, encodeRecord(it), nil)
}

// Start moves a scheduled item to processing, due or not, for a caller that
// orders by itself.
func (q *Queue) Start(tx *Tx, key int64) error {
	return q.move(tx, key, Processing, nil, Scheduled)
}

// Claim moves up to n items that are due to processing and returns them, by
// (Due, Seq).
func (q *Queue) Claim(tx *Tx, now time.Time, n int) ([]Item, error) {
	if n <= 0 {
		return nil, nil
	}
	h, err := tx.edit(q.name)
	if err != nil {
		return nil, err
	}
	var due []uint64
	for k := range tx.turn.txn.Walk(q.buckets[Scheduled], []byte{dueRow}) {
		ms, seq, ok := parseDueKey(k)
		if !ok || ms > now.UnixMilli() || len(due) == n {
			break
		}
		due = append(due, seq)
	}
	items := make([]Item, 0, len(due))
	for _, seq := range due {
		raw := tx.get(q.buckets[Scheduled], recordKey(seq))
		it, err := decodeRecord(raw)
		if err != nil {
			tx.turn.suspect(q.name)
			continue
		}
		e := entryOf(Scheduled, it)
		if err := q.unsettle(tx, h, e, raw); err != nil {
			return nil, err
		}
		if err := q.settle(tx, h, it, Processing, raw, &e); err != nil {
			return nil, err
		}
		items = append(items, it.owned())
	}
	return items, nil
}

// Nack moves an item from processing back to scheduled, counting a try.
func (q *Queue) Nack(tx *Tx, key int64, due time.Time, note string) error {
	return q.move(tx, key, Scheduled, func(it *Item) {
		it.Due, it.Note = due, note
		it.Tries++
	}, Processing)
}

// Defer moves an item from processing or scheduled to scheduled at due. It
// counts no try.
func (q *Queue) Defer(tx *Tx, key int64, due time.Time, note string) error {
	return q.move(tx, key, Scheduled, func(it *Item) {
		it.Due, it.Note = due, note
	}, Processing, Scheduled)
}

// move takes an item from one of the places to another, changed by change.
func (q *Queue) move(tx *Tx, key int64, to Place, change func(*Item), from ...Place) error {
	h, err := tx.edit(q.name)
	if err != nil {
		return err
	}
	e, err := q.expect(tx, key, from...)
	if err != nil {
		return err
	}
	raw := tx.get(q.buckets[e.place], recordKey(e.number))
	it, err := decodeRecord(raw)
	if err != nil {
		return q.damaged(tx, key)
	}
	if err := q.unsettle(tx, h, e, raw); err != nil {
		return err
	}
	if change != nil {
		change(&it)
		it.Note = job.Clean(it.Note, MaxNote)
		raw = encodeRecord(it)
	}
	return q.settle(tx, h, it, to, raw, &e)
}

// settle writes the rows of an item in a place. raw is its record, old its
// index row so far, or nil when it has none.
func (q *Queue) settle(tx *Tx, h *header, it Item, p Place, raw []byte, old *entry) error {
	if err := tx.insert(q.buckets[p], recordKey(it.Seq), raw); err != nil {
		return err
	}
	if p == Scheduled {
		if err := tx.insert(q.buckets[p], dueKey(it.Due.UnixMilli(), it.Seq), present); err != nil {
			return err
		}
	}
	*h.count(p)++
	return q.point(tx, it.Key, old, entryOf(p, it))
}

// point sets the index row of a key. old is the row so far, or nil.
func (q *Queue) point(tx *Tx, key int64, old *entry, e entry) error {
	if old == nil {
		return tx.insert(q.metadata, indexKey(key), e.encode(key))
	}
	return tx.replace(q.metadata, indexKey(key), old.encode(key), e.encode(key))
}

// unsettle removes the rows that settle wrote, but for the index row, which
// the caller overwrites or removes. raw is the record. A missing one means
// that the counts are wrong too.
func (q *Queue) unsettle(tx *Tx, h *header, e entry, raw []byte) error {
	if raw == nil {
		tx.turn.suspect(q.name)
	}
	if err := tx.remove(q.buckets[e.place], recordKey(e.number), raw); err != nil {
		return err
	}
	if e.place == Scheduled {
		if err := tx.remove(q.buckets[e.place], dueKey(e.at, e.number), present); err != nil {
			return err
		}
	}
	*h.count(e.place)--
	return nil
}

// forget removes every row of an item.
func (q *Queue) forget(tx *Tx, h *header, key int64, e entry) error {
	raw := tx.get(q.buckets[e.place], recordKey(e.number))
	if err := q.unsettle(tx, h, e, raw); err != nil {
		return err
	}
	return tx.remove(q.metadata, indexKey(key), e.encode(key))
}

// locate reads the index row of a key.
func (q *Queue) locate(tx *Tx, key int64) (entry, bool, error) {
	raw := tx.get(q.metadata, indexKey(key))
	if raw == nil {
		return entry{}, false, nil
	}
	e, err := decodeEntry(key, raw)
	if err != nil {
		return entry{}, false, q.damaged(tx, key)
	}
	return e, true, nil
}

// expect reads the index row of a key that must be in one of the places.
func (q *Queue) expect(tx *Tx, key int64, places ...Place) (entry, error) {
	e, found, err := q.locate(tx, key)
	if err != nil {
		return entry{}, err
	}
	if !found {
		return entry{}, job.Errorf(job.NotFound, "queue %s has no item %d", q.name, key)
	}
	if slices.Contains(places, e.place) {
		return e, nil
	}
	return entry{}, job.Errorf(job.NotFound, "queue %s has item %d not in %s: it is %s", q.name, key, places[0], e.place)
}

func (q *Queue) room(h *header) error {
	if live := h.scheduled + h.processing; live >= uint64(q.config.Capacity) {
		return &job.Error{
			Kind:    job.Full,
			Message: fmt.Sprintf("queue %s is full: %d items of %d", q.name, live, q.config.Capacity),
			Hint:    "try again later, or raise its capacity",
		}
	}
	return nil
}

func (q *Queue) damaged(tx *Tx, key int64) error {
	tx.turn.suspect(q.name)
	return job.Errorf(job.Unavailable, "queue %s found item %d damaged and is setting it aside", q.name, key)
}

// entryOf is the index row of an item in a place.
func entryOf(p Place, it Item) entry {
	e := entry{place: p, number: it.Seq}
	if p == Scheduled {
		e.at = it.Due.UnixMilli()
	}
	return e
}

// owned returns the item with a body of its own.
func (it Item) owned() Item {
	it.Body = append([]byte{}, it.Body...)
	return it
}
