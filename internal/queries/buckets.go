package queries

import (
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// The time ranges of a dashboard.
const (
	rangeHour  = "1h"
	rangeDay   = "24h"
	rangeWeek  = "7d"
	rangeMonth = "30d"

	// Whole days, weeks from Monday on, and months of a zone.
	rangeToday     = "today"
	rangeYesterday = "yesterday"
	rangeThisWeek  = "this_week"
	rangeLastWeek  = "last_week"
	rangeThisMonth = "this_month"
	rangeLastMonth = "last_month"
)

// Ranges are the time ranges of a dashboard: those that end now, and those of the calendar.
func Ranges() []string {
	return []string{
		rangeHour, rangeDay, rangeWeek, rangeMonth,
		rangeToday, rangeYesterday, rangeThisWeek, rangeLastWeek, rangeThisMonth, rangeLastMonth,
	}
}

// check returns the zone of a question.
func (q *DashboardQuery) check() (*time.Location, error) {
	if !slices.Contains(Ranges(), q.Range) {
		return nil, job.FieldErrorf("range", "%q is none of %s", q.Range, strings.Join(Ranges(), ", "))
	}
	return zoneOf(q.Zone)
}

// zoneOf returns the zone of a name; empty means UTC.
func zoneOf(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, job.FieldErrorf("zone", "the time zone %q is unknown; use an IANA name such as \"Europe/Berlin\" or \"UTC\"", name)
	}
	return zone, nil
}

// cut returns the buckets of a time, and whether they are made of the short pieces. It
// ends with the one that now lies in, or with the day, week or month that it is. An hour has minutes, a day half hours, a week
// quarters of the zone's days, and a month its days: those may be an hour longer or
// shorter when clocks are changed.
func cut(of string, zone *time.Location, now time.Time) (buckets []Bucket, short bool) {
	even := func(length time.Duration, n int) {
		end := now.UTC().Truncate(length).Add(length)
		for i := range n {
			at := end.Add(time.Duration(i-n) * length)
			buckets = append(buckets, Bucket{From: at, To: at.Add(length)})
		}
	}
	wall := func(hours, n int) {
		year, month, day := now.In(zone).Date()
		last := now.In(zone).Hour() / hours
		edge := func(i int) time.Time { return time.Date(year, month, day, (last+i)*hours, 0, 0, 0, zone).UTC() }
		for i := -n + 1; i <= 0; i++ {
			buckets = append(buckets, Bucket{From: edge(i), To: edge(i + 1)})
		}
	}
	switch of {
	case rangeHour:
		even(time.Minute, 60)
	case rangeDay:
		even(SlotLength, 48)
	case rangeWeek:
		wall(6, 28)
	case rangeMonth:
		wall(24, 30)
	default:
		buckets = cutCalendar(of, now.In(zone))
	}
	return buckets, of == rangeHour
}

// cutCalendar returns the buckets of a day, a week or a month, in now's zone: half hours,
// quarters of days, or days.
func cutCalendar(of string, now time.Time) (buckets []Bucket) {
	year, month, day := now.Date()
	monday := day - (int(now.Weekday())+6)%7
	date := func(month time.Month, day, hour int) time.Time {
		return time.Date(year, month, day, hour, 0, 0, 0, now.Location()).UTC()
	}
	wall := func(hours int, month time.Month, day int, end time.Time) {
		for at := date(month, day, 0); at.Before(end); {
			next := date(month, day, (len(buckets)+1)*hours)
			buckets, at = append(buckets, Bucket{From: at, To: next}), next
		}
	}
	halves := func(day int) {
		end := date(month, day+1, 0)
		for at := date(month, day, 0); at.Before(end); at = at.Add(SlotLength) {
			buckets = append(buckets, Bucket{From: at, To: at.Add(SlotLength)})
		}
	}
	switch of {
	case rangeToday:
		halves(day)
	case rangeYesterday:
		halves(day - 1)
	case rangeThisWeek:
		wall(6, month, monday, date(month, monday+7, 0))
	case rangeLastWeek:
		wall(6, month, monday-7, date(month, monday, 0))
	case rangeThisMonth:
		wall(24, month, 1, date(month+1, 1, 0))
	default:
		wall(24, month-1, 1, date(month, 1, 0))
	}
	return buckets
}
