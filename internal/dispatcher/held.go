package dispatcher

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/orthd/orth/job"
)

// item is a run in memory. One goroutine has it at a time: the loop, a probe,
// a lane or the settler.
type item struct {
	run     job.Run
	due     time.Time
	claimed bool // it came by a claim and not by Take

	job     *job.Job      // the definition to send; shared, never changed
	picked  bool          // the router has answered
	address string        // what it picked; empty when the run has to wait
	note    string        // why that one, or why none
	again   time.Duration // how long to wait at least

	attempt job.Attempt // set by the mark
	task    job.Task
}

// waited returns how long the run has not been sent although it was to be. A run
// may be made long before it is due.
func (it *item) waited(now time.Time) time.Duration {
	since := it.run.CreatedAt
	if it.run.State == job.Planned {
		since = later(since, it.due)
	}
	return now.Sub(since)
}

// forgetPick makes the item be picked anew.
func (it *item) forgetPick() { it.picked, it.address, it.note, it.again = false, "", "", 0 }

// held is the runs that wait in memory: those that are not due, by due time, the
// earliest first, then by id; and those that are due and whose executor has
// enough to do, by address, in order. A run is in it once. Its size is bounded by
// Config.Held.
type held struct {
	items  byDue
	parked map[string][]*item
	ids    map[int64]struct{}
}

// push adds the item and reports whether it is the first of its run.
func (h *held) push(it *item) bool {
	if !h.enter(it) {
		return false
	}
	heap.Push(&h.items, it)
	return true
}

// park adds the item to those that wait for the address, and reports whether it
// is the first of its run.
func (h *held) park(address string, it *item) bool {
	if !h.enter(it) {
		return false
	}
	if h.parked == nil {
		h.parked = make(map[string][]*item)
	}
	h.parked[address] = append(h.parked[address], it)
	return true
}

// enter notes the run and reports whether it was unknown.
func (h *held) enter(it *item) bool {
	if _, known := h.ids[it.run.ID]; known {
		return false
	}
	if h.ids == nil {
		h.ids = make(map[int64]struct{})
	}
	h.ids[it.run.ID] = struct{}{}
	return true
}

// unpark removes the first n items that wait for the address.
func (h *held) unpark(address string, n int) []*item {
	waiting := h.parked[address]
	n = min(max(n, 0), len(waiting))
	out := slices.Clone(waiting[:n])
	if clear(waiting[:n]); n == len(waiting) {
		delete(h.parked, address)
	} else {
		h.parked[address] = waiting[n:]
	}
	for _, it := range out {
		delete(h.ids, it.run.ID)
	}
	return out
}

// pop removes up to n items that are due at or before until.
func (h *held) pop(until time.Time, n int) []*item {
	if len(h.items) == 0 || h.items[0].due.After(until) {
		return nil
	}
	out := make([]*item, 0, min(n, len(h.items)))
	for len(h.items) > 0 && len(out) < n && !h.items[0].due.After(until) {
		out = append(out, h.take())
	}
	return out
}

// drain removes up to n items, due or not.
func (h *held) drain(n int) []*item {
	var out []*item
	for address := range h.parked {
		out = append(out, h.unpark(address, n-len(out))...)
	}
	for len(h.items) > 0 && len(out) < n {
		out = append(out, h.take())
	}
	return out
}

// size returns the number of items.
func (h *held) size() int { return len(h.ids) }

func (h *held) take() *item {
	it := heap.Pop(&h.items).(*item)
	delete(h.ids, it.run.ID)
	return it
}

// wait returns the time from until to the first item, and an hour when there
// is none.
func (h *held) wait(until time.Time) time.Duration {
	if len(h.items) == 0 {
		return time.Hour
	}
	return max(h.items[0].due.Sub(until), 0)
}

type byDue []*item

// inOrder compares items by due time, then by id.
func inOrder(a, b *item) int {
	return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.run.ID, b.run.ID))
}

func (b byDue) Len() int           { return len(b) }
func (b byDue) Less(i, j int) bool { return inOrder(b[i], b[j]) < 0 }
func (b byDue) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *byDue) Push(x any)        { *b = append(*b, x.(*item)) }
func (b *byDue) Pop() any {
	old := *b
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*b = old[:len(old)-1]
	return last
}
