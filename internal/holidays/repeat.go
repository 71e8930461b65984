package holidays

import (
	"strings"
	"time"

	"github.com/teambition/rrule-go"

	"github.com/orthd/orth/schedule/calendar"
)

// Limits of repeated events. They also keep rules that never come true from
// taking long.
const (
	maxRules      = 100 // of a text
	maxRuleLength = 250 // bytes
	maxInterval   = 1000
	maxYears      = 100 // that a rule is written out for
	firstStart    = 1900
)

// leap is so many years ahead. The calendar repeats every 400 years, so a rule
// gives the same days there; but there it soon reaches the year 9999, where the
// search for the next day of a rule that has none ends.
const leap = 19 * 400

// expand returns the starts of the occurrences that touch the days that g takes,
// for an event that begins at start and is so long. There are at most one a day
// for maxYears.
func (r repetition) expand(start time.Time, length time.Duration, g *gathering) ([]time.Time, error) {
	rule, err := r.compile(start)
	if err != nil {
		return nil, err
	}
	begin := midnight(g.first)
	if start.After(begin) {
		begin = start
	}
	end := midnight(g.last).Add(dayLength)
	limited := begin.AddDate(maxYears, 0, 0)
	if limited.Before(end) {
		end = limited
	}
	var starts []time.Time
	for next := rule.Iterator(); ; {
		t, found := next()
		if !found {
			return starts, nil
		}
		t = t.AddDate(-leap, 0, 0)
		if !t.Before(end) {
			g.until = earliest(g.until, calendar.DateOf(end.Add(-1)))
			return starts, nil
		}
		if t.Add(length).Before(begin) {
			continue
		}
		starts = append(starts, t)
	}
}

// compile checks the rule and moves it ahead by leap.
func (r repetition) compile(start time.Time) (*rrule.RRule, error) {
	if len(r.text) > maxRuleLength {
		return nil, lineErrorf(r.line, "RRULE has %d bytes: at most %d are allowed", len(r.text), maxRuleLength)
	}
	if start.Year() < firstStart || start.Year() > calendar.MaxYear {
		return nil, lineErrorf(r.line, "the event repeats from %d on: let DTSTART be in the years %d-%d",
			start.Year(), firstStart, calendar.MaxYear)
	}
	o, err := rrule.StrToROption(strings.ToUpper(r.text))
	if err != nil {
		return nil, lineErrorf(r.line, "RRULE cannot be read: %v", err)
	}
	if err := r.check(o); err != nil {
		return nil, err
	}
	o.Byhour, o.Byminute, o.Bysecond = nil, nil, nil // only days count
	o.Dtstart = start.AddDate(leap, 0, 0)
	if !o.Until.IsZero() {
		until := o.Until
		if until.Equal(until.Truncate(dayLength)) {
			until = until.Add(dayLength - time.Second) // a day: it is included
		}
		o.Until = until.AddDate(leap, 0, 0)
	}
	rule, err := rrule.NewRRule(*o)
	if err != nil {
		return nil, lineErrorf(r.line, "RRULE cannot be read: %v", err)
	}
	return rule, nil
}

// check refuses what names no days, and what the library does not bound.
func (r repetition) check(o *rrule.ROption) error {
	if o.Freq > rrule.DAILY {
		return lineErrorf(r.line, "RRULE has FREQ=%s, which names no days: use YEARLY, MONTHLY, WEEKLY or DAILY", o.Freq)
	}
	if o.Interval > maxInterval {
		return lineErrorf(r.line, "RRULE has INTERVAL=%d: at most %d is allowed", o.Interval, maxInterval)
	}
	if len(o.Byeaster) > 0 {
		return lineErrorf(r.line, "RRULE has BYEASTER, which is no part of iCalendar: write the dates with RDATE")
	}
	most := 53
	if o.Freq == rrule.MONTHLY || len(o.Bymonth) > 0 {
		most = 5
	}
	for _, day := range o.Byweekday {
		if n := day.N(); n > most || n < -most {
			return lineErrorf(r.line, "RRULE has BYDAY=%s: a number of at most %d is allowed there", day.String(), most)
		}
	}
	return nil
}
