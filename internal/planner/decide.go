package planner

import (
	"fmt"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// limits are the parameters of all decisions of a plan.
type limits struct {
	now    time.Time // to the millisecond
	read   time.Time // the same instant as it was read, for the age of the rules
	until  time.Time
	perJob int
	brief  bool // one record covers all dropped firings of a job
	atOnce bool // the first catch-up run starts now
}

// situation is a due job and everything its decision depends on.
type situation struct {
	job      *Due
	schedule schedule.Schedule
	pauses   []*pause // of all jobs
	limits
	// asOf is when the decision takes effect: now, or the end of the pause that has held
	// the job, at most a horizon ahead.
	asOf time.Time
}

// heldLook is the longest time until a held job is checked again without an announced
// change of its pause.
const heldLook = time.Hour

// droppedAsked is the most firings that [schedule.Dropped] returns.
const droppedAsked = 10_000

// decide returns the runs and the next firing of one due job. It is pure; the caller draws
// the ids and spreads the starts of catch-up runs.
//
// A firing is held back when a pause holds the job at its instant, or now when that is
// later. Otherwise the firings up to the horizon, or to the next pause, become planned
// runs. Missed ones follow the misfire policy. Each firing that is dropped, or excluded by
// a calendar, leaves a skipped run with the reason.
func decide(d *Due, s schedule.Schedule, pauses []*pause, l limits) Move {
	at := situation{job: d, schedule: s, pauses: pauses, limits: l, asOf: l.now}
	if d.HeldBy != "" {
		at.asOf = laterOf(l.now, d.Look)
	}
	at.until = laterOf(l.until, at.asOf)
	if d.Next.After(at.until) {
		return at.recompute()
	}
	hold := judge(pauses, d, laterOf(d.Next, at.asOf))
	if hold.by != nil {
		return at.deferFiring(hold)
	}
	if next, ok := at.confirm(); !ok || !next.Equal(d.Next) {
		return at.passOver(next)
	}
	if last := hold.begins.Add(-time.Millisecond); last.Before(at.until) {
		at.until = last
	}
	return at.planFirings()
}

// newMove returns a move that changes nothing except for a pause.
func (s *situation) newMove() Move {
	d := s.job
	return Move{JobID: d.JobID, Version: d.Version, From: d.Next, Next: d.Next, Fired: d.Fired}
}

// recompute updates the next firing of a job that is checked early, because the rules behind
// its next firing have changed.
func (s *situation) recompute() Move {
	m := s.newMove()
	switch {
	case s.single():
		m.Next, _ = s.confirm()
	case namesCalendars(&s.job.Schedule):
		m.Next, _ = s.schedule.Next(laterOf(s.job.Last, s.now))
	}
	return m.orOver()
}

// deferFiring defers the firing to the end of the pause.
func (s *situation) deferFiring(by pauseEffect) Move {
	m := s.newMove()
	m.HeldBy, m.Look = by.by.key, s.asOf.Add(heldLook)
	if !by.until.IsZero() && by.until.Before(m.Look) {
		m.Look = by.until
	}
	return m
}

// confirm returns the job's next firing under the present rules: the due one, unless
// calendars or the schedule's end forbid it.
func (s *situation) confirm() (next time.Time, ok bool) {
	if !s.single() && !namesCalendars(&s.job.Schedule) {
		return s.job.Next, true
	}
	return schedule.First(s.schedule, s.job.Next)
}

// single reports whether the end of a run sets the next firing.
func (s *situation) single() bool { return s.job.Schedule.Kind == schedule.KindAfter }

// passOver moves on without a run from an instant at which nothing fires any more.
func (s *situation) passOver(next time.Time) Move {
	d, m := s.job, s.newMove()
	after := s.recordedUpTo()
	if after.IsZero() {
		after = d.Next.Add(-time.Millisecond)
	}
	s.addDropped(&m, after, d.Next.Add(time.Millisecond))
	m.Next, m.Last = next, laterOf(m.Last, d.Next)
	return m.orOver()
}

// planFirings plans the firings up to the horizon.
func (s *situation) planFirings() Move {
	d, m, words := s.job, s.newMove(), s.reasons()
	decision := schedule.Decide(schedule.Input{
		Policy: d.Misfire, Limits: d.Limits, Schedule: s.schedule, Single: s.single(), Next: d.Next, Now: s.asOf,
		Until: s.until, Limit: s.perJob, Count: d.Schedule.Count, Fired: d.Fired,
	})
	if s.brief {
		decision.Older, decision.Skipped = together(decision.Older, decision.Skipped), nil
	}
	made := len(decision.Missed)
	m.Runs = make([]job.Run, 0, len(decision.Skipped)+made+len(decision.Fire)+min(decision.Older.Count, 1))
	if decision.Older.Count > 0 {
		s.addRecord(&m, decision.Older.First, job.CauseMisfire, words.letGoMany(decision.Older, made))
	}
	for _, at := range decision.Skipped {
		s.addRecord(&m, at, job.CauseMisfire, words.letGo(at, made))
	}
	for _, at := range decision.Missed {
		s.planRun(&m, at, s.asOf, job.CauseMisfire, words.madeUp(at))
	}
	for _, at := range decision.Fire {
		due := at
		if d.HeldBy != "" {
			due = laterOf(at, s.asOf)
		}
		s.planRun(&m, at, due, job.CauseSchedule, words.onTime(at))
	}
	if after := s.recordedUpTo(); !after.IsZero() {
		s.addDropped(&m, after, m.Last)
	}
	m.Fired, m.Missed = m.Fired+made+len(decision.Fire), decision.Older.Count+len(decision.Skipped)
	m.Next = decision.Next
	switch {
	case decision.Spent:
		m.StopReason = spent(d.Schedule.Count)
	case decision.Ended:
		m.StopReason = over
	default:
		m.Waits = m.Next.IsZero()
	}
	return m
}

// together returns a stretch extended by the firings that follow it.
func together(older schedule.Stretch, newer []time.Time) schedule.Stretch {
	if len(newer) == 0 {
		return older
	}
	if older.Count == 0 {
		older.First = newer[0]
	}
	older.Count += len(newer)
	older.Last = newer[len(newer)-1]
	return older
}

// recordedUpTo returns the instant up to which all firings are recorded. Firings while the job was
// stopped need no record.
func (s *situation) recordedUpTo() time.Time { return laterOf(s.job.Last, s.job.Since) }

// addDropped adds a record for each firing between two instants that calendars exclude: one
// each for the newest, one for all others.
func (s *situation) addDropped(m *Move, after, before time.Time) {
	if s.single() || !namesCalendars(&s.job.Schedule) || !after.Before(before) {
		return
	}
	slots, more := schedule.Dropped(s.schedule, after, before, schedule.MaxSkipped)
	if more > 0 {
		slots, more = schedule.Dropped(s.schedule, after, before, droppedAsked)
	}
	if others := len(slots) - schedule.MaxSkipped; others > 0 {
		older := schedule.Stretch{Count: others, First: slots[0].At, Last: slots[others-1].At, Truncated: more > 0}
		s.addRecord(m, older.First, job.CauseSchedule, droppedMany(older))
		slots = slots[others:]
	}
	for _, slot := range slots {
		s.addRecord(m, slot.At, job.CauseSchedule, dropped(slot))
	}
}

// unreadable stops a job whose schedule cannot be read, and leaves a run with the reason.
func unreadable(d *Due, err error, l limits) Move {
	s := situation{job: d, limits: l}
	m := s.newMove()
	m.Next, m.StopReason = time.Time{}, fmt.Sprintf("its schedule cannot be read: %v", err)
	s.addRecord(&m, d.Next, job.CauseSchedule, "the job was stopped: "+m.StopReason)
	return m
}

// orOver returns the move with a stop reason when there is no next firing.
func (m Move) orOver() Move {
	if m.Next.IsZero() {
		m.StopReason = over
	}
	return m
}

// planRun adds a run to send at an instant. A dispatcher may claim its row from then on.
func (s *situation) planRun(m *Move, at, due time.Time, cause job.Cause, reason string) {
	r := s.addRun(m, at, cause, reason)
	r.State, r.DueAt, r.ReadyAt = job.Planned, due, laterOf(due, s.now)
	if s.job.ExpireAfter > 0 {
		r.ExpireAt = due.Add(s.job.ExpireAfter)
	}
}

// addRecord adds a skipped run that only records its reason.
func (s *situation) addRecord(m *Move, at time.Time, cause job.Cause, reason string) {
	r := s.addRun(m, at, cause, reason)
	r.State, r.EndedAt = job.Skipped, s.now
}

func (s *situation) addRun(m *Move, at time.Time, cause job.Cause, reason string) *job.Run {
	m.Runs = append(m.Runs, job.Run{
		JobID: s.job.JobID, JobVersion: s.job.Version, GroupID: s.job.GroupID, PlannedAt: at, Cause: cause,
		Reason: reason, Priority: s.job.Priority, CreatedAt: s.now,
	})
	m.Last = laterOf(m.Last, at)
	return &m.Runs[len(m.Runs)-1]
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
