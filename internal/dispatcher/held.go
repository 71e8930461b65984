package dispatcher

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
)

// ranks is the number of priorities: an item's rank is below it, 0 is the highest.
const ranks = 3

// item is a run in memory. One goroutine owns it at a time: the loop, a probe, a lane or
// the settler.
type item struct {
	run     job.Run
	due     time.Time
	claimed bool // it came from a claim and not from Take
	// lease is when the run's row becomes visible to others, as stored, and renewals how
	// often that was postponed.
	lease    time.Time
	renewals int
	// move is the uncommitted one that makes the run; until its commit there is no row, and
	// the run needs one from land on.
	move *planner.Move
	land time.Time
	soon bool // it is processed Config.Early before it is due, and not Config.Lead
	rank int  // of its priority

	job     *job.Job      // the definition to send; shared, never changed
	picked  bool          // the router has answered
	address string        // what it picked; empty when the run has to wait
	note    string        // why that one, or why none
	again   time.Duration // the least time to wait
	early   bool          // it goes back before its time, see [Requeued.Early]
	homes   []string      // the executors that the run is split over; nil when it is not

	attempt job.Attempt // set by the mark
	task    job.Task
	sendAt  time.Time // when it may leave: a task that carries its start time leaves at once
	// checkAt is the mark's, by the database's time. window is the same instant by this
	// machine's clock: from then on upkeep owns the attempt.
	checkAt, window time.Time
}

// leaseLeft returns how long this server still owns the attempt. The stricter of the machine's
// two clocks counts: one may be set back, the other stands still while a machine sleeps.
func (it *item) leaseLeft(now time.Time) time.Duration {
	return min(it.window.Sub(now), it.window.Round(0).Sub(now.Round(0)))
}

// waited returns how long the run is overdue for sending. A run may be created long before
// it is due.
func (it *item) waited(now time.Time) time.Duration {
	since := it.run.CreatedAt
	if it.run.State == job.Planned {
		since = later(since, it.due)
	}
	return now.Sub(since)
}

// forgetPick resets the pick of the item.
func (it *item) forgetPick() {
	it.picked, it.address, it.note, it.again, it.homes = false, "", "", 0, nil
}

// place is what a parked item waits for: an address, or its whole group when the address is
// empty.
type place struct {
	group   int64
	address string
}

// held is the runs that wait in memory. Runs that are not due are separated by how early
// they are processed. Due ones wait for their executor, or group, to have room. All are
// kept by rank, in order of due time, then of id. A run is in it once. Its size is bounded
// by Config.Held.
type held struct {
	items    [ranks]byDue
	soon     [ranks]byDue
	parked   map[place]*[ranks][]*item
	parkedOf map[int64]int // how many are parked, by group
	ids      map[int64]*item
	spans    map[int64]int // how many items of soon are due within a span, by its number
}

// span is the period within which due firings count as one crowd, in milliseconds.
const span = 50

func spanOf(due time.Time) int64 { return due.UnixMilli() / span }

// count adds n items of soon that are due at the instant; n may be negative.
func (h *held) count(due time.Time, n int) {
	if h.spans == nil {
		h.spans = make(map[int64]int)
	}
	at := spanOf(due)
	h.spans[at] += n
	if h.spans[at] == 0 {
		delete(h.spans, at)
	}
}

// atOnce returns how many items of soon are due together with the first of them, or shortly
// after.
func (h *held) atOnce() int {
	var first time.Time
	for _, row := range h.soon {
		if len(row) > 0 && (first.IsZero() || row[0].due.Before(first)) {
			first = row[0].due
		}
	}
	if first.IsZero() {
		return 0
	}
	at := spanOf(first)
	return h.spans[at] + h.spans[at+1]
}

// push adds the item and reports whether it is the first of its run.
func (h *held) push(it *item) bool {
	if !h.enter(it) {
		return false
	}
	heap.Push(h.waitingRow(it.rank, it.soon), it)
	if it.soon {
		h.count(it.due, 1)
	}
	return true
}

// waitingRow is where items of the rank wait for their time.
func (h *held) waitingRow(rank int, soon bool) *byDue {
	if soon {
		return &h.soon[rank]
	}
	return &h.items[rank]
}

// parkAt adds the item to those that wait at the place, and reports whether it is
// the first of its run.
func (h *held) parkAt(at place, it *item) bool {
	if !h.enter(it) {
		return false
	}
	if h.parked == nil {
		h.parked, h.parkedOf = make(map[place]*[ranks][]*item), make(map[int64]int)
	}
	waiting := h.parked[at]
	if waiting == nil {
		waiting = new([ranks][]*item)
		h.parked[at] = waiting
	}
	waiting[it.rank] = append(waiting[it.rank], it)
	h.parkedOf[at.group]++
	return true
}

// enter adds the run and reports whether it was unknown. A known one that was claimed again
// keeps the new claim.
func (h *held) enter(it *item) bool {
	if known := h.ids[it.run.ID]; known != nil {
		known.lease = later(known.lease, it.lease)
		return false
	}
	if h.ids == nil {
		h.ids = make(map[int64]*item)
	}
	h.ids[it.run.ID] = it
	return true
}

// remove removes items.
func (h *held) remove(gone map[*item]struct{}) {
	is := func(it *item) bool {
		_, found := gone[it]
		return found
	}
	for rank := range ranks {
		for _, soon := range []bool{false, true} {
			row := h.waitingRow(rank, soon)
			*row = slices.DeleteFunc(*row, is)
			heap.Init(row)
		}
	}
	for at, all := range h.parked {
		for rank := range all {
			before := len(all[rank])
			all[rank] = slices.DeleteFunc(all[rank], is)
			h.unparked(at, all, before-len(all[rank]))
		}
	}
	for it := range gone {
		delete(h.ids, it.run.ID)
	}
	clear(h.spans)
	for _, row := range h.soon {
		for _, it := range row {
			h.count(it.due, 1)
		}
	}
}

// unparked records that n items left the place.
func (h *held) unparked(at place, all *[ranks][]*item, n int) {
	if len(all[0])+len(all[1])+len(all[2]) == 0 {
		delete(h.parked, at)
	}
	if h.parkedOf[at.group] -= n; h.parkedOf[at.group] == 0 {
		delete(h.parkedOf, at.group)
	}
}

// unpark removes the first n items of the rank that wait at the place.
func (h *held) unpark(at place, rank, n int) []*item {
	all := h.parked[at]
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
		delete(h.ids, it.run.ID)
	}
	return out
}

// popDue removes up to n items of a row that are due at or before until.
func (h *held) popDue(items *byDue, until time.Time, n int) []*item {
	if n <= 0 || len(*items) == 0 || (*items)[0].due.After(until) {
		return nil
	}
	out := make([]*item, 0, min(n, len(*items)))
	for len(*items) > 0 && len(out) < n && !(*items)[0].due.After(until) {
		out = append(out, h.takeFirst(items))
	}
	return out
}

// drain removes up to n items, due or not.
func (h *held) drain(n int) []*item {
	var out []*item
	for rank := range ranks {
		for at := range h.parked {
			out = append(out, h.unpark(at, rank, n-len(out))...)
		}
		for _, soon := range []bool{false, true} {
			for row := h.waitingRow(rank, soon); len(*row) > 0 && len(out) < n; {
				out = append(out, h.takeFirst(row))
			}
		}
	}
	return out
}

// size returns the number of items.
func (h *held) size() int { return len(h.ids) }

func (h *held) takeFirst(row *byDue) *item {
	it := heap.Pop(row).(*item)
	delete(h.ids, it.run.ID)
	if it.soon {
		h.count(it.due, -1)
	}
	return it
}

// waitFor returns the time from until to the first item of the rows that is due, and an hour
// when there is none.
func waitFor(rows [ranks]byDue, until time.Time) time.Duration {
	wait := time.Hour
	for _, row := range rows {
		if len(row) > 0 {
			wait = min(wait, max(row[0].due.Sub(until), 0))
		}
	}
	return wait
}

type byDue []*item

// inOrder compares items by rank, then by due time, then by id.
func inOrder(a, b *item) int {
	return cmp.Or(cmp.Compare(a.rank, b.rank), a.due.Compare(b.due), cmp.Compare(a.run.ID, b.run.ID))
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
