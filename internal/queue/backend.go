package queue

import (
	"errors"
	"io"
	"iter"
)

// ErrUndone is the cause of a failed commit that certainly left nothing.
var ErrUndone = errors.New("nothing of it was kept")

// Backend keeps ordered keys and values in named buckets and commits changes
// of several buckets at once. A bucket exists as soon as something is put.
type Backend interface {
	// Update runs fn in a transaction and makes it durable, or rolls it back
	// and returns fn's error as it is. Only one runs at a time. A commit that
	// fails may have taken effect, unless its error is [ErrUndone]. After any
	// error a later Update must be possible: it first finds out whether the
	// failed one took effect, and makes that last, or fails without calling fn.
	Update(fn func(Txn) error) error
	// View runs fn on a snapshot, beside a running Update.
	View(fn func(Txn) error) error
	// Close releases everything. Later calls return an error.
	Close() error
}

// Txn is a transaction of a [Backend], valid inside its function only, on one
// goroutine.
type Txn interface {
	// Get returns the value, or nil when there is none. The bytes belong to
	// the back end, must not be changed, and stay as they are until the end of
	// the transaction, whatever is put or deleted meanwhile.
	Get(bucket string, key []byte) []byte
	// Put sets the value of a key. The back end keeps value, so the caller
	// must not change it afterwards.
	Put(bucket string, key, value []byte) error
	// Delete removes a key; an absent one is no error.
	Delete(bucket string, key []byte) error
	// Walk yields the pairs from the key on, ascending by bytes. The bucket
	// must not be changed during the walk. The bytes are as those of Get.
	Walk(bucket string, from []byte) iter.Seq2[[]byte, []byte]
}

// Inserter is a [Txn] that gains from knowing that a key has no row.
type Inserter interface {
	// Insert is a Put of a key that has no row. When it has one all the same,
	// a later Delete may bring the old value back.
	Insert(bucket string, key, value []byte) error
}

// Backuper is a [Backend] that can copy itself while it is in use.
type Backuper interface {
	// Backup writes one consistent state, readable by the back end's own
	// Open when stored as a file.
	Backup(w io.Writer) error
}
