package planner

import (
	"fmt"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// limits are the numbers that a decision depends on.
type limits struct {
	now       time.Time
	until     time.Time
	tolerance time.Duration
	perJob    int
	claim     time.Duration
}

// plan is a move and what of it is handed over.
type plan struct {
	move   Move
	handed []job.Run
}

// decide says what becomes of one due job: its runs and its next firing. It is
// pure; the caller draws the ids. Firings up to until become
// planned runs; those missed by more than the tolerance follow the misfire
// policy; firings let go leave one skipped run that says so.
func decide(d Due, s schedule.Schedule, l limits) Move {
	decision := schedule.Decide(schedule.Input{
		Policy: d.Misfire, Schedule: s, Next: d.Next, Now: l.now, Until: l.until,
		Tolerance: l.tolerance, Limit: l.perJob,
	})
	move := Move{JobID: d.JobID, Version: d.Version, From: d.Next, Next: decision.Next}
	if decision.Skipped > 0 {
		move.add(l.skipped(d, decision.FirstSkipped, job.CauseMisfire, skippedReason(d, decision)))
	}
	for _, at := range decision.Missed {
		move.add(l.planned(d, at, job.CauseMisfire, fmt.Sprintf("missed by %s; misfire policy %s",
			l.now.Sub(at).Round(time.Second), d.Misfire)))
	}
	for _, at := range decision.Fire {
		move.add(l.planned(d, at, job.CauseSchedule, ""))
	}
	return move
}

// unreadable stops a job whose schedule cannot be read, and leaves a run that
// says so.
func unreadable(d Due, err error, l limits) Move {
	move := Move{JobID: d.JobID, Version: d.Version, From: d.Next}
	move.add(l.skipped(d, d.Next, job.CauseSchedule, fmt.Sprintf("the job was stopped: its schedule cannot be read: %v", err)))
	return move
}

func (m *Move) add(r job.Run) {
	m.Runs = append(m.Runs, r)
	m.Last = laterOf(m.Last, r.PlannedAt)
}

// planned returns a run that is to be sent. A dispatcher may take its row from
// its time on.
func (l *limits) planned(d Due, at time.Time, cause job.Cause, reason string) job.Run {
	return job.Run{
		JobID: d.JobID, JobVersion: d.Version, GroupID: d.GroupID, PlannedAt: at, Cause: cause,
		State: job.Planned, Reason: reason, ReadyAt: laterOf(at, l.now), CreatedAt: l.now,
	}
}

// skipped returns a run that only tells why it never was.
func (l *limits) skipped(d Due, at time.Time, cause job.Cause, reason string) job.Run {
	return job.Run{
		JobID: d.JobID, JobVersion: d.Version, GroupID: d.GroupID, PlannedAt: at, Cause: cause,
		State: job.Skipped, Reason: reason, CreatedAt: l.now, EndedAt: l.now,
	}
}

// handOver hides up to room planned runs of the move from other dispatchers for
// the time of a claim and returns them. The others stay visible: whoever has
// room takes them from their rows.
func handOver(m *Move, room int, claim time.Duration) []job.Run {
	var handed []job.Run
	for i := range m.Runs {
		if m.Runs[i].State != job.Planned || len(handed) >= room {
			continue
		}
		m.Runs[i].ReadyAt = m.Runs[i].ReadyAt.Add(claim)
		handed = append(handed, m.Runs[i])
	}
	return handed
}

func skippedReason(d Due, decision schedule.Decision) string {
	from := decision.FirstSkipped.UTC().Format(time.RFC3339)
	switch {
	case decision.Truncated:
		return fmt.Sprintf("more than %d firings from %s on were missed; misfire policy %s let them go",
			decision.Skipped, from, d.Misfire)
	case decision.Skipped == 1:
		return fmt.Sprintf("the firing of %s was missed; misfire policy %s let it go", from, d.Misfire)
	}
	return fmt.Sprintf("%d firings from %s on were missed; misfire policy %s let them go", decision.Skipped, from, d.Misfire)
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
