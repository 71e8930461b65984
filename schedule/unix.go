package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// unixFields is the number of fields of a Unix expression, which begins with the
// minute.
const unixFields = 5

// macro returns the Unix expression of a macro in capital letters, and "" when
// there is none.
func macro(name string) string {
	switch name {
	case "@YEARLY", "@ANNUALLY":
		return "0 0 1 1 *"
	case "@MONTHLY":
		return "0 0 1 * *"
	case "@WEEKLY":
		return "0 0 * * 0"
	case "@DAILY", "@MIDNIGHT":
		return "0 0 * * *"
	case "@HOURLY":
		return "0 * * * *"
	}
	return ""
}

// allowedMacros is the hint about macros.
const allowedMacros = "allowed are @yearly @annually @monthly @weekly @daily @midnight @hourly, and @every with a period, such as @every 90s"

// parseAny reads an expression of any dialect.
func (p *parser) parseAny() error {
	p.any = true
	fields := p.split()
	if len(fields) > 0 && p.text[fields[0].from] == '@' {
		return p.parseMacro(fields)
	}
	if len(fields) == unixFields {
		return p.parseUnix(fields)
	}
	return p.parse(fields)
}

func (p *parser) parseMacro(fields []span) error {
	name, at := fields[0], p.cron.expr
	wrong := &Error{Input: inputCron, Pos: name.from + 1, Hint: allowedMacros}
	text := macro(p.text[name.from:name.to])
	switch {
	case p.text[name.from:name.to] == "@EVERY":
		wrong.Message, wrong.Hint = "@every is a rate and has no wall times", "give it as the expression of a schedule"
		return wrong
	case text == "":
		wrong.Message = p.show(name) + " is not a macro"
		return wrong
	case len(fields) > 1:
		wrong.Pos = fields[1].from + 1
		wrong.Message = fmt.Sprintf("nothing can follow %s, but %s does", at[name.from:name.to], p.show(fields[1]))
		return wrong
	}
	whole := parser{cron: p.cron, text: text, any: true}
	return whole.parseUnix(whole.split())
}

// parseUnix reads the five fields of a Unix expression.
func (p *parser) parseUnix(fields []span) error {
	p.unix = true
	p.cron.seconds = 1
	for i, at := range fields {
		p.field, p.set = field(i)+fieldMinute, 0
		if err := p.readUnixField(at); err != nil {
			return err
		}
		p.store()
	}
	p.everyYear()
	dates, week := p.text[fields[2].from:fields[2].to], p.text[fields[4].from:fields[4].to]
	d := &p.cron.days
	switch {
	case dates == "*":
		d.byWeek = true
	case week == "*": // dates alone
	case dates[0] == '*' || week[0] == '*':
		d.both = true
		p.field = fieldWeekday
		p.warn(fields[4].from, "a day counts only when it is in the day-of-month field too, because one of the two begins with *")
	default:
		d.either = true
	}
	p.cron.setClock()
	return nil
}

// readUnixField reads the terms of a field.
func (p *parser) readUnixField(at span) error {
	for from := at.from; from <= at.to; {
		to := at.to
		if i := strings.IndexByte(p.text[from:at.to], ','); i >= 0 {
			to = from + i
		}
		if from == to {
			return p.wrong(from, "a value is missing", p.allowed())
		}
		if err := p.readUnixTerm(span{from, to}); err != nil {
			return err
		}
		from = to + 1
	}
	return nil
}

// readUnixTerm reads "*", "a" or "a-b", each with or without "/n".
func (p *parser) readUnixTerm(at span) error {
	first, last, pos, err := p.readUnixRange(at)
	if err != nil {
		return err
	}
	step := 1
	if pos < at.to && p.text[pos] == '/' {
		if text := p.text[at.from:pos]; text != "*" && !strings.Contains(text, "-") {
			last = fieldRules[p.field].max // "5/15" goes on to the end
		}
		from := pos + 1
		if step, pos, err = p.readStep(span{pos, at.to}); err != nil {
			return err
		}
		if step == 0 {
			return p.wrong(from, "the step is 0", p.allowed())
		}
	}
	if pos < at.to {
		return p.wrong(pos, p.show(span{pos, at.to})+" is not expected here", p.allowed())
	}
	p.addRange(first, last, step)
	return nil
}

// readUnixRange reads "*", "a" or "a-b" and returns its ends and the offset
// behind it.
func (p *parser) readUnixRange(at span) (first, last, end int, err error) {
	if p.text[at.from] == '*' {
		rule := fieldRules[p.field]
		return rule.min, rule.max, at.from + 1, nil
	}
	if first, end, err = p.readUnixValue(at); err != nil {
		return 0, 0, 0, err
	}
	if end == at.to || p.text[end] != '-' {
		return first, first, end, nil
	}
	last, end, err = p.readUnixValue(span{end + 1, at.to})
	return first, last, end, err
}

// readUnixValue reads a number or a name and returns the value in the numbers of
// Quartz, whose Sunday is 1, and the offset behind it.
func (p *parser) readUnixValue(at span) (n, end int, err error) {
	rule := fieldRules[p.field]
	if at.to-at.from >= 3 {
		if n, ok := rule.number(p.text[at.from : at.from+3]); ok {
			return n, at.from + 3, nil
		}
	}
	if at.from == at.to || !isDigit(p.text[at.from]) {
		message := "a value is missing"
		if at.from < at.to {
			message = p.show(at) + " is not expected here"
		}
		return 0, 0, p.wrong(at.from, message, p.allowed())
	}
	if n, end, err = p.readDigits(at, "a number"); err != nil {
		return 0, 0, err
	}
	low, high := rule.min, rule.max
	if p.field == fieldWeekday {
		low, high = 0, 7
	}
	if n < low || n > high {
		return 0, 0, p.wrong(at.from, fmt.Sprintf("%d is out of range", n), p.allowed())
	}
	if p.field == fieldWeekday {
		n++
	}
	return n, end, nil
}

// allowedInUnix describes the values that a field of a Unix expression may hold.
func (f field) allowedInUnix() string {
	const also = ", *, lists, ranges and steps; ? L W # are only for expressions of 6 or 7 fields, which begin with the second"
	switch f {
	case fieldMonth:
		return "allowed are 1-12 or JAN-DEC" + also
	case fieldWeekday:
		return "allowed are 0-7 (0 and 7 are Sunday) or SUN-SAT" + also
	default:
		r := fieldRules[f]
		return fmt.Sprintf("allowed are %d-%d", r.min, r.max) + also
	}
}

// everyText returns the place of the period in a text such as "@every 90s", and
// false when the text does not begin like that.
func everyText(expr string) (at span, ok bool) {
	p := parser{text: upper(expr)}
	if len(expr) > MaxExpression {
		return span{}, false
	}
	fields := p.split()
	if len(fields) == 0 || p.text[fields[0].from:fields[0].to] != "@EVERY" {
		return span{}, false
	}
	if len(fields) == 1 {
		return span{len(expr), len(expr)}, true
	}
	return span{fields[1].from, fields[len(fields)-1].to}, true
}

// parseEvery makes the rate whose period stands at a place of the text.
func parseEvery(expr string, at span) (Schedule, error) {
	const hint = "give a period such as 90s, 15m or 1h30m"
	wrong := &Error{Input: inputCron, Pos: at.from + 1, Hint: hint}
	if at.from == at.to {
		wrong.Message = "the period of @every is missing"
		return nil, wrong
	}
	period, err := time.ParseDuration(expr[at.from:at.to])
	if err != nil {
		p := parser{cron: &Cron{expr: expr}}
		wrong.Message = p.show(at) + " is not a period"
		return nil, wrong
	}
	s, err := newRate(period, time.Time{})
	if cause, ok := errors.AsType[*Error](err); ok {
		wrong.Message, wrong.Hint = cause.Message, cause.Hint
		return nil, wrong
	}
	return s, err
}
