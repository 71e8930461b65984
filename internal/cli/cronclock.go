package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/schedule"
)

// clockChange is an instant at which the clock of a zone is put forward or back,
// and what becomes of the firings there.
type clockChange struct {
	At     time.Time `json:"at"`
	Before string    `json:"before"` // the clock's last time and offset
	After  string    `json:"after"`  // its next time and offset
	// Named is how many times the expression names among those that the clock
	// leaves out or shows twice.
	Named int `json:"named"`
	// Text says it for people, one line each.
	Text []string `json:"text"`
}

// clockChanges explains the next changes of a zone's clock, at most two.
func (a *cronAnswer) clockChanges(w *cronWords) []clockChange {
	changes := []clockChange{}
	// What the expression names, whatever the clock shows.
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

// nextChange returns the first instant after another at which a zone's clock is
// put forward or back.
func nextChange(zone *time.Location, after time.Time) (time.Time, bool) {
	at := after
	for range 64 { // a zone may change its name or its rules and not its clock
		_, end := at.In(zone).ZoneBounds()
		if end.IsZero() {
			break
		}
		if end.After(after) && offsetAt(zone, end) != offsetAt(zone, end.Add(-time.Second)) {
			return end, true
		}
		if next := at.Add(24 * time.Hour); !end.After(at) { // as happens on a last day of a year
			end = next
		}
		at = end
	}
	return time.Time{}, false
}

// offsetAt returns how far a zone's clock is ahead of UTC at an instant.
func offsetAt(zone *time.Location, at time.Time) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}

// clockChange explains one change. named has the times that the expression
// names, as instants in UTC.
func (a *cronAnswer) clockChange(at time.Time, named *schedule.Cron, w *cronWords) clockChange {
	before, after := offsetAt(a.zone, at.Add(-time.Second)), offsetAt(a.zone, at)
	old := time.FixedZone("", int(before/time.Second))
	c := clockChange{At: at.UTC(), Before: at.In(old).Format(clockLayout), After: at.In(a.zone).Format(clockLayout)}
	// Times on the clock are reckoned as if they were UTC.
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

// moved returns the firings beside a gap that the expression does not name: they
// stand for those that fell into the gap.
func (a *cronAnswer) moved(at time.Time, named *schedule.Cron) []time.Time {
	beside := within(a.cron, at.Add(-time.Second), at.Add(time.Second))
	return slices.DeleteFunc(beside, func(firing time.Time) bool {
		wall := firing.Add(offsetAt(a.zone, firing))
		return len(within(named, wall, wall.Add(time.Second))) > 0
	})
}

// around names the firings next to an instant.
func (a *cronAnswer) around(at time.Time, w *cronWords) string {
	before, after := w.nothing, w.nothing
	if last, ok := a.cron.Prev(at); ok {
		before = last.In(a.zone).Format(clockLayout)
	}
	if first, ok := a.cron.Next(at.Add(-time.Second)); ok {
		after = first.In(a.zone).Format(clockLayout)
	}
	return fmt.Sprintf(w.around, before, after)
}

// within returns the firings from low to before high. Both lie within a day or
// so of each other.
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

// clockTimes shows a few times of day.
func (w *cronWords) clockTimes(times []time.Time) string {
	var parts []string
	for _, at := range times {
		parts = append(parts, at.Format(time.TimeOnly))
	}
	return w.bounded(parts, 4)
}

// instants shows a few instants on the clock of a zone.
func (w *cronWords) instants(at []time.Time, zone *time.Location) string {
	var parts []string
	for _, t := range at {
		parts = append(parts, t.In(zone).Format(clockLayout))
	}
	return w.bounded(parts, 4)
}
