package cron

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// words are the texts of an explanation in one language.
type words struct {
	every         [7]string // all values of each field
	noValue, none string
	or, comma     string

	months   func(time.Month) string
	weekdays func(time.Weekday) string
	numbers  func(field, n int) string

	span, steps, more string // formats
	fromLast          func(back int, workday bool) string
	nearest           func(day int) string
	nthWeekday        func(n int, day time.Weekday) string
	lastWeekday       func(day time.Weekday) string

	warnings, next, changes string // headings
	steady                  string // format: zone
	calendar                string // format: name, source
	forward, back           string // formats: date, from, to
	untouched               string
	gone, moved             string // formats: number, times; number, time
	twice                   string // format: number, times, of the first pass, of the second
	around                  string // format: before, after
	nothing                 string
}

// wordsIn returns the texts of a language, "en" or "zh".
func wordsIn(language string) *words {
	if language == "zh" {
		return chineseWords()
	}
	return englishWords()
}

func englishWords() *words {
	return &words{
		every:   [...]string{"every second", "every minute", "every hour", "every day", "every month", "every day of the week", "every year"},
		noValue: "no value: the other day field applies", none: "none", or: ", or ", comma: ", ",
		months: time.Month.String, weekdays: time.Weekday.String,
		numbers: func(_, n int) string { return strconv.Itoa(n) },
		span:    "%s to %s", steps: "%s to %s in steps of %d", more: " and %d more",
		fromLast: func(back int, workday bool) string {
			day := "the last day of the month"
			switch {
			case back == 0 && workday:
				return "the last day of the month that is not a Saturday or Sunday"
			case back == 1:
				day = "the day before " + day
			case back > 1:
				day = fmt.Sprintf("%d days before %s", back, day)
			}
			if workday {
				return "the day from Monday to Friday that is nearest to " + day
			}
			return day
		},
		nearest: func(day int) string {
			return fmt.Sprintf("the day from Monday to Friday that is nearest to day %d, in the same month", day)
		},
		nthWeekday: func(n int, day time.Weekday) string {
			return fmt.Sprintf("the %s %s of the month", [...]string{"first", "second", "third", "fourth", "fifth"}[n-1], day)
		},
		lastWeekday: func(day time.Weekday) string { return fmt.Sprintf("the last %s of the month", day) },
		warnings:    "Warnings:", next: "Next firings:", changes: "When the clock changes:",
		calendar:  "Calendar %s: %s",
		steady:    "the clock of %s does not change",
		forward:   "%s: the clock goes forward from %s to %s",
		back:      "%s: the clock goes back from %s to %s",
		untouched: "no firing is affected",
		gone:      "skipped times: %d (%s)",
		moved:     "fires instead: %s",
		twice:     "repeated times: %d (%s); firings in the first pass: %d, in the second: %d",
		around:    "last firing before: %s; first one after: %s", nothing: "none",
	}
}

func chineseWords() *words {
	weekday := func(day time.Weekday) string {
		return "周" + [...]string{"日", "一", "二", "三", "四", "五", "六"}[day]
	}
	return &words{
		every:   [...]string{"每秒", "每分钟", "每小时", "每天", "每月", "一周中的每天", "每年"},
		noValue: "不指定，由另一个日期字段决定", none: "无", or: "，或", comma: "、",
		months:   func(m time.Month) string { return fmt.Sprintf("%d月", int(m)) },
		weekdays: weekday,
		numbers: func(field, n int) string {
			return strconv.Itoa(n) + [...]string{"秒", "分", "时", "日", "月", "", "年"}[field]
		},
		span: "%s至%s", steps: "%s至%s，步长 %d", more: "，另有 %d 个",
		fromLast: func(back int, workday bool) string {
			switch {
			case back == 0 && workday:
				return "每月最后一个工作日（周一至周五）"
			case workday:
				return fmt.Sprintf("离每月倒数第 %d 天最近的工作日（周一至周五）", back+1)
			case back == 0:
				return "每月最后一天"
			}
			return fmt.Sprintf("每月倒数第 %d 天", back+1)
		},
		nearest: func(day int) string {
			return fmt.Sprintf("同月内离 %d 日最近的工作日（周一至周五）", day)
		},
		nthWeekday:  func(n int, day time.Weekday) string { return fmt.Sprintf("每月第 %d 个%s", n, weekday(day)) },
		lastWeekday: func(day time.Weekday) string { return "每月最后一个" + weekday(day) },
		warnings:    "警告：", next: "接下来的触发时间：", changes: "时钟调整时：",
		calendar:  "日历 %s：%s",
		steady:    "%s 的时钟不调整",
		forward:   "%s：时钟从 %s 拨快到 %s",
		back:      "%s：时钟从 %s 拨慢到 %s",
		untouched: "不影响任何触发",
		gone:      "不存在的指定时刻：%d 个（%s）",
		moved:     "改为触发于：%s",
		twice:     "出现两次的指定时刻：%d 个（%s）；第一遍触发 %d 次，第二遍触发 %d 次",
		around:    "之前最后一次触发：%s；之后第一次触发：%s", nothing: "无",
	}
}

// one returns the text of a value of a field.
func (w *words) one(field, n int) string {
	switch field {
	case probeMonth:
		return w.months(time.Month(n))
	case probeWeekday:
		return w.weekdays(time.Weekday(n))
	}
	return w.numbers(field, n)
}

// maxListed is the maximum number of list members to print.
const maxListed = 12

// list returns the text of values in order; size is the number of possible values. It
// abbreviates ranges and steps, and marks a truncated list.
func (w *words) list(field int, values []int, size int) string {
	if len(values) == size {
		return w.every[field]
	}
	if last := len(values) - 1; last >= 3 {
		step := values[1] - values[0]
		even := !slices.ContainsFunc(values[1:last], func(n int) bool { return (n-values[0])%step != 0 })
		if step > 1 && even && values[last]-values[0] == step*last {
			return fmt.Sprintf(w.steps, w.one(field, values[0]), w.one(field, values[last]), step)
		}
	}
	var parts []string
	for i := 0; i < len(values); {
		end := i
		for end+1 < len(values) && values[end+1] == values[end]+1 {
			end++
		}
		if end-i >= 2 {
			parts = append(parts, fmt.Sprintf(w.span, w.one(field, values[i]), w.one(field, values[end])))
			i = end + 1
			continue
		}
		parts = append(parts, w.one(field, values[i]))
		i++
	}
	return w.bounded(parts, maxListed)
}

// bounded joins the first parts of a list and appends the number of omitted parts.
func (w *words) bounded(parts []string, most int) string {
	if len(parts) > most {
		return strings.Join(parts[:most], w.comma) + fmt.Sprintf(w.more, len(parts)-most)
	}
	return strings.Join(parts, w.comma)
}
