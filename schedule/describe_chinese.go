package schedule

import (
	"fmt"
	"strings"
	"unicode"
)

// chinese renders an outline in Chinese: the large before the small. Its methods write
// without blanks; sentence sets them.
type chinese struct{ *outline }

func (z chinese) sentence() string {
	return spaced(z.yearText() + z.dayText() + z.clockText())
}

// clockText renders the times of a day.
func (z chinese) clockText() string {
	switch z.clock {
	case clockList:
		var items []string
		for _, t := range z.times() {
			items = append(items, t.text(!z.seconds.zero()))
		}
		return chineseList(items, 0)
	case clockHours:
		var windows []string
		for _, r := range z.hourRuns() {
			from := clockTime{r.from, z.minutes.first(), z.seconds.first()}
			to := clockTime{r.to, z.minutes.first(), z.seconds.first()}
			windows = append(windows, chineseWindow(from, to, !z.seconds.zero()))
		}
		return chineseList(windows, 0) + chineseEvery(z.hourStep(), "小时")
	case clockMinutes:
		from := clockTime{z.hours.first(), z.minutes.first(), z.seconds.first()}
		to := clockTime{z.hours.first(), z.minutes.last(), z.seconds.first()}
		return chineseWindow(from, to, !z.seconds.zero()) + chineseEvery(z.minutes.step, "分钟")
	case clockSeconds:
		from := clockTime{z.hours.first(), z.minutes.first(), 0}
		to := clockTime{z.hours.first(), z.minutes.last(), 59}
		return chineseWindow(from, to, true) + chineseEvery(z.seconds.step, "秒")
	case clockNested:
	}
	return z.nestedText()
}

// nestedText renders the times of a day field by field.
func (z chinese) nestedText() string {
	hours := z.hourText()
	minutes := z.within(z.minutes, "每小时", "分", "分钟")
	switch {
	case z.seconds.zero() && z.minutes.zero() && z.hours.shape == shapeAll:
		return "每小时整点"
	case z.seconds.zero():
		return hours + minutes
	case z.minutes.shape == shapeAll:
		return hours + z.within(z.seconds, "每分钟", "秒", "秒")
	case z.minutes.shape == shapeSingle && z.seconds.shape == shapeSingle:
		return hours + minutes + fmt.Sprintf("%02d秒", z.seconds.first())
	case z.seconds.shape == shapeSingle:
		return hours + minutes + fmt.Sprintf("，在%02d秒时", z.seconds.first())
	}
	inner := "每小时的" + z.numbers(z.minutes.values) + "分"
	if z.minutes.step > 1 && len(z.minutes.values) > maxListed {
		inner = fmt.Sprintf("每小时从%02d分到%02d分每%d分钟的第一分钟", z.minutes.first(), z.minutes.last(), z.minutes.step)
	}
	if z.seconds.regular() {
		return hours + inner + "内" + z.within(z.seconds, "", "秒", "秒")
	}
	return hours + inner + "，" + z.within(z.seconds, "每分钟", "秒", "秒")
}

// within renders the values of a field. outer is the larger unit, mark the word behind a
// value, unit the word behind a count.
func (z chinese) within(p pattern, outer, mark, unit string) string {
	switch p.shape {
	case shapeAll, shapeCycle:
		return chineseEvery(p.step, unit)
	case shapeOffset:
		return fmt.Sprintf("%s从%02d%s起", outer, p.first(), mark) + chineseEvery(p.step, unit)
	case shapeSteps:
		return fmt.Sprintf("%s从%02d%s到%02d%s", outer, p.first(), mark, p.last(), mark) + chineseEvery(p.step, unit)
	case shapeSingle, shapeList:
	}
	return outer + "的" + z.numbers(p.values) + mark
}

// hourText renders the hours before minutes or seconds.
func (z chinese) hourText() string {
	if z.hours.shape == shapeAll {
		return ""
	}
	runs := z.hourWindows()
	if len(runs) > 2 {
		return z.numbers(z.hours.values) + "时，"
	}
	var windows []string
	for _, r := range runs {
		windows = append(windows, chineseWindow(clockTime{r.from, 0, 0}, clockTime{r.to, 59, 0}, false))
	}
	return chineseList(windows, 0)
}

// dayText renders the months and the days.
func (z chinese) dayText() string {
	switch {
	case z.whole && z.hours.shape == shapeAll:
		return ""
	case z.daily:
		return z.monthText() + "每天"
	case z.plainWeek():
		return z.weekText()
	}
	text := z.monthText()
	switch {
	case z.months.shape != shapeSingle:
		text += "每月"
	case !z.onlyDates():
		text += "的"
	}
	text += z.dateText()
	switch {
	case z.days.either:
		return text + "，以及" + z.weekText() + "，"
	case z.days.both:
		return text + "，且为" + z.conditionText() + "，"
	case z.onlyDates() && z.dates.shape == shapeSteps && z.dates.step > 1:
		return text + "，"
	}
	return text
}

// dateText renders the days of a month.
func (z chinese) dateText() string {
	switch {
	case z.days.byWeek:
		which := "最后一个"
		if !z.days.last {
			which = "第" + string([]rune("零一二三四五")[z.days.nth]) + "个"
		}
		var items []string
		for _, day := range z.weekdays() {
			items = append(items, which+chineseWeekday(day))
		}
		return chineseList(items, 0)
	case z.onlyDates() && z.dates.shape == shapeSteps && z.dates.step > 1:
		return fmt.Sprintf("从%d日到%d日每%d天", z.dates.first(), z.dates.last(), z.dates.step)
	}
	return chineseList(z.dateItems(datePhrases{
		dates:    chineseDates,
		fromLast: chineseFromLast,
		nearest:  func(n int) string { return fmt.Sprintf("离%d日最近的工作日", n) },
		nearestFromLast: func(n int) string {
			if n == 0 {
				return "最后一个工作日"
			}
			return "离" + chineseFromLast(n) + "最近的工作日"
		},
	}))
}

// conditionText renders the weekdays as a condition.
func (z chinese) conditionText() string {
	days := z.weekdays()
	if run, ok := cyclicRun(days, 7); ok {
		return chineseWeekday(run.from) + "至" + chineseWeekday(run.to)
	}
	var items []string
	for _, day := range days {
		items = append(items, chineseWeekday(day))
	}
	return strings.ReplaceAll(chineseList(items, 0), "和", "或")
}

// weekText renders the weekdays and their months.
func (z chinese) weekText() string {
	months := z.monthText()
	if months != "" {
		months += "的"
	}
	days := z.weekdays()
	run, isRun := cyclicRun(days, 7)
	switch {
	case isRun && (len(days) < 6 || run.from == 1):
		return months + chineseWeekday(run.from) + "至" + chineseWeekday(run.to)
	case isRun:
		return months + "除" + chineseWeekday((run.to%7)+1) + "外每天"
	}
	var items []string
	for _, day := range days {
		items = append(items, chineseWeekday(day))
	}
	return months + "每" + chineseList(items, 0)
}

// monthText renders the months unless all are named.
func (z chinese) monthText() string {
	text := ""
	if z.months.shape == shapeAll {
		return text
	}
	if z.years.shape == shapeAll {
		text = "每年"
	}
	if run, ok := z.monthRun(); ok {
		if run.to < run.from {
			return text + fmt.Sprintf("%d月至次年%d月", run.from, run.to)
		}
		return text + fmt.Sprintf("%d月至%d月", run.from, run.to)
	}
	var items []string
	for _, month := range z.months.values {
		items = append(items, fmt.Sprintf("%d月", month))
	}
	return text + chineseList(items, 0)
}

// yearText renders the years unless all are named.
func (z chinese) yearText() string {
	switch p := z.years; {
	case p.shape == shapeAll:
		return ""
	case p.step == 1 && p.shape == shapeSteps:
		return fmt.Sprintf("%d年至%d年，", p.first(), p.last())
	case p.step > 1 && len(p.values) > fewTimes:
		return fmt.Sprintf("%d年至%d年每%d年，", p.first(), p.last(), p.step)
	case p.shape == shapeSingle:
		return fmt.Sprintf("%d年", p.first())
	}
	shown, more := pieces(z.years.values, z.limit)
	var items []string
	for _, p := range shown {
		if p.from == p.to {
			items = append(items, fmt.Sprintf("%d年", p.from))
		} else {
			items = append(items, fmt.Sprintf("%d年至%d年", p.from, p.to))
		}
	}
	return chineseList(items, more) + "，"
}

// numbers renders values as a clock shows them, as runs where they are.
func (z chinese) numbers(values []int) string {
	shown, more := pieces(values, z.limit)
	var items []string
	for _, p := range shown {
		if p.from == p.to {
			items = append(items, fmt.Sprintf("%02d", p.from))
		} else {
			items = append(items, fmt.Sprintf("%02d至%02d", p.from, p.to))
		}
	}
	return chineseList(items, more)
}

// chineseWindow is a span of the day, on the next day when it wraps.
func chineseWindow(from, to clockTime, seconds bool) string {
	if to.hour < from.hour {
		return from.text(seconds) + "至次日" + to.text(seconds)
	}
	return from.text(seconds) + "至" + to.text(seconds)
}

func chineseDates(p piece) string {
	if p.from == p.to {
		return fmt.Sprintf("%d日", p.from)
	}
	return fmt.Sprintf("%d日至%d日", p.from, p.to)
}

func chineseFromLast(n int) string {
	if n == 0 {
		return "最后一天"
	}
	return fmt.Sprintf("倒数第%d天", n+1)
}

// chineseWeekday names a weekday; 7 is Sunday.
func chineseWeekday(day int) string { return "周" + string([]rune("日一二三四五六")[day%7]) }

// chineseEvery is "每分钟一次" or "每5分钟一次".
func chineseEvery(n int, unit string) string {
	if n == 1 {
		return "每" + unit + "一次"
	}
	return fmt.Sprintf("每%d%s一次", n, unit)
}

// chineseList joins items and adds how many more there are.
func chineseList(items []string, more int) string {
	if more > 0 {
		return strings.Join(items, "、") + fmt.Sprintf("等（另有%d个）", more)
	}
	end := len(items) - 1
	if end == 0 {
		return items[0]
	}
	return strings.Join(items[:end], "、") + "和" + items[end]
}

// spaced sets a blank wherever a number meets a Chinese character.
func spaced(text string) string {
	var b strings.Builder
	var before rune
	for _, r := range text {
		if isNumber(before) && unicode.Is(unicode.Han, r) || unicode.Is(unicode.Han, before) && isNumber(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

func isNumber(r rune) bool { return '0' <= r && r <= '9' }
