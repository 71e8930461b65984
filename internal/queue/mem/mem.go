// Package mem is a queue back end in memory, for tests: what it keeps is gone
// with the process.
//
// It knows ordered keys and values in buckets. It must never know items or
// queues. Transactions of internal/queue come in; snapshots go out. A commit
// replaces the changed buckets as a whole, so a reader keeps its snapshot
// beside a writer, and a commit costs time in proportion to those buckets.
package mem

import (
	"bytes"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// Backend is a queue back end in memory.
type Backend struct {
	writer sync.Mutex // held by a running Update

	mu      sync.Mutex // guards what follows
	buckets map[string]bucket
	closed  bool
}

// bucket is sorted by key. A committed one never changes.
type bucket []pair

type pair struct{ key, value []byte }

// New returns an empty back end.
func New() *Backend { return &Backend{buckets: make(map[string]bucket)} }

// Reopen returns a back end with what this one has committed, as opening a
// file again does. The two share nothing that changes.
func (b *Backend) Reopen() *Backend {
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Backend{buckets: maps.Clone(b.buckets)}
}

// Update runs fn in a transaction and commits it, or drops it when fn fails.
func (b *Backend) Update(fn func(queue.Txn) error) error {
	b.writer.Lock()
	defer b.writer.Unlock()
	t, err := b.begin()
	if err != nil {
		return err
	}
	t.own = make(map[string]bool)
	if err := fn(t); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return errClosed()
	}
	b.buckets = t.buckets
	return nil
}

// View runs fn on a snapshot.
func (b *Backend) View(fn func(queue.Txn) error) error {
	t, err := b.begin()
	if err != nil {
		return err
	}
	return fn(t)
}

// Close makes all later calls fail with job.Unavailable.
func (b *Backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return nil
}

func (b *Backend) begin() (*txn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errClosed()
	}
	return &txn{buckets: maps.Clone(b.buckets)}, nil
}

func errClosed() error { return job.Errorf(job.Unavailable, "the queue is closed") }

type txn struct {
	buckets map[string]bucket
	own     map[string]bool // buckets copied by this transaction; nil in a view
}

func (t *txn) Get(name string, key []byte) []byte {
	i, found := t.buckets[name].find(key)
	if !found {
		return nil
	}
	return t.buckets[name][i].value
}

func (t *txn) Put(name string, key, value []byte) error {
	b, err := t.change(name)
	if err != nil {
		return err
	}
	if value == nil {
		value = []byte{}
	}
	i, found := b.find(key)
	if found {
		b[i].value = value
		return nil
	}
	t.buckets[name] = slices.Insert(b, i, pair{bytes.Clone(key), value})
	return nil
}

func (t *txn) Delete(name string, key []byte) error {
	b, err := t.change(name)
	if err != nil {
		return err
	}
	if i, found := b.find(key); found {
		t.buckets[name] = slices.Delete(b, i, i+1)
	}
	return nil
}

func (t *txn) Walk(name string, from []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		b := t.buckets[name]
		i, _ := b.find(from)
		for _, p := range b[i:] {
			if !yield(p.key, p.value) {
				return
			}
		}
	}
}

// change returns a bucket that this transaction may alter.
func (t *txn) change(name string) (bucket, error) {
	if t.own == nil {
		return nil, job.Errorf(job.Internal, "a change of the queue was tried in a view")
	}
	if !t.own[name] {
		t.own[name] = true
		t.buckets[name] = slices.Clone(t.buckets[name])
	}
	return t.buckets[name], nil
}

func (b bucket) find(key []byte) (int, bool) {
	return slices.BinarySearchFunc(b, key, func(p pair, key []byte) int {
		return bytes.Compare(p.key, key)
	})
}
