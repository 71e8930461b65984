package schedule

import (
	"slices"
	"time"

	"github.com/orthd/orth/schedule/calendar"
)

// maxShift is how many days a firing is moved at most.
const maxShift = 366

// closing is the calendars that must all allow the day of a firing. Days are
// counted from 1970-01-01 on the wall.
type closing struct {
	zone      *time.Location
	keys      []string
	calendars []*calendar.Calendar
	missing   []int64 // days that the zone's clock jumps over whole, when firings are to be shifted
}

// forbids reports whether nothing fires on a day.
func (c *closing) forbids(day int64) bool {
	return c.culprit(day) >= 0 || slices.Contains(c.missing, day)
}

// culprit returns the first calendar that does not allow a day, and -1 when all
// do.
func (c *closing) culprit(day int64) int {
	date := dateOf(day)
	for i, cal := range c.calendars {
		if !cal.Allows(date) {
			return i
		}
	}
	return -1
}

// nextAllowed returns the first allowed day that is not before another, and false
// when there is none.
func (c *closing) nextAllowed(day int64) (int64, bool) {
	for c.forbids(day) {
		i := c.culprit(day)
		if i < 0 {
			day++ // the clock jumps over it
			continue
		}
		date, ok := c.calendars[i].NextAllowed(dateOf(day))
		if !ok {
			return 0, false
		}
		day = max(dayOf(date), day+1)
	}
	return day, true
}

// nextForbidden returns the first forbidden day that is not before another, and
// the day after last when there is none up to that.
func (c *closing) nextForbidden(day, last int64) int64 {
	for day <= last && !c.forbids(day) {
		day++
	}
	return day
}

// runBefore returns the first of the forbidden days in a row up to a day, as far
// back as firings come from to the day after it; the day itself is forbidden.
func (c *closing) runBefore(day int64) int64 {
	from := day
	for from > day+1-maxShift && c.forbids(from-1) {
		from--
	}
	return from
}

// name returns the key of the calendar that does not allow a day, and the name of
// the occasion.
func (c *closing) name(day int64) (key, occasion string) {
	i := c.culprit(day)
	if i < 0 {
		return "", ""
	}
	return c.keys[i], c.calendars[i].Name(dateOf(day))
}

// findMissing notes the days that the zone's clock jumps over.
func (c *closing) findMissing() {
	if c.zone == time.UTC {
		return
	}
	for second := int64(firstSecond); second < lastSecond; {
		s := stretchAt(c.zone, second)
		if s.endless {
			return
		}
		day := -floorDiv(-(s.end + s.offset), secondsPerDay)
		for ; (day+1)*secondsPerDay <= s.end+s.after(); day++ {
			c.missing = append(c.missing, day)
		}
		second = s.end
	}
}

func dateOf(day int64) calendar.Date {
	year, month, date := civil(day)
	return calendar.Date{Year: year, Month: time.Month(month), Day: date}
}

func dayOf(d calendar.Date) int64 { return daysBefore(d.Year, int(d.Month)) + int64(d.Day) - 1 }
