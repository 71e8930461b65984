package planner

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/orthd/orth/schedule"
)

const (
	// patience is the longest time for which a firing is held back because the dispatcher
	// has no room for its run. After that it becomes a row, so that it is late and not
	// missed.
	patience = 2 * time.Second
	// briefFor is how long, after the dispatcher had no room, the planner records dropped
	// firings in summary: one record for each would cost as much as a run.
	briefFor = 10 * time.Second
	// countEvery is how often the rows of a group are counted while there is no room.
	countEvery = time.Second
)

// patient returns how long a firing of the job is held back: half of the time after which
// it would be missed if this server died while it waits.
func (d *Due) patient() time.Duration {
	threshold := d.Limits.Threshold
	if threshold <= 0 {
		threshold = schedule.DefaultThreshold
	}
	return min(threshold/2, patience)
}

// count counts the rows of the groups whose jobs are due, each once in a while: other
// servers write and claim some too.
func (p *Planner) count(ctx context.Context, due []Due, now time.Time) error {
	for _, group := range p.backlog.unknown(due, now) {
		rows, err := p.config.Store.CountReady(ctx, group, now, p.config.Backlog)
		if err != nil {
			return fmt.Errorf("count the runs of a group that wait: %w", err)
		}
		p.backlog.counted(group, rows)
	}
	return nil
}

// Claimed reports how many rows of each group the dispatcher has claimed, and whether none
// is left in any of them. It may be called from any goroutine and never blocks.
func (p *Planner) Claimed(rows map[int64]int, all bool) { p.backlog.claimed(rows, all) }

// places is the room for one plan: in the dispatcher, or in the backlog of each group when
// the dispatcher has none.
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

// roomOf returns the room for runs of a group.
func (p *places) roomOf(group int64) int {
	if p.handed {
		return p.free
	}
	return p.backlog.roomOf(group) - p.used[group]
}

// reserve uses n places of a group.
func (p *places) reserve(group int64, n int) {
	if p.handed {
		p.free -= n
		return
	}
	p.used[group] += n
}

// backlog tracks the runs that were planned although the dispatcher had no room for them:
// rows that wait for a claim. It bounds them by group. It counts them once in a while, and
// in between adds and subtracts what this server writes and claims. That is an estimate,
// because other servers write and claim as well. A claim that finds no further row of a
// group corrects it.
type backlog struct {
	limit int // rows of one group

	mu   sync.Mutex
	rows map[int64]int       // guarded by mu; by group, without zeroes
	read map[int64]time.Time // guarded by mu; times of recent counts
}

// unknown returns the groups of the jobs whose rows were not counted for a while, and marks
// them as counted.
func (b *backlog) unknown(due []Due, now time.Time) (groups []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.read, func(_ int64, at time.Time) bool { return now.Sub(at) >= countEvery })
	for i := range due {
		if _, known := b.read[due[i].GroupID]; known {
			continue
		}
		if b.read == nil {
			b.read = make(map[int64]time.Time)
		}
		b.read[due[i].GroupID] = now
		groups = append(groups, due[i].GroupID)
	}
	return groups
}

// counted records how many rows the group has.
func (b *backlog) counted(group int64, rows int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setRows(group, rows)
}

// roomOf returns how many more rows the group may have.
func (b *backlog) roomOf(group int64) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limit - b.rows[group]
}

// addRows records written rows.
func (b *backlog) addRows(group int64, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setRows(group, b.rows[group]+n)
}

// claimed records how many rows of each group were claimed, and whether none is left in any
// of them.
func (b *backlog) claimed(rows map[int64]int, all bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for group, n := range rows {
		left := b.rows[group] - n
		if all {
			left = 0
		}
		b.setRows(group, left)
	}
}

// setRows stores a number of rows. The caller holds mu.
func (b *backlog) setRows(group int64, n int) {
	if n <= 0 {
		delete(b.rows, group)
		return
	}
	if b.rows == nil {
		b.rows = make(map[int64]int)
	}
	b.rows[group] = n
}
