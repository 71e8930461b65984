package sqlstore

import (
	"context"
	"math"
	"time"

	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

const (
	// By the primary keys of runs and attempts, backwards: the newest up to a number.
	sentAtOrBelow = `SELECT id, triggered_at FROM runs WHERE id <= ? ORDER BY id DESC LIMIT ?`
	pastAtOrBelow = `SELECT id, triggered_at FROM attempts WHERE id <= ? ORDER BY id DESC LIMIT ?`
	// By runs_open: the newest attempt that is not over.
	readNewestOpen = `SELECT MAX(triggered_at) FROM runs WHERE open_on > ''`

	// By the primary keys of job_plans, in its order, and jobs.
	listLate = `SELECT j.id, j.version, j.namespace, j.job_key, j.group_id, p.next_at, p.last_at, j.schedule, j.misfire,
		p.fired, p.held_by, j.priority FROM job_plans p JOIN jobs j ON j.id = p.job_id
		WHERE p.job_id > ? AND p.next_at <= ? ORDER BY p.job_id LIMIT ?`
	// By runs_ready, all of whose entries wait.
	listWaitingDue = `SELECT r.id FROM executor_groups g CROSS JOIN runs r ON r.group_id = g.id
		WHERE r.ready_at > 0 AND r.due_at <= ? LIMIT ?`
	// By runs_open.
	listOpenOn = `SELECT ` + lastColumns + ` FROM runs r WHERE r.open_on > '' LIMIT ?`
	// By backfills_look and workflow_runs_look, which hold those that are not over.
	listRunningBackfills = `SELECT id FROM backfills WHERE look_at > 0 ORDER BY look_at LIMIT ?`
	listRunningWorkflows = `SELECT id FROM workflow_runs WHERE look_at > 0 ORDER BY look_at LIMIT ?`
	// By sessions_end.
	countSessions = `SELECT COUNT(*) FROM sessions WHERE ends_at > 0`
	dropSessions  = `DELETE FROM sessions WHERE ends_at > 0`
)

var _ interface {
	backup.Numbers
	backup.Slots
	backup.Open
	backup.Beside
} = (*Store)(nil)

// numbered is a row with the instant at which it was made.
type numbered struct {
	id int64
	at time.Time
}

func numberedFields(n *numbered) []any { return []any{(*integer)(&n.id), (*instant)(&n.at)} }

// Given returns how many numbers, of runs and of attempts, were given in the time before an
// instant. It finds the first run of the time by halving: numbers grow with time, but for
// those of one block.
func (s *Store) Given(ctx context.Context, taken time.Time, span time.Duration) (backup.Given, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	next, found, err := first(ctx, s.reader, number, readSequence, sequenceRuns)
	if err == nil && !found {
		err = job.Errorf(job.Internal, "the sequence %s does not exist", sequenceRuns)
	}
	if err != nil {
		return backup.Given{}, err
	}
	since := taken.Add(-span)
	var row numbered
	for low, high := int64(0), next; low <= high; {
		middle := low + (high-low)/2
		at, found, err := first(ctx, s.reader, numberedFields, runAtOrBelow, middle, 1)
		switch {
		case err != nil:
			return backup.Given{}, err
		case !found || at.at.Before(since):
			low = middle + 1
		default:
			row, high = at, at.id-1
		}
	}
	given := backup.Given{Next: next}
	if !row.at.IsZero() {
		given.Count, given.Over = next-row.id, max(min(taken.Sub(row.at), span), time.Millisecond)
	}
	return given, nil
}

// Newest returns the newest instant of a run, an attempt or a line of the audit: a copy of
// the database was not made before. It is the zero time when there is none.
func (s *Store) Newest(ctx context.Context) (at time.Time, err error) {
	at, _, err = first(ctx, s.reader, func(at *time.Time) []any { return []any{(*instant)(at)} }, readNewestOpen)
	for _, query := range []string{runAtOrBelow, sentAtOrBelow, pastAtOrBelow} {
		if err != nil {
			return at, err
		}
		var row numbered
		if row, _, err = first(ctx, s.reader, numberedFields, query, int64(math.MaxInt64), 1); row.at.After(at) {
			at = row.at
		}
	}
	if err != nil {
		return at, err
	}
	lines, err := s.AuditLines(ctx, audit.Query{Limit: 1})
	if err == nil && len(lines) > 0 && lines[0].At.After(at) {
		at = lines[0].At
	}
	return at, err
}

// Advance takes the sequences ahead: those of runs and of files of logs by far,
// the others that give ids by near. It must be the first that draws numbers.
func (s *Store) Advance(ctx context.Context, far, near int64) error {
	return s.writer.update(ctx, func(t *tx) error {
		for _, name := range []string{sequenceRuns, sequencePacks} {
			if _, err := t.reserve(name, far); err != nil {
				return err
			}
		}
		for _, name := range []string{
			sequenceGroups, sequenceJobs, sequenceCalendars, sequencePauses, sequenceBackfills, sequenceWorkflows, sequenceWorkflowRuns,
			sequenceAlarmDefinitions, sequenceGroupTokens, sequenceUsers, sequenceAPITokens, sequenceSecrets, sequenceSessions,
		} {
			if _, err := t.reserve(name, near); err != nil {
				return err
			}
		}
		return nil
	})
}

// UnsettledJobs returns up to limit enabled jobs with ids above after whose next firing is
// not after now, by id.
func (s *Store) UnsettledJobs(ctx context.Context, now time.Time, after int64, limit int) ([]backup.Late, error) {
	fields := func(l *backup.Late) []any {
		return []any{
			(*integer)(&l.JobID), (*integer)(&l.Version), (*text)(&l.Namespace), (*text)(&l.Key), (*integer)(&l.GroupID),
			(*instant)(&l.Next), (*instant)(&l.Last),
			document[schedule.Spec]{&l.Schedule},
			(*text)(&l.Misfire),
			(*count)(&l.Fired), (*text)(&l.HeldBy), (*rank)(&l.Priority),
		}
	}
	return list(ctx, s.reader, fields, listLate, after, now.UnixMilli(), max(limit, 0))
}

// PassSlots takes jobs past slots that are left out. Kinds: Conflict when a job is not
// as it was read.
func (s *Store) PassSlots(ctx context.Context, moves []backup.Move) error {
	plan := make([]planner.Move, len(moves))
	for i, m := range moves {
		plan[i] = planner.Move{
			JobID: m.JobID, Version: m.Version, From: m.From, Next: m.Next, Last: m.Last, Fired: m.Fired,
			StopReason: m.StopReason, Runs: m.Runs,
		}
	}
	done, err := s.CommitPlan(ctx, plan)
	for i, moved := range done {
		if !moved {
			return job.Errorf(job.Conflict, "job %d has changed since it was read", moves[i].JobID)
		}
	}
	return err
}

// CalendarRules returns all calendars.
func (s *Store) CalendarRules(ctx context.Context) ([]job.Calendar, error) {
	return list(ctx, s.reader, calendarFields, listAllCalendars)
}

// WaitingRuns returns the ids of runs that wait and were due by now, at most limit.
func (s *Store) WaitingRuns(ctx context.Context, now time.Time, limit int) ([]int64, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	return list(ctx, s.reader, number, listWaitingDue, now.UnixMilli(), max(limit, 0))
}

// OpenAttempts returns the attempts that an executor has, or may have, at most limit.
func (s *Store) OpenAttempts(ctx context.Context, limit int) ([]job.Attempt, error) {
	return list(ctx, s.reader, attemptFields, listOpenOn, max(limit, 0))
}

// UnderWay returns the ids of backfills and workflow runs that are not over.
func (s *Store) UnderWay(ctx context.Context) (backfills, workflows []int64, err error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	if backfills, err = list(ctx, s.reader, number, listRunningBackfills, job.MaxBackfills); err == nil {
		workflows, err = list(ctx, s.reader, number, listRunningWorkflows, job.MaxWorkflowRuns)
	}
	return backfills, workflows, err
}

// CountSessions returns how many sign-ins of browsers there are.
func (s *Store) CountSessions(ctx context.Context) (int64, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	n, _, err := first(ctx, s.reader, number, countSessions)
	return n, err
}

// EndSessions ends all sign-ins of browsers and returns how many there were.
func (s *Store) EndSessions(ctx context.Context) (n int64, err error) {
	err = s.writer.update(ctx, func(t *tx) (err error) {
		n, err = t.exec(dropSessions)
		return err
	})
	return n, err
}
