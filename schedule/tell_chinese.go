package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// chinesePhrases are the sentences about a Spec in Chinese.
func chinesePhrases() phrases {
	return phrases{
		language:  Chinese,
		cron:      chineseCron,
		rate:      chineseRate,
		delay:     chineseDelay,
		daily:     chineseDaily,
		once:      chineseOnce,
		manual:    chineseManual,
		several:   chineseSeveral,
		bounds:    chineseBounds,
		atMost:    chineseAtMost,
		calendars: chineseCalendars,
		shifted:   "（顺延至下一个允许的日期）",
		waits:     "（等到下一个允许的日期）",
		jitter:    chineseJitter,
	}
}

func chineseCron(text, zone string) string { return fmt.Sprintf("%s（%s）", text, zone) }

func chineseRate(every time.Duration, anchor time.Time) string {
	text := spaced("每" + chinesePeriod(every) + "一次")
	if !anchor.IsZero() {
		text += "，自 " + instantText(anchor) + " 起计"
	}
	return text
}

func chineseDelay(after time.Duration) string {
	return spaced("任务启动时，此后每次运行结束" + chineseLength(after) + "后")
}

func chineseDaily(d Daily, zone string) string {
	days := "每天"
	if d.Days != everyDay {
		days = chinese{weekOutline(d.Days)}.weekText()
	}
	from, to := d.clocks()
	link := "至"
	if d.To < d.From {
		link = "至次日"
	}
	return spaced(days+from+link+to+"每"+chinesePeriod(d.Every)+"一次") + "（" + zone + "）"
}

func chineseOnce(at time.Time, delay time.Duration) string {
	after := spaced("任务启动" + chineseLength(delay) + "后")
	switch {
	case delay == 0:
		return "仅一次：" + instantText(at)
	case at.IsZero():
		return "仅一次：" + after
	}
	return "仅一次：" + instantText(at) + "（" + after + "）"
}

func chineseManual() string { return "仅在手动或由程序触发时执行" }

func chineseSeveral(sentences []string, more int, modified bool) string {
	text := strings.Join(sentences, "；")
	if more > 0 {
		text += spaced(fmt.Sprintf("；另有%d个计划", more))
	}
	if modified {
		text += "；以上全部"
	}
	return text
}

func chineseBounds(start, end time.Time) string {
	switch {
	case end.IsZero():
		return "，自 " + instantText(start) + " 起"
	case start.IsZero():
		return "，至 " + instantText(end) + " 止"
	}
	return "，自 " + instantText(start) + " 起至 " + instantText(end) + " 止"
}

func chineseAtMost(n int) string { return spaced(fmt.Sprintf("，最多运行%d次", n)) }

func chineseCalendars(keys []string, zone, moved string) string {
	if zone != "" {
		zone = "（" + zone + "）"
	}
	return "，日历 " + strings.Join(keys, "、") + " 排除的日期" + zone + "除外" + moved
}

func chineseJitter(jitter, offset time.Duration) string {
	if offset == 0 {
		return spaced("，抖动" + chineseLength(jitter))
	}
	return spaced("，固定延后" + chineseLength(offset) + "（抖动" + chineseLength(jitter) + "）")
}

// chinesePeriod is a time behind "每".
func chinesePeriod(period time.Duration) string {
	if units := unitsOf(period); len(units) == 1 && units[0].count == 1 {
		return chineseUnit(units[0].unit)
	}
	return chineseLength(period)
}

// chineseLength is a length of time.
func chineseLength(d time.Duration) string {
	var text strings.Builder
	for _, u := range unitsOf(d) {
		text.WriteString(strconv.FormatInt(u.count, 10))
		text.WriteString(chineseUnit(u.unit))
	}
	return text.String()
}

func chineseUnit(unit time.Duration) string {
	names := map[time.Duration]string{
		time.Hour: "小时", time.Minute: "分钟", time.Second: "秒", time.Millisecond: "毫秒",
	}
	return names[unit]
}
