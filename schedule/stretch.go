package schedule

import (
	"math"
	"time"
)

// maxOffset is more than the distance of any zone from UTC, in seconds, and
// more than any step of a zone's clock.
const maxOffset = 26 * 60 * 60

// beginning stands for a time before all others, far from the edge of int64.
const beginning = math.MinInt64 / 4

// stretch is a time in which a zone keeps its distance from UTC, and a place in
// it. It says which wall times belong to it: those that do not exist belong to no
// stretch, and those that a step back repeats belong to the stretch of their
// second pass, or of their first, or to both, as the overlap rule says. But for
// both, stretches that follow each other have wall times in order and in common
// none. The clock need not step between them.
type stretch struct {
	zone    *time.Location
	overlap OverlapRule // empty means the second pass
	offset  int64       // seconds east of UTC
	first   int64       // the wall time of the place
	begin   int64       // the stretch's first Unix second, beginning when there is none
	end     int64       // the Unix second after its last one, later than the place
	endless bool
}

// stretchAt returns the stretch of c's zone, under its rules, at a Unix second.
func (c *Cron) stretchAt(second int64) stretch {
	s := stretchAt(c.zone, second)
	s.overlap = c.overlap
	return s
}

// stretchAt returns the stretch at a Unix second.
func stretchAt(zone *time.Location, second int64) stretch {
	if zone == time.UTC {
		return stretch{zone: zone, first: second, begin: beginning, endless: true}
	}
	at := time.Unix(second, 0).In(zone)
	_, offset := at.Zone()
	start, bound := at.ZoneBounds()
	begin, end := start.Unix(), bound.Unix()
	if start.IsZero() {
		begin = beginning
	}
	if end <= second {
		// Beyond a zone's table ZoneBounds takes the 365th day for the last
		// of each year. The 366th has no step, so it is a stretch by itself.
		end = (floorDiv(second, secondsPerDay) + 1) * secondsPerDay
	}
	return stretch{
		zone: zone, offset: int64(offset), first: second + int64(offset),
		begin: begin, end: end, endless: bound.IsZero(),
	}
}

// beginless reports whether the stretch reaches back to the beginning of time.
func (s *stretch) beginless() bool { return s.begin == beginning }

// holds reports whether a wall time, not before the place, belongs to the
// stretch.
func (s *stretch) holds(wall int64) bool {
	return s.endless || wall < s.end+s.offset-maxOffset || wall < s.until()
}

// until returns the wall time at which a stretch that has an end must leave off:
// where its clock ends, or where the next stretch's clock begins when that is
// earlier and repeated times belong to the second pass alone.
func (s *stretch) until() int64 {
	if s.overlap == OverlapFirst || s.overlap == OverlapBoth {
		return s.end + s.offset
	}
	return s.end + min(s.offset, s.after())
}

// opening returns the first wall time that belongs to the stretch: where its
// clock begins, or where the clock of the stretch before ended when that is later
// and repeated times belong to the first pass alone.
func (s *stretch) opening() int64 {
	if s.overlap != OverlapFirst || s.beginless() {
		return s.begin + s.offset
	}
	return s.begin + max(s.offset, s.before())
}

// comesAgain reports whether the clock shows a wall time, or one before it, once
// more after the end of the stretch.
func (s *stretch) comesAgain(wall int64) bool {
	return !s.endless && wall > s.end+s.offset-maxOffset && wall > s.end+s.after()
}

// after returns the distance from UTC after the end of the stretch, and before
// the one in front of its begin.
func (s *stretch) after() int64  { return offsetAt(s.zone, s.end) }
func (s *stretch) before() int64 { return offsetAt(s.zone, s.begin-1) }

func offsetAt(zone *time.Location, second int64) int64 {
	_, offset := time.Unix(second, 0).In(zone).Zone()
	return int64(offset)
}
