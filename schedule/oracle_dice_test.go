package schedule

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// dice draws expressions and places. The same seed draws the same.
type dice struct{ *rand.Rand }

// between returns a number of low..high.
func (d dice) between(low, high int64) int64 { return low + d.Int64N(high-low+1) }

func (d dice) number(low, high int) int { return int(d.between(int64(low), int64(high))) }

// oneIn reports true once in n times.
func (d dice) oneIn(n int) bool { return d.IntN(n) == 0 }

func pickOf[T any](d dice, list ...T) T { return list[d.IntN(len(list))] }

// list draws one to three terms, mostly one.
func (d dice) list(one func() string) string {
	terms := []string{one()}
	for len(terms) < 3 && d.oneIn(3) {
		terms = append(terms, one())
	}
	return strings.Join(terms, ",")
}

// term draws a term of a field whose values are low..high and whose steps are
// at most most. Ranges may wrap.
func (d dice) term(low, high, most int) string {
	a, b, step := d.number(low, high), d.number(low, high), d.number(1, most)
	switch d.IntN(8) {
	case 0:
		return fmt.Sprintf("%d-%d", a, b)
	case 1:
		return fmt.Sprintf("%d-%d/%d", a, b, step)
	case 2:
		return fmt.Sprintf("%d/%d", a, step)
	case 3:
		return fmt.Sprintf("*/%d", step)
	case 4:
		return "*"
	}
	return fmt.Sprint(a)
}

// field draws a list of terms.
func (d dice) field(low, high, most int) string {
	return d.list(func() string { return d.term(low, high, most) })
}

// named draws a list in which names stand for numbers now and then.
func (d dice) named(low, high, most int, names []string) string {
	return d.list(func() string {
		name := func() string {
			text := pickOf(d, names...)
			if d.oneIn(2) {
				text = strings.ToLower(text)
			}
			return text
		}
		switch d.IntN(6) {
		case 0:
			return name()
		case 1:
			return name() + "-" + name()
		}
		return d.term(low, high, most)
	})
}

// dates draws a day-of-month field of the Quartz dialect.
func (d dice) dates() string {
	return d.list(func() string {
		switch n := d.number(1, 31); d.IntN(8) {
		case 0:
			return pickOf(d, "L", "LW", "lw")
		case 1:
			return fmt.Sprintf("L-%d", n-1)
		case 2:
			return fmt.Sprintf("L-%dW", n-1)
		case 3:
			return fmt.Sprintf("%dW", n)
		}
		return d.term(1, 31, 31)
	})
}

// week draws a day-of-week field of the Quartz dialect.
func (d dice) week() string {
	day := pickOf(d, append([]string{"1", "2", "3", "4", "5", "6", "7"}, weekdayNames...)...)
	switch d.IntN(8) {
	case 0:
		return fmt.Sprintf("%s#%d", day, d.number(1, 5))
	case 1:
		return day + "L"
	case 2:
		return "L"
	}
	return d.named(1, 7, 7, weekdayNames)
}

// days draws the day-of-month, month and day-of-week fields of the Quartz
// dialect, and a year field or none.
func (d dice) days() string {
	date, week, month, year := "?", "?", "*", ""
	if d.oneIn(2) {
		week = d.week()
	} else {
		date = d.dates()
	}
	if d.oneIn(3) {
		month = d.named(1, 12, 12, monthNames)
	}
	switch d.IntN(8) {
	case 0:
		year = fmt.Sprintf(" %d-%d/%d", d.number(1970, 2030), d.number(2031, 2126), d.number(1, 9))
	case 1:
		year = fmt.Sprintf(" %d/%d,%d", d.number(1970, 2100), d.number(1, 20), d.number(1970, 2126))
	case 2:
		year = fmt.Sprintf(" */%d", d.number(1, 5))
	}
	return strings.Join([]string{date, month, week}, " ") + year
}

// unixDays draws the last three fields of a Unix expression.
func (d dice) unixDays() string {
	date, month := "*", "*"
	if d.oneIn(2) {
		date = d.field(1, 31, 31)
	}
	if d.oneIn(4) {
		month = d.named(1, 12, 12, monthNames)
	}
	week := "*"
	if d.oneIn(2) {
		week = d.named(0, 7, 7, weekdayNames)
	}
	return strings.Join([]string{date, month, week}, " ")
}

// expression draws an expression of any dialect whose seconds a walk with steps
// of 1 or 30 seconds meets.
func (d dice) expression(step int64) string {
	if d.oneIn(40) {
		return pickOf(d, "@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually")
	}
	clock := d.field(0, 59, 59) + " " + d.field(0, 23, 23)
	if d.oneIn(5) {
		return clock + " " + d.unixDays()
	}
	second := pickOf(d, "0", "30", "0,30", "*/30")
	if step == 1 {
		second = d.field(0, 59, 59)
	}
	days := "* * ?"
	switch d.IntN(4) {
	case 0:
		days = "? * " + d.named(1, 7, 7, weekdayNames)
	case 1:
		days = d.days()
	}
	return second + " " + clock + " " + days
}

// rareExpression draws one that fires at a few times of its days at most, so
// that years of it can be looked at.
func (d dice) rareExpression() string {
	clock := fmt.Sprintf("%d %d", d.number(0, 59), d.number(0, 23))
	switch d.IntN(6) {
	case 0:
		clock = fmt.Sprintf("%d,%d %d,%d", d.number(0, 59), d.number(0, 59), d.number(0, 3), d.number(0, 23))
	case 1:
		clock = "0 0"
	}
	if d.oneIn(5) {
		return clock + " " + d.unixDays()
	}
	return pickOf(d, "0", "59", "17") + " " + clock + " " + d.days()
}

// rules draws rules for clock changes, often the two that have names.
func (d dice) rules() DST {
	switch d.IntN(4) {
	case 0:
		return Quartz()
	case 1:
		return Wall()
	}
	return DST{
		Gap:      pickOf(d, "", GapSkip, GapAfter, GapBefore),
		Overlap:  pickOf(d, "", OverlapFirst, OverlapSecond, OverlapBoth),
		Straight: d.oneIn(2),
	}
}
