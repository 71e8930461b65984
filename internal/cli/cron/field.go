package cron

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/schedule"
)

// fieldMeaning is a field of an expression as written, with its meaning.
type fieldMeaning struct {
	Name    string `json:"name"`
	Written string `json:"written"`
	Means   string `json:"means"`
}

// fieldProbe determines the values of a field: the field is placed into an expression
// with all other fields open, and the firings of a time span are read. The parser stays
// the only place that knows the syntax.
type fieldProbe struct {
	name     string
	expr     string // X marks the field
	from, to time.Time
	value    func(time.Time) int
	size     int // number of possible values
}

// Indices of the probes that need special handling.
const (
	probeDate, probeMonth, probeWeekday, probeYear = 3, 4, 5, 6
)

// fieldProbes returns the probes of a Quartz expression. The year 2024 has 366 days; its
// January has 31.
func fieldProbes() []fieldProbe {
	from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	return []fieldProbe{
		{"second", "X * * * * ?", from, from.Add(time.Minute), time.Time.Second, 60},
		{"minute", "0 X * * * ?", from, from.Add(time.Hour), time.Time.Minute, 60},
		{"hour", "0 0 X * * ?", from, from.AddDate(0, 0, 1), time.Time.Hour, 24},
		{"day-of-month", "0 0 0 X 1 ?", from, from.AddDate(0, 1, 0), time.Time.Day, 31},
		{"month", "0 0 0 1 X ?", from, from.AddDate(1, 0, 0), func(t time.Time) int { return int(t.Month()) }, 12},
		{"day-of-week", "0 0 0 ? * X", from, from.AddDate(1, 0, 0), func(t time.Time) int { return int(t.Weekday()) }, 7},
		{
			"year", "0 0 0 1 1 ? X", time.Date(schedule.MinYear, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(schedule.MaxYear+1, 1, 1, 0, 0, 0, 0, time.UTC),
			time.Time.Year, schedule.MaxYear - schedule.MinYear + 1,
		},
	}
}

// unixProbes returns the probes of an expression with five fields. Days and months use
// the Unix dialect, where 0 is Sunday.
func unixProbes() []fieldProbe {
	probes := fieldProbes()[1:probeYear]
	for i, expr := range [...]string{"X * * * *", "0 X * * *", "0 0 X 1 *", "0 0 1 X *", "0 0 * * X"} {
		probes[i].expr = expr
	}
	return probes
}

// fields explains the fields of a valid expression. A macro has no fields.
func fields(expr string, w *words) []fieldMeaning {
	written := strings.FieldsFunc(expr, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) })
	probes, first := fieldProbes(), 0
	switch {
	case len(written) < 5:
		return []fieldMeaning{}
	case len(written) == 5:
		probes, first = unixProbes(), 1
	}
	fields := make([]fieldMeaning, 0, len(written))
	for i, text := range written[:min(len(written), len(probes))] {
		fields = append(fields, fieldMeaning{probes[i].name, text, probes[i].means(first+i, text, w)})
	}
	return fields
}

// means describes the text of a field.
func (p *fieldProbe) means(field int, text string, w *words) string {
	terms := strings.Split(strings.ToUpper(text), ",")
	if slices.ContainsFunc(terms, func(term string) bool { return strings.HasPrefix(term, "?") }) {
		return w.noValue
	}
	if field == probeDate {
		return p.dates(terms, w)
	}
	found, ok := p.probe(text)
	if !ok || len(found) == 0 {
		return w.none
	}
	if field == probeWeekday {
		if special := nthWeekday(found, w); special != "" {
			return special
		}
	}
	return w.list(field, p.values(found), p.size)
}

// probe returns the firings of a field's text in the span.
func (p *fieldProbe) probe(text string) (found []time.Time, ok bool) {
	cron, err := schedule.ParseCronWith(strings.Replace(p.expr, "X", text, 1), schedule.CronOptions{})
	if err != nil {
		return nil, false
	}
	for at := p.from.Add(-time.Second); ; {
		if at, ok = cron.Next(at); !ok || !at.Before(p.to) {
			return found, true
		}
		found = append(found, at)
	}
}

// values returns the distinct values of firings, in order.
func (p *fieldProbe) values(found []time.Time) []int {
	var values []int
	for _, at := range found {
		values = append(values, p.value(at))
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// dates explains a day-of-month: numbered days first, then the days that depend on the
// month.
func (p *fieldProbe) dates(terms []string, w *words) string {
	var plain, parts []string
	for _, term := range terms {
		if special := specialDate(term, w); special != "" {
			parts = append(parts, special)
		} else if term != "" {
			plain = append(plain, term)
		}
	}
	if len(plain) > 0 {
		found, _ := p.probe(strings.Join(plain, ","))
		if len(found) == 0 {
			return w.none
		}
		parts = append([]string{w.list(probeDate, p.values(found), p.size)}, parts...)
	}
	return strings.Join(parts, w.or)
}

// specialDate explains a term that depends on the month: L, LW, L-3, L-3W or 15W. It
// returns "" for any other term.
func specialDate(term string, w *words) string {
	if rest, ok := strings.CutPrefix(term, "L"); ok {
		rest, workday := strings.CutSuffix(rest, "W")
		back, _ := strconv.Atoi(strings.TrimPrefix(rest, "-"))
		return w.fromLast(back, workday)
	}
	digits, _, ok := strings.Cut(term, "W")
	day, err := strconv.Atoi(digits)
	switch {
	case !ok || err != nil:
		return ""
	case day == 0:
		return w.none
	}
	return w.nearest(day)
}

// nthWeekday explains a weekday that does not recur weekly, from its firings of one
// year. It returns "" for any other weekday.
func nthWeekday(found []time.Time, w *words) string {
	if len(found) > 12 { // a weekly weekday has at least 52
		return ""
	}
	nth := func(at time.Time) int { return (at.Day()-1)/7 + 1 }
	first := found[0]
	// A year has months with four and with five of each weekday.
	for _, at := range found {
		if nth(at) != nth(first) {
			return w.lastWeekday(first.Weekday())
		}
	}
	return w.nthWeekday(nth(first), first.Weekday())
}
