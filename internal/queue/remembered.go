package queue

// ending is a finished key and when it finished, in milliseconds.
type ending struct{ key, at int64 }

// endings is how many a piece of the ring has.
const endings = 4096

// keySet is a set of keys: 64 neighbours are the bits of one word. Keys are given out in
// order, nearly, so those that are asked for lie in few words, which the processor's cache
// holds.
type keySet map[int64]uint64

func (s keySet) has(key int64) bool { return s[key>>6]>>(key&63)&1 != 0 }

func (s keySet) add(key int64) { s[key>>6] |= 1 << (key & 63) }

func (s keySet) remove(key int64) {
	if rest := s[key>>6] &^ (1 << (key & 63)); rest != 0 {
		s[key>>6] = rest
	} else {
		delete(s, key>>6)
	}
}

// remembered is the finished keys of a queue in the order of their ends, which are
// numbered: 16 bytes each, and a set of the keys. Nothing in it is a pointer for
// the garbage collector to follow.
type remembered struct {
	keys   keySet
	pieces []*[endings]ending
	skip   int    // endings of the first piece that are forgotten
	first  uint64 // the number of the oldest one
	next   uint64 // the number of the next one
}

func (r *remembered) len() int { return int(r.next - r.first) }

func (r *remembered) has(key int64) bool { return r.keys.has(key) }

func (r *remembered) endingAt(number uint64) *ending {
	i := r.skip + int(number-r.first)
	return &r.pieces[i/endings][i%endings]
}

// push remembers a key under the next number.
func (r *remembered) push(e ending) {
	if r.keys == nil {
		r.keys = make(keySet)
	}
	if r.skip+r.len() == endings*len(r.pieces) {
		r.pieces = append(r.pieces, new([endings]ending))
	}
	r.next++
	*r.endingAt(r.next - 1) = e
	r.keys.add(e.key)
}

// pop undoes push.
func (r *remembered) pop() {
	r.keys.remove(r.endingAt(r.next - 1).key)
	r.next--
}

// forget forgets the oldest key.
func (r *remembered) forget() ending {
	e := *r.endingAt(r.first)
	r.keys.remove(e.key)
	r.first++
	if r.skip++; r.skip == endings {
		r.pieces[0] = nil
		r.pieces, r.skip = r.pieces[1:], 0
	}
	return e
}

// restore undoes forget.
func (r *remembered) restore(e ending) {
	if r.skip == 0 {
		r.pieces, r.skip = append([]*[endings]ending{new([endings]ending)}, r.pieces...), endings
	}
	r.skip--
	r.first--
	*r.endingAt(r.first) = e
	r.keys.add(e.key)
}
