package schedule

import "time"

// delay fires a while after the instant it is asked about, which is the end of
// the run before. Unlike any other schedule it has no firings of its own.
type delay struct {
	millis int64
}

func newDelay(after time.Duration) (Schedule, error) {
	if err := checkPeriod("after", "delay", after); err != nil {
		return nil, err
	}
	return delay{after.Milliseconds()}, nil
}

// Next returns the instant a while after another, and false behind the years
// that fire.
func (d delay) Next(after time.Time) (time.Time, bool) {
	return firingAt(max(milli(after), 0) + d.millis)
}

// first returns the instant itself, brought up to a whole millisecond: that is
// when a job fires whose schedule begins.
func (d delay) first(at time.Time) (time.Time, bool) {
	return firingAt(milli(at.Add(-1)) + 1)
}

// firingAt returns a Unix millisecond as a firing, and false behind the years
// that fire.
func firingAt(millis int64) (time.Time, bool) {
	at := time.UnixMilli(millis).UTC()
	if at.Year() > MaxYear {
		return time.Time{}, false
	}
	return at, true
}
