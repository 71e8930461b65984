package queue

import (
	"slices"
	"sort"
)

// chunkRows is how many rows a chunk of an order has at most.
const chunkRows = 128

// order is rows in the order of arrival, or of (due, arrival). It is a list of
// short sorted lists: rows come and go mostly at the ends.
type order struct {
	chunks [][]*row // none is empty
	byDue  bool
	rows   int
}

func (o *order) less(a, b *row) bool {
	if o.byDue && a.due != b.due {
		return a.due < b.due
	}
	return a.seq < b.seq
}

// chunk returns the first chunk whose last row is not before r.
func (o *order) chunk(r *row) int {
	n := len(o.chunks)
	if n > 0 {
		if last := o.chunks[n-1]; o.less(last[len(last)-1], r) {
			return n // the common case
		}
	}
	return sort.Search(n, func(i int) bool {
		c := o.chunks[i]
		return !o.less(c[len(c)-1], r)
	})
}

// within returns the place of the first row of a chunk that is not before r.
func (o *order) within(c []*row, r *row) int {
	return sort.Search(len(c), func(i int) bool { return !o.less(c[i], r) })
}

func (o *order) add(r *row) {
	o.rows++
	i := o.chunk(r)
	switch n := len(o.chunks); {
	case i < n:
		c := o.chunks[i]
		c = slices.Insert(c, o.within(c, r), r)
		o.chunks[i] = c
		if len(c) > chunkRows {
			half := append(make([]*row, 0, chunkRows+1), c[len(c)/2:]...)
			clear(c[len(c)/2:])
			o.chunks[i] = c[:len(c)/2]
			o.chunks = slices.Insert(o.chunks, i+1, half)
		}
	case n > 0 && len(o.chunks[n-1]) < chunkRows:
		o.chunks[n-1] = append(o.chunks[n-1], r)
	default:
		o.chunks = append(o.chunks, append(make([]*row, 0, 8), r))
	}
}

func (o *order) remove(r *row) {
	o.rows--
	i := o.chunk(r)
	c := o.chunks[i]
	switch j := o.within(c, r); {
	case len(c) == 1 && i == 0:
		o.chunks[0] = nil
		o.chunks = o.chunks[1:]
	case len(c) == 1:
		o.chunks = slices.Delete(o.chunks, i, i+1)
	case j == 0:
		c[0] = nil
		o.chunks[i] = c[1:]
	default:
		o.chunks[i] = slices.Delete(c, j, j+1)
	}
}

// first returns the first row, or nil.
func (o *order) first() *row {
	if len(o.chunks) == 0 {
		return nil
	}
	return o.chunks[0][0]
}

// after calls fn with the rows of a higher seq, in order, while it returns true. Only for
// an order of arrival; the order must not change during the call.
func (o *order) after(seq uint64, fn func(*row) bool) {
	at := sort.Search(len(o.chunks), func(i int) bool {
		c := o.chunks[i]
		return c[len(c)-1].seq > seq
	})
	for ; at < len(o.chunks); at++ {
		for _, r := range o.chunks[at] {
			if r.seq > seq && !fn(r) {
				return
			}
		}
	}
}

// each calls fn with the rows in order, while it returns true. fn must not change the
// order.
func (o *order) each(fn func(*row) bool) {
	for _, c := range o.chunks {
		for _, r := range c {
			if !fn(r) {
				return
			}
		}
	}
}
