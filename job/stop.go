package job

import (
	"fmt"
	"time"
)

// The timing of requests to an executor to end a run.
const (
	// StopWait is how long an executor may take to report the end after the request. Then
	// the run is recorded as cancelled without its report.
	StopWait = time.Minute
	// StopSettle is how long an executor must report that it does not have the attempt: the
	// attempt may still be on its way to it, or its outcome on the way back.
	StopSettle = 10 * time.Second

	stopFirst   = 5 * time.Second  // between two calls, then twice as long each time
	stopLongest = 15 * time.Second // and at most
)

// Stop is the request to end a run in state [Stopping]. It is kept until the run has ended,
// so that any server can carry it out.
type Stop struct {
	RunID     int64
	AttemptID int64
	AskedAt   time.Time
	// ToldAt is when its executor first accepted the request, and AbsentAt since when it
	// reports that it does not have the attempt. Zero: not so far.
	ToldAt   time.Time
	AbsentAt time.Time
	// Calls is how often the executor was called.
	Calls int
	// LookAt is when a server checks it next.
	LookAt time.Time
}

// NewStop returns the request to end the run's attempt. Its writer calls the executor;
// other servers check it some seconds later.
func NewStop(run, attempt int64, now time.Time) Stop {
	return Stop{RunID: run, AttemptID: attempt, AskedAt: now, LookAt: now.Add(stopFirst)}
}

// Tell reports whether to call the executor, at first or again. alone is set for executors
// that can end one attempt without the job's others; another one is not called again after
// it accepted the request, because it would end later attempts.
func (s *Stop) Tell(alone bool) bool { return s.ToldAt.IsZero() || alone }

// Called returns the stop after a call to the executor at now: err is its answer, and
// NotFound means that it does not have the attempt. note describes the state of the stop.
func (s Stop) Called(address string, err error, alone bool, now time.Time) (next Stop, note string) {
	s.LookAt = now.Add(min(stopFirst<<min(s.Calls, 10), stopLongest))
	s.Calls++
	switch {
	case err == nil:
		s.AbsentAt = time.Time{}
		note = fmt.Sprintf("executor %s was told to end it; its report is awaited", address)
	case Is(err, NotFound):
		if s.AbsentAt.IsZero() {
			s.AbsentAt = now
		}
		note = fmt.Sprintf("executor %s was told to end it, and does not have it", address)
		if alone {
			s.LookAt = s.AbsentAt.Add(StopSettle)
		}
	default:
		return s, fmt.Sprintf("executor %s could not be told to end it: %s; it is told again until it answers, its lease ends or the run's deadline passes",
			address, err)
	}
	if s.ToldAt.IsZero() {
		s.ToldAt = now
	}
	if over := s.ToldAt.Add(StopWait); !alone || s.LookAt.After(over) {
		s.LookAt = over
	}
	return s, note
}

// Over reports whether nothing more is expected of the executor at now, and why. alone is
// as for Tell.
func (s *Stop) Over(address string, alone bool, now time.Time) (message string, over bool) {
	switch {
	case s.ToldAt.IsZero():
		return "", false
	case alone && !s.AbsentAt.IsZero() && now.Sub(s.AbsentAt) >= StopSettle:
		return fmt.Sprintf("executor %s was told to end it, and does not have it", address), true
	case now.Sub(s.ToldAt) >= StopWait:
		return "the executor was told to end it, and has not reported the end", true
	}
	return "", false
}

// BesideReason is why a run may end although no user ended it: another run of the job is
// ended on an executor that cannot tell them apart.
func BesideReason(stopped int64, address string) string {
	return fmt.Sprintf("run %d of the same job is being ended on executor %s, which ends all that it has of the job, this run too",
		stopped, address)
}
