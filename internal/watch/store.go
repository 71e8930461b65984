package watch

import (
	"context"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// Store is what a watch reads and writes.
type Store interface {
	Queues
	Groups
	Memory
}

// Queues is the runs that wait.
type Queues interface {
	// WaitingGroups returns up to limit groups with ids above after that have runs
	// which wait, in order of id: events with the fields of a group.
	WaitingGroups(ctx context.Context, after int64, limit int) ([]alarm.Event, error)
	// Waiting returns up to limit runs of a group that wait although they are due.
	Waiting(ctx context.Context, group int64, now time.Time, limit int) ([]Waiting, error)
	// StillWaiting returns which of the runs wait.
	StillWaiting(ctx context.Context, runs []int64) ([]int64, error)
}

// Groups is groups and jobs, as events name them.
type Groups interface {
	// CountWaiting returns how many runs of a group wait although they are due; it counts
	// up to a limit.
	CountWaiting(ctx context.Context, group int64, now time.Time, limit int) (int, error)
	// DownGroups returns up to limit groups with ids above after, in order of id, that
	// have jobs which are started, and no executor with a lease at now.
	DownGroups(ctx context.Context, after int64, now time.Time, limit int) ([]alarm.Event, error)
	// LateJobs returns the jobs that exist, in no order: events with their fields.
	LateJobs(ctx context.Context, ids []int64) ([]alarm.Event, error)
}

// Memory is what was told.
type Memory interface {
	// Said returns all that was told and is not over.
	Said(ctx context.Context) ([]Said, error)
	// Say carries changes out, in one transaction, and writes the event of each. A
	// change is left out when somebody else has told of the same since it was read.
	Say(ctx context.Context, changes []Change) error
	// RemoveEvents removes up to limit of the oldest events that are from before an
	// instant and were dealt with, and returns how many.
	RemoveEvents(ctx context.Context, before time.Time, limit int) (int, error)
}

// Waiting is a run that waits.
type Waiting struct {
	RunID, JobID     int64
	PlannedAt, DueAt time.Time
	Cause            job.Cause
	// Begun says that an executor had it before, or has its other parts.
	Begun bool
}

// Said is something that lasts: the event that told of it last, and when. Its Source
// is SourceLate, SourceWaiting or SourceDown.
type Said struct {
	Event  alarm.Event
	ToldAt time.Time
}

// Subject is the job that it is about, or the group.
func (s *Said) Subject() int64 {
	if s.Event.Source == alarm.SourceLate {
		return s.Event.JobID
	}
	return s.Event.GroupID
}

// Change is a row that comes, stays or goes, and the event that tells of it.
type Change struct {
	Said Said // as it is to be; with Over, as it was
	// Was is when it was told last; zero for something that begins.
	Was  time.Time
	Over bool
	// Tell is the event; nil changes the row and tells nothing.
	Tell *alarm.Event
}

// Rules says how much is worth an event. The methods must return at once. What they
// are given has the fields of a job and its group, or of a group alone: then they
// answer for whichever job of it has the strictest rule.
type Rules interface {
	// Within returns how long a run may be due without having begun; zero when nobody
	// asks.
	Within(e *alarm.Event) time.Duration
	// Backlog returns from how many waiting runs of a group on somebody wants to hear
	// of them, and up to how many they have to be counted; zeros when nobody asks.
	Backlog(e *alarm.Event) (least, most int)
	// Down reports whether somebody wants to hear that a group has no executor.
	Down(e *alarm.Event) bool
}
