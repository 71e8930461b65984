package planner

import (
	"sync"
	"time"
)

const (
	// patience is how long a firing is held back because the dispatcher has no
	// room for its run. After that it becomes a row all the same, so that it is
	// late and not missed; it is well below any useful misfire threshold.
	patience = 500 * time.Millisecond
	// briefFor is how long after the dispatcher had no room the planner is
	// brief about firings that are let go: to tell of each would cost as much
	// as a run does.
	briefFor = 10 * time.Second
)

// Claimed tells the planner how many rows of each group the dispatcher has claimed,
// and whether none is left of any of them. It may be called from any goroutine and
// never blocks.
func (p *Planner) Claimed(rows map[int64]int, all bool) { p.backlog.claimed(rows, all) }

// places is the room that one plan has: in the dispatcher, or in the backlog of
// each group when the dispatcher has none.
type places struct {
	handed  bool
	free    int           // when handed
	backlog *backlog      // otherwise
	used    map[int64]int // of the backlog, by group
}

func (p *Planner) places(free int) *places {
	return &places{handed: free > 0, free: free, backlog: p.backlog, used: make(map[int64]int)}
}

// taken reports whether there is no room for any group.
func (p *places) taken() bool { return p.handed && p.free <= 0 }

// of returns the room for runs of a group.
func (p *places) of(group int64) int {
	if p.handed {
		return p.free
	}
	return p.backlog.room(group) - p.used[group]
}

// take uses some of it.
func (p *places) take(group int64, n int) {
	if p.handed {
		p.free -= n
		return
	}
	p.used[group] += n
}

// backlog is the runs that were planned although the dispatcher had no room for
// them: they are rows that wait until somebody claims them. It bounds them by
// group, and goes by what the dispatcher of this server claims. That is an
// estimate: others may claim them as well, and rows that were not planned here are
// counted as if they were. A claim that finds no further row of a group puts it
// right.
type backlog struct {
	limit int // rows of one group

	mu   sync.Mutex
	rows map[int64]int // guarded by mu; by group, without zeroes
}

// room returns how many more rows the group may have.
func (b *backlog) room(group int64) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit - b.rows[group]
}

// add notes rows that were written.
func (b *backlog) add(group int64, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(group, b.rows[group]+n)
}

// claimed notes how many rows of each group were claimed, and whether none is left
// of any of them.
func (b *backlog) claimed(rows map[int64]int, all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for group, n := range rows {
		left := b.rows[group] - n
		if all {
			left = 0
		}
		b.set(group, left)
	}
}

// set writes a number of rows. The caller holds mu.
func (b *backlog) set(group int64, n int) {
	if n <= 0 {
		delete(b.rows, group)
		return
	}
	if b.rows == nil {
		b.rows = make(map[int64]int)
	}
	b.rows[group] = n
}
