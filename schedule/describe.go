package schedule

import (
	"time"
	"unicode/utf8"
)

// Language is a language that schedules are described in. The values are
// those of HTML's lang attribute.
type Language string

// The languages. Any other value reads as English.
const (
	English Language = "en"
	Chinese Language = "zh"
)

// Limits of a description.
const (
	maxDescription = 600 // characters
	// maxListed bounds a list inside a description; "and N more" follows.
	maxListed = 12
	// fewTimes is the number of times of day up to which a list reads better
	// than any rule.
	fewTimes = 4
)

// Describe returns the times that the expression names as one sentence without
// a full stop, such as "At 09:00, Monday to Friday". It tells what fires, not
// what was written: expressions that name the same values have the same
// description. It names neither the zone nor the rules for clock changes, and it
// has at most 600 characters.
//
// The sentence is exact. The one exception is visible: where a field has too
// many irregular values, the list of them ends with "and N more".
func (c *Cron) Describe(l Language) string {
	if _, fires := c.Next(time.Time{}); !fires {
		if l == Chinese {
			return "永不触发"
		}
		return "Never"
	}
	text := ""
	for limit := maxListed; limit > 0; limit /= 2 {
		o := newOutline(c, limit)
		if l == Chinese {
			text = chinese{o}.sentence()
		} else {
			text = english{o}.sentence()
		}
		if utf8.RuneCountInString(text) <= maxDescription {
			break
		}
	}
	return text
}

// instantText is an instant for people, to the millisecond where it counts.
func instantText(t time.Time) string {
	return t.UTC().Truncate(time.Millisecond).Format("2006-01-02 15:04:05.999 UTC")
}

// unitCount is how many of one unit of time a period holds.
type unitCount struct {
	unit  time.Duration
	count int64
}

// unitsOf splits a period into hours, minutes, seconds and milliseconds. It
// has no days: a day on the wall is not always 24 hours.
func unitsOf(period time.Duration) []unitCount {
	var found []unitCount
	for _, unit := range []time.Duration{time.Hour, time.Minute, time.Second, time.Millisecond} {
		if n := period / unit; n > 0 {
			found = append(found, unitCount{unit, int64(n)})
			period %= unit
		}
	}
	return found
}
