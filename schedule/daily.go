package schedule

import (
	"fmt"
	"time"
)

// Daily is a window of the day and the pace of the firings in it, as
// [ParseDaily] reads them.
type Daily struct {
	// From and To bound the window, in whole seconds since midnight on the
	// wall: From is 0 s..23:59:59, To up to 24 h. A To before From lies on the
	// next day. To fires too when the pace leads to it.
	From, To time.Duration
	// Every is the time between firings, counted from From.
	Every time.Duration
	// Days has a bit for each weekday on which a window begins, 1<<time.Sunday
	// and so on.
	Days uint8
}

// everyDay is the Days of all weekdays.
const everyDay = 1<<7 - 1

// length is the length of the window on a day on which the clock does not step.
func (d Daily) length() time.Duration {
	if d.To < d.From {
		return d.To - d.From + 24*time.Hour
	}
	return d.To - d.From
}

// String returns the shortest text that means d, such as
// "09:00-18:00 MON-FRI every 5m".
func (d Daily) String() string {
	clock := func(at time.Duration) string {
		second := int(at / time.Second)
		return clockTime{second / 3600, second / 60 % 60, second % 60}.text(second%60 != 0)
	}
	text := clock(d.From) + "-" + clock(d.To)
	if d.Days != everyDay {
		text += " " + daysText(d.Days)
	}
	return text + " every " + shortDuration(d.Every)
}

// daysText is the weekdays of a set that is not empty, Monday first.
func daysText(set uint8) string {
	text := ""
	name := func(day int) string { return weekdayNames[day%7] }
	for _, p := range joinEnds(group(weekdaysOf(set), 3), 1, 7) {
		if text != "" {
			text += ","
		}
		text += name(p.from)
		if p.from != p.to {
			text += "-" + name(p.to)
		}
	}
	return text
}

// weekdaysOf returns the weekdays of a set, 1 being Monday and 7 Sunday.
func weekdaysOf(set uint8) []int {
	week := uint64(set)
	return members(week&^1 | week&1<<7)
}

// daily is a Daily in a zone, with the rule for windows that the clock jumps over
// whole.
type daily struct {
	Daily
	zone *time.Location
	gap  GapRule
}

func newDaily(text string, zone *time.Location, dst *DST) (Schedule, error) {
	d, err := ParseDaily(text)
	if err != nil {
		return nil, err
	}
	var rules DST
	if dst != nil {
		rules = *dst
	}
	if err := rules.Validate(); err != nil {
		return nil, err
	}
	return daily{d, zone, rules.Gap}, nil
}

// maxWindowless is how many days in a row may have no window: a week, and the
// weeks around when clock changes take one away.
const maxWindowless = 3 * 7

// Next returns the first firing strictly after the instant. It looks at the
// windows of a few days.
func (d daily) Next(after time.Time) (time.Time, bool) {
	from := milli(after)
	s := stretchAt(d.zone, floorDiv(from, 1000))
	// The window of the day before may go on. When the clock has gone back over
	// midnight the day is older by one.
	first := max(s.day()-2, 0)
	if d.From < d.To {
		first = max(s.day()-1, 0)
	}
	var least int64
	found := false
	for day := first; day <= s.day()+maxWindowless; day++ {
		if d.Days>>weekday(day)&1 == 0 {
			continue
		}
		if year, _, _ := civil(day); year > MaxYear {
			break
		}
		begin, end := d.window(day)
		if found && begin >= least {
			break
		}
		if at, ok := d.within(begin, end, from); ok && (!found || at < least) {
			least, found = at, true
		}
	}
	if !found {
		return time.Time{}, false
	}
	return time.UnixMilli(least).UTC(), true
}

// within returns the first firing of a window after an instant.
func (d daily) within(begin, end, after int64) (int64, bool) {
	at := begin
	if after >= begin {
		every := d.Every.Milliseconds()
		at += ((after-begin)/every + 1) * every
	}
	return at, at <= end
}

// window returns the first and the last millisecond of the window that begins on
// a day. A day without a window has its last before its first.
func (d daily) window(day int64) (begin, end int64) {
	wall := day*secondsPerDay + int64(d.From/time.Second)
	from := showings(d.zone, wall)
	to := showings(d.zone, wall+int64(d.length()/time.Second))
	begin, end = from.first*1000, to.last*1000
	if to.jumped {
		end--
	}
	if from.jumped && to.jumped && from.first == to.first {
		switch d.gap {
		case GapAfter:
			return begin, begin
		case GapBefore:
			return begin - 1000, begin - 1000
		case GapSkip: // the default
		}
	}
	return begin, end
}

// dailyHint is the hint about the form of a Daily.
const dailyHint = `write it such as "09:00-18:00 MON-FRI every 5m"`

// wrongDaily makes the error about the byte at an offset of the text.
func wrongDaily(at int, hint, format string, args ...any) error {
	return &Error{Input: "daily", Pos: at + 1, Message: fmt.Sprintf(format, args...), Hint: hint}
}
