package queue

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/orthd/orth/internal/queue/journal"
	"github.com/orthd/orth/job"
)

// Tx is a transaction on every queue of one [Store]. It is valid inside the
// function it was given to, on that function's goroutine.
type Tx struct {
	store    *Store
	writable bool
	onCommit []func()
}

// changeKind is how a change is undone.
type changeKind byte

const (
	added changeKind = iota + 1
	changed
	removed
	ended // removed and remembered
	forgotten
	metaSet
	counted // one more was evicted
)

// change is one change of memory, as it is undone.
type change struct {
	kind  changeKind
	row   *row
	old   mutable
	state *state
	end   ending
	name  string
	value []byte // nil when there was none
}

// placed is a whole record in the batch.
type placed struct {
	row      *row
	at, size int
}

// moved is a span of a segment that is being cleaned: its keys below to are in the
// batch.
type moved struct {
	span *keyRange
	to   uint64
}

// records is what a batch has, by where it lies in it.
type records struct {
	placed []placed
	spans  []keyRange // remembered keys
	soils  bool       // a body is not needed any more
}

// keptRecords is how many places for records are kept for the next batch.
const keptRecords = 1 << 14

func (r *records) reset() {
	clear(r.placed)
	if cap(r.placed) > keptRecords {
		r.placed, r.spans = nil, nil
	}
	r.placed, r.spans, r.soils = r.placed[:0], r.spans[:0], false
}

// frame is the changes that are not in the journal yet, and what is to be noted
// once they are.
type frame struct {
	records

	batch journal.Batch
	undo  []change
	moved []moved // where the remembered keys were before
	seq   uint64  // before the first change
}

// point is a state of the frame that it can be taken back to.
type point struct {
	mark         journal.Mark
	undo, placed int
	spans        int
	seq          uint64
}

func (s *Store) point() point {
	f := &s.frame
	return point{f.batch.Mark(), len(f.undo), len(f.placed), len(f.spans), s.seq}
}

// rollback takes memory and frame back to a point. s.gate is held.
func (s *Store) rollback(p point) {
	f := &s.frame
	for _, c := range slices.Backward(f.undo[p.undo:]) {
		s.undoChange(&c)
	}
	clear(f.undo[p.undo:])
	f.undo, f.placed, f.spans = f.undo[:p.undo], f.placed[:p.placed], f.spans[:p.spans]
	f.batch.Cut(p.mark)
	s.seq = p.seq
}

func (s *Store) undoChange(c *change) {
	switch c.kind {
	case added:
		s.detach(c.row)
	case changed:
		c.row.state.leave(c.row)
		s.memory += int64(len(c.old.body)) - int64(len(c.row.body))
		c.row.mutable = c.old
		c.row.state.enter(c.row)
	case ended:
		c.state.remembered.pop()
		s.attach(c.row)
	case removed:
		s.attach(c.row)
	case forgotten:
		c.state.remembered.restore(c.end)
	case metaSet:
		if c.value == nil {
			delete(s.meta, c.name)
		} else {
			s.meta[c.name] = c.value
		}
	case counted:
		c.state.evicted--
	}
}

// Meta returns a value of the store's own and whether there is one.
func (tx *Tx) Meta(name string) ([]byte, bool) {
	value, found := tx.store.meta[name]
	return append([]byte{}, value...), found
}

// SetMeta keeps a small value, for example the incarnation's id, under a name
// of the caller's. A nil value removes it.
func (tx *Tx) SetMeta(name string, value []byte) error {
	if !tx.writable {
		return errView()
	}
	s := tx.store
	old, found := s.meta[name]
	if value == nil && !found {
		return nil
	}
	s.frame.undo = append(s.frame.undo, change{kind: metaSet, name: name, value: old})
	if value == nil {
		delete(s.meta, name)
	} else {
		s.meta[name] = append([]byte{}, value...)
	}
	s.writeMeta(name)
	return nil
}

func (s *Store) writeMeta(name string) {
	value, found := s.meta[name]
	b := appendHead(s.frame.batch.Begin(), opMeta, "")
	if found {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	s.frame.batch.End(append(appendText(b, name), value...))
}

// OnCommit has fn called once, after the commit and before the callers
// of its group go on. The goroutine that writes calls it, so fn must return at once
// and must not use the store: it is for waking another goroutine. Nothing is
// called when the transaction fails, or in a View.
func (tx *Tx) OnCommit(fn func()) { tx.onCommit = append(tx.onCommit, fn) }

// forgetCalls drops the functions that wait for the commit.
func (tx *Tx) forgetCalls() {
	clear(tx.onCommit)
	tx.onCommit = tx.onCommit[:0]
}

func errView() error { return job.Errorf(job.Internal, "a change of the queue was tried in a view") }

// insertRow adds a row that is new.
func (tx *Tx) insertRow(r *row) {
	s := tx.store
	s.attach(r)
	s.frame.undo = append(s.frame.undo, change{kind: added, row: r})
	s.writePut(r, r.body)
}

// writePut writes the whole record of a row.
func (s *Store) writePut(r *row, body []byte) {
	at, size := s.frame.batch.End(appendPut(s.frame.batch.Begin(), r.state.name, r, body))
	s.frame.placed = append(s.frame.placed, placed{r, at, size})
}

// moveRow changes a row, but for its body, and puts it into a place.
func (tx *Tx) moveRow(r *row, to Place, edit func(*mutable)) {
	s := tx.store
	s.frame.undo = append(s.frame.undo, change{kind: changed, row: r, old: r.mutable})
	r.state.leave(r)
	r.place, r.uncertain = to, false
	if edit != nil {
		edit(&r.mutable)
	}
	r.note = job.Clean(r.note, MaxNote)
	r.state.enter(r)
	s.frame.batch.End(appendMove(s.frame.batch.Begin(), r.state.name, r))
}

// amend replaces the body of a row.
func (tx *Tx) amend(r *row, body []byte) {
	s := tx.store
	s.frame.undo = append(s.frame.undo, change{kind: changed, row: r, old: r.mutable})
	s.memory += int64(len(body)) - int64(len(r.body))
	r.body, r.filed = body, false
	if r.home != nil {
		r.home.noteGarbage(s.now)
	}
	s.frame.soils = true
	s.writePut(r, body)
}

// endRow removes a row and remembers its key.
func (tx *Tx) endRow(r *row, at time.Time, remember bool) {
	s, st := tx.store, r.state
	s.detach(r)
	s.frame.soils = true
	b := binary.AppendVarint(appendHead(s.frame.batch.Begin(), opEnd, st.name), r.key)
	if !remember {
		s.frame.undo = append(s.frame.undo, change{kind: removed, row: r})
		s.frame.batch.End(binary.AppendVarint(append(b, 0), 0))
		return
	}
	number := st.remembered.next
	st.remembered.push(ending{r.key, at.UnixMilli()})
	s.frame.undo = append(s.frame.undo, change{kind: ended, row: r, state: st})
	s.frame.batch.End(binary.AppendVarint(binary.AppendUvarint(b, number+1), at.UnixMilli()))
	s.frame.spans = append(s.frame.spans, keyRange{st, number, number + 1})
}

// remove removes a row as if it had never been there.
func (tx *Tx) remove(r *row) {
	s := tx.store
	s.detach(r)
	s.frame.soils = true
	s.frame.undo = append(s.frame.undo, change{kind: removed, row: r})
	s.frame.batch.End(binary.AppendVarint(appendHead(s.frame.batch.Begin(), opRemove, r.state.name), r.key))
}

// forget forgets the n keys that finished first.
func (tx *Tx) forget(st *state, n int) {
	s := tx.store
	for range n {
		s.frame.undo = append(s.frame.undo, change{kind: forgotten, state: st, end: st.remembered.forget()})
	}
	s.frame.batch.End(binary.AppendUvarint(appendHead(s.frame.batch.Begin(), opForget, st.name), st.remembered.first))
}

// countEvicted counts a dead letter that was removed to make room.
func (tx *Tx) countEvicted(st *state) {
	s := tx.store
	st.evicted++
	s.frame.undo = append(s.frame.undo, change{kind: counted, state: st})
	s.writeCounts(st)
}

func (s *Store) writeCounts(st *state) {
	s.frame.batch.End(binary.AppendUvarint(appendHead(s.frame.batch.Begin(), opCounts, st.name), st.evicted))
}

func (s *Store) writeStore() {
	b := appendHead(s.frame.batch.Begin(), opStore, "")
	s.frame.batch.End(binary.AppendUvarint(binary.AppendUvarint(b, s.seq), s.damaged))
}
