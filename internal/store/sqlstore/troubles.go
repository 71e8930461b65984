package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

const (
	badEnds = `SELECT id, job_id, group_id, ended_at, cause, shard_total FROM (SELECT r.id, r.job_id, r.group_id, r.ended_at, r.cause, r.shard_total FROM runs r
		WHERE r.state = ? AND r.state <> 'succeeded' AND r.ended_at > 0 ORDER BY r.id DESC LIMIT ?) `
	// By runs_bad, backwards, and the primary keys of jobs and executor_groups: the newest
	// runs of each bad state. Those out of sight are passed over.
	listFailing = `SELECT w.job_id, COUNT(*), MAX(w.id) FROM (` + badEnds + `a UNION ALL ` + badEnds + `b UNION ALL ` + badEnds + `c) w
		CROSS JOIN jobs j ON j.id = w.job_id CROSS JOIN executor_groups g ON g.id = w.group_id
		WHERE w.ended_at >= ? AND w.ended_at < ? AND w.shard_total = 0 AND w.cause <> 'trial' AND j.tombstone = 0
		AND (? = '' OR j.namespace = ?) AND (? = '' OR g.group_key = ?) AND TRUE IN (%s)
		GROUP BY w.job_id ORDER BY 2 DESC, 1 LIMIT ?`
	// By runs_bad, backwards.
	nthBadEnd = `SELECT ended_at FROM runs r WHERE r.state = ? AND r.state <> 'succeeded' AND r.ended_at > 0
		ORDER BY r.id DESC LIMIT 1 OFFSET ?`
	// By the primary keys of runs, jobs and executor_groups.
	listBadRuns = `SELECT r.id, r.state, r.ended_at, r.reason, SUBSTR(r.message, 1, 400), j.id, j.namespace, j.job_key, g.group_key
		FROM runs r JOIN jobs j ON j.id = r.job_id JOIN executor_groups g ON g.id = r.group_id WHERE r.id IN (%s)`

	// By runs_ready and the primary keys of executor_groups and jobs. At most so many rows
	// are counted; those out of sight are passed over.
	listBacklog = `SELECT w.namespace, w.group_key, COUNT(*), MIN(w.due_at) FROM (
		SELECT j.namespace, g.group_key, r.due_at FROM executor_groups g CROSS JOIN runs r ON r.group_id = g.id
		CROSS JOIN jobs j ON j.id = r.job_id WHERE r.ready_at > 0 AND r.due_at < ?
		AND (? = '' OR j.namespace = ?) AND (? = '' OR g.group_key = ?) AND TRUE IN (%s) LIMIT ?) w
		GROUP BY w.namespace, w.group_key ORDER BY 4, 1, 2 LIMIT ?`

	// By job_plans_look, in its order, and the primary keys of jobs and executor_groups.
	// Those that a pause holds back fire nothing.
	listUpcoming = `SELECT ` + jobColumns + ` FROM job_plans p CROSS JOIN jobs j ON j.id = p.job_id
		CROSS JOIN executor_groups g ON g.id = j.group_id WHERE p.look_at > 0 AND p.look_at < ? AND p.next_at > 0 AND p.held_by = ''
		AND (? = '' OR j.namespace = ?) AND (? = '' OR g.group_key = ?) AND TRUE IN (%s) ORDER BY p.look_at LIMIT ?`
)

// maxBadEnds bounds the runs of a bad state that are looked at.
const maxBadEnds = 5000

// failures are the ends that are failures.
func failures() []any { return []any{string(job.Failed), string(job.TimedOut), string(job.Lost)} }

// Failing implements [catalog.Troubles]. It reads 5,000 runs of each bad state, the
// newest, whatever the time and the sight.
func (s *Store) Failing(ctx context.Context, f *queries.SlotFilter) (all []queries.FailingJob, partly bool, err error) {
	sight := narrowed(f.Sight, f.Namespace, f.Group)
	query, places, ok, err := within(listFailing, &sight, "j.namespace", "g.group_key")
	if err != nil || !ok {
		return nil, false, err
	}
	var args []any
	for _, state := range failures() {
		args = append(args, state, maxBadEnds)
	}
	args = append(args, job.Millis(f.From), job.Millis(f.To), f.Namespace, f.Namespace, f.Group, f.Group)
	fields := func(j *queries.FailingJob) []any {
		return []any{(*integer)(&j.JobID), (*count)(&j.Runs), (*integer)(&j.Last.ID)}
	}
	all, err = list(ctx, s.reader, fields, query, slices.Concat(args, places, []any{queries.MaxFailing})...)
	if err == nil {
		err = s.fillLastRuns(ctx, all)
	}
	if err == nil {
		partly, err = s.moreBadEnds(ctx, f.From)
	}
	return all, partly, err
}

// fillLastRuns fills in the result of the last runs of the jobs.
func (s *Store) fillLastRuns(ctx context.Context, all []queries.FailingJob) error {
	if len(all) == 0 {
		return nil
	}
	ids := make([]int64, len(all))
	for i := range all {
		ids[i] = all[i].Last.ID
	}
	fields := func(j *queries.FailingJob) []any {
		r := &j.Last
		return []any{
			(*integer)(&r.ID), (*text)(&r.State), (*instant)(&r.EndedAt), (*text)(&r.Reason), (*text)(&r.Message),
			(*integer)(&j.JobID), (*text)(&j.Namespace), (*text)(&j.JobKey), (*text)(&j.Group),
		}
	}
	found, err := byIDs(ctx, s.reader, fields, listBadRuns, ids)
	if err != nil {
		return err
	}
	for i := range found {
		at := slices.IndexFunc(all, func(j queries.FailingJob) bool { return j.JobID == found[i].JobID })
		found[i].Runs = all[at].Runs
		all[at] = found[i]
	}
	return nil
}

// moreBadEnds reports whether there are more runs in a bad state since an instant than
// are looked at.
func (s *Store) moreBadEnds(ctx context.Context, since time.Time) (bool, error) {
	for _, state := range failures() {
		fields := func(at *time.Time) []any { return []any{(*instant)(at)} }
		ended, found, err := first(ctx, s.reader, fields, nthBadEnd, state, maxBadEnds)
		if err != nil {
			return false, err
		}
		if found && !ended.Before(since) {
			return true, nil
		}
	}
	return false, nil
}

// Backlog implements [catalog.Troubles].
func (s *Store) Backlog(ctx context.Context, f *queries.SlotFilter) ([]queries.GroupBacklog, error) {
	fields := func(b *queries.GroupBacklog) []any {
		return []any{(*text)(&b.Namespace), (*text)(&b.Group), (*count)(&b.Waiting), (*instant)(&b.Oldest)}
	}
	return listPart(ctx, s, fields, listBacklog, f, queries.MaxCount, queries.MaxBacklog)
}

// Upcoming implements [catalog.Troubles].
func (s *Store) Upcoming(ctx context.Context, f *queries.SlotFilter, limit int) ([]job.Job, error) {
	return listPart(ctx, s, jobFields, listUpcoming, f, page(limit))
}

// listPart returns the rows of a query of what is before the end of a filter, in its
// places, with the bounds that the query ends with.
func listPart[T any](ctx context.Context, s *Store, fields func(*T) []any, query string, f *queries.SlotFilter, bounds ...any) ([]T, error) {
	sight := narrowed(f.Sight, f.Namespace, f.Group)
	text, places, ok, err := within(query, &sight, "j.namespace", "g.group_key")
	if err != nil || !ok {
		return nil, err
	}
	args := []any{job.Millis(f.To), f.Namespace, f.Namespace, f.Group, f.Group}
	return list(ctx, s.reader, fields, text, slices.Concat(args, places, bounds)...)
}
