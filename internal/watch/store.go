package watch

import (
	"context"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// Store is the database of a detector.
type Store interface {
	Queues
	Groups
	Memory
}

// Queues reads waiting runs.
type Queues interface {
	// WaitingGroups returns up to limit groups that have waiting runs and ids above after,
	// in order of id, as events with the fields of a group.
	WaitingGroups(ctx context.Context, after int64, limit int) ([]alarm.Event, error)
	// Waiting returns up to limit runs of a group that are due and still wait.
	Waiting(ctx context.Context, group int64, now time.Time, limit int) ([]Waiting, error)
	// StillWaiting returns the subset of runs that still wait.
	StillWaiting(ctx context.Context, runs []int64) ([]int64, error)
}

// Groups reads groups and jobs in the form that events use.
type Groups interface {
	// CountWaiting returns how many runs of a group are due and still wait; it stops
	// counting at limit.
	CountWaiting(ctx context.Context, group int64, now time.Time, limit int) (int, error)
	// DownGroups returns up to limit groups with ids above after, in order of id, that have
	// enabled jobs and no executor with a lease at now.
	DownGroups(ctx context.Context, after int64, now time.Time, limit int) ([]alarm.Event, error)
	// LateJobs returns the jobs that exist, in no order, as events with the fields of a
	// job.
	LateJobs(ctx context.Context, ids []int64) ([]alarm.Event, error)
}

// Memory stores the open events.
type Memory interface {
	// Said returns all open events.
	Said(ctx context.Context) ([]Said, error)
	// Say applies changes in one transaction and writes the event of each. It skips a
	// change if another server has reported the same condition since the row was read.
	Say(ctx context.Context, changes []Change) error
	// RemoveEvents removes up to limit of the oldest processed events from before an
	// instant, and returns how many.
	RemoveEvents(ctx context.Context, before time.Time, limit int) (int, error)
}

// Waiting is a run that waits.
type Waiting struct {
	RunID, JobID     int64
	PlannedAt, DueAt time.Time
	Cause            job.Cause
	// Begun reports whether an executor had the run before, or has other parts of it.
	Begun bool
}

// Said is an open event: the latest report of a lasting condition, and when it was
// reported. Its Source is SourceLate, SourceWaiting or SourceDown.
type Said struct {
	Event  alarm.Event
	ToldAt time.Time
}

// Subject returns the id of the job or of the group that the event is about.
func (s *Said) Subject() int64 {
	if s.Event.Source == alarm.SourceLate {
		return s.Event.JobID
	}
	return s.Event.GroupID
}

// Change adds, updates or removes an open event, and carries the event to report.
type Change struct {
	Said Said // the new row; with Over, the old one
	// Was is when the condition was last reported; zero for a new one.
	Was  time.Time
	Over bool
	// Tell is the event to report; nil changes only the row.
	Tell *alarm.Event
}

// Rules returns the thresholds of the alert rules. The methods must return at once. Their
// argument has the fields of a job and its group, or of a group alone. For a group alone
// they answer for the job of that group with the strictest rule.
type Rules interface {
	// Within returns how long a run may be due without starting; zero if no rule asks.
	Within(e *alarm.Event) time.Duration
	// Backlog returns the smallest number of waiting runs of a group that a rule reports,
	// and the largest number that has to be counted; zeros if no rule asks.
	Backlog(e *alarm.Event) (least, most int)
	// Down reports whether a rule asks for groups without executors.
	Down(e *alarm.Event) bool
}
