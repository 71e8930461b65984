package schedule

import "math/bits"

// days are the days of a month that an expression names. One of the two day fields is in
// use, selected by byWeek, unless a Unix expression gives both.
type days struct {
	byWeek bool
	either bool // a day of either field counts
	both   bool // a day counts that is in both fields

	// The day-of-month field: plain dates 1..31; n for "L-n", 0 being L;
	// dates of "nW"; and n for "L-nW".
	dates, fromLast, nearest, nearestFromLast uint32

	// The day-of-week field: bit 0 is Sunday. With nth or last only that
	// occurrence in the month counts.
	weekdays uint32
	nth      int // 1..5, 0 for every occurrence
	last     bool
}

// in returns the set of days, as bits 1..31, in a month of the given length
// whose first day is the given weekday (0 is Sunday).
func (d *days) in(first, length int) uint32 {
	switch {
	case d.either:
		return d.datesIn(first, length) | d.weekdaysIn(first, length)
	case d.both:
		return d.datesIn(first, length) & d.weekdaysIn(first, length)
	case d.byWeek:
		return d.weekdaysIn(first, length)
	}
	return d.datesIn(first, length)
}

func (d *days) datesIn(first, length int) uint32 {
	within := uint32(1)<<(length+1) - 2
	set := d.dates & within
	if d.fromLast|d.nearest|d.nearestFromLast == 0 {
		return set
	}
	set |= fromEnd(d.fromLast, length)
	workdays := d.nearest&within | fromEnd(d.nearestFromLast, length)
	for ; workdays != 0; workdays &= workdays - 1 {
		set |= 1 << nearestWorkday(bits.TrailingZeros32(workdays), first, length)
	}
	return set
}

func (d *days) weekdaysIn(first, length int) uint32 {
	// Turn the week so that bit 0 is the weekday of day 1, lay it out five
	// times, and move it up to begin with bit 1.
	week := uint64(d.weekdays>>first|d.weekdays<<(7-first)) & 0x7f
	set := week * (1 | 1<<7 | 1<<14 | 1<<21 | 1<<28) << 1
	set &= 1<<(length+1) - 2
	switch {
	case d.last:
		set &^= 1<<(length-6) - 1
	case d.nth > 0:
		set &= 0x7f << (7*(d.nth-1) + 1)
	}
	return uint32(set)
}

// fromEnd turns a set of n into the set of the days length-n; days before the
// first one fall away.
func fromEnd(offsets uint32, length int) uint32 {
	return bits.Reverse32(offsets) >> (31 - length) &^ 1
}

// nearestWorkday returns the day from Monday to Friday that is nearest to a
// day and in the same month.
func nearestWorkday(day, first, length int) int {
	switch (first + day - 1) % 7 {
	case 6: // Saturday
		if day == 1 {
			return 3
		}
		return day - 1
	case 0: // Sunday
		if day == length {
			return day - 2
		}
		return day + 1
	}
	return day
}
