package schedule

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// ParseCron compiles an expression of the Quartz dialect in a zone; nil means
// UTC. Its errors are [*Error].
//
// The fields are second, minute, hour, day-of-month, month, day-of-week and,
// optionally, year, with blanks between them. Exactly one of the two day fields
// is "?". Case does not matter. Ranges may wrap ("22-2", "NOV-FEB"). Where
// Quartz is lenient this parser is lenient in the same way, so that expressions
// in use keep their meaning; [Cron.Warnings] says where. An expression whose day
// never comes ("0 0 0 31 2 ?") parses.
func ParseCron(expr string, zone *time.Location) (*Cron, error) {
	if len(expr) > MaxExpression {
		return nil, &Error{
			Input: inputCron, Message: fmt.Sprintf("the expression has %d bytes", len(expr)),
			Hint: fmt.Sprintf("at most %d are allowed", MaxExpression),
		}
	}
	if zone == nil {
		zone = time.UTC
	}
	p := parser{cron: &Cron{expr: expr, zone: zone}, text: upper(expr)}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.cron, nil
}

// parser holds the place it has reached; one parser reads one expression.
type parser struct {
	cron *Cron
	text string // the expression in capital letters

	field   field
	set     bitset           // values of the field so far; years go to the Cron
	noValue [fieldCount]bool // whether a day field has a "?"
}

// span is a part of the expression: the bytes from..to.
type span struct{ from, to int }

func (p *parser) parse() error {
	fields := p.split()
	switch {
	case len(fields) > int(fieldCount):
		return p.wrongShape(fields[fieldCount].from, fmt.Sprintf("the expression has %d fields", len(fields)))
	case len(fields) < int(fieldYear):
		return p.wrongShape(len(p.text), fmt.Sprintf("the expression ends after %d fields", len(fields)))
	}
	for i, at := range fields {
		p.field, p.set = field(i), 0
		if err := p.readField(at); err != nil {
			return err
		}
		p.store()
	}
	if len(fields) == int(fieldYear) {
		for year := MinYear; year <= MaxYear; year++ {
			p.cron.years.add(year)
		}
	}
	return p.finish(fields)
}

// split finds the fields.
func (p *parser) split() []span {
	var fields []span
	start := -1
	for i := 0; i <= len(p.text); i++ {
		blank := i == len(p.text) || strings.IndexByte(" \t\r\n", p.text[i]) >= 0
		switch {
		case blank && start >= 0:
			fields = append(fields, span{start, i})
			start = -1
		case !blank && start < 0:
			start = i
		}
	}
	return fields
}

// readField reads the terms of a field. Empty terms count for nothing, as in
// ",5".
func (p *parser) readField(at span) error {
	whole := p.text[at.from:at.to]
	if p.field == fieldWeekday {
		if i := strings.IndexByte(whole, 'L'); i >= 0 && strings.Contains(whole, ",") {
			return p.wrong(at.from+i, "L cannot stand in a list of weekdays", "give one weekday, such as 6L")
		}
		if i := strings.LastIndexByte(whole, '#'); i != strings.IndexByte(whole, '#') {
			return p.wrong(at.from+i, "only one # can stand in the field", "give one, such as 6#3")
		}
	}
	terms := 0
	for from := at.from; from < at.to; {
		to := at.to
		if i := strings.IndexByte(p.text[from:at.to], ','); i >= 0 {
			to = from + i
		}
		if to > from {
			terms++
			if err := p.readTerm(span{from, to}); err != nil {
				return err
			}
		}
		from = to + 1
	}
	if terms == 0 {
		return p.wrong(at.from, "the field has no value", p.field.allowed())
	}
	return nil
}

// store hands the values of a field to the Cron.
func (p *parser) store() {
	c := p.cron
	switch p.field {
	case fieldSecond:
		c.seconds = p.set
	case fieldMinute:
		c.minutes = p.set
	case fieldHour:
		c.hours = p.set
	case fieldDate:
		c.days.dates = uint32(p.set)
	case fieldMonth:
		c.months = p.set
	case fieldWeekday:
		c.days.weekdays = uint32(p.set >> 1)
	case fieldYear, fieldCount: // years are in the Cron already
	}
}

// finish checks and settles what concerns more than one term.
func (p *parser) finish(fields []span) error {
	d := &p.cron.days
	switch {
	case p.noValue[fieldDate] && p.noValue[fieldWeekday]:
		p.field = fieldWeekday
		return p.wrong(fields[fieldWeekday].from, "day-of-month and day-of-week are both ?",
			"give one of them a value, such as *")
	case !p.noValue[fieldDate] && !p.noValue[fieldWeekday]:
		p.field = fieldWeekday
		return p.wrong(fields[fieldWeekday].from, "day-of-month and day-of-week are both given",
			"write ? for the one that does not matter")
	}
	d.byWeek = p.noValue[fieldDate]
	p.dropUnused(fields)
	if d.byWeek && d.nth > 0 && d.weekdays&(d.weekdays-1) != 0 {
		first := bits.TrailingZeros32(d.weekdays)
		p.field = fieldWeekday
		p.warn(fields[fieldWeekday].from, "with # only one weekday counts: %s", weekdayNames[first])
		d.weekdays = 1 << first
	}
	p.cron.midnight = bits.TrailingZeros64(uint64(p.cron.hours))*3600 +
		bits.TrailingZeros64(uint64(p.cron.minutes))*60 + bits.TrailingZeros64(uint64(p.cron.seconds))
	return nil
}

// dropUnused drops the values that stand in a list with "?".
func (p *parser) dropUnused(fields []span) {
	used := p.cron.days
	if used.byWeek {
		p.field = fieldDate
		used.dates, used.fromLast, used.nearest, used.nearestFromLast = 0, 0, 0, 0
	} else {
		p.field = fieldWeekday
		used.weekdays, used.nth, used.last = 0, 0, false
	}
	if used != p.cron.days {
		p.warn(fields[p.field].from, "the other values count for nothing beside ?")
		p.cron.days = used
	}
}

// wrong makes the error about the byte at an offset in the present field.
func (p *parser) wrong(at int, message, hint string) error {
	return &Error{Input: inputCron, Field: fieldRules[p.field].name, Pos: at + 1, Message: message, Hint: hint}
}

// wrongShape makes the error about an expression with too few or too many fields.
func (p *parser) wrongShape(at int, message string) error {
	return &Error{
		Input: inputCron, Pos: at + 1, Message: message,
		Hint: "allowed are 6 or 7, with blanks between: second minute hour day-of-month month day-of-week [year]",
	}
}

// warn notes a surprise at an offset in the present field.
func (p *parser) warn(at int, format string, args ...any) {
	p.cron.warnings = append(p.cron.warnings, fmt.Sprintf("%s (column %d): ", fieldRules[p.field].name, at+1)+
		fmt.Sprintf(format, args...))
}

// upper turns ASCII letters into capitals and keeps the place of each byte.
func upper(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}
