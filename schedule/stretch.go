package schedule

import "time"

// maxOffset is more than the distance of any zone from UTC, in seconds, and
// more than any step of a zone's clock.
const maxOffset = 26 * 60 * 60

// stretch is a time, from some instant on, in which a zone keeps its distance
// from UTC. It says which wall times belong to it: those that do not exist
// belong to no stretch, and those that a step back repeats belong to the stretch
// of their second pass. Stretches that follow each other therefore have wall
// times in order and in common none. The clock need not step between them.
type stretch struct {
	zone    *time.Location
	offset  int64 // seconds east of UTC
	first   int64 // the first wall time
	end     int64 // the Unix second after its last one, later than its first
	endless bool
}

// stretchAt returns the stretch from a Unix second on.
func stretchAt(zone *time.Location, second int64) stretch {
	if zone == time.UTC {
		return stretch{zone: zone, first: second, endless: true}
	}
	at := time.Unix(second, 0).In(zone)
	_, offset := at.Zone()
	_, bound := at.ZoneBounds()
	end := bound.Unix()
	if end <= second {
		// Beyond a zone's table ZoneBounds takes the 365th day for the last
		// of each year. The 366th has no step, so it is a stretch by itself.
		end = (floorDiv(second, secondsPerDay) + 1) * secondsPerDay
	}
	return stretch{
		zone: zone, offset: int64(offset), first: second + int64(offset),
		end: end, endless: bound.IsZero(),
	}
}

// holds reports whether a wall time, not before the stretch's first one,
// belongs to the stretch.
func (s *stretch) holds(wall int64) bool {
	return s.endless || wall < s.end+s.offset-maxOffset || wall < s.until()
}

// until returns the wall time at which a stretch that has an end must leave off:
// where its clock ends, or where the next stretch's clock begins when that is
// earlier.
func (s *stretch) until() int64 {
	_, next := time.Unix(s.end, 0).In(s.zone).Zone()
	return s.end + min(s.offset, int64(next))
}
