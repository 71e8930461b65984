package sqlstore

import (
	"context"
	"slices"

	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/job"
)

const (
	// By the primary keys of runs, jobs and executor_groups.
	listNamedRuns = `SELECT r.id, j.namespace, g.group_key, j.id, j.job_key, r.cause, r.planned_at, r.shard_index, r.shard_total,
		r.attempt_id, r.address, r.started_at, r.ended_at
		FROM runs r JOIN jobs j ON j.id = r.job_id JOIN executor_groups g ON g.id = r.group_id WHERE r.id IN (%s)`
	// By the primary keys of jobs and executor_groups.
	listNamedJobs = `SELECT j.id, j.namespace, g.group_key, j.job_key FROM jobs j JOIN executor_groups g ON g.id = j.group_id
		WHERE j.id IN (%s)`
	// By runs_ready: those that cancelWaiting cancels.
	listWaitingOf = `SELECT id FROM runs WHERE group_id = ? AND ready_at > 0 AND job_id = ? LIMIT ?`
	listPlannedOf = `SELECT id FROM runs WHERE group_id = ? AND ready_at > 0 AND job_id = ? AND state = 'planned' AND due_at > ?
		AND (cause = 'schedule' OR cause = 'misfire') LIMIT ?`
	// By runs_firing: those that cancelShards cancels.
	listWaitingShards = `SELECT id FROM runs WHERE job_id = ? AND planned_at = ? AND firing = 'shard' AND cause_id = ?
		AND ready_at IS NOT NULL LIMIT ?`
)

// maxAtOnce is the maximum number of runs of one statement that are reported one by one.
const maxAtOnce = 1000

// made notes that a run was written.
func (t *tx) made(r *job.Run) {
	t.changed = append(t.changed, event.Change{Kind: event.Run, Became: event.Created, ID: r.ID, State: r.State, Reason: r.Reason})
	t.spanned(r)
}

// moved notes that a run is in a new state, because of an attempt when there is one.
func (t *tx) moved(run int64, state job.State, attempt int64, reason, message string) {
	t.changed = append(t.changed, event.Change{
		Kind: event.Run, ID: run, State: state, Attempt: attempt, Reason: reason, Message: message,
	})
}

// altered notes what became of a job; about is nil when that is not known.
func (t *tx) altered(id int64, became string, about *event.About) {
	t.changed = append(t.changed, event.Change{Kind: event.Job, Became: became, ID: id, About: about})
}

// sounded notes an alarm that begins or ends. One that is saved again between the two
// is no news.
func (t *tx) sounded(a *words.Alarm, fresh bool) {
	became := event.Over
	switch {
	case a.State == words.Firing && fresh:
		became = event.Fires
	case a.State == words.Firing:
		return
	}
	t.changed = append(t.changed, event.Change{
		Kind: event.Alarm, Became: became, ID: a.ID, Reason: a.Reason, About: &event.About{
			Namespace: a.Namespace, Group: a.Group, JobID: a.JobID, JobKey: a.JobKey, Rule: a.RuleKey, Severity: string(a.Severity),
		},
	})
}

// aboutJob names a job.
func aboutJob(j *job.Job) *event.About {
	return &event.About{Namespace: j.Namespace, Group: j.Group, JobID: j.ID, JobKey: j.Key}
}

// ids returns the ids that a statement lists, whose last argument is their maximum number;
// more is true when there may be others.
func (t *tx) ids(query string, args ...any) (all []int64, more bool, err error) {
	err = readEach(t, func(id *int64) []any { return []any{id} }, func(id *int64) { all = append(all, *id) }, query, append(args, maxAtOnce)...)
	return all, len(all) == maxAtOnce, err
}

// cancelling notes the runs that the next statement cancels: those that a query lists.
func (t *tx) cancelling(reason, query string, args ...any) error {
	runs, more, err := t.ids(query, args...)
	if err != nil {
		return err
	}
	if more {
		t.changed = append(t.changed, event.Change{Kind: event.Many})
		return nil
	}
	for _, id := range runs {
		t.moved(id, job.Cancelled, 0, reason, "")
	}
	return nil
}

// NamedRuns implements [news.Store].
func (s *Store) NamedRuns(ctx context.Context, ids []int64) ([]event.Named, error) {
	fields := func(n *event.Named) []any {
		return []any{
			(*integer)(&n.Run), (*text)(&n.Namespace), (*text)(&n.Group), (*integer)(&n.JobID), (*text)(&n.JobKey), (*text)(&n.Cause),
			(*instant)(&n.PlannedAt), (*count)(&n.Shard.Index), (*count)(&n.Shard.Total),
			(*integer)(&n.Attempt), (*text)(&n.Executor), (*instant)(&n.StartedAt), (*instant)(&n.EndedAt),
		}
	}
	return byIDs(ctx, s.reader, fields, listNamedRuns, ids)
}

// NamedJobs implements [news.Store].
func (s *Store) NamedJobs(ctx context.Context, ids []int64) ([]event.About, error) {
	fields := func(a *event.About) []any {
		return []any{(*integer)(&a.JobID), (*text)(&a.Namespace), (*text)(&a.Group), (*text)(&a.JobKey)}
	}
	return byIDs(ctx, s.reader, fields, listNamedJobs, ids)
}

// byIDs returns the rows of a query that takes a list of ids, however many they are.
func byIDs[T any](ctx context.Context, r *reader, fields func(*T) []any, query string, ids []int64) ([]T, error) {
	var all []T
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		if err := each(ctx, r, fields, func(row *T) { all = append(all, *row) }, in(query, len(args)), args...); err != nil {
			return nil, err
		}
	}
	return all, nil
}
