package observe

import "container/heap"

// dueHeap holds threads by when they are due. A thread knows its place, so that it can be taken out.
type dueHeap []*tracked

// Len is part of [heap.Interface].
func (h dueHeap) Len() int { return len(h) }

// Less is part of [heap.Interface].
func (h dueHeap) Less(i, j int) bool { return h[i].at < h[j].at }

// Swap is part of [heap.Interface].
func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push is part of [heap.Interface].
func (h *dueHeap) Push(x any) {
	t := x.(*tracked)
	t.place = len(*h)
	*h = append(*h, t)
}

// Pop is part of [heap.Interface].
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	t.in, t.place = nil, -1
	return t
}

// addDue adds a thread that is due at a number.
func (h *dueHeap) addDue(t *tracked, at int64) {
	t.at, t.in = at, h
	heap.Push(h, t)
}

// until takes out the first thread when it is due at a number, or before.
func (h *dueHeap) until(at int64) *tracked {
	if len(*h) == 0 || (*h)[0].at > at {
		return nil
	}
	return heap.Pop(h).(*tracked)
}

// leaveHeap takes a thread out of the heap that it is in.
func (t *tracked) leaveHeap() {
	if t.in != nil {
		heap.Remove(t.in, t.place)
	}
}

// fifo is a queue that gives its memory back.
type fifo struct {
	items []*tracked
	from  int
}

func (q *fifo) push(t *tracked) { q.items = append(q.items, t) }

func (q *fifo) len() int { return len(q.items) - q.from }

// first returns the oldest, nil when there is none.
func (q *fifo) first() *tracked {
	if q.len() == 0 {
		return nil
	}
	return q.items[q.from]
}

// pop drops the oldest.
func (q *fifo) pop() {
	q.items[q.from] = nil
	q.from++
	switch {
	case q.from == len(q.items) && cap(q.items) > 1024:
		*q = fifo{}
	case q.from == len(q.items):
		q.items, q.from = q.items[:0], 0
	case q.from >= 1024 && 2*q.from >= len(q.items):
		q.items = append([]*tracked(nil), q.items[q.from:]...)
		q.from = 0
	}
}
