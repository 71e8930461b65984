package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

const (
	fromFoundJobs = ` FROM jobs j CROSS JOIN executor_groups g ON g.id = j.group_id CROSS JOIN job_plans p ON p.job_id = j.id `
	// labelHit is 1 for a job with a label, and 0 for another one.
	labelHit = `CASE WHEN INSTR(j.labels, ?) > 0 THEN 1 ELSE 0 END`
	// lastEnded is the newest ended run of a job, found by runs_job, backwards: those that
	// are not over are few.
	lastEnded = ` FROM runs l WHERE l.job_id = j.id AND l.ended_at > 0 ORDER BY l.id DESC LIMIT 1)`
	// Jobs that it leaves out are passed over. The calendars of one are found by
	// job_calendars_job, its template by the primary key of jobs.
	foundJobsWhere = `j.namespace = ? AND j.tombstone = 0 AND j.job_key > ? AND (? = '' OR g.group_key = ?)
		AND (? < 0 OR p.enabled = ?) AND (? = '' OR INSTR(j.schedule, ?) = 1)
		AND (? = '' OR INSTR(j.handler, ?) > 0 OR INSTR(j.handler, ?) > 0)
		AND (? = 0 OR ` + labelHit + ` + ` + labelHit + ` + ` + labelHit + ` + ` + labelHit + ` + ` + labelHit + ` + ` +
		labelHit + ` + ` + labelHit + ` + ` + labelHit + ` >= ?)
		AND (? = '' OR INSTR(j.labels, ?) > 0) AND (? <> 'gave_up' OR p.stop_reason <> '') AND (? <> 'held' OR p.held_by <> '')
		AND (? = '' OR INSTR(j.job_key, LOWER(?)) > 0 OR INSTR(LOWER(j.title), LOWER(?)) > 0)
		AND (? = '' OR (SELECT l.state` + lastEnded + ` = ?)
		AND (? = '' OR EXISTS (SELECT 1 FROM job_calendars u CROSS JOIN calendars c ON c.id = u.calendar_id
			WHERE u.job_id = j.id AND c.cal_key = ?))
		AND (? = '' OR (SELECT e.job_key FROM jobs e WHERE e.id = j.template) = ?)
		AND TRUE IN (%s)`
	foundJobsFilter = foundJobsWhere + ` ORDER BY j.job_key LIMIT ?`

	// By jobs_key, in its order.
	pageJobs = `SELECT ` + jobColumns + fromFoundJobs + `WHERE ` + foundJobsFilter
	// By jobs_place, in its order.
	pageGroupJobs = `SELECT ` + jobColumns + fromFoundJobs + `WHERE j.group_id = ? AND ` + foundJobsFilter
)

// JobPage implements [catalog.Lists]. Namespaces are read one by one until the page is
// full.
func (s *Store) JobPage(ctx context.Context, q queries.JobQuery) ([]job.Job, error) {
	if !q.Everywhere {
		return s.jobsIn(ctx, q)
	}
	limit := page(q.Limit)
	var found []job.Job
	err := s.throughSpaces(ctx, &q.Sight, q.Namespace, func(name string) (more bool, err error) {
		of := q
		of.Namespace, of.Limit = name, limit-len(found)
		if name != q.Namespace {
			of.After = ""
		}
		part, err := s.jobsIn(ctx, of)
		found = append(found, part...)
		return len(found) < limit, err
	})
	return found, err
}

// throughSpaces calls each for the namespaces that have, or had, jobs and of which
// something lies within a sight, in order of name from one on, until it returns false.
func (s *Store) throughSpaces(ctx context.Context, sight *access.Sight, from string, each func(name string) (more bool, err error)) error {
	if !sight.All {
		var names []string
		for _, p := range sight.Places {
			names = append(names, p.Namespace)
		}
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if name < from {
				continue
			}
			if more, err := each(name); err != nil || !more {
				return err
			}
		}
		return nil
	}
	fields := func(n *string) []any { return []any{(*text)(n)} }
	for name := from; ; {
		if name != "" {
			if more, err := each(name); err != nil || !more {
				return err
			}
		}
		next, found, err := first(ctx, s.reader, fields, nextJobNamespace, name)
		if err != nil || !found {
			return err
		}
		name = next
	}
}

// jobsIn returns a page of jobs of one namespace. Those of few groups are read group by
// group.
func (s *Store) jobsIn(ctx context.Context, q queries.JobQuery) ([]job.Job, error) {
	q.Sight = narrowed(q.Sight, q.Namespace, q.Group)
	if !q.Sight.All && len(q.Sight.Places) == 0 {
		return nil, nil
	}
	args, err := jobArgs(&q)
	if err != nil {
		return nil, err
	}
	limit := page(q.Limit)
	read := func(query string, of ...any) ([]job.Job, error) {
		text, places, ok, err := within(query, &q.Sight, "j.namespace", "g.group_key")
		if err != nil || !ok {
			return nil, err
		}
		return list(ctx, s.reader, jobFields, text, slices.Concat(of, args, places, []any{limit})...)
	}
	groups, all, err := s.jobGroups(ctx, &q)
	switch {
	case err != nil:
		return nil, err
	case all:
		return read(pageJobs)
	}
	var found []job.Job
	for _, id := range groups {
		part, err := read(pageGroupJobs, id)
		if err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	slices.SortFunc(found, func(a, b job.Job) int { return cmp.Compare(a.Key, b.Key) })
	return found[:min(limit, len(found))], nil
}

// jobGroups returns the groups that the jobs of a query are in; all when the query is
// about a whole namespace, or about many groups.
func (s *Store) jobGroups(ctx context.Context, q *queries.JobQuery) (ids []int64, all bool, err error) {
	whole := func(p access.Place) bool { return p.Group == access.All }
	if q.Group == "" && (q.Sight.All || slices.ContainsFunc(q.Sight.Places, whole)) {
		return nil, true, nil
	}
	return s.groupsOf(ctx, &queries.RunQuery{Sight: q.Sight, Namespace: q.Namespace, Group: q.Group})
}

// jobArgs returns the arguments of foundJobsWhere before the places. What is looked
// for in a JSON text stands there with its quotes: one within a text is escaped.
func jobArgs(q *queries.JobQuery) ([]any, error) {
	enabled := int64(-1)
	switch {
	case q.Enabled != nil:
		enabled = bit(*q.Enabled)
	case q.Status == queries.JobStarted, q.Status == queries.JobStopped:
		enabled = bit(q.Status == queries.JobStarted)
	}
	var kind, name, script, owner string
	var err error
	if q.Kind != "" {
		kind = `{"kind":"` + string(q.Kind) + `"`
	}
	if q.Handler != "" {
		if name, err = quoted(q.Handler); err != nil {
			return nil, err
		}
		name, script = `"name":`+name, `{"kind":`+name+`,`
	}
	if q.Owner != "" {
		if owner, err = labelText(queries.OwnerLabel + "=" + q.Owner); err != nil {
			return nil, err
		}
	}
	labels, err := labelArgs(q)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]any{
		q.Namespace, q.After, q.Group, q.Group, enabled, enabled, kind, kind, name, name, script,
	}, labels, []any{
		owner, owner, string(q.Status), string(q.Status), q.Text, q.Text, q.Text, string(q.Last), string(q.Last), q.Calendar, q.Calendar,
		q.Template, q.Template,
	}), nil
}

// labelArgs returns how many labels are asked for, each of them, and how many a job
// must have. No JSON text has the control character that fills the list up.
func labelArgs(q *queries.JobQuery) ([]any, error) {
	args := []any{len(q.Labels)}
	for i := range queries.MaxLabels {
		text := "\x01"
		if i < len(q.Labels) {
			var err error
			if text, err = labelText(q.Labels[i]); err != nil {
				return nil, err
			}
		}
		args = append(args, text)
	}
	wanted := len(q.Labels)
	if q.AnyLabel {
		wanted = min(wanted, 1)
	}
	return append(args, wanted), nil
}

// labelText returns a label, a key or key=value, as it stands in stored JSON.
func labelText(label string) (string, error) {
	if label == "" {
		return "", nil
	}
	key, value, pair := strings.Cut(label, "=")
	text, err := quoted(key)
	if err != nil || !pair {
		return text + ":", err
	}
	value, err = quoted(value)
	return text + ":" + value, err
}

// quoted returns a text as it stands in stored JSON.
func quoted(text string) (string, error) {
	raw, err := json.Marshal(text)
	if err != nil {
		return "", job.Errorf(job.Invalid, "it cannot be looked for: %w", err)
	}
	return string(raw), nil
}
