package schedule

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// reading is the meaning of an expression, read from its text by a reader that
// is not the package's: it asks each value whether a term names it, and each day
// whether it is the day.
type reading struct {
	second, minute, hour [60]bool
	month, date          [32]bool
	weekday              [7]bool // 0 is Sunday
	year                 map[int]bool
	special              []func(day time.Time) bool // a day that one of them holds for counts
	either, both         bool                       // how a Unix expression joins its days
}

// readText reads an expression of 5, 6 or 7 fields that is right, or a macro.
func readText(expr string) *reading {
	macros := map[string]string{
		"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * SUN",
		"@monthly": "0 0 1 * *", "@yearly": "0 0 1 JAN *", "@annually": "0 0 1 JAN *",
	}
	if plain, ok := macros[expr]; ok {
		expr = plain
	}
	fields := strings.Fields(strings.ToUpper(expr))
	unix := len(fields) == 5
	if unix {
		fields = append([]string{"0"}, fields...)
	}
	if len(fields) == 6 {
		fields = append(fields, "*")
	}
	r := &reading{year: map[int]bool{}}
	for n := range 60 {
		r.second[n] = listed(fields[0], n, 0, 59, "")
		r.minute[n] = listed(fields[1], n, 0, 59, "")
		r.hour[n] = n < 24 && listed(fields[2], n, 0, 23, "")
	}
	for n := 1; n <= 12; n++ {
		r.month[n] = listed(fields[4], n, 1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC")
	}
	for n := MinYear; n <= MaxYear; n++ {
		r.year[n] = listed(fields[6], n, MinYear, MaxYear, "")
	}
	dates, week := fields[3], fields[5]
	r.both = unix && (dates[0] == '*' || week[0] == '*')
	r.either = unix && !r.both
	dates = r.takeSpecial(dates)
	if week == "L" {
		week = "SAT"
	}
	week = r.takeSpecial(week)
	for n := 1; n <= 31; n++ {
		r.date[n] = listed(dates, n, 1, 31, "")
	}
	for n := range 7 {
		if unix {
			r.weekday[n] = listed(week, n, 0, 6, "SUNMONTUEWEDTHUFRISAT")
		} else {
			r.weekday[n] = listed(week, n+1, 1, 7, "SUNMONTUEWEDTHUFRISAT")
		}
	}
	return r
}

// takeSpecial takes the terms with L, W and # out of a list of days and returns the
// others, "?" when there are none.
func (r *reading) takeSpecial(list string) (plain string) {
	var rest []string
	for term := range strings.SplitSeq(list, ",") {
		if holds := specialDay(term); holds != nil {
			r.special = append(r.special, holds)
		} else {
			rest = append(rest, term)
		}
	}
	if len(rest) == 0 {
		return "?"
	}
	return strings.Join(rest, ",")
}

// specialDay returns the meaning of a term with L, W or #, and nil for another.
func specialDay(term string) func(time.Time) bool {
	weekday := func(text string) time.Weekday {
		return time.Weekday(value(text, 1, "SUNMONTUEWEDTHUFRISAT") - 1)
	}
	back, fromEnd := strings.CutPrefix(strings.TrimSuffix(term, "W"), "L-")
	switch before, nth, hash := strings.Cut(term, "#"); {
	case hash:
		n, w := value(nth, 0, ""), weekday(before)
		return func(d time.Time) bool { return d.Weekday() == w && (d.Day()+6)/7 == n }
	case term == "L":
		return func(d time.Time) bool { return d.Day() == daysOf(d) }
	case term == "LW":
		return func(d time.Time) bool { return nearest(d, daysOf(d)) }
	case fromEnd && strings.HasSuffix(term, "W"):
		return func(d time.Time) bool { return nearest(d, daysOf(d)-value(back, 0, "")) }
	case fromEnd:
		return func(d time.Time) bool { return d.Day() == daysOf(d)-value(back, 0, "") }
	case strings.HasSuffix(term, "W"):
		n := value(strings.TrimSuffix(term, "W"), 0, "")
		return func(d time.Time) bool { return nearest(d, n) }
	case strings.HasSuffix(term, "L"): // no name of a weekday ends in L
		w := weekday(strings.TrimSuffix(term, "L"))
		return func(d time.Time) bool { return d.Weekday() == w && d.Day()+7 > daysOf(d) }
	}
	return nil
}

// listed reports whether a list of terms such as "*", "a", "a-b" and "a/n" names
// a value of low..high. Names are three letters each, the first of them for low.
func listed(list string, n, low, high int, names string) bool {
	return slices.ContainsFunc(strings.Split(list, ","), func(term string) bool {
		span, every, stepped := strings.Cut(term, "/")
		from, to, ranged := strings.Cut(span, "-")
		if span == "?" {
			return false
		}
		first, last := low, high
		if from != "*" && span != "" {
			if first = value(from, low, names); !stepped {
				last = first
			}
			if ranged {
				last = value(to, low, names)
			}
		}
		size, step := high-low+1, 1
		if stepped {
			step = value(every, 0, "")
		}
		if first > high { // the Sunday that is 7
			first -= size
			last -= size * (last / (high + 1))
		}
		for v := first; v <= last || last < first && v <= last+size; v += step {
			if v == n || v-size == n {
				return true
			}
		}
		return false
	})
}

// value reads a number or a name.
func value(text string, low int, names string) int {
	if i := strings.Index(names, text); i >= 0 && i%3 == 0 && names != "" {
		return low + i/3
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic("the reader knows nothing of " + text)
	}
	return n
}

// onDay reports whether the expression names a day, at midnight in UTC.
func (r *reading) onDay(d time.Time) bool {
	if !r.month[d.Month()] || !r.year[d.Year()] {
		return false
	}
	date, weekday := r.date[d.Day()], r.weekday[d.Weekday()]
	switch {
	case r.both:
		return date && weekday
	case r.either:
		return date || weekday
	}
	return date || weekday || slices.ContainsFunc(r.special, func(holds func(time.Time) bool) bool { return holds(d) })
}

// matcher is the reading for the walk along a timeline.
func (r *reading) matcher(expr string) *matcher {
	m := &matcher{expr: expr, hours: r.hour, minutes: r.minute, second: r.second}
	memo := map[int64]bool{}
	m.day = func(n int64) bool {
		holds, ok := memo[n]
		if !ok {
			holds = r.onDay(time.Unix(n*secondsPerDay, 0).UTC())
			memo[n] = holds
		}
		return holds
	}
	return m
}
