package job

import "time"

// KeepStats is how long Stats are kept.
const KeepStats = 400 * 24 * time.Hour

// Stats counts what ended on a day: the runs of one job, or of several.
type Stats struct {
	// Day is the beginning of the day, UTC.
	Day time.Time `json:"day"`
	// These are the runs that ended on the day, by their final state.
	Succeeded int64 `json:"succeeded"`
	Failed    int64 `json:"failed"`
	TimedOut  int64 `json:"timed_out"`
	Cancelled int64 `json:"cancelled"`
	Lost      int64 `json:"lost"`
	Skipped   int64 `json:"skipped"`
	// Attempts is how many attempts ended, those that were tried again too.
	Attempts int64 `json:"attempts"`
	// Took is the sum of the durations of Timed attempts: those whose handler
	// ended, or met its time limit. TookMax is the longest one.
	Timed   int64         `json:"timed"`
	Took    time.Duration `json:"took"`
	TookMax time.Duration `json:"took_max"`
	// Late is the sum, over all attempts, of the time from when one was due
	// until it was sent; LateMax is the longest one.
	Late    time.Duration `json:"late"`
	LateMax time.Duration `json:"late_max"`
}

// DayOf returns the beginning of the UTC day that t lies in.
func DayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// Count adds n runs that ended in a state. A state that is not final counts
// nothing.
func (s *Stats) Count(state State, n int64) {
	switch state {
	case Succeeded:
		s.Succeeded += n
	case Failed:
		s.Failed += n
	case TimedOut:
		s.TimedOut += n
	case Cancelled:
		s.Cancelled += n
	case Lost:
		s.Lost += n
	case Skipped:
		s.Skipped += n
	case Planned, Queued, Dispatched, Running, Stopping, WaitingRetry:
	}
}

// Add adds what the other counted. Day stays.
func (s *Stats) Add(other Stats) {
	s.Succeeded += other.Succeeded
	s.Failed += other.Failed
	s.TimedOut += other.TimedOut
	s.Cancelled += other.Cancelled
	s.Lost += other.Lost
	s.Skipped += other.Skipped
	s.Attempts += other.Attempts
	s.Timed += other.Timed
	s.Took += other.Took
	s.TookMax = max(s.TookMax, other.TookMax)
	s.Late += other.Late
	s.LateMax = max(s.LateMax, other.LateMax)
}

// Runs is how many runs ended, whatever their state.
func (s *Stats) Runs() int64 { return s.Ran() + s.Cancelled + s.Skipped }

// Ran is how many runs ended by themselves: all but those that were cancelled or skipped.
func (s *Stats) Ran() int64 { return s.Succeeded + s.Failed + s.TimedOut + s.Lost }

// Rate returns the share of [Stats.Ran] that succeeded, 0..1, and false when
// there are none.
func (s *Stats) Rate() (float64, bool) {
	n := s.Ran()
	if n == 0 {
		return 0, false
	}
	return float64(s.Succeeded) / float64(n), true
}

// MeanTook is the mean duration of the Timed attempts, 0 when there are none.
func (s *Stats) MeanTook() time.Duration { return meanDuration(s.Took, s.Timed) }

// MeanLate is how late an attempt was sent in the mean, 0 when there are none.
func (s *Stats) MeanLate() time.Duration { return meanDuration(s.Late, s.Attempts) }

func meanDuration(sum time.Duration, n int64) time.Duration {
	if n <= 0 {
		return 0
	}
	return sum / time.Duration(n)
}
