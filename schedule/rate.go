package schedule

import (
	"fmt"
	"time"
)

// rate fires on the grid anchor + k*period for every whole k. All arithmetic is
// in whole milliseconds since the Unix epoch, so it neither drifts nor
// overflows within the years that fire.
type rate struct {
	period int64
	anchor int64
}

func newRate(every time.Duration, anchor time.Time) (Schedule, error) {
	if err := checkPeriod("every", "period", every); err != nil {
		return nil, err
	}
	r := rate{period: every.Milliseconds()}
	if !anchor.IsZero() {
		if err := checkInstant("anchor", anchor); err != nil {
			return nil, err
		}
		r.anchor = anchor.UnixMilli()
	}
	return r, nil
}

// Next returns the first point of the grid strictly after the instant.
func (r rate) Next(after time.Time) (time.Time, bool) {
	from := milli(after)
	// A point lies on a whole millisecond, so it is after the instant exactly
	// when it is after the instant's millisecond.
	point := r.anchor + (floorDiv(from-r.anchor, r.period)+1)*r.period
	return firingAt(point)
}

// checkPeriod refuses a time between firings that is out of range or finer than
// the arithmetic. Noun is what the field is to its writer.
func checkPeriod(input, noun string, d time.Duration) error {
	switch {
	case d < MinEvery || d > MaxEvery:
		return &Error{
			Input: input, Message: fmt.Sprintf("the %s %s is out of range", noun, shortDuration(d)),
			Hint: fmt.Sprintf("allowed are %s-%s", MinEvery, shortDuration(MaxEvery)),
		}
	case d%time.Millisecond != 0:
		return notWhole(input, noun, d)
	}
	return nil
}

// notWhole is the error about a time that is finer than a millisecond.
func notWhole(input, noun string, d time.Duration) error {
	return &Error{
		Input: input, Message: fmt.Sprintf("the %s %s is not a whole number of milliseconds", noun, d),
		Hint: "round it to milliseconds",
	}
}

// between returns the number of firings strictly between two instants.
func (r rate) between(after, before time.Time) int64 {
	end := daysBefore(MaxYear+1, 1) * secondsPerDay * 1000
	first := floorDiv(milli(after)-r.anchor, r.period)
	last := floorDiv(min(milli(before.Add(-1)), end-1)-r.anchor, r.period)
	return max(last-first, 0)
}

// milli returns the millisecond of an instant, brought into the range that the
// arithmetic is made for: from just before the first firing that can be to after
// the last.
func milli(t time.Time) int64 {
	switch second := t.Unix(); {
	case second < 0:
		return -1
	case second > lastSecond:
		return lastSecond * 1000
	}
	return t.UnixMilli()
}

// floorDiv returns a/b rounded down; b is positive.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
