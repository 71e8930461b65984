package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// slots returns the instants from the first one on and before the last one at which a
// schedule fires, each once and in order. It looks at every second and knows of zones what
// package time says: slow, and too simple to share a mistake with a real scheduler.
func slots(s schedule, from, to time.Time) ([]time.Time, error) {
	if s.Start != nil && s.Start.After(from) {
		from = *s.Start
	}
	if s.End != nil && s.End.Before(to) {
		to = *s.End
	}
	zone, err := time.LoadLocation(s.Zone)
	if err != nil {
		return nil, err
	}
	var all []time.Time
	switch s.Kind {
	case "manual":
	case "once":
		all = []time.Time{*s.At}
	case "every":
		all, err = everySlots(s, to)
	case "cron":
		all, err = cronSlots(s, zone, from, to)
	case "daily":
		all, err = dailySlots(s.Daily, zone, from, to)
	case "several":
		for _, one := range s.Of {
			more, err := slots(one, from, to)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	default:
		err = fmt.Errorf("schedules of the kind %q are not known here", s.Kind)
	}
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(at time.Time) bool { return at.Before(from) || !at.Before(to) })
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal), nil
}

func everySlots(s schedule, to time.Time) (all []time.Time, err error) {
	every, err := time.ParseDuration(s.Every)
	if err != nil {
		return nil, err
	}
	for at := *s.Anchor; at.Before(to); at = at.Add(every) {
		all = append(all, at)
	}
	return all, nil
}

// cronSlots looks at the wall clock of each second. Wall times that the clock jumps over,
// and those that it shows twice, are what the schedule's dst says.
func cronSlots(s schedule, zone *time.Location, from, to time.Time) (all []time.Time, err error) {
	matches, err := parseCron(s.Cron)
	if err != nil {
		return nil, err
	}
	rule := dst{Gap: "fire_after", Overlap: "first"} // of new jobs
	if s.DST != nil {
		rule = *s.DST
	}
	at := from.Truncate(time.Second)
	if at.Before(from) {
		at = at.Add(time.Second)
	}
	wall := func(at time.Time) time.Time { // the wall clock, as if it were UTC
		_, offset := at.In(zone).Zone()
		return at.UTC().Add(time.Duration(offset) * time.Second)
	}
	shown := make(map[time.Time]int) // where in all the slot of a wall time is
	before := wall(at.Add(-time.Second))
	for ; at.Before(to); at = at.Add(time.Second) {
		now := wall(at)
		if rule.Gap == "fire_after" {
			for gone := before.Add(time.Second); gone.Before(now); gone = gone.Add(time.Second) {
				if matches(gone) {
					all = append(all, at)
					break
				}
			}
		}
		before = now
		if !matches(now) {
			continue
		}
		if i, twice := shown[now]; twice {
			if rule.Overlap == "second" {
				all[i] = at
			}
			continue
		}
		shown[now] = len(all)
		all = append(all, at)
	}
	return all, nil
}

// parseCron reads a Quartz expression of six fields or a Unix one of five, without L, W, #
// and years. The result says whether a wall time, given as UTC, is one of its.
func parseCron(text string) (func(wall time.Time) bool, error) {
	fields := strings.Fields(text)
	unix := len(fields) == 5
	if unix {
		fields = append([]string{"0"}, fields...)
	}
	if len(fields) != 6 {
		return nil, fmt.Errorf("the expression %q has %d fields", text, len(fields))
	}
	months := []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
	days := []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}
	firstDay := 1 // of Quartz: Sunday
	if unix {
		firstDay = 0
	}
	var sets [6]map[int]bool
	for i, bounds := range [6]struct {
		low, high int
		names     []string
	}{{0, 59, nil}, {0, 59, nil}, {0, 23, nil}, {1, 31, nil}, {1, 12, months}, {firstDay, firstDay + 6, days}} {
		set, err := parseField(fields[i], bounds.low, bounds.high, bounds.names)
		if err != nil {
			return nil, fmt.Errorf("the expression %q: %w", text, err)
		}
		sets[i] = set
	}
	either := unix && !strings.HasPrefix(fields[3], "*") && !strings.HasPrefix(fields[5], "*")
	return func(w time.Time) bool {
		day, weekday := sets[3][w.Day()], sets[5][int(w.Weekday())+firstDay]
		return sets[0][w.Second()] && sets[1][w.Minute()] && sets[2][w.Hour()] && sets[4][int(w.Month())] &&
			(day && weekday || either && (day || weekday))
	}, nil
}

func parseField(text string, low, high int, names []string) (map[int]bool, error) {
	set := make(map[int]bool)
	number := func(word string) (int, error) {
		if i := slices.Index(names, strings.ToUpper(word)); i >= 0 {
			return low + i, nil
		}
		n, err := strconv.Atoi(word)
		if err == nil && (n < low || n > high) {
			err = fmt.Errorf("%d is not between %d and %d", n, low, high)
		}
		return n, err
	}
	for part := range strings.SplitSeq(text, ",") {
		span, pace, stepped := strings.Cut(part, "/")
		first, last, step := low, high, 1
		var err error
		if stepped {
			if step, err = strconv.Atoi(pace); err != nil || step < 1 {
				return nil, fmt.Errorf("the step of %q", part)
			}
		}
		if span != "*" && span != "?" {
			from, to, ranged := strings.Cut(span, "-")
			if first, err = number(from); err != nil {
				return nil, err
			}
			switch {
			case ranged:
				if last, err = number(to); err != nil {
					return nil, err
				}
			case !stepped:
				last = first
			}
		}
		if last < first { // it wraps
			last += high - low + 1
		}
		for n := first; n <= last; n += step {
			set[low+(n-low)%(high-low+1)] = true
		}
	}
	return set, nil
}

// dailySlots reads "09:00-18:00 MON-FRI every 5m". It knows no changes of clocks.
func dailySlots(text string, zone *time.Location, from, to time.Time) (all []time.Time, err error) {
	window, pace, _ := strings.Cut(text, " every ")
	every, err := time.ParseDuration(pace)
	if err != nil {
		return nil, err
	}
	hours, days, _ := strings.Cut(window, " ")
	if days == "" {
		days = "*"
	}
	open, shut := 0, 0
	var openHour, openMinute, shutHour, shutMinute int
	if _, err := fmt.Sscanf(hours, "%d:%d-%d:%d", &openHour, &openMinute, &shutHour, &shutMinute); err != nil {
		return nil, fmt.Errorf("the window %q: %w", hours, err)
	}
	open, shut = openHour*60+openMinute, shutHour*60+shutMinute
	if shut <= open {
		shut += 24 * 60 // it ends on the next day
	}
	on, err := parseField(days, 1, 7, []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"})
	if err != nil {
		return nil, err
	}
	for day := from.In(zone).AddDate(0, 0, -2); !day.After(to.AddDate(0, 0, 2)); day = day.AddDate(0, 0, 1) {
		if !on[int(day.Weekday())+1] {
			continue
		}
		begin := time.Date(day.Year(), day.Month(), day.Day(), openHour, openMinute, 0, 0, zone)
		end := begin.Add(time.Duration(shut-open) * time.Minute)
		for at := begin; !at.After(end); at = at.Add(every) {
			all = append(all, at)
		}
	}
	return all, nil
}
