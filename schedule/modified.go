package schedule

import "time"

// source is a Schedule that can report the effect of a calendar on its slots.
type source interface {
	Schedule
	// firing is Next with the whole slot.
	firing(after time.Time) (Slot, bool)
	// dropped returns the first dropped slot strictly between two instants. It
	// may be at an instant at which the schedule fires for another reason.
	dropped(after, before time.Time) (Slot, bool)
}

// modified is a schedule within bounds, on the days that calendars allow, moved
// by the jitter. The bounds and the calendars judge a slot before the jitter. A
// shifted slot must be named within the bounds and fire before the end.
type modified struct {
	inner      Schedule
	start, end time.Time // zero means no bound
	offset     time.Duration
	closing    *closing // nil when there are no calendars
	shift      bool
}

// Next returns the first firing strictly after the instant. It allocates nothing.
// Its work is bounded by the days that calendars forbid, not by the firings.
func (m *modified) Next(after time.Time) (time.Time, bool) {
	at, _, ok := m.next(after.Add(-m.offset))
	if !ok {
		return time.Time{}, false
	}
	return at.Add(m.offset), true
}

// first is [First].
func (m *modified) first(at time.Time) (time.Time, bool) {
	d, ok := m.inner.(delay)
	if !ok {
		return m.Next(at.Add(-1))
	}
	if at.Before(m.start) {
		at = m.start
	}
	named, ok := d.first(at)
	if !ok || m.ended(named) {
		return time.Time{}, false
	}
	at, _, ok = m.admit(named)
	return at, ok
}

// next returns the first firing after the instant before the jitter moves it,
// and what the inner schedule names.
func (m *modified) next(after time.Time) (at, named time.Time, ok bool) {
	if m.closing == nil {
		at, ok = m.named(after)
		return at, at, ok
	}
	if _, isDelay := m.inner.(delay); isDelay {
		if named, ok = m.named(after); ok {
			return m.admit(named)
		}
		return time.Time{}, time.Time{}, false
	}
	if m.shift {
		return m.nextShifted(after)
	}
	at, ok = m.open(after)
	return at, at, ok
}

// ended reports whether an instant lies behind the bounds.
func (m *modified) ended(at time.Time) bool { return !m.end.IsZero() && !at.Before(m.end) }

// named returns the first slot within the bounds that is strictly after the
// instant.
func (m *modified) named(after time.Time) (time.Time, bool) {
	at, ok := m.inner.Next(after)
	if ok && at.Before(m.start) {
		at, ok = First(m.inner, m.start)
	}
	if !ok || m.ended(at) {
		return time.Time{}, false
	}
	return at, true
}

// namedFrom returns the first slot that is not before the instant.
func (m *modified) namedFrom(at time.Time) (time.Time, bool) { return m.named(at.Add(-1)) }

// open returns the first slot after the instant whose day is allowed.
func (m *modified) open(after time.Time) (time.Time, bool) {
	at, ok := m.named(after)
	for ok {
		s := stretchAt(m.closing.zone, at.Unix())
		day := s.day()
		if !m.closing.forbids(day) {
			return at, true
		}
		free, opens := m.closing.nextAllowed(day + 1)
		if !opens {
			if s.endless || m.closing.forbids(day-1) && m.closing.forbids(day-2) {
				break
			}
			free = lastWall / secondsPerDay // the clock may step back to an allowed day
		}
		at, ok = m.namedFrom(s.reach(free * millisPerDay))
	}
	return time.Time{}, false
}

// admit moves a slot of a delay to where the calendars let it fire: such a slot
// cannot fall away, because nothing would ever follow it. With "skip" that is
// the begin of the next allowed day, with "shift" the same time of it.
func (m *modified) admit(slot time.Time) (at, named time.Time, ok bool) {
	at = slot
	for m.closing != nil {
		s := stretchAt(m.closing.zone, at.Unix())
		day := s.day()
		if !m.closing.forbids(day) {
			break
		}
		free, opens := m.closing.nextAllowed(day + 1)
		switch {
		case !opens, m.shift && free-day > maxShift:
			return time.Time{}, time.Time{}, false
		case m.shift:
			return m.ending(m.closing.land(free, s.clock(at), at), slot)
		}
		at = s.reach(free * millisPerDay)
	}
	return m.ending(at, slot)
}

// ending returns a firing and the slot it comes from unless it lies behind the
// bounds.
func (m *modified) ending(at, slot time.Time) (time.Time, time.Time, bool) {
	if m.ended(at) {
		return time.Time{}, time.Time{}, false
	}
	return at.UTC(), slot, true
}

// firing is Next with the whole slot.
func (m *modified) firing(after time.Time) (Slot, bool) {
	at, named, ok := m.next(after.Add(-m.offset))
	if !ok {
		return Slot{}, false
	}
	slot := Slot{Named: named}
	if inner, ok := m.inner.(source); ok {
		slot, _ = inner.firing(named.Add(-1))
	}
	slot.At = at.Add(m.offset)
	if !at.Equal(named) {
		s := stretchAt(m.closing.zone, named.Unix())
		slot.Calendar, slot.Day = m.closing.name(s.day())
	}
	return slot, true
}

// dropped returns the first dropped slot strictly between two instants.
func (m *modified) dropped(after, before time.Time) (Slot, bool) {
	after, before = after.Add(-m.offset), before.Add(-m.offset)
	slot, ok := m.closed(after, before)
	if inner, isSource := m.inner.(source); isSource {
		if from := m.start.Add(-1); !m.start.IsZero() && from.After(after) {
			after = from
		}
		if m.ended(before) {
			before = m.end
		}
		if ok {
			before = slot.At
		}
		if earlier, found := inner.dropped(after, before); found {
			slot, ok = earlier, true
		}
	}
	slot.At = slot.At.Add(m.offset)
	return slot, ok
}

// closed returns the first slot of the inner schedule strictly between two
// instants that the calendars keep from firing.
func (m *modified) closed(after, before time.Time) (Slot, bool) {
	if _, isDelay := m.inner.(delay); isDelay || m.closing == nil {
		return Slot{}, false
	}
	at, ok := m.named(after)
	for ok && at.Before(before) {
		s := stretchAt(m.closing.zone, at.Unix())
		day := s.day()
		if !m.closing.forbids(day) {
			last := floorDiv(min(before.Unix(), lastSecond)+maxOffset, secondsPerDay)
			at, ok = m.namedFrom(s.reach(m.closing.nextForbidden(day+1, last) * millisPerDay))
			continue
		}
		later, moves := m.moves(day, s.clock(at))
		if !moves {
			key, occasion := m.closing.name(day)
			return Slot{At: at, Named: at, Dropped: true, Calendar: key, Day: occasion}, true
		}
		at, ok = m.namedFrom(s.reach(day*millisPerDay + later))
	}
	return Slot{}, false
}
