package wal

import (
	"bytes"
	"encoding/binary"

	"github.com/tidwall/btree"

	"github.com/orthd/orth/internal/queue"
)

// entry is what a layer says about a key. It never changes once its layer is
// published, because snapshots share it.
type entry struct {
	key   []byte
	value []byte // nil when the key is deleted
	// fresh says that no layer below has the key, so that deleting it leaves
	// nothing behind.
	fresh bool
}

const entryCost = 128 // bytes of memory beside key and value, about

func (e *entry) cost() int { return entryCost + len(e.key) + len(e.value) }

// item is an entry in a tree. It has the beginning of the key with it, so that
// a search seldom leaves the tree's own memory.
type item struct {
	first, second uint64
	*entry
}

func itemOf(e *entry) item {
	if len(e.key) >= 16 {
		return item{binary.BigEndian.Uint64(e.key), binary.BigEndian.Uint64(e.key[8:]), e}
	}
	var b [16]byte
	copy(b[:], e.key)
	return item{binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:]), e}
}

// before is the order of the keys' bytes.
func before(a, b item) bool {
	if a.first != b.first {
		return a.first < b.first
	}
	if a.second != b.second {
		return a.second < b.second
	}
	if len(a.key) <= 16 && len(b.key) <= 16 { // they differ in zeroes at the end at most
		return len(a.key) < len(b.key)
	}
	return bytes.Compare(a.key, b.key) < 0
}

// tree is the entries of one bucket in the order of their keys.
type tree = btree.BTreeG[item]

// treeDegree keeps nodes small, because a commit copies those it changes.
const treeDegree = 16

func newTree() *tree {
	return btree.NewBTreeGOptions(before, btree.Options{Degree: treeDegree, NoLocks: true})
}

// layer is changes that lie above older ones. A published layer never changes.
type layer struct {
	trees map[string]*tree
	bytes int    // memory, about
	last  uint64 // number of the last transaction in it
}

func newLayer(last uint64) *layer { return &layer{trees: make(map[string]*tree), last: last} }

func (l *layer) empty() bool {
	for _, tr := range l.trees {
		if tr.Len() > 0 {
			return false
		}
	}
	return true
}

// apply writes the layer to the back end inside.
func (l *layer) apply(tx queue.Txn) error {
	for name, tr := range l.trees {
		var err error
		tr.Scan(func(e item) bool {
			if e.value == nil {
				err = tx.Delete(name, e.key)
			} else {
				err = tx.Put(name, e.key, e.value)
			}
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// put sets a value and returns the cost in bytes. free says that no layer has
// the key. Key and value now belong to the tree.
func put(tr *tree, key, value []byte, free bool) int {
	e := &entry{key, value, free}
	old, replaced := tr.Set(itemOf(e))
	if !replaced {
		return e.cost()
	}
	e.fresh = old.fresh
	return e.cost() - old.cost()
}

// remove deletes the key of probe and returns the cost in bytes. It leaves
// nothing when no layer below has the key, and the key to hide it otherwise.
// owned makes a key that the tree may keep.
func remove(tr *tree, probe item, owned func([]byte) []byte) int {
	cost := 0
	if old, found := tr.Delete(probe); found {
		cost = -old.cost()
		if old.fresh {
			return cost
		}
	}
	e := &entry{key: owned(probe.key)}
	tr.Set(itemOf(e))
	return cost + e.cost()
}

// lookup finds the entry of the key of probe.
func lookup(tr *tree, probe item) (*entry, bool) {
	if tr == nil {
		return nil, false
	}
	it, found := tr.Get(probe)
	return it.entry, found
}
