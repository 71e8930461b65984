package queue

import (
	"errors"
	"slices"

	"github.com/orthd/orth/job"
)

// Tx is a transaction on every queue of one [Store]. It is valid inside the
// function it was given to, on that function's goroutine.
type Tx struct {
	turn     *turn
	writable bool
	undo     []change
	counts   []counted
	onCommit []func()
}

// change is how a row was before a put or delete.
type change struct {
	bucket   string
	key, old []byte // old is nil when there was no row
}

// counted is a queue's header and how it was before this function.
type counted struct {
	now *header
	old header
}

// Meta returns a value of the file's config store and whether there is one.
// The bytes belong to the caller. A damaged value counts as absent.
func (tx *Tx) Meta(name string) ([]byte, bool) {
	key := metaPrefix + name
	raw := tx.turn.txn.Get(configBucket, []byte(key))
	if raw == nil {
		return nil, false
	}
	value, err := unseal(key, raw)
	if err != nil {
		return nil, false
	}
	return append([]byte{}, value...), true
}

// SetMeta keeps a small value, for example the incarnation's id, under a name
// of the caller's. A nil value removes it.
func (tx *Tx) SetMeta(name string, value []byte) error {
	key := metaPrefix + name
	old := tx.get(configBucket, []byte(key))
	switch {
	case value != nil:
		return tx.replace(configBucket, []byte(key), old, seal(key, value))
	case old != nil:
		return tx.remove(configBucket, []byte(key), old)
	}
	return nil
}

// OnCommit has fn called once, after the durable commit and before the callers
// of its group go on. The writer goroutine calls it, so fn must return at once
// and must not use the store: it is for waking somebody. Nothing is called
// when the transaction fails, or in a View.
func (tx *Tx) OnCommit(fn func()) { tx.onCommit = append(tx.onCommit, fn) }

func (tx *Tx) get(bucket string, key []byte) []byte { return tx.turn.txn.Get(bucket, key) }

// insert adds a row whose key is known to be free.
func (tx *Tx) insert(bucket string, key, value []byte) error {
	if !tx.writable {
		return errView()
	}
	tx.undo = append(tx.undo, change{bucket, key, nil})
	return tx.turn.insert(bucket, key, value)
}

// replace sets a row; old is what it is now, or nil when there is none.
func (tx *Tx) replace(bucket string, key, old, value []byte) error {
	if !tx.writable {
		return errView()
	}
	tx.undo = append(tx.undo, change{bucket, key, old})
	return tx.turn.put(bucket, key, value)
}

// remove deletes a row; old is what it is now.
func (tx *Tx) remove(bucket string, key, old []byte) error {
	if !tx.writable {
		return errView()
	}
	tx.undo = append(tx.undo, change{bucket, key, old})
	return tx.turn.delete(bucket, key)
}

func errView() error { return job.Errorf(job.Internal, "a change of the queue was tried in a view") }

// edit returns the queue's header for changing. A failing function gets the
// old one back.
func (tx *Tx) edit(queue string) (*header, error) {
	if !tx.writable {
		return nil, errView()
	}
	h, err := tx.turn.header(queue)
	if err != nil {
		return nil, err
	}
	for _, c := range tx.counts {
		if c.now == h {
			return h, nil
		}
	}
	tx.counts = append(tx.counts, counted{h, *h})
	return h, nil
}

// rollback undoes what this function did, the last change first.
func (tx *Tx) rollback() error {
	var errs []error
	for _, c := range slices.Backward(tx.undo) {
		if c.old == nil {
			errs = append(errs, tx.turn.delete(c.bucket, c.key))
		} else {
			errs = append(errs, tx.turn.put(c.bucket, c.key, c.old))
		}
	}
	for _, c := range tx.counts {
		*c.now = c.old
	}
	return errors.Join(errs...)
}
