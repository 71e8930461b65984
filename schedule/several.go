package schedule

import (
	"errors"
	"fmt"
	"time"
)

// several fires whenever one of its members does; at equal instants once.
type several struct {
	members []Schedule
}

// compileSeveral makes the union of the members. Their zone defaults to the zone
// of s.
func (s Spec) compileSeveral(calendars Calendars) (Schedule, error) {
	if n := len(s.Of); n < 2 || n > MaxSeveral {
		message := fmt.Sprintf("there are %d schedules in it", n)
		if n == 1 {
			message = "there is 1 schedule in it"
		}
		return nil, &Error{
			Input: "of", Message: message,
			Hint: fmt.Sprintf("allowed are 2-%d; a single one stands by itself", MaxSeveral),
		}
	}
	union := several{make([]Schedule, len(s.Of))}
	for i := range s.Of {
		err := s.Of[i].checkMember()
		if err == nil {
			union.members[i], err = s.member(i).CompileWith(calendars)
		}
		if err != nil {
			return nil, inMember(i, err)
		}
	}
	return union, nil
}

// member returns a member with the zone that it stands in.
func (s Spec) member(i int) Spec {
	m := s.Of[i]
	if m.Zone == "" {
		m.Zone = s.Zone
	}
	return m
}

// checkMember refuses what cannot be one of several schedules.
func (s Spec) checkMember() error {
	switch s.Kind {
	case KindCron, KindEvery, KindDaily, KindOnce:
	case KindAfter:
		return notMember("kind", "after follows the end of each run, so it cannot be one of several schedules", "use every, or a job of its own")
	case KindSeveral:
		return notMember("kind", "several schedules cannot stand in several", "write them all in one list")
	case KindManual:
		return notMember("kind", "manual never fires, so it cannot be one of several schedules", "leave it out")
	default:
		return s.unknownKind()
	}
	switch {
	case s.Delay != 0:
		return notMember("delay", "is set, but it counts from the start of a job of one schedule", "give at, the instant to fire at")
	case s.Count != 0:
		return notMember("count", "is set on one of several schedules", "set it on the schedule around them")
	case s.Jitter != 0:
		return notMember("jitter", "is set on one of several schedules", "set it on the schedule around them")
	case s.Seed != 0:
		return notMember("seed", "is set on one of several schedules", "set it on the schedule around them")
	}
	return nil
}

func notMember(input, message, hint string) error {
	return &Error{Input: input, Message: message, Hint: hint}
}

// inMember puts the place of a member before the place of its fault.
func inMember(i int, err error) error {
	cause, ok := errors.AsType[*Error](err)
	if !ok {
		return fmt.Errorf("of[%d]: %w", i, err)
	}
	wrong := *cause
	wrong.Input = fmt.Sprintf("of[%d].%s", i, cause.Input)
	return &wrong
}

// Next returns the first firing of any member strictly after the instant.
func (s several) Next(after time.Time) (time.Time, bool) {
	var least time.Time
	found := false
	for _, m := range s.members {
		if at, ok := m.Next(after); ok && (!found || at.Before(least)) {
			least, found = at, true
		}
	}
	return least, found
}

// firing is Next with the whole slot: of equal ones that which nothing moved.
func (s several) firing(after time.Time) (Slot, bool) {
	var least Slot
	found := false
	for _, m := range s.members {
		slot, ok := firingOf(m, after)
		if !ok {
			continue
		}
		plainer := slot.At.Equal(least.At) && slot.Named.Equal(slot.At)
		if !found || slot.At.Before(least.At) || plainer {
			least, found = slot, true
		}
	}
	return least, found
}

// dropped returns the first dropped slot of any member strictly between two
// instants.
func (s several) dropped(after, before time.Time) (Slot, bool) {
	var least Slot
	found := false
	for _, m := range s.members {
		inner, ok := m.(source)
		if !ok {
			continue
		}
		if slot, ok := inner.dropped(after, before); ok {
			least, found, before = slot, true, slot.At
		}
	}
	return least, found
}
