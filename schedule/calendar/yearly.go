package calendar

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxEasterOffset bounds the days before or after Easter. It keeps a rule's day
// within the year before or after the one it belongs to.
const maxEasterOffset = 300

const ruleHint = "write it such as 12-25, 11-THU#4, 05-MONL, easter-2 or orthodox+1"

// recurrence is a compiled Yearly.
type recurrence struct {
	// day returns the day number in a year, before Observed moves it.
	day      func(year int) (int, bool)
	observed Observed
	from, to int // years, both included
	name     string
}

// dayInYear returns the day number on which the recurrence of a year is kept.
func (r recurrence) dayInYear(year int) (int, bool) {
	if year < r.from || year > r.to {
		return 0, false
	}
	n, comes := r.day(year)
	if !comes {
		return 0, false
	}
	switch weekday := weekdayOf(n); {
	case r.observed == "":
	case weekday == time.Sunday:
		n++
	case weekday == time.Saturday && r.observed == ObservedNearest:
		n--
	case weekday == time.Saturday:
		n += 2
	}
	return n, true
}

// names reports whether the recurrence is kept on a day, of which the year is
// given. What moves a rule's day moves it by less than a year.
func (r recurrence) names(n, year int) bool {
	for y := year - 1; y <= year+1; y++ {
		if kept, comes := r.dayInYear(y); comes && kept == n {
			return true
		}
	}
	return false
}

func (y Yearly) compile() (recurrence, *Error) {
	r := recurrence{observed: y.Observed, from: MinYear - 1, to: MaxYear + 1, name: y.Name}
	if err := checkText("name", y.Name, MaxName); err != nil {
		return r, err
	}
	day, err := parseRule(y.Rule)
	if err != nil {
		return r, err
	}
	r.day = day
	switch y.Observed {
	case "", ObservedNearest, ObservedMonday:
	default:
		return r, &Error{
			Input: "observed", Message: fmt.Sprintf("%.20q is no way to keep a holiday", string(y.Observed)),
			Hint: "use nearest or monday, or leave it out",
		}
	}
	if y.FromYear != 0 {
		r.from = y.FromYear
	}
	if y.ToYear != 0 {
		r.to = y.ToYear
	}
	return r, y.checkYears()
}

func (y Yearly) checkYears() *Error {
	check := func(input string, year int) *Error {
		if year == 0 || year >= MinYear && year <= MaxYear {
			return nil
		}
		return &Error{
			Input: input, Message: fmt.Sprintf("the year %d is out of range", year),
			Hint: fmt.Sprintf("allowed are the years %d-%d; leave it out for no bound", MinYear, MaxYear),
		}
	}
	if err := check("from_year", y.FromYear); err != nil {
		return err
	}
	if err := check("to_year", y.ToYear); err != nil {
		return err
	}
	if y.ToYear != 0 && y.FromYear > y.ToYear {
		return &Error{
			Input: "to_year", Message: fmt.Sprintf("%d is before from_year, %d", y.ToYear, y.FromYear),
			Hint: "exchange them or leave one out",
		}
	}
	return nil
}

// parseRule reads the rule of a Yearly.
func parseRule(text string) (func(year int) (int, bool), *Error) {
	lower := strings.ToLower(text)
	if offset, found := strings.CutPrefix(lower, "easter"); found {
		return parseEaster(text, offset, westernEaster)
	}
	if offset, found := strings.CutPrefix(lower, "orthodox"); found {
		return parseEaster(text, offset, orthodoxEaster)
	}
	monthText, dayText, found := strings.Cut(text, "-")
	month, ok := twoDigits(monthText)
	if !found || !ok {
		return nil, noRule(text)
	}
	if month < 1 || month > 12 {
		return nil, &Error{
			Input: "rule", Message: fmt.Sprintf("%.20q: there is no month %s", text, monthText),
			Hint: "the months are 01-12",
		}
	}
	if day, ok := twoDigits(dayText); ok {
		return fixedDay(text, time.Month(month), day)
	}
	return weekdayInMonth(text, time.Month(month), dayText)
}

func noRule(text string) *Error {
	return &Error{Input: "rule", Message: fmt.Sprintf("%.20q is no rule of a yearly day", text), Hint: ruleHint}
}

// parseEaster reads what stands after the name of the feast: nothing, or a sign
// and days.
func parseEaster(text, offset string, easter func(year int) int) (func(year int) (int, bool), *Error) {
	days := 0
	if offset != "" {
		digits := offset[1:]
		n, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || offset[0] != '+' && offset[0] != '-' {
			return nil, noRule(text)
		}
		if n > maxEasterOffset {
			return nil, &Error{
				Input: "rule", Message: fmt.Sprintf("%.20q is too far from Easter", text),
				Hint: fmt.Sprintf("at most %d days are allowed", maxEasterOffset),
			}
		}
		if days = int(n); offset[0] == '-' {
			days = -days
		}
	}
	return func(year int) (int, bool) { return easter(year) + days, true }, nil
}

func fixedDay(text string, month time.Month, day int) (func(year int) (int, bool), *Error) {
	const leapYear = 2024
	if !(Date{leapYear, month, day}).exists() {
		return nil, &Error{
			Input: "rule", Message: fmt.Sprintf("%.20q: %s has no day %d", text, month, day),
			Hint: ruleHint,
		}
	}
	return func(year int) (int, bool) {
		d := Date{year, month, day}
		return d.number(), d.Day <= daysIn(year, month)
	}, nil
}

// weekdayInMonth reads "THU#4" and "MONL".
func weekdayInMonth(text string, month time.Month, day string) (func(year int) (int, bool), *Error) {
	if len(day) < 4 {
		return nil, noRule(text)
	}
	weekday, err := ParseWeekday(day[:3])
	if err != nil {
		return nil, noRule(text)
	}
	switch which := day[3:]; {
	case strings.EqualFold(which, "L"):
		return func(year int) (int, bool) {
			last := Date{year, month, daysIn(year, month)}.number()
			return last - (int(weekdayOf(last))-int(weekday)+7)%7, true
		}, nil
	case len(which) == 2 && which[0] == '#' && which[1] >= '1' && which[1] <= '5':
		weeks := int(which[1] - '1')
		return func(year int) (int, bool) {
			first := Date{year, month, 1}.number()
			later := (int(weekday)-int(weekdayOf(first))+7)%7 + 7*weeks
			return first + later, later < daysIn(year, month)
		}, nil
	}
	return nil, noRule(text)
}

// twoDigits reads a number of exactly two digits.
func twoDigits(text string) (int, bool) {
	if len(text) != 2 || text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9' {
		return 0, false
	}
	return int(text[0]-'0')*10 + int(text[1]-'0'), true
}

// daysIn returns how many days a month has.
func daysIn(year int, month time.Month) int { return Date{year, month + 1, 0}.midnight().Day() }
