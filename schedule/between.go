package schedule

import "time"

// maxCount bounds what [Cron.Count] counts; it is a second's work at most.
const maxCount = 1_000_000

// Count returns the number of firings from an instant, which is included, to
// another, which is not. It counts up to a limit and then says whether there are
// more. A limit of less than 0 counts as 0, one of more than 1,000,000 as that.
func (c *Cron) Count(from, to time.Time, limit int) (n int, more bool) {
	limit = min(limit, maxCount)
	for at := from.Add(-1); ; n++ {
		next, ok := c.Next(at)
		switch {
		case !ok || !next.Before(to):
			return n, false
		case n >= limit:
			return n, true
		}
		at = next
	}
}

// Between returns the firings of any schedule from an instant, which is
// included, to another, which is not, the oldest first: up to a limit, which is at
// most 10,000.
func Between(s Schedule, from, to time.Time, limit int) []time.Time {
	var found []time.Time
	limit = min(limit, maxWalk)
	for at := from.Add(-1); len(found) < limit; {
		next, ok := s.Next(at)
		if !ok || !next.Before(to) {
			break
		}
		found = append(found, next)
		at = next
	}
	return found
}
