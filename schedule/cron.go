package schedule

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Cron is a compiled Quartz expression in a zone. It is immutable and safe for
// concurrent use.
//
// It fires on whole seconds, in the years [MinYear]..[MaxYear] on the wall.
// Where the zone's clock is put forward, wall times that do not exist do not
// fire; where it is put back, wall times that come twice fire once, on the
// second pass.
type Cron struct {
	expr     string
	zone     *time.Location
	warnings []string

	seconds, minutes, hours, months bitset
	years                           yearSet
	days                            days
	midnight                        int // the first time of day, in seconds
}

// Next returns the first firing strictly after the instant, in UTC, and false
// when there is none. It allocates nothing and its work is bounded, whatever
// the expression and the instant.
func (c *Cron) Next(after time.Time) (time.Time, bool) {
	second := min(max(after.Unix(), firstSecond), lastSecond)
	s := stretchAt(c.zone, second)
	least := second + s.offset + 1
	if !s.holds(least) {
		// The wall times ahead of the end come again: the next stretch has
		// them, also those that the clock shows already.
		s, least = stretchAt(c.zone, s.end), math.MinInt64
	}
	for {
		wall, ok := c.wallNext(max(least, s.first))
		if !ok {
			return time.Time{}, false
		}
		if s.holds(wall) {
			return time.Unix(wall-s.offset, 0).UTC(), true
		}
		// Go on where the wall time may be, and at least one stretch on. In a
		// gap it is nowhere, and the search begins anew behind the gap.
		least = wall
		s = stretchAt(c.zone, max(s.end, wall-maxOffset))
	}
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
		wrong.Hint = "name another time of day, or another zone"
	} else {
		return nil
	}
	return wrong
}
