package schedule

import (
	"fmt"
	"slices"
	"time"
)

// Cron is a compiled expression in a zone. It is immutable and safe for concurrent use.
//
// It fires on whole seconds, in the years [MinYear]..[MaxYear] on the wall. Its [DST] rules
// define the firings where the zone's clock is put forward or back.
type Cron struct {
	expr     string
	zone     *time.Location
	warnings []string

	seconds, minutes, hours, months bitset
	years                           yearSet
	days                            days
	midnight, evening               int // the first and the last time of day, in seconds

	gap     GapRule // never empty, nor is overlap
	overlap OverlapRule
}

// Next returns the first firing strictly after the instant, in UTC, and false
// when there is none. It allocates nothing and its work is bounded, whatever
// the expression and the instant.
func (c *Cron) Next(after time.Time) (time.Time, bool) {
	second := min(max(after.Unix(), firstSecond), lastSecond) + 1
	for {
		s := c.stretchAt(second)
		if c.gap == GapAfter && second == s.begin && c.names(s.begin+s.before(), s.first) {
			return time.Unix(second, 0).UTC(), true
		}
		least := s.first
		if c.overlap == OverlapFirst {
			least = max(least, s.opening())
		}
		wall, ok := c.wallNext(least)
		switch {
		case ok && s.holds(wall):
			return time.Unix(wall-s.offset, 0).UTC(), true
		case c.gap == GapBefore && ok && !s.endless && wall < s.end+s.after():
			return time.Unix(s.end-1, 0).UTC(), true
		case s.comesAgain(least):
			// The clock shows times up to the place, or from it on, once more.
			second = s.end
		case !ok || s.endless:
			return time.Time{}, false
		default:
			// Go on where the wall time may be, and at least one stretch on.
			// In a gap it is nowhere, and the search begins anew behind the
			// gap.
			second = max(s.end, wall-maxOffset)
		}
	}
}

// names reports whether c names a wall time that is not before from and before
// to.
func (c *Cron) names(from, to int64) bool {
	if from >= to {
		return false
	}
	wall, ok := c.wallNext(from)
	return ok && wall < to
}

// String returns the expression as it was written.
func (c *Cron) String() string { return c.expr }

// Warnings returns what the dialect accepts in the expression although its
// writer may have meant something else, one sentence each, for editors and
// imports. It is empty for an expression without surprises.
func (c *Cron) Warnings() []string { return slices.Clone(c.warnings) }

// checkFires refuses an expression that fires at no time at all, with the
// reason.
func (c *Cron) checkFires() error {
	wrong := &Error{Input: inputCron}
	if year, ok := c.years.next(MinYear); !ok {
		wrong.Field = fieldRules[fieldYear].name
		wrong.Message = "the expression never fires: it names no year that is in range"
		wrong.Hint = fmt.Sprintf("allowed are the years %d-%d", MinYear, MaxYear)
	} else if _, ok := c.wallNext(daysBefore(year, 1) * secondsPerDay); !ok {
		wrong.Field = fieldRules[fieldDate].name
		if c.days.byWeek {
			wrong.Field = fieldRules[fieldWeekday].name
		}
		wrong.Message = "the expression never fires: no month that it names has such a day in the years that it names"
		wrong.Hint = "change the day, the month or the year"
	} else if _, ok := c.Next(time.Time{}); !ok {
		wrong.Message = fmt.Sprintf("the expression never fires: the clock of %s jumps over each time that it names", c.zone)
		wrong.Hint = "name another time of day or another zone, or let dst.gap move the firing"
	} else {
		return nil
	}
	return wrong
}
