package queue

import (
	"cmp"
	"slices"

	"github.com/orthd/orth/internal/queue/journal"
)

// replay makes the state of a store from its journal.
type replay struct {
	store *Store
	ends  map[*state][]endRecord
	floor map[*state]uint64 // numbers below are forgotten
	homes map[*journal.Segment]*holding
}

// endRecord is a remembered key, and where it was read.
type endRecord struct {
	number uint64
	ending
	home *holding
}

func newReplay(s *Store) *replay {
	return &replay{store: s, ends: make(map[*state][]endRecord), floor: make(map[*state]uint64), homes: make(map[*journal.Segment]*holding)}
}

// Operation does an operation again.
func (p *replay) Operation(segment *journal.Segment, at int64, size int, content []byte) error {
	s := p.store
	f := fields{b: content}
	op, name := f.readHead()
	if f.bad || (op == opMeta || op == opStore) != (name == "") || name != "" && !validName(name) {
		return errOperation
	}
	home := p.holdingOf(segment)
	if name == "" {
		return p.applyOwn(op, &f)
	}
	st := s.state(name)
	switch op {
	case opPut:
		r, err := f.readPut()
		if err != nil {
			return err
		}
		r.state, r.home, r.at, r.size = st, home, at, int32(size)
		if r.body, r.filed = f.b, len(f.b) > keptBody || len(f.b) > 0 && s.memory > s.config.Memory; r.filed {
			r.body = nil
		} else {
			r.body = slices.Clone(r.body)
		}
		if old := st.rows[r.key]; old != nil {
			s.detach(old)
		}
		s.attach(&r)
		s.seq = max(s.seq, r.seq)
		return nil
	case opMove:
		place, key, due, tries, note := f.place(), f.signed(), f.signed(), f.tries(), f.readText()
		if f.bad {
			return errOperation
		}
		if r := st.rows[key]; r != nil {
			st.leave(r)
			r.place, r.due, r.tries, r.note, r.uncertain = place, due, tries, note, false
			st.enter(r)
		}
		return nil
	case opEnd, opRemove:
		return p.endItem(st, op, home, &f)
	case opForget:
		number := f.count()
		if f.bad {
			return errOperation
		}
		p.floor[st] = max(p.floor[st], number)
		return nil
	case opRemember:
		for number := f.count(); len(f.b) > 0 && !f.bad; number++ {
			if e := (ending{f.signed(), f.signed()}); !f.bad {
				p.ends[st] = append(p.ends[st], endRecord{number, e, home})
			}
		}
	case opCounts:
		st.evicted = max(st.evicted, f.count())
	default:
		return errOperation
	}
	if f.bad {
		return errOperation
	}
	return nil
}

func (p *replay) endItem(st *state, op byte, home *holding, f *fields) error {
	key := f.signed()
	if op == opEnd {
		number, at := f.count(), f.signed()
		if number > 0 && !f.bad {
			p.ends[st] = append(p.ends[st], endRecord{number - 1, ending{key, at}, home})
		}
	}
	if f.bad {
		return errOperation
	}
	if r := st.rows[key]; r != nil {
		p.store.detach(r)
		home.noteGarbage(p.store.now)
	}
	return nil
}

// applyOwn does an operation on the store's own values.
func (p *replay) applyOwn(op byte, f *fields) error {
	s := p.store
	if op == opStore {
		seq, damaged := f.count(), f.count()
		if f.bad {
			return errOperation
		}
		s.seq, s.damaged = max(s.seq, seq), max(s.damaged, damaged)
		return nil
	}
	present, name := f.readByte(), f.readText()
	if f.bad {
		return errOperation
	}
	if present == 0 {
		delete(s.meta, name)
	} else {
		s.meta[name] = append([]byte{}, f.b...)
	}
	return nil
}

// holdingOf returns the holding of a segment.
func (p *replay) holdingOf(segment *journal.Segment) *holding {
	h := p.homes[segment]
	if h == nil {
		h = &holding{segment: segment}
		p.homes[segment] = h
	}
	return h
}

// aligned returns the holdings of segments.
func (p *replay) aligned(segments []*journal.Segment) []*holding {
	holdings := make([]*holding, len(segments))
	for i, segment := range segments {
		holdings[i] = p.holdingOf(segment)
	}
	return holdings
}

// Lost: what was accepted so far and has not ended may have been started.
func (p *replay) Lost() {
	for _, st := range p.store.queues {
		for _, r := range st.rows {
			if r.place != Dead {
				r.uncertain = true
			}
		}
	}
}

// finish makes the remembered keys, and reports whether their numbers have no gap.
func (p *replay) finish() (whole bool) {
	whole = true
	for st, ends := range p.ends {
		whole = p.remember(st, ends) && whole
	}
	for st, floor := range p.floor {
		if len(p.ends[st]) == 0 {
			st.remembered.first, st.remembered.next = floor, floor
		}
	}
	return whole
}

func (p *replay) remember(st *state, ends []endRecord) (whole bool) {
	slices.SortStableFunc(ends, func(a, b endRecord) int { return cmp.Compare(a.number, b.number) })
	known := &st.remembered
	last := make(map[int64]uint64, len(ends)) // a key that was lost and found twice counts once
	for _, e := range ends {
		last[e.key] = e.number
	}
	kept := ends[:0]
	for i, e := range ends {
		twice := i+1 < len(ends) && ends[i+1].number == e.number // written again: the later place counts
		if e.number >= p.floor[st] && !twice && last[e.key] == e.number && st.rows[e.key] == nil {
			kept = append(kept, e)
		}
	}
	first := p.floor[st]
	next := max(first, ends[len(ends)-1].number+1)
	whole = true
	if len(kept) > 0 {
		first = kept[0].number
		whole = kept[len(kept)-1].number-first == uint64(len(kept)-1) && kept[len(kept)-1].number == next-1
	} else {
		first = next
	}
	if !whole {
		first = next // numbers that nothing else has
	}
	known.first, known.next = first, first
	for _, e := range kept {
		e.home.addSpan(st, known.next, known.next+1)
		known.push(e.ending)
	}
	return whole
}
