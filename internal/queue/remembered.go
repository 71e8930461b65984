package queue

// ending is a finished key and when it finished, in milliseconds.
type ending struct{ key, at int64 }

// endings is how many a piece of the ring has.
const endings = 4096

// remembered is the finished keys of a queue in the order of their ends, which are
// numbered: 16 bytes each, and a set of the keys. Nothing in it is a pointer for
// the garbage collector to follow.
type remembered struct {
	keys   map[int64]struct{}
	pieces []*[endings]ending
	skip   int    // endings of the first piece that are forgotten
	first  uint64 // the number of the oldest one
	next   uint64 // the number of the next one
}

func (r *remembered) len() int { return int(r.next - r.first) }

func (r *remembered) has(key int64) bool {
	_, found := r.keys[key]
	return found
}

func (r *remembered) at(number uint64) *ending {
	i := r.skip + int(number-r.first)
	return &r.pieces[i/endings][i%endings]
}

// push remembers a key under the next number.
func (r *remembered) push(e ending) {
	if r.keys == nil {
		r.keys = make(map[int64]struct{})
	}
	if r.skip+r.len() == endings*len(r.pieces) {
		r.pieces = append(r.pieces, new([endings]ending))
	}
	r.next++
	*r.at(r.next - 1) = e
	r.keys[e.key] = struct{}{}
}

// pop undoes push.
func (r *remembered) pop() {
	delete(r.keys, r.at(r.next-1).key)
	r.next--
}

// forget forgets the oldest key.
func (r *remembered) forget() ending {
	e := *r.at(r.first)
	delete(r.keys, e.key)
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
	*r.at(r.first) = e
	r.keys[e.key] = struct{}{}
}
