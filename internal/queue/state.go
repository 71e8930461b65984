package queue

import (
	"time"

	"github.com/orthd/orth/internal/queue/journal"
)

// row is an item in memory.
type row struct {
	state *state
	key   int64
	seq   uint64
	added int64 // milliseconds
	mutable
	gone       bool     // it is in no place
	size       int32    // of the whole record in home, in bytes
	home       *holding // nil while the record is not in the journal
	at         int64    // of the whole record in home
	prev, next *row     // in home's list
}

// mutable is what changes in the life of an item.
type mutable struct {
	due       int64 // milliseconds
	note      string
	body      []byte
	tries     int32
	place     Place
	filed     bool // the body is in the journal only, and body is nil
	uncertain bool // see Item.Uncertain
}

// state is a queue in memory.
type state struct {
	name       string
	rows       map[int64]*row
	places     [Dead + 1]order // by Place
	due        order           // of the scheduled rows
	remembered remembered
	evicted    uint64
}

func newState(name string) *state {
	return &state{name: name, rows: make(map[int64]*row), due: order{byDue: true}}
}

// holding is what of the current state lies in one segment of the journal, and
// so must be written again before the segment is removed.
type holding struct {
	segment *journal.Segment
	rows    *row       // list of those whose whole record is here
	spans   []keyRange // remembered keys
	// dirty is when the first body in here was no longer needed; zero when all
	// of them are.
	dirty time.Time
}

// keyRange is remembered keys by their numbers, from on and below to.
type keyRange struct {
	state    *state
	from, to uint64
}

func (h *holding) linkRow(r *row) {
	r.prev, r.next = nil, h.rows
	if h.rows != nil {
		h.rows.prev = r
	}
	h.rows = r
}

func (h *holding) unlink(r *row) {
	if r.prev != nil {
		r.prev.next = r.next
	} else {
		h.rows = r.next
	}
	if r.next != nil {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
}

// addSpan notes that remembered keys lie here.
func (h *holding) addSpan(st *state, from, to uint64) {
	for i := range h.spans {
		if s := &h.spans[i]; s.state == st && s.to == from {
			s.to = to
			return
		}
	}
	h.spans = append(h.spans, keyRange{st, from, to})
}

// attach puts a row into the order of its place. s.gate is held.
func (s *Store) attach(r *row) {
	r.gone = false
	r.state.rows[r.key] = r
	r.state.enter(r)
	s.memory += int64(len(r.body))
	if r.home != nil {
		r.home.linkRow(r)
		s.live += int64(r.size)
	}
}

// detach takes a row away. s.gate is held.
func (s *Store) detach(r *row) {
	r.gone = true
	delete(r.state.rows, r.key)
	r.state.leave(r)
	s.memory -= int64(len(r.body))
	if r.home != nil {
		r.home.unlink(r)
		r.home.noteGarbage(s.now)
		s.live -= int64(r.size)
	}
}

// noteGarbage notes that a body in the segment is not needed any more.
func (h *holding) noteGarbage(now time.Time) {
	if h.dirty.IsZero() {
		h.dirty = now
	}
}

func (st *state) enter(r *row) {
	st.places[r.place].add(r)
	if r.place == Scheduled {
		st.due.add(r)
	}
}

func (st *state) leave(r *row) {
	st.places[r.place].remove(r)
	if r.place == Scheduled {
		st.due.remove(r)
	}
}

func (st *state) count(p Place) int { return st.places[p].rows }
