package explain

import "time"

// Moment is the time of a question: an instant, or a wall-clock time in the job's zone. The
// zero Moment is now.
type Moment struct {
	At time.Time
	// Wall is a wall-clock time, written as if it were in UTC.
	Wall time.Time
}

// IsZero reports whether the moment names no time.
func (m Moment) IsZero() bool { return m.At.IsZero() && m.Wall.IsZero() }

// instants returns the instants of a moment: two for a time that the clock shows twice,
// none for one that it skips.
func (m Moment) instants(zone *time.Location) []time.Time {
	if !m.At.IsZero() {
		return []time.Time{m.At.UTC()}
	}
	const day = 24 * time.Hour // clocks change less often than daily
	var found []time.Time
	for _, near := range [...]time.Time{m.Wall.Add(-day), m.Wall.Add(day)} {
		_, offset := near.In(zone).Zone()
		at := m.Wall.Add(-time.Duration(offset) * time.Second)
		if _, shown := at.In(zone).Zone(); shown == offset && (len(found) == 0 || !found[0].Equal(at)) {
			found = append(found, at.UTC())
		}
	}
	return found
}

// offsetChange is a change of a zone's UTC offset.
type offsetChange struct {
	at            time.Time
	before, after int // seconds east of UTC
}

// lastBefore and to return the last wall-clock time before the step, to the second after it, and
// the first one after it: "02:00:00" and "03:00:00".
func (s *offsetChange) lastBefore(zone *time.Location) string { return s.wallTime(s.before, zone) }
func (s *offsetChange) firstAfter(zone *time.Location) string { return s.wallTime(s.after, zone) }

func (s *offsetChange) wallTime(offset int, zone *time.Location) string {
	return s.at.In(time.FixedZone(zone.String(), offset)).Format("2006-01-02 15:04:05")
}

// stepNear returns the clock step nearest to an instant and within reach of it.
func stepNear(at time.Time, zone *time.Location, reach time.Duration) (offsetChange, bool) {
	begin, end := at.In(zone).ZoneBounds()
	var found offsetChange
	switch {
	case !begin.IsZero() && at.Sub(begin) <= reach && (end.IsZero() || at.Sub(begin) <= end.Sub(at)):
		found.at = begin
	case !end.IsZero() && end.Sub(at) <= reach:
		found.at = end
	default:
		return found, false
	}
	_, found.before = found.at.Add(-1).In(zone).Zone()
	_, found.after = found.at.In(zone).Zone()
	return found, found.before != found.after
}

// gapAt returns the step that skips a wall-clock time.
func gapAt(wall time.Time, zone *time.Location) (offsetChange, bool) {
	// time.Date maps a time in a gap to an instant on one side of it.
	at := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	return stepNear(at, zone, 36*time.Hour)
}
