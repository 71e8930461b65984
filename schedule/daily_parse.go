package schedule

import (
	"strings"
	"time"
	"unicode/utf8"
)

// ParseDaily reads a window of the day and a pace. Its errors are [*Error].
//
//	09:00-18:00 every 5m               every day, at 09:00, 09:05 … 17:55, 18:00
//	09:00-18:00 MON-FRI every 5m       on these days only
//	22:30-05:00 SAT,SUN every 30s      past midnight: of the day it begins
//	00:00-24:00 every 7h               the whole day, beginning anew at midnight
//
// The times have seconds or not. Case does not matter, the hyphen may be an en
// dash, and there may be blanks around it. Ranges of days may wrap, as in
// "FRI-MON". The pace is from [MinEvery] up to the length of the window.
//
// A window begins and ends on the wall and keeps its pace in elapsed time between.
// When the clock jumps over its begin it begins right after the jump, and when the
// clock shows its begin twice it begins on the first pass. When the clock jumps
// over its end it ends before the jump, and when the clock shows its end twice it
// ends on the last pass.
func ParseDaily(text string) (Daily, error) {
	if len(text) > MaxExpression {
		return Daily{}, wrongDaily(-1, dailyHint, "the text has %d bytes, at most %d are allowed", len(text), MaxExpression)
	}
	p := dailyParser{text: text, upper: upper(text)}
	d := Daily{Days: everyDay}
	err := p.readWindow(&d)
	if err == nil && !p.word("EVERY") {
		err = p.readDays(&d)
	}
	if err == nil {
		err = p.readPace(&d)
	}
	if err != nil {
		return Daily{}, err
	}
	return d, nil
}

// dailyParser reads one text from the left to the right.
type dailyParser struct {
	text, upper string
	pos         int
}

// blanks passes blanks and reports whether there was one.
func (p *dailyParser) blanks() bool {
	from := p.pos
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
	return p.pos > from
}

// dash passes a hyphen or an en dash with the blanks around it, and reports
// whether there was one. Otherwise it stays where it is.
func (p *dailyParser) dash() bool {
	from := p.pos
	p.blanks()
	for _, dash := range []string{"-", "–"} {
		if strings.HasPrefix(p.text[p.pos:], dash) {
			p.pos += len(dash)
			p.blanks()
			return true
		}
	}
	p.pos = from
	return false
}

// word reports whether a word of capital letters comes next. It stays where it is.
func (p *dailyParser) word(word string) bool {
	p.blanks()
	rest, ok := strings.CutPrefix(p.upper[p.pos:], word)
	return ok && (rest == "" || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
}

// rest quotes what comes next, as far as it is worth showing.
func (p *dailyParser) rest() string {
	if p.pos == len(p.text) {
		return "the end of the text"
	}
	shown := parser{cron: &Cron{expr: p.text}}
	_, size := utf8.DecodeRuneInString(p.text[p.pos:])
	to := p.pos + size
	for to < len(p.text) && strings.IndexByte(" \t\r\n,-", p.text[to]) < 0 {
		to++
	}
	return shown.show(span{p.pos, to})
}

// readWindow reads both times.
func (p *dailyParser) readWindow(d *Daily) (err error) {
	p.blanks()
	at := p.pos
	if d.From, err = p.readClock(); err != nil {
		return err
	}
	if d.From == 24*time.Hour {
		return wrongDaily(at, "write 00:00", "a window cannot begin at 24:00")
	}
	if !p.dash() {
		p.blanks()
		return wrongDaily(p.pos, dailyHint, "a hyphen and the end of the window are expected, but there is %s", p.rest())
	}
	at = p.pos
	if d.To, err = p.readClock(); err != nil {
		return err
	}
	if d.To == d.From {
		return wrongDaily(at, "for the whole day write 00:00-24:00", "the window ends when it begins")
	}
	if p.pos < len(p.text) && !p.blanks() {
		return wrongDaily(p.pos, "put a blank behind the time", "%s is not expected here", p.rest())
	}
	return nil
}

// readClock reads a time such as 09:00 or 09:00:30.
func (p *dailyParser) readClock() (time.Duration, error) {
	at := p.pos
	var clock time.Duration
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		if i > 0 {
			if p.pos == len(p.text) || p.text[p.pos] != ':' {
				if i == 2 {
					break
				}
				return 0, p.wrongClock(at)
			}
			p.pos++
		}
		n, digits := 0, 0
		for ; digits < 2 && p.pos < len(p.text) && isDigit(p.text[p.pos]); digits++ {
			n = n*10 + int(p.text[p.pos]-'0')
			p.pos++
		}
		if digits == 0 || digits == 1 && i > 0 || n > 59 || i == 0 && n > 24 {
			return 0, p.wrongClock(at)
		}
		clock += time.Duration(n) * unit
	}
	if clock > 24*time.Hour {
		return 0, p.wrongClock(at)
	}
	return clock, nil
}

func (p *dailyParser) wrongClock(at int) error {
	p.pos = at
	return wrongDaily(at, "allowed are 00:00-24:00, with or without seconds; "+dailyHint, "a time of day is expected, but there is %s", p.rest())
}

// readDays reads weekdays up to the word "every".
func (p *dailyParser) readDays(d *Daily) error {
	d.Days = 0
	for {
		first, err := p.readDay()
		if err != nil {
			return err
		}
		last := first
		if p.dash() {
			if last, err = p.readDay(); err != nil {
				return err
			}
		}
		for day := first; ; day = (day + 1) % 7 {
			d.Days |= 1 << day
			if day == last {
				break
			}
		}
		if p.word("EVERY") {
			return nil
		}
		if p.pos == len(p.text) || p.text[p.pos] != ',' {
			return wrongDaily(p.pos, dailyHint, `a comma or "every" is expected, but there is %s`, p.rest())
		}
		p.pos++
		p.blanks()
	}
}

// readDay reads the name of a weekday; 0 is Sunday.
func (p *dailyParser) readDay() (int, error) {
	for day, name := range weekdayNames {
		rest, ok := strings.CutPrefix(p.upper[p.pos:], name)
		if ok && (rest == "" || rest[0] < 'A' || rest[0] > 'Z') {
			p.pos += len(name)
			return day, nil
		}
	}
	return 0, wrongDaily(p.pos, "allowed are MON TUE WED THU FRI SAT SUN, lists and ranges of them; "+dailyHint,
		`a weekday or "every" is expected, but there is %s`, p.rest())
}

// readPace reads "every" and the period.
func (p *dailyParser) readPace(d *Daily) (err error) {
	const hint = "give a period such as 30s, 5m or 1h30m"
	p.pos += len("EVERY")
	p.blanks()
	at := p.pos
	text := strings.TrimRight(p.text[at:], " \t\r\n")
	if text == "" {
		return wrongDaily(at, hint, "the period is missing")
	}
	if d.Every, err = time.ParseDuration(text); err != nil {
		shown := parser{cron: &Cron{expr: p.text}}
		return wrongDaily(at, hint, "%s is not a period", shown.show(span{at, at + len(text)}))
	}
	switch length := d.length(); {
	case d.Every < MinEvery:
		return wrongDaily(at, "allowed are "+MinEvery.String()+" up to the length of the window", "the period %s is too short", d.Every)
	case d.Every%time.Millisecond != 0:
		return wrongDaily(at, "round it to milliseconds", "the period %s is not a whole number of milliseconds", d.Every)
	case d.Every > length:
		return wrongDaily(at, "shorten it, or for one firing a day use cron",
			"the period %s is longer than the window of %s", shortDuration(d.Every), shortDuration(length))
	}
	return nil
}
