package schedule

import (
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/schedule/calendar"
)

// Compile is [Spec.CompileWith] for a schedule that names no calendars.
func (s Spec) Compile() (Schedule, error) { return s.CompileWith(nil) }

// CompileWith makes the Schedule that s describes. Its errors are [*Error]; a
// calendar that the lookup does not find is one. It reads the zone from the zone
// database, so callers keep the result, for as long as the calendars do not
// change.
func (s Spec) CompileWith(calendars Calendars) (Schedule, error) {
	zone, err := loadZone(s.Zone)
	if err != nil {
		return nil, err
	}
	inner, err := s.compileKind(zone, calendars)
	if err != nil {
		return nil, err
	}
	return s.modify(inner, zone, calendars)
}

// compileKind makes the schedule without its bounds, jitter and calendars.
func (s Spec) compileKind(zone *time.Location, calendars Calendars) (Schedule, error) {
	switch s.Kind {
	case KindCron:
		return s.compileCron(zone)
	case KindEvery:
		return newRate(s.Every, s.Anchor)
	case KindAfter:
		return newDelay(s.After)
	case KindDaily:
		return newDaily(s.Daily, zone, s.DST)
	case KindOnce:
		return newSingle(s.At, s.Delay)
	case KindSeveral:
		return s.compileSeveral(calendars)
	case KindManual:
		return never{}, nil
	}
	return nil, s.unknownKind()
}

func (s Spec) unknownKind() error {
	return &Error{
		Input: "kind", Message: quote(string(s.Kind)) + " is not a kind of schedule",
		Hint: "use cron, every, after, daily, once, several or manual",
	}
}

func (s Spec) compileCron(zone *time.Location) (Schedule, error) {
	options := CronOptions{Zone: zone}
	if s.DST != nil {
		options.DST = *s.DST
	}
	if period, ok := everyText(s.Cron); ok {
		if err := options.DST.Validate(); err != nil {
			return nil, err
		}
		return parseEvery(s.Cron, period)
	}
	cron, err := ParseCronWith(s.Cron, options)
	if err != nil {
		return nil, err
	}
	return cron, nil
}

// modify puts the bounds, the jitter and the calendars around a schedule, and
// returns it as it is when there are none.
func (s Spec) modify(inner Schedule, zone *time.Location, calendars Calendars) (Schedule, error) {
	if err := s.checkModifiers(); err != nil {
		return nil, err
	}
	closing, err := s.closing(zone, calendars)
	if err != nil {
		return nil, err
	}
	m := &modified{
		inner: inner, start: s.Start.UTC(), end: s.End.UTC(), offset: jitterOf(s.Jitter, s.Seed),
		closing: closing, shift: s.Excluded == ExcludedShift,
	}
	if m.start.IsZero() && m.end.IsZero() && m.offset == 0 && m.closing == nil {
		return inner, nil
	}
	return m, nil
}

// closing finds the calendars of s; nil when there are none.
func (s Spec) closing(zone *time.Location, calendars Calendars) (*closing, error) {
	if len(s.Calendars) == 0 {
		return nil, nil
	}
	c := &closing{zone: zone, keys: slices.Clone(s.Calendars), calendars: make([]*calendar.Calendar, len(s.Calendars))}
	for i, key := range s.Calendars {
		if calendars != nil {
			c.calendars[i] = calendars(key)
		}
		if c.calendars[i] == nil {
			return nil, &Error{
				Input: inputCalendars, Message: "there is no calendar " + quote(key),
				Hint: "make it first, name another, or leave it out",
			}
		}
	}
	if s.Excluded == ExcludedShift {
		c.findMissing()
	}
	return c, nil
}

// loadZone returns the location of an IANA name. "Local" is refused because
// it means something else on every machine.
func loadZone(name string) (*time.Location, error) {
	if name != "Local" {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, nil
		}
	}
	return nil, &Error{
		Input: "zone", Message: fmt.Sprintf("the time zone %s is unknown", quote(name)),
		Hint: `use an IANA name such as "Asia/Shanghai", "Europe/Berlin" or "UTC"`,
	}
}

// checkInstant refuses an instant that nothing can fire at.
func checkInstant(input string, t time.Time) error {
	if year := t.UTC().Year(); year < MinYear || year > MaxYear {
		return &Error{
			Input: input, Message: fmt.Sprintf("the year %d is out of range", year),
			Hint: fmt.Sprintf("allowed are the years %d-%d", MinYear, MaxYear),
		}
	}
	return nil
}
