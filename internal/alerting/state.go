package alerting

import (
	"fmt"
	"slices"
	"time"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/plural"
)

const (
	// maxLate bounds the late runs of a job that a rule keeps. Further ones are reported
	// immediately.
	maxLate = 100
	// maxBuckets is the number of parts of a window.
	maxBuckets = 20
)

// State is what a rule stores about a subject between events.
type State struct {
	RuleID  int64      `json:"-"`
	Kind    words.Kind `json:"-"`
	Subject int64      `json:"-"`
	LookAt  time.Time  `json:"-"` // next evaluation without an event
	SeenAt  time.Time  `json:"-"` // of the last event

	Streak  int       `json:"streak,omitempty"`  // bad ends in a row
	Buckets []Bucket  `json:"buckets,omitempty"` // ends within the window, the oldest first
	Since   time.Time `json:"since,omitzero"`    // start of the lasting condition
	Late    []Late    `json:"late,omitempty"`    // runs that have not started
	// Event is the last event of the lasting condition.
	Event *words.Event `json:"event,omitempty"`
}

// Bucket counts the finished runs in a part of a window.
type Bucket struct {
	At   time.Time `json:"at"`
	Runs int       `json:"runs"`
	Bad  int       `json:"bad"`
}

// Late is a run that has not started in time.
type Late struct {
	Run   int64     `json:"run"`
	Event int64     `json:"event"`
	Since time.Time `json:"since"`
	Told  bool      `json:"told,omitempty"`
}

// Empty reports whether the state holds nothing.
func (s *State) Empty() bool {
	return s.Streak == 0 && len(s.Buckets) == 0 && s.Since.IsZero() && len(s.Late) == 0
}

// countRun adds a run that ended at an instant to the window up to then.
func (s *State) countRun(at time.Time, bad bool, window time.Duration) {
	step := max(window/maxBuckets, time.Millisecond)
	slot := at.Truncate(step).UTC()
	last := len(s.Buckets) - 1
	if last < 0 || slot.After(s.Buckets[last].At) {
		s.Buckets = append(s.Buckets, Bucket{At: slot})
		last++
	}
	s.Buckets[last].Runs++ // a late event counts in the newest part
	if bad {
		s.Buckets[last].Bad++
	}
	oldest := s.Buckets[last].At.Add(-window)
	s.Buckets = slices.DeleteFunc(s.Buckets, func(b Bucket) bool { return !b.At.After(oldest) })
}

// failureRate reports whether too many runs of the window ended badly.
func (s *State) failureRate(r *words.Rule) (reason string, high bool) {
	runs, bad := 0, 0
	for _, b := range s.Buckets {
		runs += b.Runs
		bad += b.Bad
	}
	reason = fmt.Sprintf("%d of %s within %s ended badly", bad, plural.Count(runs, "run"), r.Window)
	return reason, runs >= r.MinRuns && bad*100 >= r.Percent*runs
}

// addLate adds a late run, and reports whether there was room.
func (s *State) addLate(e *words.Event) bool {
	if slices.ContainsFunc(s.Late, func(l Late) bool { return l.Run == e.RunID }) {
		return true
	}
	if len(s.Late) >= maxLate {
		return false
	}
	s.Late = append(s.Late, Late{Run: e.RunID, Event: e.ID, Since: since(e)})
	return true
}

// removeStarted removes a run that has started, and reports whether it was reported as
// late.
func (s *State) removeStarted(run int64) (told bool) {
	s.Late = slices.DeleteFunc(s.Late, func(l Late) bool {
		told = told || l.Run == run && l.Told
		return l.Run == run
	})
	return told
}

// anyReported reports whether any late run was reported.
func (s *State) anyReported() bool {
	return slices.ContainsFunc(s.Late, func(l Late) bool { return l.Told })
}

// schedule sets when the next late run is due for a report.
func (s *State) schedule(within time.Duration) {
	s.LookAt = time.Time{}
	for _, l := range s.Late {
		if due := l.Since.Add(within); !l.Told && (s.LookAt.IsZero() || due.Before(s.LookAt)) {
			s.LookAt = due
		}
	}
}

// since returns when the condition of an event started.
func since(e *words.Event) time.Time {
	if e.Since.IsZero() {
		return e.At
	}
	return e.Since
}
