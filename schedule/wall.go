package schedule

import "math/bits"

// Wall time is counted in seconds since 1970-01-01T00:00:00 on the wall,
// whatever the zone, in the Gregorian calendar.

const (
	secondsPerDay = 24 * 60 * 60
	// lastWall is a wall time beyond MaxYear.
	lastWall = (MaxYear - MinYear + 1) * 366 * secondsPerDay
	// firstSecond and lastSecond are Unix seconds before the first and after
	// the last firing in any zone.
	firstSecond = -maxOffset
	lastSecond  = lastWall + maxOffset
)

// wallNext returns the first wall time at or after from that the expression
// names, and false when there is none up to the end of MaxYear. It looks at
// each month at most once.
func (c *Cron) wallNext(from int64) (int64, bool) {
	if from < 0 {
		from = 0
	} else if from > lastWall {
		return 0, false
	}
	today, second := from/secondsPerDay, int(from%secondsPerDay)
	year, month, day := civil(today)
	second, ok := c.clockNext(second)
	if !ok {
		second, day = c.midnight, day+1 // may lie beyond the month: then no day is left
	}
	for {
		named, ok := c.years.next(year)
		if !ok {
			return 0, false
		}
		if named != year {
			year, month, day, second = named, 1, 1, c.midnight
		}
		left := uint32(c.months) >> month << month
		if left == 0 {
			year, month, day, second = year+1, 1, 1, c.midnight
			continue
		}
		if named := bits.TrailingZeros32(left); named != month {
			month, day, second = named, 1, c.midnight
		}
		first := daysBefore(year, month)
		set := c.days.in(weekday(first), monthLength(year, month))
		if set = set >> day << day; set != 0 {
			date := bits.TrailingZeros32(set)
			if date != day {
				second = c.midnight
			}
			return (first+int64(date)-1)*secondsPerDay + int64(second), true
		}
		month, day, second = month+1, 1, c.midnight
	}
}

// clockNext returns the first time of day at or after from that the expression
// names, both in seconds since midnight on the wall, and false when the day
// has none left.
func (c *Cron) clockNext(from int) (int, bool) {
	hour, minute, second := from/3600, from/60%60, from%60
	if c.hours.has(hour) {
		if c.minutes.has(minute) {
			if left := uint64(c.seconds) >> second << second; left != 0 {
				return hour*3600 + minute*60 + bits.TrailingZeros64(left), true
			}
		}
		minute++
		if left := uint64(c.minutes) >> minute << minute; left != 0 {
			return hour*3600 + bits.TrailingZeros64(left)*60 + bits.TrailingZeros64(uint64(c.seconds)), true
		}
	}
	hour++
	left := uint64(c.hours) >> hour << hour
	if left == 0 {
		return 0, false
	}
	return bits.TrailingZeros64(left)*3600 + c.midnight%3600, true
}

// civil returns the date of a day counted from 1970-01-01, which is day 0 and
// must not be passed downwards. It reckons in years that begin on 1 March, so
// that the leap day is the last of its year.
func civil(day int64) (year, month, date int) {
	const (
		toEpoch    = 719468 // days from 0000-03-01 to 1970-01-01
		perEra     = 146097 // days of 400 years
		per4Years  = 1460
		perCentury = 36524
	)
	d := int(day) + toEpoch
	era := d / perEra
	d %= perEra
	y := (d - d/per4Years + d/perCentury - d/(perEra-1)) / 365
	d -= 365*y + y/4 - y/100
	m := (5*d + 2) / 153 // 0 is March
	date = d - (153*m+2)/5 + 1
	year, month = era*400+y, m+3
	if month > 12 {
		year, month = year+1, month-12
	}
	return year, month, date
}

// daysBefore returns the days from 1970-01-01 to the first of a month; the
// month may be 13.
func daysBefore(year, month int) int64 {
	before := [...]int{0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334}
	y := year - 1
	days := 365*(year-1970) + (y/4 - y/100 + y/400) - 477 + before[month]
	if month > 2 && leap(year) {
		days++
	}
	return int64(days)
}

// weekday returns the day of the week, 0 being Sunday, of a day counted from
// 1970-01-01, a Thursday.
func weekday(day int64) int { return int((day + 4) % 7) }

func monthLength(year, month int) int {
	switch month {
	case 2:
		if leap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

func leap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }
