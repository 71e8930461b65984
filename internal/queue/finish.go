package queue

import (
	"encoding/binary"
	"time"
)

// Old rows are removed a few at a time by the calls that add new ones.
const (
	// ageEvery is after how many finished items the age of the oldest
	// remembered key is looked at. Their number is looked at each time.
	ageEvery = 8
	// pruneSteps is how many rows one call may remove: more than are added,
	// so that what is kept shrinks after a limit was lowered.
	pruneSteps = 2 * ageEvery
)

// Ack ends an item in processing. Its key is remembered.
func (q *Queue) Ack(tx *Tx, key int64, now time.Time) error {
	return q.finish(tx, key, now, Processing)
}

// Drop ends a scheduled item that will not be processed. Its key is
// remembered.
func (q *Queue) Drop(tx *Tx, key int64, now time.Time) error {
	return q.finish(tx, key, now, Scheduled)
}

func (q *Queue) finish(tx *Tx, key int64, now time.Time, from Place) error {
	h, err := tx.edit(q.name)
	if err != nil {
		return err
	}
	e, err := q.expect(tx, key, from)
	if err != nil {
		return err
	}
	raw := tx.get(q.buckets[from], recordKey(e.number))
	if err := q.unsettle(tx, h, e, raw); err != nil {
		return err
	}
	if q.config.Remember < 0 {
		return tx.remove(q.metadata, indexKey(key), e.encode(key))
	}
	done := entry{place: Remembered, number: h.nextFinish, at: now.UnixMilli()}
	h.nextFinish++
	h.remembered++
	if err := q.point(tx, key, &e, done); err != nil {
		return err
	}
	if err := tx.insert(q.metadata, finishedKey(done.number), finishedName(key)); err != nil {
		return err
	}
	return q.prune(tx, h, now, done.number%ageEvery == 0)
}

// prune forgets the keys that finished first, as far as they are too many or,
// when aged is set, too old.
func (q *Queue) prune(tx *Tx, h *header, now time.Time, aged bool) error {
	for range pruneSteps {
		over := h.remembered > uint64(q.config.Remember)
		if !over && !aged {
			return nil
		}
		number, key, ok := q.firstFinished(tx, h)
		if !ok {
			return nil
		}
		e, err := decodeEntry(key, tx.get(q.metadata, indexKey(key)))
		if whole := err == nil && e.place == Remembered && e.number == number; !whole {
			tx.turn.suspect(q.name)
			return nil
		}
		if !over && now.Sub(instant(e.at)) < q.config.RememberFor {
			return nil
		}
		if err := tx.remove(q.metadata, finishedKey(number), finishedName(key)); err != nil {
			return err
		}
		if err := tx.remove(q.metadata, indexKey(key), e.encode(key)); err != nil {
			return err
		}
		h.remembered--
		h.oldest = number + 1
	}
	return nil
}

// finishedName is the value of a row in the order of finishing.
func finishedName(key int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(key))
}

// firstFinished returns the key that finished first. Within a turn its number
// is mostly known, because rows are added at the end only.
func (q *Queue) firstFinished(tx *Tx, h *header) (number uint64, key int64, ok bool) {
	if h.oldest != 0 {
		if v := tx.get(q.metadata, finishedKey(h.oldest)); len(v) == 8 {
			return h.oldest, int64(binary.BigEndian.Uint64(v)), true
		}
	}
	for k, v := range tx.turn.txn.Walk(q.metadata, []byte{finishedRow}) {
		number, ok = parseNumberKey(finishedRow, k)
		if !ok || len(v) != 8 {
			tx.turn.suspect(q.name)
			return 0, 0, false
		}
		return number, int64(binary.BigEndian.Uint64(v)), true
	}
	return 0, 0, false
}
