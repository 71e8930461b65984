package calendar

import (
	"fmt"
	"unicode/utf8"
)

// Compile checks the rules and makes the Calendar that they describe. Its errors
// are [*Error]. Beyond what is not understood it refuses rules that allow no day
// at all.
func (r Rules) Compile() (*Calendar, error) {
	if err := r.checkLimits(); err != nil {
		return nil, err
	}
	c := &Calendar{known: r.KnownUntil}
	for _, add := range []func(*Calendar) *Error{r.addWeekdays, r.addDates, r.addRanges, r.addYearly, r.addExcept} {
		if err := add(c); err != nil {
			return nil, err
		}
	}
	// Up to here the set holds the days that are named.
	if r.Mode != ModeOnly {
		c.allowed.complement()
	}
	if _, found := c.allowed.nextDay(firstDay); !found {
		return nil, r.noDay()
	}
	return c, nil
}

func (r Rules) noDay() *Error {
	e := &Error{Input: "mode", Message: "the rules name every day, so the calendar allows no day", Hint: "name fewer days"}
	if r.Mode == ModeOnly {
		e.Message = "the rules name no day, so the calendar allows no day"
		e.Hint = `name the days that are allowed, or use the mode "exclude"`
	}
	return e
}

// checkLimits checks what needs no look at single days.
func (r Rules) checkLimits() *Error {
	switch r.Mode {
	case "", ModeExclude, ModeOnly:
	default:
		return &Error{
			Input: "mode", Message: fmt.Sprintf("%.20q is no mode of a calendar", string(r.Mode)),
			Hint: "use exclude or only",
		}
	}
	for _, list := range []struct {
		input      string
		count, max int
	}{
		{"weekdays", len(r.Weekdays), 7},
		{"dates", len(r.Dates), MaxDays},
		{"ranges", len(r.Ranges), MaxRanges},
		{"yearly", len(r.Yearly), MaxYearly},
		{"except", len(r.Except), MaxDays},
	} {
		if list.count > list.max {
			return &Error{
				Input: list.input, Message: fmt.Sprintf("has %d entries", list.count),
				Hint: fmt.Sprintf("at most %d are allowed", list.max),
			}
		}
	}
	if !r.KnownUntil.IsZero() {
		if err := checkDate("known_until", r.KnownUntil); err != nil {
			return err
		}
	}
	return checkText("source", r.Source, MaxSource)
}

func (r Rules) addWeekdays(c *Calendar) *Error {
	for i, w := range r.Weekdays {
		if !w.exists() {
			return &Error{Input: fmt.Sprintf("weekdays[%d]", i), Message: w.String() + " does not exist", Hint: weekdayHint}
		}
		if c.weekdays[w] {
			return &Error{Input: fmt.Sprintf("weekdays[%d]", i), Message: w.String() + " is there already", Hint: "leave it out"}
		}
		c.weekdays[w] = true
	}
	if len(r.Weekdays) == 0 {
		return nil
	}
	for n := firstDay; n <= lastDay; n++ {
		if c.weekdays[weekdayOf(n)] {
			c.allowed.add(n)
		}
	}
	return nil
}

func (r Rules) addDates(c *Calendar) *Error {
	c.dates = make(map[int]string, len(r.Dates))
	for i, d := range r.Dates {
		if err := d.check(); err != nil {
			return err.within("dates", i)
		}
		n := d.Date.number()
		c.allowed.add(n)
		if c.dates[n] == "" && d.Name != "" {
			c.dates[n] = d.Name
		}
	}
	return nil
}

func (r Rules) addRanges(c *Calendar) *Error {
	for i, s := range r.Ranges {
		if err := s.check(); err != nil {
			return err.within("ranges", i)
		}
		first, last := s.From.number(), s.To.number()
		c.allowed.addAll(first, last)
		if s.Name != "" {
			c.ranges = append(c.ranges, dayRange{first, last, s.Name})
		}
	}
	return nil
}

func (r Rules) addYearly(c *Calendar) *Error {
	for i, y := range r.Yearly {
		again, err := y.compile()
		if err != nil {
			return err.within("yearly", i)
		}
		// What is kept in a known year may belong to the year beside it.
		for year := MinYear - 1; year <= MaxYear+1; year++ {
			if n, comes := again.dayInYear(year); comes && n >= firstDay && n <= lastDay {
				c.allowed.add(n)
			}
		}
		if again.name != "" {
			c.yearly = append(c.yearly, again)
		}
	}
	return nil
}

// addExcept comes last: it takes away what all others named.
func (r Rules) addExcept(c *Calendar) *Error {
	c.except = make(map[int]string, len(r.Except))
	for i, d := range r.Except {
		if err := d.check(); err != nil {
			return err.within("except", i)
		}
		n := d.Date.number()
		c.allowed.remove(n)
		if c.except[n] == "" {
			c.except[n] = d.Name
		}
	}
	return nil
}

func (d Day) check() *Error {
	if err := checkDate("date", d.Date); err != nil {
		return err
	}
	return checkText("name", d.Name, MaxName)
}

func (r Range) check() *Error {
	if err := checkDate("from", r.From); err != nil {
		return err
	}
	if err := checkDate("to", r.To); err != nil {
		return err
	}
	if r.From.Compare(r.To) > 0 {
		return &Error{
			Input: "to", Message: fmt.Sprintf("%s is before from, %s", r.To, r.From),
			Hint: "exchange them",
		}
	}
	return checkText("name", r.Name, MaxName)
}

func checkDate(input string, d Date) *Error {
	if d.IsZero() {
		return &Error{Input: input, Message: "is missing", Hint: "write a date such as 2026-05-01"}
	}
	if !d.exists() {
		return &Error{
			Input: input, Message: fmt.Sprintf("there is no day %s", d),
			Hint: fmt.Sprintf("write a date such as 2026-05-01, in the years %d-%d", MinYear, MaxYear),
		}
	}
	return nil
}

func checkText(input, text string, limit int) *Error {
	if n := utf8.RuneCountInString(text); n > limit {
		return &Error{
			Input: input, Message: fmt.Sprintf("has %d characters", n),
			Hint: fmt.Sprintf("at most %d are allowed", limit),
		}
	}
	return nil
}
