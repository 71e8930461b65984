package schedule

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// CronOptions are the options of [ParseCronWith].
type CronOptions struct {
	// Zone defaults to UTC.
	Zone *time.Location
	// DST defaults to the rules of [Quartz].
	DST DST
}

// ParseCronWith compiles an expression of any dialect. Its errors are [*Error].
// The number of fields tells the dialects apart:
//
//   - 6 or 7 fields are Quartz, as [ParseCron] reads it.
//   - 5 fields are Unix: minute, hour, day-of-month, month and day-of-week, of
//     which 0 and 7 are Sunday. It fires at second 0. When both day fields are
//     given, a day of either counts, but when one of them begins with "*", as in
//     "*/2", a day counts that is in both; so does cron(8). Ranges may wrap
//     ("22-2"), "5/15" begins at 5, and there is no ? L W #.
//   - @yearly (or @annually), @monthly, @weekly, @daily (or @midnight) and
//     @hourly stand for such expressions.
//
// "@every 90s" is no expression but a rate, which only a [Spec] can be.
func ParseCronWith(expr string, o CronOptions) (*Cron, error) {
	if err := o.DST.Validate(); err != nil {
		return nil, err
	}
	p, err := newParser(expr, o.Zone)
	if err != nil {
		return nil, err
	}
	if err := p.parseAny(); err != nil {
		return nil, err
	}
	p.cron.obey(o.DST)
	return p.cron, nil
}

// ParseCron compiles an expression of the Quartz dialect, and of no other, in a
// zone, under the rules of [Quartz] for clock changes; nil means UTC. Its errors
// are [*Error].
//
// The fields are second, minute, hour, day-of-month, month, day-of-week and,
// optionally, year, with blanks between them. Exactly one of the two day fields
// is "?". Case does not matter. Ranges may wrap ("22-2", "NOV-FEB"). Where
// Quartz is lenient this parser is lenient in the same way, so that expressions
// in use keep their meaning; [Cron.Warnings] says where. An expression whose day
// never comes ("0 0 0 31 2 ?") parses.
func ParseCron(expr string, zone *time.Location) (*Cron, error) {
	p, err := newParser(expr, zone)
	if err != nil {
		return nil, err
	}
	if err := p.parse(p.split()); err != nil {
		return nil, err
	}
	p.cron.obey(Quartz())
	return p.cron, nil
}

func newParser(expr string, zone *time.Location) (*parser, error) {
	if len(expr) > MaxExpression {
		return nil, &Error{
			Input: inputCron, Message: fmt.Sprintf("the expression has %d bytes", len(expr)),
			Hint: fmt.Sprintf("at most %d are allowed", MaxExpression),
		}
	}
	if zone == nil {
		zone = time.UTC
	}
	return &parser{cron: &Cron{expr: expr, zone: zone}, text: upper(expr)}, nil
}

// parser holds the place it has reached; one parser reads one expression.
type parser struct {
	cron *Cron
	text string // the expression in capital letters

	field   field
	set     bitset           // values of the field so far; years go to the Cron
	noValue [fieldCount]bool // whether a day field has a "?"
	any     bool             // whether other dialects than Quartz are allowed
	unix    bool             // whether this is one of 5 fields
}

// span is a part of the expression: the bytes from..to.
type span struct{ from, to int }

// fieldsOf is a number of fields in words.
func fieldsOf(n int) string {
	if n == 1 {
		return "1 field"
	}
	return fmt.Sprintf("%d fields", n)
}

// parse reads the fields of a Quartz expression.
func (p *parser) parse(fields []span) error {
	switch {
	case len(fields) > int(fieldCount):
		return p.wrongShape(fields[fieldCount].from, fmt.Sprintf("the expression has %d fields", len(fields)))
	case len(fields) < int(fieldYear):
		return p.wrongShape(len(p.text), "the expression ends after "+fieldsOf(len(fields)))
	}
	for i, at := range fields {
		p.field, p.set = field(i), 0
		if err := p.readField(at); err != nil {
			return err
		}
		p.store()
	}
	if len(fields) == int(fieldYear) {
		p.everyYear()
	}
	return p.finish(fields)
}

func (p *parser) everyYear() {
	for year := MinYear; year <= MaxYear; year++ {
		p.cron.years.add(year)
	}
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
	terms, empty := 0, -1
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
		} else {
			empty = from
		}
		from = to + 1
	}
	if terms == 0 {
		return p.wrong(at.from, "the field has no value", p.allowed())
	}
	if p.text[at.to-1] == ',' {
		empty = at.to - 1
	}
	if empty >= 0 {
		p.warn(empty, "a comma without a value counts for nothing")
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
	p.cron.setClock()
	return nil
}

// setClock notes the first and the last time of day.
func (c *Cron) setClock() {
	hours, minutes, seconds := uint64(c.hours), uint64(c.minutes), uint64(c.seconds)
	c.midnight = bits.TrailingZeros64(hours)*3600 + bits.TrailingZeros64(minutes)*60 + bits.TrailingZeros64(seconds)
	c.evening = (bits.Len64(hours)-1)*3600 + (bits.Len64(minutes)-1)*60 + bits.Len64(seconds) - 1
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
	hint := "allowed are 6 or 7, with blanks between: second minute hour day-of-month month day-of-week [year]"
	if p.any {
		hint += "; or 5, as in Unix: minute hour day-of-month month day-of-week; or a macro such as @daily"
	}
	return &Error{Input: inputCron, Pos: at + 1, Message: message, Hint: hint}
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
