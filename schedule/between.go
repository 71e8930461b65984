package schedule

import "time"

// maxCount bounds what [Count] counts; it is a second's work at most.
const maxCount = 1_000_000

// Count returns the number of firings of any schedule from an instant, which is included,
// to another, which is not. It counts up to a limit and then reports whether there are
// more. A limit of less than 0 counts as 0, one of more than 1,000,000 as that.
func Count(s Schedule, from, to time.Time, limit int) (n int, more bool) {
	limit = min(max(limit, 0), maxCount)
	if r, ok := s.(rate); ok && from.Before(to) {
		total := r.between(from.Add(-1), to)
		return int(min(total, int64(limit))), total > int64(limit)
	}
	at, ok := First(s, from)
	for ; ok && at.Before(to); n++ {
		if n >= limit {
			return n, true
		}
		at, ok = s.Next(at)
	}
	return n, false
}

// Count is [Count] of c.
func (c *Cron) Count(from, to time.Time, limit int) (n int, more bool) {
	return Count(c, from, to, limit)
}

// Between returns the firings of any schedule from an instant, which is
// included, to another, which is not, the oldest first: up to a limit, which is at
// most 10,000.
func Between(s Schedule, from, to time.Time, limit int) []time.Time {
	var found []time.Time
	limit = min(limit, maxWalk)
	at, ok := First(s, from)
	for ok && at.Before(to) && len(found) < limit {
		found = append(found, at)
		at, ok = s.Next(at)
	}
	return found
}
