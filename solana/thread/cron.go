package thread

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// ErrCron is wrapped by every error about an expression.
var ErrCron = errors.New("not a cron expression of the thread program")

// Cron is an expression as the thread program reads it, which is not Quartz: six or seven fields (second, minute, hour, date,
// month, weekday, year) in UTC, where a day must fit both fields of days. Days of the week are 1, Sunday, to 7.
// A field holds *, numbers or names, ranges a-b, steps /n behind either (a/n goes on to the end), and lists of these; fields
// of days may be ?, which is *. In place of all stand @yearly, @monthly, @weekly, @daily and @hourly.
type Cron struct {
	second, minute, hour, date, month, weekday uint64 // a bit for each value
	year                                       [(lastYear-firstYear)/64 + 1]uint64
}

// Years that an expression may name.
const (
	firstYear = 1970
	lastYear  = 2100
)

// cronField is what a field may hold.
type cronField struct {
	name     string
	min, max int
	names    string // three letters each, from min
	any      bool   // ? is allowed
}

func cronFields() [7]cronField {
	return [7]cronField{
		{name: "second", max: 59},
		{name: "minute", max: 59},
		{name: "hour", max: 23},
		{name: "day of month", min: 1, max: 31, any: true},
		{name: "month", min: 1, max: 12, names: "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"},
		{name: "day of week", min: 1, max: 7, names: "SUNMONTUEWEDTHUFRISAT", any: true},
		{name: "year", min: firstYear, max: lastYear},
	}
}

// ParseCron reads an expression. What the program could not read, and would end at, is an error here.
func ParseCron(expression string) (*Cron, error) {
	if len(expression) > longestCron {
		return nil, fmt.Errorf("%w: %d bytes, %d are the limit", ErrCron, len(expression), longestCron)
	}
	named := map[string]string{
		"@yearly": "0 0 0 1 1 *", "@monthly": "0 0 0 1 * *", "@weekly": "0 0 0 * * 1", "@daily": "0 0 0 * * *", "@hourly": "0 0 * * * *",
	}
	text := strings.TrimSpace(expression)
	if whole, known := named[strings.ToLower(text)]; known {
		text = whole
	}
	parts := strings.Fields(text)
	if len(parts) != 6 && len(parts) != 7 {
		return nil, fmt.Errorf("%w: %q has %d fields; it has 6, or 7 with the year", ErrCron, expression, len(parts))
	}
	if len(parts) == 6 {
		parts = append(parts, "*")
	}
	c := new(Cron)
	sets := [6]*uint64{&c.second, &c.minute, &c.hour, &c.date, &c.month, &c.weekday}
	for i, field := range cronFields() {
		add := func(value int) {
			if i < len(sets) {
				*sets[i] |= 1 << value
			} else {
				c.year[(value-firstYear)/64] |= 1 << ((value - firstYear) % 64)
			}
		}
		for term := range strings.SplitSeq(parts[i], ",") {
			if err := field.readTerm(term, add); err != nil {
				return nil, fmt.Errorf("%w: %s %q: %w", ErrCron, field.name, parts[i], err)
			}
		}
	}
	return c, nil
}

// readTerm adds the values of one term of a list.
func (f *cronField) readTerm(term string, add func(int)) error {
	from, to, step := f.min, f.max, 1
	values, stepText, stepped := strings.Cut(term, "/")
	if stepped {
		var err error
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 {
			return fmt.Errorf("a step is a number from 1 on, not %q", stepText)
		}
	}
	switch {
	case values == "*", values == "?" && f.any:
	default:
		first, last, ranged := strings.Cut(values, "-")
		var err error
		if from, err = f.value(first); err != nil {
			return err
		}
		switch {
		case ranged:
			if to, err = f.value(last); err != nil {
				return err
			}
			if to < from {
				return fmt.Errorf("the range %s ends before it begins", values)
			}
		case !stepped:
			to = from
		}
	}
	for v := from; v <= to; v += step {
		add(v)
		if step > f.max { // one value; the sum might not fit
			break
		}
	}
	return nil
}

// value is a number or a name.
func (f *cronField) value(text string) (int, error) {
	if len(text) >= 3 && f.names != "" {
		if at := strings.Index(f.names, strings.ToUpper(text[:3])); at >= 0 && at%3 == 0 && isName(text) {
			return f.min + at/3, nil
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < f.min || n > f.max {
		return 0, fmt.Errorf("%q is no number from %d to %d", text, f.min, f.max)
	}
	return n, nil
}

// isName reports whether a text is a month or a day, short or whole.
func isName(text string) bool {
	if len(text) == 3 {
		return true
	}
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(text, m.String()) {
			return true
		}
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if strings.EqualFold(text, d.String()) {
			return true
		}
	}
	return false
}

// After returns the first time behind t, in whole seconds of UTC, and whether there is one before the years end.
func (c *Cron) After(t time.Time) (time.Time, bool) {
	t = t.UTC().Truncate(time.Second).Add(time.Second)
	if t.Year() < firstYear {
		t = time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	for t.Year() <= lastYear {
		if !c.hasYear(t.Year()) {
			t = time.Date(t.Year()+1, 1, 1, 0, 0, 0, 0, time.UTC)
			continue
		}
		if c.month>>uint(t.Month())&1 == 0 {
			t = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
			continue
		}
		if c.date>>uint(t.Day())&1 == 0 || c.weekday>>uint(t.Weekday()+1)&1 == 0 {
			t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, time.UTC)
			continue
		}
		if found, ok := c.within(t); ok {
			return found, true
		}
		t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, time.UTC)
	}
	return time.Time{}, false
}

// within returns the first time of t's day that is not before t.
func (c *Cron) within(t time.Time) (time.Time, bool) {
	hour, minute, second := t.Clock()
	at := func(hour, minute, second int) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), hour, minute, second, 0, time.UTC)
	}
	firstMinute, firstSecond := bits.TrailingZeros64(c.minute), bits.TrailingZeros64(c.second)
	if c.hour>>hour&1 == 1 {
		if c.minute>>minute&1 == 1 {
			if s, ok := firstFrom(c.second, second); ok {
				return at(hour, minute, s), true
			}
		}
		if m, ok := firstFrom(c.minute, minute+1); ok {
			return at(hour, m, firstSecond), true
		}
	}
	h, ok := firstFrom(c.hour, hour+1)
	return at(h, firstMinute, firstSecond), ok
}

// firstFrom returns the first value of a set that is not below n.
func firstFrom(set uint64, n int) (int, bool) {
	rest := set >> n << n
	return bits.TrailingZeros64(rest), rest != 0
}

func (c *Cron) hasYear(year int) bool {
	return c.year[(year-firstYear)/64]>>((year-firstYear)%64)&1 == 1
}
