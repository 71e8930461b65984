package job

import (
	"fmt"
	"time"
)

// How the executor of a run that is to end is told so.
const (
	// StopWait is how long an executor that was told may take to report the
	// end. Then the run is recorded as cancelled without its report.
	StopWait = time.Minute
	// StopSettle is how long an executor must say that it does not have the
	// attempt: the attempt may still be on its way to it, or its outcome on the
	// way back.
	StopSettle = 10 * time.Second

	stopFirst   = 5 * time.Second  // between two calls, then twice as long each time
	stopLongest = 15 * time.Second // and at most
)

// Stop is the wish that a run in state [Stopping] ends. It is kept until the run
// is over, so that any server can carry it out.
type Stop struct {
	RunID     int64
	AttemptID int64
	AskedAt   time.Time
	// ToldAt is when its executor first took notice, and AbsentAt since when it
	// says that it does not have the attempt. Zero: not so far.
	ToldAt   time.Time
	AbsentAt time.Time
	// Calls is how often the executor was called.
	Calls int
	// LookAt is when somebody looks at it next.
	LookAt time.Time
}

// NewStop returns the wish to end the run's attempt. Who writes it calls the
// executor himself; the others look at it some seconds later.
func NewStop(run, attempt int64, now time.Time) Stop {
	return Stop{RunID: run, AttemptID: attempt, AskedAt: now, LookAt: now.Add(stopFirst)}
}

// Tell reports whether the executor is to be told, at first or again. alone says
// that it can end one attempt without the job's others; one that cannot is not
// told again after it took notice, because it would end what came since.
func (s *Stop) Tell(alone bool) bool { return s.ToldAt.IsZero() || alone }

// Called returns the stop after a call to the executor at now: err is its answer,
// and NotFound means that it does not have the attempt. note says in words where
// the stop stands.
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

// Over reports whether nothing more is awaited of the executor at now, and says
// why. alone is as for Tell.
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

// BesideReason is why a run may end although nobody ended it: one of the same job
// is ended on an executor that cannot tell them apart.
func BesideReason(stopped int64, address string) string {
	return fmt.Sprintf("run %d of the same job is being ended on executor %s, which ends all that it has of the job, this run too",
		stopped, address)
}
