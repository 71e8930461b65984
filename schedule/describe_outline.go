package schedule

import "slices"

// outline is an expression sorted into the parts of a sentence, whatever its language. It
// is the only reader of the Cron's fields here.
type outline struct {
	seconds, minutes, hours pattern
	dates, months, years    pattern // dates are those of plain numbers; they may be empty
	days                    days
	daily                   bool // every day of the months that are named
	whole                   bool // every day of every month of every year
	limit                   int  // the greatest length of a list
	clock                   clock
}

// clock is the form in which the times of a day are rendered.
type clock int

const (
	clockNested  clock = iota // field by field
	clockList                 // each time
	clockHours                // every n hours between two times, or in several such windows
	clockMinutes              // every n minutes between two times in one hour
	clockSeconds              // every n seconds between two times in one hour
)

func newOutline(c *Cron, limit int) *outline {
	o := &outline{
		seconds: newPattern(members(uint64(c.seconds)), 0, 60),
		minutes: newPattern(members(uint64(c.minutes)), 0, 60),
		hours:   newPattern(members(uint64(c.hours)), 0, 24),
		months:  newPattern(members(uint64(c.months)), 1, 12),
		years:   newPattern(c.years.members(), MinYear, MaxYear-MinYear+1),
		days:    c.days,
		limit:   limit,
	}
	o.days.nearest &^= 1 // 0W is no day
	o.settleDays()
	o.whole = o.daily && o.months.shape == shapeAll && o.years.shape == shapeAll
	o.clock = o.chooseClock()
	return o
}

// settleDays leaves of two day fields only those that make a difference.
func (o *outline) settleDays() {
	d := &o.days
	o.dates = newPattern(members(uint64(d.dates)), 1, 31)
	anyDate := o.dates.shape == shapeAll
	anyWeekday := d.weekdays == 1<<7-1 && d.nth == 0 && !d.last
	switch {
	case d.either:
		o.daily = anyDate || anyWeekday
	case d.both:
		d.both, d.byWeek = !anyDate && !anyWeekday, anyDate
		o.daily = anyDate && anyWeekday
	case d.byWeek:
		o.daily = anyWeekday
	default:
		o.daily = anyDate
	}
}

func (o *outline) chooseClock() clock {
	second, minute := len(o.seconds.values) == 1, len(o.minutes.values) == 1
	hour := len(o.hours.values) == 1
	times := len(o.seconds.values) * len(o.minutes.values) * len(o.hours.values)
	switch {
	case times <= fewTimes:
		return clockList
	case second && minute && o.hours.shape != shapeAll && len(o.hourRuns()) > 0:
		return clockHours
	case second && hour && o.minutes.regular():
		return clockNested
	case second && hour && o.minutes.step > 0:
		return clockMinutes
	case hour && o.seconds.regular() && (minute || o.minutes.step == 1 && o.minutes.shape != shapeAll):
		return clockSeconds
	case times <= maxListed:
		return clockList
	}
	return clockNested
}

// hourRuns returns the windows in which the hours follow each other at a fixed
// distance, which is hourStep, and none when a list reads better.
func (o *outline) hourRuns() []piece {
	if o.hours.step > 0 {
		return []piece{{o.hours.first(), o.hours.last()}}
	}
	runs := o.hourWindows()
	if len(runs) > 3 {
		return nil
	}
	for _, r := range runs {
		if (r.to-r.from+24)%24 < 2 {
			return nil
		}
	}
	return runs
}

// hourStep is the distance between the hours of the runs.
func (o *outline) hourStep() int { return max(o.hours.step, 1) }

// hourWindows returns the runs of hours. One passes midnight only when every
// day is named: otherwise it would not be clear which day it belongs to. A
// longer one than half a day reads better from midnight on.
func (o *outline) hourWindows() []piece {
	runs := group(o.hours.values, 1)
	if !o.whole {
		return runs
	}
	joined := joinEnds(slices.Clone(runs), 0, 23)
	if night := joined[len(joined)-1]; night.to < night.from && night.to-night.from+24 < 12 {
		return joined
	}
	return runs
}

// times returns each time of day.
func (o *outline) times() []clockTime {
	var all []clockTime
	for _, h := range o.hours.values {
		for _, m := range o.minutes.values {
			for _, s := range o.seconds.values {
				all = append(all, clockTime{h, m, s})
			}
		}
	}
	return all
}

// monthRun returns the one run that the months are. It passes the turn of the
// year only when every year is named.
func (o *outline) monthRun() (piece, bool) {
	run, ok := cyclicRun(o.months.values, 12)
	return run, ok && (run.from <= run.to || o.years.shape == shapeAll)
}

// plainWeek reports whether the days are those of certain weekdays, week by week.
func (o *outline) plainWeek() bool {
	return o.days.byWeek && o.days.nth == 0 && !o.days.last
}

// weekdays returns the weekdays, Monday first, 1 being Monday and 7 Sunday.
func (o *outline) weekdays() []int {
	week := uint64(o.days.weekdays)
	return members(week&^1 | week&1<<7)
}

// onlyDates reports whether the days are plain dates.
func (o *outline) onlyDates() bool {
	return !o.days.byWeek && o.days.fromLast|o.days.nearest|o.days.nearestFromLast == 0
}

// datePhrases are the words that a language has for the days of a month.
type datePhrases struct {
	dates           func(piece) string
	fromLast        func(int) string
	nearest         func(int) string
	nearestFromLast func(int) string
}

// dateItems returns the days of the day-of-month field in words, at most as
// many as a list may have, and how many days are left out.
func (o *outline) dateItems(in datePhrases) (items []string, more int) {
	shown, more := pieces(o.dates.values, o.limit)
	for _, p := range shown {
		items = append(items, in.dates(p))
	}
	for _, kind := range []struct {
		set    uint32
		phrase func(int) string
	}{
		{o.days.fromLast, in.fromLast},
		{o.days.nearest, in.nearest},
		{o.days.nearestFromLast, in.nearestFromLast},
	} {
		for _, n := range members(uint64(kind.set)) {
			if len(items) < o.limit {
				items = append(items, kind.phrase(n))
			} else {
				more++
			}
		}
	}
	return items, more
}

// members returns the numbers of a set, ascending.
func members(set uint64) []int {
	var found []int
	for n := range 64 {
		if bitset(set).has(n) {
			found = append(found, n)
		}
	}
	return found
}

// members returns the years, ascending.
func (s *yearSet) members() []int {
	var found []int
	for year, ok := s.next(MinYear); ok; year, ok = s.next(year + 1) {
		found = append(found, year)
	}
	return found
}
