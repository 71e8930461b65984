package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

const (
	// By jobs_key, and the unique keys of the others, which begin with the namespace:
	// one entry for each namespace.
	nextJobNamespace      = `SELECT namespace FROM jobs WHERE namespace > ? ORDER BY namespace LIMIT 1`
	nextGroupNamespace    = `SELECT namespace FROM executor_groups WHERE namespace > ? ORDER BY namespace LIMIT 1`
	nextWorkflowNamespace = `SELECT namespace FROM workflows WHERE namespace > ? ORDER BY namespace LIMIT 1`
	nextCalendarNamespace = `SELECT namespace FROM calendars WHERE namespace > ? ORDER BY namespace LIMIT 1`
	// By jobs_place, in its order: its entries of a namespace, and no rows.
	countPlacedJobs = `SELECT group_id, COUNT(*) - COUNT(NULLIF(tombstone, 0)) FROM jobs WHERE namespace = ? GROUP BY group_id`
	// By the unique (namespace, …) of each table.
	listPlacedGroups     = `SELECT id, group_key FROM executor_groups WHERE namespace = ?`
	countPlacedWorkflows = `SELECT COUNT(*) FROM workflows WHERE namespace = ?`
	countPlacedCalendars = `SELECT COUNT(*) FROM calendars WHERE namespace = ?`

	// By executor_groups_key, runs_ready and jobs' primary key.
	// Here and below at most so many rows are counted; those out of sight are passed over.
	countWaitingRuns = `SELECT COUNT(*), COALESCE(SUM(w.again), 0), COALESCE(SUM(w.late), 0) FROM (
		SELECT CASE WHEN r.state = 'waiting_retry' THEN 1 ELSE 0 END AS again,
		CASE WHEN r.state <> 'waiting_retry' AND r.due_at < ? THEN 1 ELSE 0 END AS late
		FROM executor_groups g CROSS JOIN runs r ON r.group_id = g.id CROSS JOIN jobs j ON j.id = r.job_id
		WHERE r.ready_at > 0 AND TRUE IN (%s) LIMIT ?) w`
	// By runs_open and the primary keys of jobs and executor_groups.
	countOpenAttempts = `SELECT COUNT(*) FROM (SELECT 1 FROM runs r
		CROSS JOIN jobs j ON j.id = r.job_id CROSS JOIN executor_groups g ON g.id = r.group_id
		WHERE r.open_on > '' AND TRUE IN (%s) LIMIT ?) w`
	// By job_plans_look, in its order, and the primary keys of jobs and executor_groups.
	countPlannedJobs = `SELECT COUNT(*), COALESCE(SUM(w.soon), 0) FROM (
		SELECT CASE WHEN p.next_at < ? THEN 1 ELSE 0 END AS soon FROM job_plans p CROSS JOIN jobs j ON j.id = p.job_id
		CROSS JOIN executor_groups g ON g.id = j.group_id WHERE p.look_at > 0 AND TRUE IN (%s) ORDER BY p.look_at LIMIT ?) w`
	// By dead_letters_status and executor_groups' primary key.
	countOpenLetters = `SELECT COUNT(*) FROM (SELECT 1 FROM dead_letters d CROSS JOIN executor_groups g ON g.id = d.group_id
		WHERE d.status = ? AND TRUE IN (%s) LIMIT ?) w`
	// By alarms_state.
	countFiringAlarms = `SELECT COUNT(*) FROM (SELECT 1 FROM alarms a WHERE a.state = ? AND TRUE IN (%s) LIMIT ?) w`
)

// maxNamespaces bounds the namespaces that are looked at.
const maxNamespaces = 10_000

// Held implements [catalog.OverviewReader].
func (s *Store) Held(ctx context.Context) ([]queries.Held, error) {
	keys := make(map[int64]string)
	fields := func(g *job.Group) []any { return []any{(*integer)(&g.ID), (*text)(&g.Key)} }
	if err := each(ctx, s.reader, fields, func(g *job.Group) { keys[g.ID] = g.Key }, listGroupKeys); err != nil {
		return nil, err
	}
	var all []queries.Held
	for name := ""; len(all) < maxNamespaces; {
		next, found, err := s.nextNamespace(ctx, name)
		if err != nil || !found {
			return all, err
		}
		part, err := s.heldIn(ctx, next, keys)
		if err != nil {
			return nil, err
		}
		all, name = append(all, part...), next
	}
	return all, nil
}

// nextNamespace returns the first namespace behind another one that holds anything.
func (s *Store) nextNamespace(ctx context.Context, after string) (least string, found bool, err error) {
	name := func(n *string) []any { return []any{(*text)(n)} }
	for _, query := range []string{nextJobNamespace, nextGroupNamespace, nextWorkflowNamespace, nextCalendarNamespace} {
		next, some, err := first(ctx, s.reader, name, query, after)
		if err != nil {
			return "", false, err
		}
		if some && (!found || cmp.Less(next, least)) {
			least, found = next, true
		}
	}
	return least, found, nil
}

// heldIn returns what the places of a namespace hold; nothing when all its jobs are
// deleted.
func (s *Store) heldIn(ctx context.Context, namespace string, keys map[int64]string) ([]queries.Held, error) {
	type row struct {
		group int64
		n     int
	}
	of := make(map[int64]*queries.Held)
	at := func(group int64) *queries.Held {
		if of[group] == nil {
			of[group] = &queries.Held{Namespace: namespace, Group: keys[group]}
		}
		return of[group]
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.group), (*count)(&r.n)} }
	err := each(ctx, s.reader, fields, func(r *row) {
		if r.n > 0 {
			at(r.group).Jobs = r.n
		}
	}, countPlacedJobs, namespace)
	if err != nil {
		return nil, err
	}
	listed := func(g *job.Group) []any { return []any{(*integer)(&g.ID), (*text)(&g.Key)} }
	if err := each(ctx, s.reader, listed, func(g *job.Group) { at(g.ID).Groups = 1 }, listPlacedGroups, namespace); err != nil {
		return nil, err
	}
	whole := queries.Held{Namespace: namespace}
	for query, n := range map[string]*int{countPlacedWorkflows: &whole.Workflows, countPlacedCalendars: &whole.Calendars} {
		if *n, err = s.number(ctx, query, namespace); err != nil {
			return nil, err
		}
	}
	var all []queries.Held
	if whole.Workflows+whole.Calendars > 0 {
		all = append(all, whole)
	}
	for _, h := range of {
		all = append(all, *h)
	}
	return all, nil
}

// number returns the number that a query counts.
func (s *Store) number(ctx context.Context, query string, args ...any) (int, error) {
	n, _, err := first(ctx, s.reader, func(n *int) []any { return []any{(*count)(n)} }, query, args...)
	return n, err
}

// Counts implements [catalog.OverviewReader].
func (s *Store) Counts(ctx context.Context, sight access.Sight, now time.Time) (queries.Counts, error) {
	var c queries.Counts
	for _, of := range []struct {
		query, namespace, group string
		args                    []any
		to                      []*int
	}{
		{
			countWaitingRuns, "j.namespace", "g.group_key",
			[]any{job.Millis(now.Add(-queries.LateAfter))},
			[]*int{&c.Waiting, &c.Retrying, &c.Late},
		},
		{countOpenAttempts, "j.namespace", "g.group_key", nil, []*int{&c.Running}},
		{countPlannedJobs, "j.namespace", "g.group_key", []any{job.Millis(now.Add(time.Hour))}, []*int{&c.Scheduled, &c.Soon}},
		{countOpenLetters, "d.namespace", "g.group_key", []any{string(job.LetterOpen)}, []*int{&c.DeadLetters}},
		{countFiringAlarms, "a.namespace", "a.group_key", []any{string(words.Firing)}, []*int{&c.Alarms}},
	} {
		query, places, ok, err := within(of.query, &sight, of.namespace, of.group)
		if err != nil || !ok {
			return queries.Counts{}, err
		}
		fields := func(*struct{}) []any {
			var to []any
			for _, n := range of.to {
				to = append(to, (*count)(n))
			}
			return to
		}
		if _, _, err := first(ctx, s.reader, fields, query, slices.Concat(of.args, places, []any{queries.MaxCount})...); err != nil {
			return queries.Counts{}, err
		}
	}
	return c, nil
}
