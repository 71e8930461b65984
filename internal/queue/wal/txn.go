package wal

import (
	"bytes"
	"iter"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// txn is a transaction above the back end inside. In an Update it collects the
// record and the next active layer.
type txn struct {
	in      queue.Txn
	state   *state
	buckets []bucket
	record  *record // nil in a view
	arena   *arena
	probe   entry // room to ask for a key
	learn   func(bucket string, g gap)
	bytes   int // memory of the active layer
}

// bucket is a bucket's trees, looked up once.
type bucket struct {
	name   string
	active *tree // nil when there is none
	frozen *tree
	gaps   []gap
	own    bool // active is a copy that may be changed
}

func (t *txn) bucket(name string) *bucket {
	for i := range t.buckets {
		if t.buckets[i].name == name {
			return &t.buckets[i]
		}
	}
	b := bucket{name: name, active: t.state.active.trees[name], gaps: t.state.gaps[name]}
	if t.state.frozen != nil {
		b.frozen = t.state.frozen.trees[name]
	}
	t.buckets = append(t.buckets, b)
	return &t.buckets[len(t.buckets)-1]
}

// change returns a bucket whose active tree may be changed.
func (t *txn) change(name string) (*bucket, error) {
	if t.record == nil {
		return nil, job.Errorf(job.Internal, "a change of the queue was tried in a view")
	}
	b := t.bucket(name)
	switch {
	case b.own:
	case b.active == nil:
		b.active = newTree()
	default:
		b.active = b.active.Copy()
	}
	b.own = true
	return b, nil
}

// ask returns what finds a key in a tree, until the next call.
func (t *txn) ask(key []byte) item {
	t.probe.key = key
	return itemOf(&t.probe)
}

func (t *txn) Get(name string, key []byte) []byte {
	b, probe := t.bucket(name), t.ask(key)
	if e, found := lookup(b.active, probe); found {
		return e.value
	}
	if e, found := lookup(b.frozen, probe); found {
		return e.value
	}
	return t.in.Get(name, key)
}

func (t *txn) Put(name string, key, value []byte) error {
	return t.put(name, key, value, false)
}

// Insert is a Put of a key that has no row, which makes deleting it cheap.
func (t *txn) Insert(name string, key, value []byte) error {
	return t.put(name, key, value, true)
}

func (t *txn) put(name string, key, value []byte, free bool) error {
	b, err := t.change(name)
	if err != nil {
		return err
	}
	t.record.put(name, key, value)
	// The value may be the back end's own memory, which this transaction's end
	// takes away.
	t.bytes += put(b.active, t.arena.keep(key), t.arena.keep(value), free)
	b.gaps = filled(b.gaps, key)
	return nil
}

func (t *txn) Delete(name string, key []byte) error {
	b, err := t.change(name)
	if err != nil {
		return err
	}
	t.record.delete(name, key)
	t.bytes += remove(b.active, t.ask(key), t.arena.keep)
	return nil
}

func (t *txn) Walk(name string, from []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		b := t.bucket(name)
		start, some := behind(b.gaps, from)
		if !some {
			return
		}
		w := walk{yield: yield, over: newMerge(b.active, b.frozen, start)}
		defer w.over.release()
		if w.over.done() { // nothing above the back end from here on
			for k, v := range t.in.Walk(name, start) {
				if !yield(k, v) {
					return
				}
			}
			return
		}
		w.run(t.in.Walk(name, start))
		if w.met >= gapWorth {
			t.learned(name, gap{from: bytes.Clone(from), to: w.first})
		}
	}
}

// learned remembers a gap for later walks, of this transaction or of others.
func (t *txn) learned(name string, g gap) {
	if t.record == nil {
		t.learn(name, g)
		return
	}
	b := t.bucket(name)
	b.gaps = learned(b.gaps, g)
}

// walk is the rows of all layers on their way to a caller.
type walk struct {
	yield func(key, value []byte) bool
	over  merge
	first []byte // a copy of the first key yielded, when met is worth it
	met   int    // deleted rows before the first row
	some  bool   // a row was yielded
}

func (w *walk) run(inside iter.Seq2[[]byte, []byte]) {
	for k, v := range inside {
		for !w.over.done() && bytes.Compare(w.over.entry.key, k) < 0 {
			if !w.above() {
				return
			}
		}
		if !w.over.done() && bytes.Equal(w.over.entry.key, k) {
			if !w.above() {
				return
			}
			continue
		}
		if !w.emit(k, v) {
			return
		}
	}
	for !w.over.done() {
		if !w.above() {
			return
		}
	}
}

// above takes the next entry of the layers and reports whether to go on.
func (w *walk) above() bool {
	e := w.over.entry
	w.over.next()
	if e.value == nil {
		if !w.some {
			w.met++
		}
		return true
	}
	return w.emit(e.key, e.value)
}

func (w *walk) emit(key, value []byte) bool {
	if !w.some && w.met >= gapWorth {
		w.first = bytes.Clone(key)
	}
	w.some = true
	return w.yield(key, value)
}
