package schedule

import (
	"fmt"
	"strings"
	"time"
)

// english renders an outline in English.
type english struct{ *outline }

func (e english) sentence() string {
	return e.clockText() + e.dayText() + e.yearText()
}

// clockText renders the times of a day.
func (e english) clockText() string {
	switch e.clock {
	case clockList:
		var items []string
		for _, t := range e.times() {
			items = append(items, t.text(!e.seconds.zero()))
		}
		return "At " + englishList(items, 0)
	case clockHours:
		var windows []string
		for _, r := range e.hourRuns() {
			from := clockTime{r.from, e.minutes.first(), e.seconds.first()}
			to := clockTime{r.to, e.minutes.first(), e.seconds.first()}
			windows = append(windows, fmt.Sprintf("from %s to %s", from.text(!e.seconds.zero()), to.text(!e.seconds.zero())))
		}
		return "Every " + englishCount(e.hourStep(), "hour") + " " + englishList(windows, 0)
	case clockMinutes:
		from := clockTime{e.hours.first(), e.minutes.first(), e.seconds.first()}
		to := clockTime{e.hours.first(), e.minutes.last(), e.seconds.first()}
		return fmt.Sprintf("Every %s from %s to %s", englishCount(e.minutes.step, "minute"),
			from.text(!e.seconds.zero()), to.text(!e.seconds.zero()))
	case clockSeconds:
		from := clockTime{e.hours.first(), e.minutes.first(), 0}
		to := clockTime{e.hours.first(), e.minutes.last(), 59}
		return fmt.Sprintf("Every %s from %s to %s", englishCount(e.seconds.step, "second"), from.text(true), to.text(true))
	case clockNested:
	}
	return e.nestedText()
}

// nestedText renders the times of a day field by field.
func (e english) nestedText() string {
	if e.seconds.zero() {
		if e.minutes.zero() && e.hours.shape == shapeAll {
			return "Every hour on the hour"
		}
		return e.lead(e.minutes, "minute") + e.hourText(e.minutes.regular())
	}
	lead := e.lead(e.seconds, "second")
	if e.minutes.shape == shapeAll {
		if !e.seconds.regular() {
			lead += " of every minute"
		}
		if strings.Contains(lead, " from ") && e.hours.shape != shapeAll {
			lead += ","
		}
		return lead + e.hourText(true)
	}
	if e.seconds.shape == shapeSingle && e.minutes.shape != shapeSingle && e.minutes.shape != shapeList {
		return lead + ", e" + e.lead(e.minutes, "minute")[1:] + e.hourText(e.minutes.regular())
	}
	link := " of "
	if strings.HasPrefix(lead, "Every") {
		link = " during "
	}
	return lead + link + e.inner() + e.hourText(false)
}

// lead renders the values of the smallest field that counts.
func (e english) lead(p pattern, unit string) string {
	switch p.shape {
	case shapeAll, shapeCycle:
		return "Every " + englishCount(p.step, unit)
	case shapeOffset:
		return fmt.Sprintf("Every %s from %s %d", englishCount(p.step, unit), unit, p.first())
	case shapeSteps:
		return fmt.Sprintf("Every %s from %s %d to %d", englishCount(p.step, unit), unit, p.first(), p.last())
	case shapeSingle:
		return fmt.Sprintf("At %s %d", unit, p.first())
	case shapeList:
	}
	return "At " + unit + "s " + e.numbers(p.values)
}

// inner renders the minutes that contain the seconds.
func (e english) inner() string {
	p := e.minutes
	switch {
	case p.shape == shapeSingle:
		return fmt.Sprintf("minute %d", p.first())
	case p.step > 1 && len(p.values) > fewTimes:
		return fmt.Sprintf("every %s minute from minute %d to %d", englishOrdinal(p.step), p.first(), p.last())
	}
	return "minutes " + e.numbers(p.values)
}

// hourText renders the hours behind minutes or seconds. It is plain when those make a rule
// that continues over the full hour.
func (e english) hourText(plain bool) string {
	if e.hours.shape == shapeAll {
		if plain {
			return ""
		}
		return " of every hour"
	}
	runs := e.hourWindows()
	if len(runs) > 2 {
		if plain {
			return " during hours " + e.numbers(e.hours.values)
		}
		return " of hours " + e.numbers(e.hours.values)
	}
	var windows []string
	for _, r := range runs {
		windows = append(windows, fmt.Sprintf("from %s to %s", clockTime{r.from, 0, 0}.text(false), clockTime{r.to, 59, 0}.text(false)))
	}
	switch {
	case plain:
		return " " + englishList(windows, 0)
	case len(e.hours.values) == 1:
		return " of the hour " + windows[0]
	}
	return " of every hour, " + englishList(windows, 0)
}

// dayText renders the days and the months.
func (e english) dayText() string {
	comma := ","
	if e.clock == clockList {
		comma = ""
	}
	switch {
	case e.daily && e.months.shape != shapeAll:
		return comma + " every day" + e.monthText()
	case e.daily && e.clock == clockList:
		return " every day"
	case e.daily:
		return ""
	case e.plainWeek():
		return ", " + e.weekText()
	}
	text := comma + " " + e.dateText()
	switch _, run := e.monthRun(); {
	case e.months.shape == shapeAll:
		text += " of the month"
	case run:
		text += " of each month" + e.monthText()
	default:
		text += " of" + strings.TrimPrefix(e.monthText(), " in")
	}
	switch {
	case e.days.either:
		text += ", and also " + e.weekText()
	case e.days.both:
		text += ", only when it is " + e.conditionText()
	}
	return text
}

// dateText renders the days of a month.
func (e english) dateText() string {
	switch {
	case e.days.byWeek:
		which := "last"
		if !e.days.last {
			which = [...]string{"", "first", "second", "third", "fourth", "fifth"}[e.days.nth]
		}
		var items []string
		for _, day := range e.weekdays() {
			items = append(items, "the "+which+" "+englishWeekday(day))
		}
		return "on " + englishList(items, 0)
	case e.onlyDates() && e.dates.step == 1 && e.dates.shape == shapeSteps:
		return fmt.Sprintf("from the %s to the %s", englishOrdinal(e.dates.first()), englishOrdinal(e.dates.last()))
	case e.onlyDates() && e.dates.shape == shapeSteps:
		return fmt.Sprintf("every %s from the %s to the %s", englishCount(e.dates.step, "day"),
			englishOrdinal(e.dates.first()), englishOrdinal(e.dates.last()))
	}
	return "on " + englishList(e.dateItems(datePhrases{
		dates: englishDates, fromLast: englishFromLast,
		nearest: func(n int) string { return "the weekday nearest to the " + englishOrdinal(n) },
		nearestFromLast: func(n int) string {
			if n == 0 {
				return "the last weekday"
			}
			return "the weekday nearest to " + englishFromLast(n)
		},
	}))
}

// conditionText renders the weekdays as a condition.
func (e english) conditionText() string {
	days := e.weekdays()
	if run, ok := cyclicRun(days, 7); ok {
		return englishWeekday(run.from) + " to " + englishWeekday(run.to)
	}
	var items []string
	for _, day := range days {
		items = append(items, englishWeekday(day))
	}
	return strings.ReplaceAll(englishList(items, 0), " and ", " or ")
}

// weekText renders the weekdays and their months.
func (e english) weekText() string {
	days := e.weekdays()
	run, isRun := cyclicRun(days, 7)
	switch {
	case isRun && (len(days) < 6 || run.from == 1):
		text := englishWeekday(run.from) + " to " + englishWeekday(run.to)
		if e.months.shape != shapeAll {
			text += ","
		}
		return text + e.monthText()
	case isRun:
		return "every day except " + englishWeekday((run.to%7)+1) + e.monthText()
	}
	var items []string
	for _, day := range days {
		items = append(items, englishWeekday(day))
	}
	return "every " + englishList(items, 0) + e.monthText()
}

// monthText renders the months unless all are named.
func (e english) monthText() string {
	if e.months.shape == shapeAll {
		return ""
	}
	if run, ok := e.monthRun(); ok {
		return fmt.Sprintf(" from %s to %s", time.Month(run.from), time.Month(run.to))
	}
	var items []string
	for _, month := range e.months.values {
		items = append(items, time.Month(month).String())
	}
	return " in " + englishList(items, 0)
}

// yearText renders the years unless all are named.
func (e english) yearText() string {
	switch p := e.years; {
	case p.shape == shapeAll:
		return ""
	case p.step == 1 && p.shape == shapeSteps:
		return fmt.Sprintf(", from %d to %d", p.first(), p.last())
	case p.step > 1 && len(p.values) > fewTimes:
		return fmt.Sprintf(", every %s from %d to %d", englishCount(p.step, "year"), p.first(), p.last())
	}
	return ", in " + e.numbers(e.years.values)
}

// numbers renders values, as runs where they are.
func (e english) numbers(values []int) string {
	shown, more := pieces(values, e.limit)
	var items []string
	for _, p := range shown {
		if p.from == p.to {
			items = append(items, fmt.Sprint(p.from))
		} else {
			items = append(items, fmt.Sprintf("%d to %d", p.from, p.to))
		}
	}
	return englishList(items, more)
}

func englishDates(p piece) string {
	if p.from == p.to {
		return "the " + englishOrdinal(p.from)
	}
	return "the " + englishOrdinal(p.from) + " to the " + englishOrdinal(p.to)
}

func englishFromLast(n int) string {
	switch n {
	case 0:
		return "the last day"
	case 1:
		return "the day before the last day"
	}
	return fmt.Sprintf("the day %d days before the last day", n)
}

// englishWeekday names a weekday; 7 is Sunday.
func englishWeekday(day int) string { return time.Weekday(day % 7).String() }

func englishOrdinal(n int) string {
	suffix := "th"
	if n/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n) + suffix
}

// englishCount is "minute" or "5 minutes".
func englishCount(n int, unit string) string {
	if n == 1 {
		return unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// englishList joins items and adds how many more there are.
func englishList(items []string, more int) string {
	if more > 0 {
		return strings.Join(items, ", ") + fmt.Sprintf(" and %d more", more)
	}
	end := len(items) - 1
	if end == 0 {
		return items[0]
	}
	return strings.Join(items[:end], ", ") + " and " + items[end]
}

// clockTime is a time of day.
type clockTime struct{ hour, minute, second int }

// text is the time as a clock shows it.
func (t clockTime) text(seconds bool) string {
	if seconds {
		return fmt.Sprintf("%02d:%02d:%02d", t.hour, t.minute, t.second)
	}
	return fmt.Sprintf("%02d:%02d", t.hour, t.minute)
}
