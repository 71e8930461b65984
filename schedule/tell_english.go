package schedule

import (
	"fmt"
	"strings"
	"time"
)

// englishPhrases are the sentences about a Spec in English.
func englishPhrases() phrases {
	return phrases{
		language:  English,
		cron:      englishCron,
		rate:      englishRate,
		delay:     englishDelay,
		daily:     englishDaily,
		once:      englishOnce,
		manual:    englishManual,
		several:   englishSeveral,
		bounds:    englishBounds,
		atMost:    englishAtMost,
		calendars: englishCalendars,
		shifted:   " (moved to the next allowed day)",
		waits:     " (waiting for the next allowed day)",
		jitter:    englishJitter,
	}
}

func englishCron(text, zone string) string { return fmt.Sprintf("%s (%s)", text, zone) }

func englishRate(every time.Duration, anchor time.Time) string {
	text := "Every " + englishPeriod(every)
	if !anchor.IsZero() {
		text += ", counted from " + instantText(anchor)
	}
	return text
}

func englishDelay(after time.Duration) string {
	return fmt.Sprintf("When the job is started, and then %s after the end of each run", englishLength(after))
}

func englishDaily(d Daily, zone string) string {
	from, to := d.clocks()
	text := fmt.Sprintf("Every %s from %s to %s", englishPeriod(d.Every), from, to)
	if d.Days != everyDay {
		if d.To < d.From {
			text += " of the next day"
		}
		text += ", " + english{weekOutline(d.Days)}.weekText()
	}
	return fmt.Sprintf("%s (%s)", text, zone)
}

func englishOnce(at time.Time, delay time.Duration) string {
	switch {
	case delay == 0:
		return "Once at " + instantText(at)
	case at.IsZero():
		return fmt.Sprintf("Once, %s after the job is started", englishLength(delay))
	}
	return fmt.Sprintf("Once at %s, %s after the job was started", instantText(at), englishLength(delay))
}

func englishManual() string { return "Only when a person or a program triggers it" }

func englishSeveral(sentences []string, more int, modified bool) string {
	for i, sentence := range sentences[1:] {
		sentences[i+1] = strings.ToLower(sentence[:1]) + sentence[1:]
	}
	text := strings.Join(sentences, "; ")
	if more > 0 {
		text += "; and " + englishLengthOf(more, "more schedule")
	}
	if modified {
		text += "; all of it"
	}
	return text
}

func englishBounds(start, end time.Time) string {
	switch {
	case end.IsZero():
		return ", from " + instantText(start) + " on"
	case start.IsZero():
		return ", until " + instantText(end)
	}
	return fmt.Sprintf(", from %s until %s", instantText(start), instantText(end))
}

func englishAtMost(n int) string { return ", at most " + englishLengthOf(n, "run") }

func englishCalendars(keys []string, zone, moved string) string {
	days, which := "days", "calendar "+keys[0]
	if zone != "" {
		days += " in " + zone
	}
	if len(keys) > 1 {
		which = "one of the calendars " + englishList(keys, 0)
	}
	return fmt.Sprintf(", except on %s that %s excludes%s", days, which, moved)
}

func englishJitter(jitter, offset time.Duration) string {
	if offset == 0 {
		return ", with a jitter of " + englishLength(jitter)
	}
	return fmt.Sprintf(", always %s later (jitter of %s)", englishLength(offset), englishLength(jitter))
}

// englishPeriod is a time behind "every".
func englishPeriod(period time.Duration) string {
	if units := unitsOf(period); len(units) == 1 {
		return englishCount(int(units[0].count), englishUnit(units[0].unit))
	}
	return englishLength(period)
}

// englishLength is a length of time.
func englishLength(d time.Duration) string {
	var items []string
	for _, u := range unitsOf(d) {
		items = append(items, englishLengthOf(int(u.count), englishUnit(u.unit)))
	}
	return englishList(items, 0)
}

// englishLengthOf is "1 run" or "5 runs".
func englishLengthOf(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return englishCount(n, unit)
}

func englishUnit(unit time.Duration) string {
	names := map[time.Duration]string{
		time.Hour: "hour", time.Minute: "minute", time.Second: "second", time.Millisecond: "millisecond",
	}
	return names[unit]
}
