package schedule

import (
	"math/bits"
	"time"
)

// Prev returns the last firing strictly before the instant, in UTC, and false
// when there is none. It is the mirror of [Cron.Next]: what the one returns leads
// back to where the other came from. It allocates nothing and its work is
// bounded.
func (c *Cron) Prev(before time.Time) (time.Time, bool) {
	second := min(max(before.Unix(), firstSecond), lastSecond+1)
	if !before.After(time.Unix(second, 0)) {
		second--
	}
	for {
		s := c.stretchAt(second)
		if c.gap == GapBefore && !s.endless && second == s.end-1 && c.names(s.end+s.offset, s.end+s.after()) {
			return time.Unix(second, 0).UTC(), true
		}
		last := s.first
		if !s.holds(last) {
			last = s.until() - 1
		}
		wall, ok := c.wallPrev(last)
		if ok && wall >= s.opening() {
			return time.Unix(wall-s.offset, 0).UTC(), true
		}
		if s.beginless() {
			return time.Time{}, false
		}
		first := s.begin + s.before() // behind the last wall time of the stretch before
		switch {
		case c.gap == GapAfter && ok && wall >= first:
			return time.Unix(s.begin, 0).UTC(), true
		case first-1 > last: // wall times behind the place come again
			second = s.begin - 1
		case !ok:
			return time.Time{}, false
		default:
			second = min(s.begin-1, wall+maxOffset)
		}
	}
}

// wallPrev returns the last wall time at or before to that the expression names,
// and false when there is none down to MinYear. It looks at each month at most
// once.
func (c *Cron) wallPrev(to int64) (int64, bool) {
	if to < 0 {
		return 0, false
	}
	to = min(to, lastWall)
	year, month, day := civil(to / secondsPerDay)
	second, ok := c.clockPrev(int(to % secondsPerDay))
	if !ok {
		second, day = c.evening, day-1 // may be 0: then no day is left
	}
	for {
		named, ok := c.years.prev(year)
		if !ok {
			return 0, false
		}
		if named != year {
			year, month, day, second = named, 12, 31, c.evening
		}
		left := upTo(uint64(c.months), month)
		if left == 0 {
			year, month, day, second = year-1, 12, 31, c.evening
			continue
		}
		if named := bits.Len64(left) - 1; named != month {
			month, day, second = named, 31, c.evening
		}
		first := daysBefore(year, month)
		set := upTo(uint64(c.days.in(weekday(first), monthLength(year, month))), day)
		if set != 0 {
			date := bits.Len64(set) - 1
			if date != day {
				second = c.evening
			}
			return (first+int64(date)-1)*secondsPerDay + int64(second), true
		}
		month, day, second = month-1, 31, c.evening
	}
}

// clockPrev returns the last time of day at or before to that the expression
// names, both in seconds since midnight on the wall, and false when the day has
// none before.
func (c *Cron) clockPrev(to int) (int, bool) {
	hour, minute, second := to/3600, to/60%60, to%60
	if c.hours.has(hour) {
		if c.minutes.has(minute) {
			if left := upTo(uint64(c.seconds), second); left != 0 {
				return hour*3600 + minute*60 + bits.Len64(left) - 1, true
			}
		}
		if left := upTo(uint64(c.minutes), minute-1); left != 0 {
			return hour*3600 + (bits.Len64(left)-1)*60 + c.evening%60, true
		}
	}
	left := upTo(uint64(c.hours), hour-1)
	if left == 0 {
		return 0, false
	}
	return (bits.Len64(left)-1)*3600 + c.evening%3600, true
}

// upTo returns the members of a set that are not greater than n, which is at
// least -1.
func upTo(set uint64, n int) uint64 { return set & (1<<(n+1) - 1) }
