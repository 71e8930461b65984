package queue

import "github.com/orthd/orth/job"

// Amend replaces the body of an item where it is, and nothing else. It is
// job.Invalid when the body is too large.
func (q *Queue) Amend(tx *Tx, key int64, body []byte) error {
	if len(body) > MaxBody {
		return job.FieldErrorf("body", "has %d bytes, at most %d are allowed", len(body), MaxBody)
	}
	if _, err := tx.edit(q.name); err != nil {
		return err
	}
	e, err := q.expect(tx, key, Scheduled, Processing, Dead)
	if err != nil {
		return err
	}
	raw := tx.get(q.buckets[e.place], recordKey(e.number))
	it, err := decodeRecord(raw)
	if err != nil {
		return q.damaged(tx, key)
	}
	it.Body = body
	return tx.replace(q.buckets[e.place], recordKey(e.number), raw, encodeRecord(it))
}

// Remove removes an item from scheduled or processing, as if it had never been
// there: its key is not remembered and may come again.
func (q *Queue) Remove(tx *Tx, key int64) error {
	h, err := tx.edit(q.name)
	if err != nil {
		return err
	}
	e, err := q.expect(tx, key, Scheduled, Processing)
	if err != nil {
		return err
	}
	return q.forget(tx, h, key, e)
}
