package schedule

import (
	"fmt"
	"strings"
)

// readTerm reads one member of a field's list.
func (p *parser) readTerm(at span) error {
	text := p.text[at.from:at.to]
	switch c := text[0]; {
	case c == '?':
		return p.readNoValue(at)
	case c == '*' || c == '/':
		return p.readAll(at)
	case isLast(text):
		return p.readLast(at)
	case 'A' <= c && c <= 'Z':
		return p.readName(at)
	case isDigit(c):
		return p.readNumber(at)
	}
	return p.wrong(at.from, p.show(at)+" is not expected here", p.allowed())
}

// readNoValue reads "?". One more character is let pass, as in "??".
func (p *parser) readNoValue(at span) error {
	if p.field != fieldDate && p.field != fieldWeekday {
		return p.wrong(at.from, "? is only for day-of-month and day-of-week", p.allowed())
	}
	if at.to-at.from > 2 {
		return p.wrong(at.from+1, fmt.Sprintf("nothing can follow ?, but %s does", p.show(span{at.from + 1, at.to})), p.allowed())
	}
	p.ignored(span{at.from + 1, at.to})
	p.noValue[p.field] = true
	return nil
}

// readAll reads "*", "*/n" and "/n".
func (p *parser) readAll(at span) error {
	rule := fieldRules[p.field]
	slash := at.from
	if p.text[slash] == '*' {
		slash++
	}
	step := 1
	if slash < at.to && p.text[slash] == '/' {
		n, end, err := p.readStep(span{slash, at.to})
		if err != nil {
			return err
		}
		if end != at.to {
			return p.wrong(end, fmt.Sprintf("%s cannot follow the step", p.show(span{end, at.to})), p.allowed())
		}
		if n == 0 {
			p.warn(slash, "a step of 0 means every value")
			n = 1
		}
		step = n
	} else {
		p.ignored(span{slash, at.to})
	}
	p.addRange(rule.min, rule.max, step)
	return nil
}

// readLast reads "L", and in day-of-month "LW", "L-n" and "L-nW".
func (p *parser) readLast(at span) error {
	switch p.field {
	case fieldWeekday:
		p.ignored(span{at.from + 1, at.to})
		p.set.add(7)
		return nil
	case fieldDate:
	default:
		return p.wrong(at.from, "L is only for day-of-month and day-of-week", p.allowed())
	}
	back, pos := 0, at.from+1
	if pos < at.to && p.text[pos] == '-' {
		n, end, err := p.readDigits(span{pos + 1, at.to}, "the number of days before the last one")
		if err != nil {
			return err
		}
		if n > 30 {
			return p.wrong(pos+1, fmt.Sprintf("L-%d lies before every month", n), "allowed are L-0 to L-30")
		}
		back, pos = n, end
	}
	if pos < at.to { // only a W can be left
		p.cron.days.nearestFromLast |= 1 << back
	} else {
		p.cron.days.fromLast |= 1 << back
	}
	return nil
}

// readName reads a term that begins with a name: "MON", "MON-FRI", "JAN-MAR",
// "MON#2", "MONL". What follows after that counts for nothing, as in "MONDAY".
func (p *parser) readName(at span) error {
	first, err := p.readNameAt(at)
	if err != nil {
		return err
	}
	rest := span{at.from + 3, at.to}
	if rest.from == rest.to {
		p.addRange(first, first, 0)
		return nil
	}
	switch c := p.text[rest.from]; {
	case c == '-':
		last, err := p.readNameAt(span{rest.from + 1, at.to})
		if err != nil {
			return err
		}
		p.ignored(span{rest.from + 4, at.to})
		p.addRange(first, last, 1)
		return nil
	case c == '#' && p.field == fieldWeekday:
		return p.readNth(first, rest)
	case c == 'L' && p.field == fieldWeekday:
		p.ignored(span{rest.from + 1, at.to})
		p.cron.days.last = true
	default:
		p.ignored(rest)
	}
	p.addRange(first, first, 0)
	return nil
}

func (p *parser) readNameAt(at span) (int, error) {
	rule := fieldRules[p.field]
	if at.to-at.from >= 3 {
		if n, ok := rule.number(p.text[at.from : at.from+3]); ok {
			return n, nil
		}
	}
	message := p.show(at) + " is not expected here"
	if rule.names != nil {
		message = fmt.Sprintf("%s does not begin with a name such as %s", p.show(at), rule.names[0])
	}
	return 0, p.wrong(at.from, message, p.allowed())
}

// readNumber reads a term that begins with a number.
func (p *parser) readNumber(at span) error {
	first, pos, err := p.readDigits(at, "a number")
	if err != nil {
		return err
	}
	if err := p.checkValue(first, at.from); err != nil {
		return err
	}
	if pos == at.to {
		p.addRange(first, first, 0)
		return nil
	}
	days := p.field == fieldDate || p.field == fieldWeekday
	switch c := p.text[pos]; {
	case c == '-':
		return p.readRange(first, span{pos, at.to})
	case c == '/':
		step, end, err := p.readStep(span{pos, at.to})
		if err != nil {
			return err
		}
		if end != at.to {
			return p.wrong(end, fmt.Sprintf("%s cannot follow the step", p.show(span{end, at.to})), p.allowed())
		}
		if step == 0 {
			p.warn(pos, "a step of 0 means the value %d alone", first)
		}
		return p.addSteps(first, step, at.from)
	case c == 'L' && p.field == fieldWeekday:
		p.cron.days.last = true
		pos++
	case c == 'W' && p.field == fieldDate:
		p.ignored(span{pos + 1, at.to})
		p.cron.days.nearest |= 1 << first // bit 0, of 0W, is no day of any month
		return nil
	case c == '#' && p.field == fieldWeekday:
		return p.readNth(first, span{pos, at.to})
	case c == 'C' && days:
		p.warn(pos, "C is ignored, there is no calendar for it")
		pos++
	case strings.IndexByte("LW#C", c) >= 0:
		return p.wrong(pos, fmt.Sprintf("%c is not for this field", c), p.allowed())
	}
	p.ignored(span{pos, at.to})
	p.addRange(first, first, 0)
	return nil
}

// readRange reads "-b" and "-b/n" behind a first value.
func (p *parser) readRange(first int, at span) error {
	rule := fieldRules[p.field]
	last, pos, err := p.readDigits(span{at.from + 1, at.to}, "the end of the range")
	if err != nil {
		return err
	}
	switch {
	case p.field == fieldYear && last < first:
		return p.wrong(at.from+1, fmt.Sprintf("the range ends in %d, before it begins", last), "years do not wrap")
	case p.field != fieldYear && last > rule.max:
		return p.checkValue(last, at.from+1)
	case last < rule.min && p.field != fieldYear:
		p.warn(at.from+1, "a range that ends in 0 ends in %d", rule.max)
		last = rule.max
	}
	step := 1
	if pos < at.to && p.text[pos] == '/' {
		if step, pos, err = p.readDigits(span{pos + 1, at.to}, "the step"); err != nil {
			return err
		}
		if step == 0 {
			p.warn(at.from, "a step of 0 means the value %d alone", first)
		}
	}
	p.ignored(span{pos, at.to})
	p.addRange(first, last, step)
	return nil
}

// readNth reads "#n" behind a weekday.
func (p *parser) readNth(weekday int, at span) error {
	n, end, err := p.readDigits(span{at.from + 1, at.to}, "a number 1-5")
	if err != nil {
		return err
	}
	if n < 1 || n > 5 || end != at.to {
		return p.wrong(at.from+1, fmt.Sprintf("%s is not a number 1-5", p.show(span{at.from + 1, at.to})),
			"6#3 is the third Friday of the month")
	}
	p.cron.days.nth = n
	p.addRange(weekday, weekday, 0)
	return nil
}

// readStep reads "/n" and returns n and the offset behind it.
func (p *parser) readStep(at span) (step, end int, err error) {
	step, end, err = p.readDigits(span{at.from + 1, at.to}, "the step")
	if rule := fieldRules[p.field]; err == nil && step > rule.maxStep {
		err = p.wrong(at.from+1, fmt.Sprintf("the step %d is too large", step),
			fmt.Sprintf("allowed are steps up to %d", rule.maxStep))
	}
	return step, end, err
}

// readDigits reads a number at the beginning of at and returns it and the
// offset behind it. what names it in the error.
func (p *parser) readDigits(at span, what string) (n, end int, err error) {
	end = at.from
	for end < at.to && isDigit(p.text[end]) {
		n = n*10 + int(p.text[end]-'0')
		end++
		if n > maxNumber {
			return 0, 0, p.wrong(at.from, "the number is too large", p.allowed())
		}
	}
	if end == at.from {
		if at.from == at.to {
			return 0, 0, p.wrong(at.from, what+" is missing", p.allowed())
		}
		return 0, 0, p.wrong(at.from, fmt.Sprintf("%s is missing before %s", what, p.show(at)), p.allowed())
	}
	return n, end, nil
}

// allowed describes the values that the present field may hold.
func (p *parser) allowed() string {
	if p.unix {
		return p.field.allowedInUnix()
	}
	return p.field.allowed()
}

// checkValue refuses a value out of the field's range. Any year is let pass: one
// that is out of range never comes.
func (p *parser) checkValue(n, at int) error {
	rule := fieldRules[p.field]
	if p.field == fieldYear || n >= rule.min && n <= rule.max {
		return nil
	}
	if p.field == fieldDate && n == 0 && strings.HasPrefix(p.text[at:], "0W") {
		return nil
	}
	return p.wrong(at, fmt.Sprintf("%d is out of range", n), p.allowed())
}

// addRange adds the values from first to last in steps; a step of 0 adds the
// first one only. A range whose end lies before its beginning wraps.
func (p *parser) addRange(first, last, step int) {
	rule := fieldRules[p.field]
	size := rule.max - rule.min + 1
	if last < first {
		last += size
	}
	if step == 0 {
		last, step = first, 1
	}
	if p.field == fieldYear {
		last = min(last, MaxYear)
	}
	for n := first; n <= last; n += step {
		if p.field == fieldYear {
			p.cron.years.add(n)
		} else {
			p.set.add(rule.min + (n-rule.min)%size)
		}
	}
}

// addSteps adds first and every step-th value up to the end of the field.
func (p *parser) addSteps(first, step, at int) error {
	rule := fieldRules[p.field]
	if first > rule.max { // only a year can be
		return p.wrong(at, fmt.Sprintf("the year %d is out of range", first), p.allowed())
	}
	p.addRange(first, rule.max, step)
	return nil
}

// ignored notes that a part of the expression counts for nothing.
func (p *parser) ignored(at span) {
	if at.from < at.to {
		p.warn(at.from, "%s is ignored", p.show(at))
	}
}

// show quotes a part of the expression, as it was written.
func (p *parser) show(at span) string {
	const most = 20
	text := p.cron.expr[at.from:at.to]
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return fmt.Sprintf("%q", text)
}

// isLast reports whether a term is L, LW, L-n or L-nW and not a name.
func isLast(text string) bool {
	if text == "L" || text == "LW" {
		return true
	}
	digits, ok := strings.CutPrefix(text, "L-")
	return ok && strings.Trim(strings.TrimSuffix(digits, "W"), "0123456789") == ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
