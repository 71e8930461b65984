package keeping

import (
	"container/heap"
	"time"
)

// agenda is a heap of the logs that are asked for at some time, the earliest first.
type agenda []*held

// Len implements sort.Interface.
func (a agenda) Len() int { return len(a) }

// Less implements sort.Interface.
func (a agenda) Less(i, j int) bool { return a[i].due.Before(a[j].due) }

// Swap implements sort.Interface.
func (a agenda) Swap(i, j int) {
	a[i], a[j] = a[j], a[i]
	a[i].place, a[j].place = i, j
}

// Push implements heap.Interface.
func (a *agenda) Push(x any) {
	h := x.(*held) //nolint:forcetypeassert // nothing else is pushed
	h.place = len(*a)
	*a = append(*a, h)
}

// Pop implements heap.Interface.
func (a *agenda) Pop() any {
	last := len(*a) - 1
	h := (*a)[last]
	(*a)[last] = nil
	*a = (*a)[:last]
	h.place = -1
	return h
}

// schedule has a log asked for at an instant, or earlier when it is due already. mu
// is held.
func (k *Keeper) schedule(h *held, at time.Time) {
	switch {
	case h.gone || h.complete || h.asking || h.queued:
		if h.asking && (h.due.IsZero() || at.Before(h.due)) {
			h.due = at // after the question that is under way
		}
		return
	case h.place < 0:
		h.due = at
		heap.Push(&k.due, h)
	case at.Before(h.due):
		h.due = at
		heap.Fix(&k.due, h.place)
	default:
		return
	}
	if h.place == 0 {
		poke(k.wake)
	}
}

// unschedule takes a log off the agenda. mu is held.
func (k *Keeper) unschedule(h *held) {
	if h.place >= 0 {
		heap.Remove(&k.due, h.place)
	}
}
