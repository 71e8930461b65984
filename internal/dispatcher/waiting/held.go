package waiting

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

// Spot is what a parked item waits for: an address, or its whole group when the address is
// empty.
type Spot struct {
	Group   int64
	Address string
}

// Held is the runs that wait in memory. Runs that are not due are separated by how early
// they are processed. Due ones wait for their executor, or group, to have room. All are
// kept by rank, in order of due time, then of id. A run is in it once. Its size is bounded
// by Config.Held.
type Held struct {
	Items    [Ranks]ByDue
	Soon     [Ranks]ByDue
	Parked   map[Spot]*[Ranks][]*HeldRun
	ParkedOf map[int64]int // how many are parked, by group
	ids      map[int64]*HeldRun
	spans    map[int64]int // how many items of soon are due within a span, by its number
}

// span is the period within which due firings count as one crowd, in milliseconds.
const span = 50

func spanOf(due time.Time) int64 { return due.UnixMilli() / span }

// count adds n items of soon that are due at the instant; n may be negative.
func (h *Held) count(due time.Time, n int) {
	if h.spans == nil {
		h.spans = make(map[int64]int)
	}
	at := spanOf(due)
	h.spans[at] += n
	if h.spans[at] == 0 {
		delete(h.spans, at)
	}
}

// AtOnce returns how many items of soon are due together with the first of them, or shortly
// after.
func (h *Held) AtOnce() int {
	var first time.Time
	for _, row := range h.Soon {
		if len(row) > 0 && (first.IsZero() || row[0].Due.Before(first)) {
			first = row[0].Due
		}
	}
	if first.IsZero() {
		return 0
	}
	at := spanOf(first)
	return h.spans[at] + h.spans[at+1]
}

// Push adds the item and reports whether it is the first of its run.
func (h *Held) Push(it *HeldRun) bool {
	if !h.enter(it) {
		return false
	}
	heap.Push(h.waitingRow(it.Rank, it.Soon), it)
	if it.Soon {
		h.count(it.Due, 1)
	}
	return true
}

// waitingRow is where items of the rank wait for their time.
func (h *Held) waitingRow(rank int, soon bool) *ByDue {
	if soon {
		return &h.Soon[rank]
	}
	return &h.Items[rank]
}

// ParkAt adds the item to those that wait at the place, and reports whether it is
// the first of its run.
func (h *Held) ParkAt(at Spot, it *HeldRun) bool {
	if !h.enter(it) {
		return false
	}
	if h.Parked == nil {
		h.Parked, h.ParkedOf = make(map[Spot]*[Ranks][]*HeldRun), make(map[int64]int)
	}
	waiting := h.Parked[at]
	if waiting == nil {
		waiting = new([Ranks][]*HeldRun)
		h.Parked[at] = waiting
	}
	waiting[it.Rank] = append(waiting[it.Rank], it)
	h.ParkedOf[at.Group]++
	return true
}

// enter adds the run and reports whether it was unknown. A known one that was claimed again
// keeps the new claim.
func (h *Held) enter(it *HeldRun) bool {
	if known := h.ids[it.Run.ID]; known != nil {
		known.Lease = Later(known.Lease, it.Lease)
		return false
	}
	if h.ids == nil {
		h.ids = make(map[int64]*HeldRun)
	}
	h.ids[it.Run.ID] = it
	return true
}

// Remove removes items.
func (h *Held) Remove(gone map[*HeldRun]struct{}) {
	is := func(it *HeldRun) bool {
		_, found := gone[it]
		return found
	}
	for rank := range Ranks {
		for _, soon := range []bool{false, true} {
			row := h.waitingRow(rank, soon)
			*row = slices.DeleteFunc(*row, is)
			heap.Init(row)
		}
	}
	for at, all := range h.Parked {
		for rank := range all {
			before := len(all[rank])
			all[rank] = slices.DeleteFunc(all[rank], is)
			h.unparked(at, all, before-len(all[rank]))
		}
	}
	for it := range gone {
		delete(h.ids, it.Run.ID)
	}
	clear(h.spans)
	for _, row := range h.Soon {
		for _, it := range row {
			h.count(it.Due, 1)
		}
	}
}

// unparked records that n items left the place.
func (h *Held) unparked(at Spot, all *[Ranks][]*HeldRun, n int) {
	if len(all[0])+len(all[1])+len(all[2]) == 0 {
		delete(h.Parked, at)
	}
	if h.ParkedOf[at.Group] -= n; h.ParkedOf[at.Group] == 0 {
		delete(h.ParkedOf, at.Group)
	}
}

// Unpark removes the first n items of the rank that wait at the place.
func (h *Held) Unpark(at Spot, rank, n int) []*HeldRun {
	all := h.Parked[at]
	if all == nil {
		return nil
	}
	waiting := all[rank]
	n = min(max(n, 0), len(waiting))
	out := slices.Clone(waiting[:n])
	clear(waiting[:n])
	if all[rank] = waiting[n:]; n == len(waiting) {
		all[rank] = nil
	}
	h.unparked(at, all, n)
	for _, it := range out {
		delete(h.ids, it.Run.ID)
	}
	return out
}

// PopDue removes up to n items of a row that are due at or before until.
func (h *Held) PopDue(items *ByDue, until time.Time, n int) []*HeldRun {
	if n <= 0 || len(*items) == 0 || (*items)[0].Due.After(until) {
		return nil
	}
	out := make([]*HeldRun, 0, min(n, len(*items)))
	for len(*items) > 0 && len(out) < n && !(*items)[0].Due.After(until) {
		out = append(out, h.takeFirst(items))
	}
	return out
}

// Drain removes up to n items, due or not.
func (h *Held) Drain(n int) []*HeldRun {
	var out []*HeldRun
	for rank := range Ranks {
		for at := range h.Parked {
			out = append(out, h.Unpark(at, rank, n-len(out))...)
		}
		for _, soon := range []bool{false, true} {
			for row := h.waitingRow(rank, soon); len(*row) > 0 && len(out) < n; {
				out = append(out, h.takeFirst(row))
			}
		}
	}
	return out
}

// Size returns the number of items.
func (h *Held) Size() int { return len(h.ids) }

func (h *Held) takeFirst(row *ByDue) *HeldRun {
	it := heap.Pop(row).(*HeldRun)
	delete(h.ids, it.Run.ID)
	if it.Soon {
		h.count(it.Due, -1)
	}
	return it
}

// WaitFor returns the time from until to the first item of the rows that is due, and an hour
// when there is none.
func WaitFor(rows [Ranks]ByDue, until time.Time) time.Duration {
	wait := time.Hour
	for _, row := range rows {
		if len(row) > 0 {
			wait = min(wait, max(row[0].Due.Sub(until), 0))
		}
	}
	return wait
}

// ByDue is a heap of runs in order of rank, due time and id.
type ByDue []*HeldRun

// InOrder compares items by rank, then by due time, then by id.
func InOrder(a, b *HeldRun) int {
	return cmp.Or(cmp.Compare(a.Rank, b.Rank), a.Due.Compare(b.Due), cmp.Compare(a.Run.ID, b.Run.ID))
}

// Len implements heap.Interface.
func (b ByDue) Len() int { return len(b) }

// Less implements heap.Interface.
func (b ByDue) Less(i, j int) bool { return InOrder(b[i], b[j]) < 0 }

// Swap implements heap.Interface.
func (b ByDue) Swap(i, j int) { b[i], b[j] = b[j], b[i] }

// Push implements heap.Interface.
func (b *ByDue) Push(x any) { *b = append(*b, x.(*HeldRun)) }

// Pop implements heap.Interface.
func (b *ByDue) Pop() any {
	old := *b
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*b = old[:len(old)-1]
	return last
}

// OverdueForRow returns up to n items whose runs have no row yet and need one by now.
func (h *Held) OverdueForRow(now time.Time, n int) []*HeldRun {
	var items []*HeldRun
	for _, it := range h.ids {
		if it.Move != nil && len(items) < n && !it.Land.After(now) {
			items = append(items, it)
		}
	}
	return items
}

// Ending returns up to n items whose claims end before an instant, the first ones first.
func (h *Held) Ending(before time.Time, n int) []*HeldRun {
	var items []*HeldRun
	for _, it := range h.ids {
		if it.Move == nil && it.Lease.Before(before) {
			items = append(items, it)
		}
	}
	slices.SortFunc(items, func(a, b *HeldRun) int { return a.Lease.Compare(b.Lease) })
	return items[:min(n, len(items))]
}
