package schedule

import "time"

// single fires one time.
type single struct {
	at time.Time
}

func newSingle(at time.Time) (Schedule, error) {
	if at.IsZero() {
		return nil, &Error{
			Input: "at", Message: "is missing",
			Hint: "give the instant to fire at, such as 2026-05-01T08:00:00Z",
		}
	}
	if err := checkInstant("at", at); err != nil {
		return nil, err
	}
	return single{at.UTC().Truncate(time.Millisecond)}, nil
}

// Next returns the one instant while it is ahead.
func (s single) Next(after time.Time) (time.Time, bool) {
	if s.at.After(after) {
		return s.at, true
	}
	return time.Time{}, false
}

// never is the schedule of a job that people and programs start.
type never struct{}

// Next returns false.
func (never) Next(time.Time) (time.Time, bool) { return time.Time{}, false }
