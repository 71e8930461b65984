package cron

import (
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/schedule"
)

// clockChange is an instant at which the clock of a zone changes, and its effect on
// firings.
type clockChange struct {
	At     time.Time `json:"at"`
	Before string    `json:"before"` // last local time and offset before the change
	After  string    `json:"after"`  // first local time and offset after it
	// Named counts the local times of the expression that the change skips or repeats.
	Named int `json:"named"`
	// Text explains the change for people, one line each.
	Text []string `json:"text"`
}

// clockChanges explains the next clock changes of a zone, at most two.
func (a *solution) clockChanges(w *words) []clockChange {
	changes := []clockChange{}
	// The times of the expression, without clock changes.
	named, err := schedule.ParseCronWith(a.spec.Cron, schedule.CronOptions{})
	if err != nil || a.cron == nil {
		return changes
	}
	for at := a.from; len(changes) < 2; {
		next, ok := nextChange(a.zone, at)
		if !ok {
			break
		}
		changes = append(changes, a.clockChange(next, named, w))
		at = next
	}
	return changes
}

// nextChange returns the first clock change of a zone after an instant.
func nextChange(zone *time.Location, after time.Time) (time.Time, bool) {
	at := after
	for range 64 { // a zone transition may keep the offset
		_, end := at.In(zone).ZoneBounds()
		if end.IsZero() {
			break
		}
		if end.After(after) && offsetAt(zone, end) != offsetAt(zone, end.Add(-time.Second)) {
			return end, true
		}
		if next := at.Add(24 * time.Hour); !end.After(at) { // happens on the last day of some years
			end = next
		}
		at = end
	}
	return time.Time{}, false
}

// offsetAt returns the UTC offset of a zone at an instant.
func offsetAt(zone *time.Location, at time.Time) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// clockChange explains one change. named has the local times of the expression, written
// as UTC.
func (a *solution) clockChange(at time.Time, named *schedule.Cron, w *words) clockChange {
	before, after := offsetAt(a.zone, at.Add(-time.Second)), offsetAt(a.zone, at)
	old := time.FixedZone("", int(before/time.Second))
	c := clockChange{At: at.UTC(), Before: at.In(old).Format(clockLayout), After: at.In(a.zone).Format(clockLayout)}
	// Local times are computed as if they were UTC.
	low, high, format := at.Add(before), at.Add(after), w.forward
	if after < before {
		low, high, format = high, low, w.back
	}
	c.Text = []string{fmt.Sprintf(format, at.In(old).Format(time.DateOnly),
		at.In(old).Format("15:04:05 -07:00"), at.In(a.zone).Format("15:04:05 -07:00"))}
	if at.In(old).Format(time.DateOnly) != at.In(a.zone).Format(time.DateOnly) {
		c.Text[0] = fmt.Sprintf(format, at.In(old).Format(time.DateOnly), c.Before, c.After)
	}
	times := within(named, low, high)
	c.Named = len(times)
	if len(times) == 0 {
		c.Text = append(c.Text, w.untouched)
		return c
	}
	shown := w.clockTimes(times)
	if after < before {
		first, second := within(a.cron, at.Add(after-before), at), within(a.cron, at, at.Add(before-after))
		c.Text = append(c.Text, fmt.Sprintf(w.twice, len(times), shown, len(first), len(second)))
		return c
	}
	c.Text = append(c.Text, fmt.Sprintf(w.gone, len(times), shown))
	if moved := a.moved(at, named); len(moved) > 0 {
		c.Text = append(c.Text, fmt.Sprintf(w.moved, w.instants(moved, a.zone)))
	}
	c.Text = append(c.Text, a.around(at, w))
	return c
}

// moved returns the firings at the edge of a gap that the expression does not name:
// they replace the firings inside the gap.
func (a *solution) moved(at time.Time, named *schedule.Cron) []time.Time {
	near := within(a.cron, at.Add(-time.Second), at.Add(time.Second))
	return slices.DeleteFunc(near, func(firing time.Time) bool {
		wall := firing.Add(offsetAt(a.zone, firing))
		return len(within(named, wall, wall.Add(time.Second))) > 0
	})
}

// around lists the firings next to an instant.
func (a *solution) around(at time.Time, w *words) string {
	before, after := w.nothing, w.nothing
	if last, ok := a.cron.Prev(at); ok {
		before = last.In(a.zone).Format(clockLayout)
	}
	if first, ok := a.cron.Next(at.Add(-time.Second)); ok {
		after = first.In(a.zone).Format(clockLayout)
	}
	return fmt.Sprintf(w.around, before, after)
}

// within returns the firings from low to before high, which are about a day apart at
// most.
func within(c *schedule.Cron, low, high time.Time) []time.Time {
	var found []time.Time
	for at := low.Add(-time.Nanosecond); ; {
		next, ok := c.Next(at)
		if !ok || !next.Before(high) {
			return found
		}
		found = append(found, next)
		at = next
	}
}

// clockTimes formats a few times of day.
func (w *words) clockTimes(times []time.Time) string {
	var parts []string
	for _, at := range times {
		parts = append(parts, at.Format(time.TimeOnly))
	}
	return w.bounded(parts, 4)
}

// instants formats a few instants in a zone.
func (w *words) instants(at []time.Time, zone *time.Location) string {
	var parts []string
	for _, t := range at {
		parts = append(parts, t.In(zone).Format(clockLayout))
	}
	return w.bounded(parts, 4)
}
