package schedule

import "time"

// millisPerDay is the length of a day on the wall.
const millisPerDay = secondsPerDay * 1000

// day returns the day on the wall of the place.
func (s *stretch) day() int64 { return floorDiv(s.first, secondsPerDay) }

// wall returns the wall time of an instant in the second of the place, in
// milliseconds.
func (s *stretch) wall(at time.Time) int64 { return at.UnixMilli() + s.offset*1000 }

// clock returns the time of day of an instant in the second of the place, in
// milliseconds.
func (s *stretch) clock(at time.Time) int64 { return s.wall(at) - s.day()*millisPerDay }

// land returns the instant at which the clock shows a time of a day first and, if
// that can be, after another instant. Through a gap it is the first instant
// behind.
func (c *closing) land(day, clock int64, after time.Time) time.Time {
	wall := day*millisPerDay + clock
	shown := showings(c.zone, floorDiv(wall, 1000))
	part := time.Duration(wall-floorDiv(wall, 1000)*1000) * time.Millisecond
	if shown.jumped {
		part = 0
	}
	at := time.Unix(shown.first, 0).Add(part)
	if !at.After(after) {
		at = time.Unix(shown.last, 0).Add(part)
	}
	return at
}

// threshold returns the first wall time, in milliseconds, that land puts after
// an instant.
func (c *closing) threshold(after time.Time) int64 {
	s := stretchAt(c.zone, after.Unix())
	s.overlap = OverlapFirst
	return max(s.wall(after)+1, s.opening()*1000)
}

// nextShifted returns the first firing after the instant of a schedule whose
// firings on forbidden days move to the next allowed one, and the slot that it
// comes from.
func (m *modified) nextShifted(after time.Time) (at, named time.Time, ok bool) {
	c := m.closing
	if after.Unix() < firstSecond {
		after = time.Unix(firstSecond, 0)
	} else if after.Unix() > lastSecond {
		return time.Time{}, time.Time{}, false
	}
	least := c.threshold(after)
	s := stretchAt(c.zone, after.Unix())
	at, named, ok = m.arriving(s.day(), least)

	// Slots on allowed days, and those of later runs, unless what arrives is
	// before them.
	for slot, more := m.named(after); more && (!ok || !slot.After(at)); {
		s := stretchAt(c.zone, slot.Unix())
		day := s.day()
		if !c.forbids(day) {
			return slot, slot, true
		}
		if !ok {
			at, named, ok = m.arriving(day, least)
		}
		free, opens := c.nextAllowed(day + 1)
		if !opens {
			if s.endless || c.forbids(day-1) && c.forbids(day-2) {
				break
			}
			free = lastWall / secondsPerDay // as in open
		}
		slot, more = m.namedFrom(s.reach(free * millisPerDay))
	}
	return at, named, ok
}

// arriving returns the first firing that comes, at a wall time of at least least,
// from forbidden days to the first allowed day that is not before the given one.
func (m *modified) arriving(day, least int64) (at, named time.Time, ok bool) {
	c := m.closing
	target, ok := c.nextAllowed(day)
	if !ok || !c.forbids(target-1) {
		return time.Time{}, time.Time{}, false
	}
	clock, named, ok := m.earliest(c.runBefore(target-1), target-1, max(least-target*millisPerDay, 0))
	if !ok {
		return time.Time{}, time.Time{}, false
	}
	return m.ending(c.land(target, clock, time.Time{}), named)
}

// earliest returns the least time of day, of those that are at least least, at
// which slots lie on any of the days from..to, and the oldest slot of those. It
// looks at each of the days once or twice.
func (m *modified) earliest(from, to, least int64) (clock int64, named time.Time, found bool) {
	zone := m.closing.zone
	clock = millisPerDay
	start := time.Unix(showings(zone, from*secondsPerDay).first, 0)
	for slot, ok := m.namedFrom(start); ok && least < millisPerDay; {
		s := stretchAt(zone, slot.Unix())
		day, now := s.day(), s.clock(slot)
		next := (day + 1) * millisPerDay
		switch {
		case day > to:
			if s.endless || s.end+s.after() >= (to+1)*secondsPerDay {
				return clock, named, found
			}
			next = (s.end + s.offset) * 1000 // the clock steps back to the days
		case day < from:
			next = from * millisPerDay
		case now < least:
			next = day*millisPerDay + least
		case now < clock:
			clock, named, found = now, slot, true
		}
		if found && clock == least {
			break
		}
		slot, ok = m.namedFrom(s.reach(next))
	}
	return clock, named, found
}

// moves reports whether a slot at a time of a forbidden day moves to a later day.
// If so later is a time of the day, or its end, before which all others move too.
func (m *modified) moves(day, clock int64) (later int64, moves bool) {
	if !m.shift {
		return 0, false
	}
	target, ok := m.closing.nextAllowed(day + 1)
	if !ok || target-day > maxShift {
		return 0, false
	}
	if m.end.IsZero() {
		return millisPerDay, true
	}
	// Those fire that land before the end.
	ending := m.closing.threshold(m.end.Add(-1)) - target*millisPerDay
	return min(max(ending, clock+1), millisPerDay), clock < ending
}

// joined returns the first slot strictly between two instants that a shift joins with a
// firing of another origin. It checks at most budget slots, and subtracts them from it.
func (m *modified) joined(after, before time.Time, budget *int) (Slot, bool) {
	c := m.closing
	after, before = after.Add(-m.offset), before.Add(-m.offset)
	for slot, ok := m.named(after); ok && slot.Before(before) && *budget > 0; *budget-- {
		s := stretchAt(c.zone, slot.Unix())
		day, clock := s.day(), s.clock(slot)
		if !c.forbids(day) {
			slot, ok = m.namedFrom(s.reach(c.nextForbidden(day+1, day+maxShift) * millisPerDay))
			continue
		}
		if _, moves := m.moves(day, clock); moves {
			target, _ := c.nextAllowed(day + 1)
			at := c.land(target, clock, slot)
			if _, named, fires := m.nextShifted(at.Add(-1)); fires && !named.Equal(slot) {
				key, occasion := c.name(day)
				return Slot{
					At: slot.Add(m.offset).UTC(), Named: slot.UTC(), Dropped: true, Calendar: key, Day: occasion,
					Into: at.Add(m.offset).UTC(),
				}, true
			}
		}
		slot, ok = m.named(slot)
	}
	return Slot{}, false
}
