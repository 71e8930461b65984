package schedule

import "time"

// Slot is an instant that a schedule names, with what became of it on the way
// to a firing.
type Slot struct {
	// At is when it fires; when it was dropped, when it would have.
	At time.Time
	// Named is what the schedule names before a calendar or the jitter moves
	// it; At, when nothing does.
	Named time.Time
	// Dropped is set when a calendar keeps it from firing. Calendar is the key of the one
	// that dropped or moved it, Day the name of the occasion, which may be empty.
	Dropped  bool
	Calendar string
	Day      string
	// Into is the firing that a dropped slot is one with: it would have moved
	// to an instant at which another one fires. Zero for all others.
	Into time.Time
}

// First returns the first firing that is not before the instant, and false when
// there is none. For a schedule of the kind after that is the instant itself,
// unless Start or a calendar puts it off: so it is what starting a job asks.
func First(s Schedule, at time.Time) (time.Time, bool) {
	switch s := s.(type) {
	case delay:
		return s.first(at)
	case *modified:
		return s.first(at)
	}
	return s.Next(at.Add(-1))
}

// Preview returns the first n slots of a schedule after an instant, in order of
// At, with those that calendars drop or make one with others; n is at most 10,000. Fewer mean that the
// schedule ends. A schedule does not know its Count: its user cuts the slots,
// counting those that are not dropped.
func Preview(s Schedule, after time.Time, n int) []Slot {
	var slots []Slot
	n = min(n, maxWalk)
	budget := maxJoined
	firing, more := firingOf(s, after)
	for len(slots) < n {
		before := time.Unix(lastSecond, 0)
		if more {
			before = firing.At
		}
		slot, ok := droppedOf(s, after, before)
		if ok {
			before = slot.At
		}
		if joined, found := joinedOf(s, after, before, &budget); found {
			slot, ok = joined, true
		}
		switch {
		case ok:
			slots = append(slots, slot)
			after = slot.At
		case !more:
			return slots
		default:
			slots = append(slots, firing)
			after = firing.At
			firing, more = firingOf(s, after)
		}
	}
	return slots
}

// maxJoined bounds the slots of closed days that a preview looks at to find those
// that are one with others; beyond it they are left out.
const maxJoined = 2_000

// joinedOf returns the first slot strictly between two instants that a shift
// makes one with another.
func joinedOf(s Schedule, after, before time.Time, budget *int) (Slot, bool) {
	if m, ok := s.(*modified); ok && m.shift && m.closing != nil {
		if _, isDelay := m.inner.(delay); !isDelay {
			return m.joined(after, before, budget)
		}
	}
	return Slot{}, false
}

// Dropped returns the slots strictly between two instants that calendars keep
// from firing, the oldest first, and how many there are beyond limit, which is at
// most 10,000; it stops counting after 10,000 more. Instants at which the
// schedule fires all the same are not among them.
func Dropped(s Schedule, after, before time.Time, limit int) (dropped []Slot, more int) {
	limit = min(max(limit, 0), maxWalk)
	firing, fires := s.Next(after)
	for range limit + maxWalk {
		slot, ok := droppedOf(s, after, before)
		if !ok {
			break
		}
		after = slot.At
		if fires && firing.Before(after) {
			firing, fires = s.Next(after.Add(-1))
		}
		switch {
		case fires && firing.Equal(after): // for another reason
		case len(dropped) < limit:
			dropped = append(dropped, slot)
		default:
			more++
		}
	}
	return dropped, more
}

// firingOf returns the first firing strictly after the instant as a slot.
func firingOf(s Schedule, after time.Time) (Slot, bool) {
	if s, ok := s.(source); ok {
		return s.firing(after)
	}
	at, ok := s.Next(after)
	return Slot{At: at, Named: at}, ok
}

// droppedOf returns the first dropped slot strictly between two instants.
func droppedOf(s Schedule, after, before time.Time) (Slot, bool) {
	if s, ok := s.(source); ok {
		return s.dropped(after, before)
	}
	return Slot{}, false
}
