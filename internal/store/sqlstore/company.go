package sqlstore

import "time"

const (
	// patience is the longest time that an operation that can wait waits to share a
	// transaction. A transaction for one operation costs as much as all the work of a few
	// operations in it.
	patience = 10 * time.Millisecond
	// memory is over how many transactions the time between them is averaged.
	memory = 8
)

// company knows how often operations come that cannot wait, and so whether it is worth
// waiting for one. The zero value expects none.
type company struct {
	last time.Time     // when the last one came
	gap  time.Duration // the mean time between two of them, since they come often
}

// came notes an operation that cannot wait.
func (c *company) came(now time.Time) {
	gap := min(now.Sub(c.last), 4*patience)
	if c.last.IsZero() {
		c.gap = 4 * patience
	}
	c.gap += (gap - c.gap) / memory
	c.last = now
}

// wait returns for how long an operation that can wait does: not at all when it would
// probably be alone all the same.
func (c *company) wait(now time.Time) time.Duration {
	if c.last.IsZero() || max(c.gap, now.Sub(c.last)) > 2*patience {
		return 0
	}
	return min(2*c.gap, patience)
}
