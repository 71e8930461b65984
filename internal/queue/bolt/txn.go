package bolt

import (
	"iter"

	"go.etcd.io/bbolt"
)

// txn is a bbolt transaction as internal/queue sees it.
type txn struct {
	tx      *bbolt.Tx
	buckets map[string]*bbolt.Bucket
	// inside is set while the engine is at work and stays set when it panics
	// there, which is how guard knows; so it is not reset by a defer.
	inside *bool
}

func newTxn(tx *bbolt.Tx, inside *bool) *txn {
	return &txn{tx: tx, buckets: make(map[string]*bbolt.Bucket, 8), inside: inside}
}

// enter begins a call of the engine. After a panic of the engine, even if the
// caller's function has recovered from it, there is no other call.
func (t *txn) enter() {
	if *t.inside {
		panic("the transaction broke off before")
	}
	*t.inside = true
}

// bucket returns nil when there is no such bucket.
func (t *txn) bucket(name string) *bbolt.Bucket {
	if b, ok := t.buckets[name]; ok {
		return b
	}
	b := t.tx.Bucket([]byte(name))
	if b != nil {
		t.buckets[name] = b
	}
	return b
}

func (t *txn) Get(name string, key []byte) []byte {
	t.enter()
	var value []byte
	if b := t.bucket(name); b != nil {
		value = b.Get(key)
	}
	*t.inside = false
	return value
}

func (t *txn) Put(name string, key, value []byte) error {
	t.enter()
	err := t.put(name, key, value)
	*t.inside = false
	return err
}

func (t *txn) put(name string, key, value []byte) error {
	b := t.bucket(name)
	if b == nil {
		var err error
		if b, err = t.tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
		t.buckets[name] = b
	}
	return b.Put(key, value)
}

func (t *txn) Delete(name string, key []byte) error {
	t.enter()
	var err error
	if b := t.bucket(name); b != nil {
		err = b.Delete(key)
	}
	*t.inside = false
	return err
}

func (t *txn) Walk(name string, from []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		t.enter()
		b := t.bucket(name)
		if b == nil {
			*t.inside = false
			return
		}
		c := b.Cursor()
		for k, v := c.Seek(from); k != nil; k, v = c.Next() {
			*t.inside = false
			if !yield(k, v) {
				return
			}
			t.enter()
		}
		*t.inside = false
	}
}
