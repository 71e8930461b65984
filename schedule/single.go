package schedule

import (
	"fmt"
	"time"
)

// single fires one time.
type single struct {
	at time.Time
}

// newSingle makes the schedule of a Once. Without an instant, but with a delay, it waits
// until the job is enabled, and never fires before.
func newSingle(at time.Time, delay time.Duration) (Schedule, error) {
	switch {
	case delay != 0 && (delay < time.Millisecond || delay > MaxEvery):
		return nil, &Error{
			Input: "delay", Message: fmt.Sprintf("the delay %s is out of range", shortDuration(delay)),
			Hint: fmt.Sprintf("allowed are 1ms-%s", shortDuration(MaxEvery)),
		}
	case delay%time.Millisecond != 0:
		return nil, notWhole("delay", "delay", delay)
	case at.IsZero() && delay > 0:
		return never{}, nil
	case at.IsZero():
		return nil, &Error{
			Input: "at", Message: "is missing",
			Hint: "give the instant to fire at, such as 2026-05-01T08:00:00Z, or a delay",
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

// never is the schedule of a job that people and programs start, and of a Once
// before its job is started.
type never struct{}

// Next returns false.
func (never) Next(time.Time) (time.Time, bool) { return time.Time{}, false }
