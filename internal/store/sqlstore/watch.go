package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/watch"
	"github.com/orthd/orth/job"
)

const (
	// By executor_groups' primary key, in its order, and the first entry of each
	// group in runs_ready.
	listWaitingGroups = `SELECT g.id, g.namespace, g.group_key FROM executor_groups g WHERE g.id > ?
		AND EXISTS (SELECT 1 FROM runs r WHERE r.group_id = g.id AND r.ready_at > 0) ORDER BY g.id LIMIT ?`
	// By runs_ready, in its order. Runs that are claimed, or wait for others of their
	// job, are ready a little later than they are due.
	listDueRuns = `SELECT r.id, r.job_id, r.planned_at, r.due_at, r.cause, r.tries, r.undelivered, r.shard_total
		FROM runs r WHERE r.group_id = ? AND r.priority IN (0, 1, 2) AND r.ready_at > 0 AND r.ready_at <= ?
		AND r.due_at <= ? ORDER BY r.priority, r.ready_at LIMIT ?`
	// By runs_ready.
	countDueRuns = `SELECT COUNT(*) FROM (SELECT 1 FROM runs r WHERE r.group_id = ? AND r.priority IN (0, 1, 2)
		AND r.ready_at > 0 AND r.ready_at <= ? AND r.due_at <= ? LIMIT ?) w`
	// By executor_groups' primary key, in its order, executors' primary key and
	// jobs_group: groups with executors, and jobs that are stopped, are passed over.
	listDownGroups = `SELECT g.id, g.namespace, g.group_key FROM executor_groups g WHERE g.id > ?
		AND NOT EXISTS (SELECT 1 FROM executors e WHERE e.group_id = g.id AND e.lease_until > ?)
		AND EXISTS (SELECT 1 FROM jobs j JOIN job_plans p ON p.job_id = j.id
		WHERE j.group_id = g.id AND j.tombstone = 0 AND p.enabled = 1) ORDER BY g.id LIMIT ?`
	// By the primary keys of jobs and executor_groups.
	listSubjects = `SELECT j.id, j.group_id, ` + subjectColumns + ` FROM jobs j
		JOIN executor_groups g ON g.id = j.group_id WHERE j.id IN (%s) AND j.tombstone = 0`

	// By watched's primary key: a row for each job or group with something wrong.
	listWatched = `SELECT told_at, body FROM watched`

	insertWatched = `INSERT INTO watched (source, subject, told_at, body) VALUES (?, ?, ?, ?)`
	// The next two by watched's primary key.
	saveWatched   = `UPDATE watched SET told_at = ?, body = ? WHERE source = ? AND subject = ? AND told_at = ?`
	forgetWatched = `DELETE FROM watched WHERE source = ? AND subject = ? AND told_at = ?`
)

// soonReady is how much later than it is due a run is ready at most, while it waits
// for nothing but an executor, or others of its job.
const soonReady = 10 * time.Minute

func groupFields(e *alarm.Event) []any {
	return []any{(*integer)(&e.GroupID), (*text)(&e.Namespace), (*text)(&e.Group)}
}

// WaitingGroups returns up to limit groups with ids above after that have waiting
// runs, in order of id.
func (s *Store) WaitingGroups(ctx context.Context, after int64, limit int) ([]alarm.Event, error) {
	return list(ctx, s.reader, groupFields, listWaitingGroups, after, max(limit, 0))
}

// Waiting returns up to limit runs of a group that wait and were due by now, those of
// a high priority first, then those that were ready first.
func (s *Store) Waiting(ctx context.Context, group int64, now time.Time, limit int) ([]watch.Waiting, error) {
	type row struct {
		watch.Waiting
		tries, undelivered, shards int
	}
	fields := func(r *row) []any {
		return []any{
			(*integer)(&r.RunID), (*integer)(&r.JobID), (*instant)(&r.PlannedAt), (*instant)(&r.DueAt), (*text)(&r.Cause),
			(*count)(&r.tries), (*count)(&r.undelivered), (*count)(&r.shards),
		}
	}
	var all []watch.Waiting
	take := func(r *row) {
		r.Begun = r.tries > r.undelivered || r.shards > 0
		all = append(all, r.Waiting)
	}
	err := each(ctx, s.reader, fields, take, listDueRuns, group, job.Millis(now.Add(soonReady)), job.Millis(now), max(limit, 0))
	return all, err
}

// CountWaiting returns how many runs of a group wait although they were due by now; it
// counts up to limit.
func (s *Store) CountWaiting(ctx context.Context, group int64, now time.Time, limit int) (int, error) {
	number := func(n *int) []any { return []any{(*count)(n)} }
	n, _, err := first(ctx, s.reader, number, countDueRuns, group, job.Millis(now.Add(soonReady)), job.Millis(now), max(limit, 0))
	return n, err
}

// StillWaiting returns which of the runs wait, in no particular order.
func (s *Store) StillWaiting(ctx context.Context, runs []int64) ([]int64, error) {
	var waiting []int64
	fields := func(r *job.Run) []any { return []any{(*integer)(&r.ID), (*text)(&r.State)} }
	take := func(r *job.Run) {
		if r.State == job.Planned || r.State == job.Queued {
			waiting = append(waiting, r.ID)
		}
	}
	for chunk := range slices.Chunk(runs, maxIDs) {
		args := sized(chunk)
		if err := each(ctx, s.reader, fields, take, in(listStates, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return waiting, nil
}

// DownGroups returns up to limit groups with ids above after that have jobs which are
// started, and no executor with a lease at now, in order of id.
func (s *Store) DownGroups(ctx context.Context, after int64, now time.Time, limit int) ([]alarm.Event, error) {
	return list(ctx, s.reader, groupFields, listDownGroups, after, job.Millis(now), max(limit, 0))
}

// LateJobs returns the jobs that exist, as events name them, in no particular order.
func (s *Store) LateJobs(ctx context.Context, ids []int64) ([]alarm.Event, error) {
	type row struct {
		event alarm.Event
		about completer.Subject
	}
	fields := func(r *row) []any {
		return append([]any{(*integer)(&r.event.JobID), (*integer)(&r.event.GroupID)}, subjectFields(&r.about)...)
	}
	var all []alarm.Event
	take := func(r *row) {
		describeSubject(&r.event, &r.about)
		all = append(all, r.event)
	}
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		if err := each(ctx, s.reader, fields, take, in(listSubjects, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Said returns all reported problems that are not over.
func (s *Store) Said(ctx context.Context) ([]watch.Said, error) {
	type row struct {
		told time.Time
		body string
	}
	fields := func(r *row) []any { return []any{(*instant)(&r.told), (*text)(&r.body)} }
	rows, err := list(ctx, s.reader, fields, listWatched)
	if err != nil {
		return nil, err
	}
	all := make([]watch.Said, len(rows))
	for i, r := range rows {
		all[i].ToldAt = r.told
		if all[i].Event, err = decodeEvent(0, r.body); err != nil {
			return nil, job.Errorf(job.Internal, "read the reported problems: %w", err)
		}
	}
	return all, nil
}

// Say writes changes of the reported problems, in one transaction, with the event of each.
// A change that another server has reported since it was read is left out.
func (s *Store) Say(ctx context.Context, changes []watch.Change) error {
	return s.writer.update(ctx, func(t *tx) error {
		var told []*alarm.Event
		for i := range changes {
			done, err := t.writeReport(&changes[i])
			if err != nil {
				return err
			}
			if done && changes[i].Tell != nil {
				told = append(told, changes[i].Tell)
			}
		}
		return t.writeEvents(told)
	})
}

// writeReport writes one change and reports whether it took effect.
func (t *tx) writeReport(c *watch.Change) (bool, error) {
	source, id, was := string(c.Said.Event.Source), c.Said.Subject(), job.Millis(c.Was)
	if c.Over {
		return t.one(forgetWatched, source, id, was)
	}
	body, err := encodeEvent(&c.Said.Event)
	if err != nil {
		return false, err
	}
	if c.Was.IsZero() {
		return t.one(t.dialect.KeepFirst(insertWatched, watchedKey()...), source, id, job.Millis(c.Said.ToldAt), body)
	}
	return t.one(saveWatched, job.Millis(c.Said.ToldAt), body, source, id, was)
}

// watchedKey is the columns that make two rows of watched the same.
func watchedKey() []string { return []string{"source", "subject"} }
