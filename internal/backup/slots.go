package backup

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// slots settles the jobs with a firing that may have happened after the copy.
func (s *settling) slots(ctx context.Context) error {
	if err := s.readCalendars(ctx); err != nil {
		return err
	}
	for after := int64(0); ; {
		late, err := s.Slots.UnsettledJobs(ctx, s.now, after, page)
		if err != nil {
			return fmt.Errorf("look for late jobs: %w", err)
		}
		if len(late) == 0 {
			return nil
		}
		var moves []Move
		for i := range late {
			if m, moved := s.settleLate(&late[i]); moved {
				moves = append(moves, m)
			}
		}
		after = late[len(late)-1].JobID
		if s.Missed == MissedPolicy || s.Dry || len(moves) == 0 {
			continue
		}
		for i := range moves {
			for k := range moves[i].Runs {
				if moves[i].Runs[k].ID, err = s.Numbers.NextRunID(ctx); err != nil {
					return fmt.Errorf("tell which slots are left out: %w", err)
				}
			}
		}
		if err := s.Slots.PassSlots(ctx, moves); err != nil {
			return fmt.Errorf("leave out slots: %w", err)
		}
	}
}

func (s *settling) readCalendars(ctx context.Context) error {
	rows, err := s.Slots.CalendarRules(ctx)
	if err != nil {
		return fmt.Errorf("read calendars: %w", err)
	}
	s.calendars = make(map[calendarKey]*calendar.Calendar, len(rows))
	for i := range rows {
		if compiled, err := rows[i].Rules.Compile(); err == nil { // The planner reports invalid ones.
			s.calendars[calendarKey{rows[i].Namespace, rows[i].Key}] = compiled
		}
	}
	return nil
}

// settleLate reports one job, and returns how to advance it past its slots.
func (s *settling) settleLate(l *Late) (Move, bool) {
	said := JobSlots{Namespace: l.Namespace, Job: l.Key, First: l.Next, Last: l.Next, HeldBy: l.HeldBy}
	if s.Missed == MissedPolicy {
		said.Policy = l.Misfire
	}
	sched, err := l.Schedule.CompileWith(func(key string) *calendar.Calendar { return s.calendars[calendarKey{l.Namespace, key}] })
	if err != nil {
		said.Slots, said.Problem = 1, fmt.Sprintf("its schedule cannot be read: %v", err)
		s.addSlots(said)
		return Move{}, false
	}
	m, passed := passSlots(l, sched, s.now)
	if passed.Count == 0 {
		return Move{}, false // Its run limit is reached: the planner stops it.
	}
	said.Slots, said.More, said.First, said.Last = passed.Count, passed.Truncated, passed.First, passed.Last
	if s.Missed == MissedSkip {
		said.Next = m.Next
		s.moved++
		m.Runs = s.records(l, passed)
	}
	s.addSlots(said)
	return m, true
}

func (s *settling) addSlots(j JobSlots) {
	s.report.LateJobs++
	s.report.Slots += j.Slots
	if len(s.report.Jobs) < listed {
		s.report.Jobs = append(s.report.Jobs, j)
	}
}

// passing holds the skipped slots: the newest, and the number of all.
type passing struct {
	schedule.Stretch

	newest []time.Time
}

// passSlots returns which slots of a job are not after now, and its next firing. It is pure.
func passSlots(l *Late, sched schedule.Schedule, now time.Time) (Move, passing) {
	// Slots up to now count as missed. Slots shortly after it are not used.
	edge := now.Add(2 * time.Millisecond)
	d := schedule.Decide(schedule.Input{
		Policy: schedule.MisfireSkip, Limits: schedule.MisfireLimits{Threshold: time.Millisecond}, Schedule: sched,
		Single: l.Schedule.Kind == schedule.KindAfter, Next: l.Next, Now: edge, Until: edge, Limit: 1,
		Count: l.Schedule.Count, Fired: l.Fired,
	})
	p := passing{Stretch: schedule.Stretch{Count: d.Older.Count + len(d.Skipped), Truncated: d.Older.Truncated}, newest: d.Skipped}
	if p.Count == 0 {
		return Move{}, p
	}
	p.First, p.Last = l.Next, d.Older.Last
	if n := len(d.Skipped); n > 0 {
		p.Last = d.Skipped[n-1]
	}
	m := Move{JobID: l.JobID, Version: l.Version, From: l.Next, Next: d.Next, Last: p.Last, Fired: l.Fired}
	if len(d.Fire) > 0 {
		m.Next = d.Fire[0]
	}
	if m.Next.IsZero() {
		m.StopReason = "its schedule has no further firing"
	}
	return m, p
}

// records returns runs for the skipped slots: one for each of the newest, and one for all
// others.
func (s *settling) records(l *Late, p passing) []job.Run {
	var runs []job.Run
	tell := func(at time.Time, reason string) {
		runs = append(runs, job.Run{
			JobID: l.JobID, JobVersion: l.Version, GroupID: l.GroupID, PlannedAt: at, Cause: job.CauseMisfire, State: job.Skipped,
			Reason: reason, Priority: l.Priority, CreatedAt: s.now, EndedAt: s.now,
		})
	}
	newest := p.newest
	if s.moved > single {
		newest = nil
	}
	if others := p.Count - len(newest); others > 0 {
		number := fmt.Sprint(others)
		if p.Truncated {
			number = "more than " + number
		}
		last := p.Last
		if len(newest) > 0 {
			last = newest[0]
		}
		tell(p.First, s.reason+fmt.Sprintf("the %s firings from %s to before %s ran", number, stamp(p.First), stamp(last.Add(time.Millisecond))))
	}
	for _, at := range newest {
		tell(at, s.reason+"the firing of "+stamp(at)+" ran")
	}
	return runs
}
