package catalog

import (
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// The times that a dashboard tells of.
const (
	rangeHour  = "1h"
	rangeDay   = "24h"
	rangeWeek  = "7d"
	rangeMonth = "30d"
)

// Ranges are the times that a dashboard tells of, the shortest first.
func Ranges() []string { return []string{rangeHour, rangeDay, rangeWeek, rangeMonth} }

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

// cut returns the buckets of a time that ends with the one that now lies in, and whether
// they are made of the short pieces. An hour has minutes, a day half hours, a week
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
	default:
		wall(24, 30)
	}
	return buckets, of == rangeHour
}
