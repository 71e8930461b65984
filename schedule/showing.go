package schedule

import "time"

// showing is when a clock shows a wall time, in Unix seconds.
type showing struct {
	// first and last are the first and the last of these instants. When the
	// clock jumps over the wall time both are the first instant after the jump.
	first, last int64
	jumped      bool
}

// showings returns when the clock of a zone shows a wall time.
func showings(zone *time.Location, wall int64) showing {
	if zone == time.UTC {
		return showing{first: wall, last: wall}
	}
	found, seen := showing{jumped: true}, false
	for second := wall - maxOffset; ; {
		s := stretchAt(zone, second)
		at := wall - s.offset
		switch {
		case at >= second && (s.endless || at < s.end):
			if found.jumped {
				found.first, found.jumped = at, false
			}
			found.last = at
		case at < second && !seen && found.jumped:
			found.first, found.last = second, second
			seen = true
		}
		if s.endless || s.end > wall+maxOffset {
			return found
		}
		second = s.end
	}
}

// reach returns when the clock of the stretch comes to a wall time behind its
// place, both in milliseconds, and the end of the stretch when that is earlier.
func (s *stretch) reach(wall int64) time.Time {
	at := wall - s.offset*1000
	if !s.endless {
		at = min(at, s.end*1000)
	}
	return time.UnixMilli(at)
}
