package sqlstore

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

const (
	// By jobs' primary key, runs_job, backwards, for each of them, and runs' primary
	// key. Runs that are not over are few. (The sign keeps the order of the ids.)
	listRecent = `SELECT r.job_id, r.id, r.state, r.created_at, r.started_at, r.ended_at FROM jobs j
		CROSS JOIN runs r ON r.id IN (SELECT l.id FROM runs l WHERE l.job_id = j.id AND l.ended_at > 0 AND l.shard_total = 0 AND l.cause <> 'trial'
		ORDER BY l.id DESC LIMIT ?) WHERE j.id IN (%s)`
	// By runs_job, backwards: the same of one job.
	listRecentOf = `SELECT r.job_id, r.id, r.state, r.created_at, r.started_at, r.ended_at FROM runs r
		WHERE r.job_id = ? AND r.ended_at > 0 AND r.shard_total = 0 AND r.cause <> 'trial' ORDER BY r.id DESC LIMIT ?`
	// By jobs' primary key, runs_job, backwards, for each of them, and runs' primary key.
	listNewest = `SELECT r.job_id, r.id, r.state, r.created_at, r.started_at, r.ended_at FROM jobs j
		CROSS JOIN runs r ON r.id = (SELECT l.id FROM runs l WHERE l.job_id = j.id AND l.shard_total = 0 AND l.cause <> 'trial'
		ORDER BY l.id DESC LIMIT 1) WHERE j.id IN (%s)`
	// By runs_busy.
	countBusy = `SELECT r.open_job, COUNT(*) FROM runs r WHERE r.open_job IN (%s) AND r.open_job > 0 GROUP BY r.open_job`
	// By jobs' primary key.
	listGroupsOfJobs = `SELECT group_id FROM jobs WHERE id IN (%s)`
	// By runs_ready: the waiting runs of a group.
	listWaitingJobs = `SELECT job_id FROM runs WHERE group_id = ? AND ready_at > 0 LIMIT ?`
	// By the primary key of stats_daily: a row for each day and job.
	listWeek = `SELECT s.job_id, s.succeeded, s.failed, s.timed_out, s.cancelled, s.lost, s.skipped FROM stats_daily s
		WHERE s.day = ? AND s.job_id IN (%s)`

	// By jobs_key, and the primary key of executor_groups. The kind and the name of a
	// handler come first in its text.
	listFaceted = `SELECT g.group_key, SUBSTR(j.handler, 1, 400), j.labels FROM jobs j CROSS JOIN executor_groups g ON g.id = j.group_id
		WHERE j.namespace = ? AND j.tombstone = 0 AND TRUE IN (%s) LIMIT ?`
)

// maxWaiting is how many runs that wait are counted for the jobs of a page.
const maxWaiting = 20_000

// active collects what happened to jobs.
type active map[int64]*queries.JobActivity

func (a active) of(id int64) *queries.JobActivity {
	found := a[id]
	if found == nil {
		found = &queries.JobActivity{}
		a[id] = found
	}
	return found
}

// Activity implements [catalog.Tables]: some statements for 50 jobs, and none for each.
func (s *Store) Activity(ctx context.Context, jobs []int64, since time.Time) (map[int64]queries.JobActivity, error) {
	all := make(active, len(jobs))
	var groups []int64
	for chunk := range slices.Chunk(jobs, maxIDs) {
		ids := sized(chunk)
		if err := s.recent(ctx, all, ids); err != nil {
			return nil, err
		}
		if err := collect(ctx, s.reader, oneInteger, &groups, in(listGroupsOfJobs, len(ids)), ids...); err != nil {
			return nil, err
		}
	}
	if err := s.rates(ctx, all, jobs, since); err != nil {
		return nil, err
	}
	if err := s.countWaiting(ctx, all, jobs, groups); err != nil {
		return nil, err
	}
	found := make(map[int64]queries.JobActivity, len(all))
	for id, a := range all {
		slices.SortFunc(a.Ended, func(x, y job.Run) int { return int(min(max(y.ID-x.ID, -1), 1)) })
		found[id] = *a
	}
	return found, nil
}

// recent reads the newest runs of jobs, and counts the attempts that executors have.
func (s *Store) recent(ctx context.Context, all active, ids []any) error {
	fields := func(r *job.Run) []any {
		return []any{
			(*integer)(&r.JobID), (*integer)(&r.ID), (*text)(&r.State), (*instant)(&r.CreatedAt), (*instant)(&r.StartedAt), (*instant)(&r.EndedAt),
		}
	}
	ended := func(r *job.Run) { a := all.of(r.JobID); a.Ended = append(a.Ended, *r) }
	if s.config.Dialect.OneByOne {
		for _, id := range slices.Compact(slices.Clone(ids)) { // the last one fills the list up
			if err := each(ctx, s.reader, fields, ended, listRecentOf, id, queries.MaxRecent); err != nil {
				return err
			}
		}
	} else if err := each(ctx, s.reader, fields, ended, in(listRecent, len(ids)), append([]any{queries.MaxRecent}, ids...)...); err != nil {
		return err
	}
	newest := func(r *job.Run) { all.of(r.JobID).Last = *r }
	if err := each(ctx, s.reader, fields, newest, in(listNewest, len(ids)), ids...); err != nil {
		return err
	}
	type busy struct {
		job int64
		n   int
	}
	busyFields := func(b *busy) []any { return []any{(*integer)(&b.job), (*count)(&b.n)} }
	return each(ctx, s.reader, busyFields, func(b *busy) { all.of(b.job).Running = b.n }, in(countBusy, len(ids)), ids...)
}

// rates adds up what ended from a day on, day by day: the rows of a job lie far apart.
func (s *Store) rates(ctx context.Context, all active, jobs []int64, since time.Time) error {
	type row struct {
		job   int64
		stats job.Stats
	}
	fields := func(r *row) []any {
		return []any{
			(*integer)(&r.job), (*integer)(&r.stats.Succeeded), (*integer)(&r.stats.Failed), (*integer)(&r.stats.TimedOut),
			(*integer)(&r.stats.Cancelled), (*integer)(&r.stats.Lost), (*integer)(&r.stats.Skipped),
		}
	}
	add := func(id int64, s *job.Stats) {
		w := &all.of(id).Week
		w.Succeeded += s.Succeeded
		w.Failed += s.Failed
		w.TimedOut += s.TimedOut
		w.Cancelled += s.Cancelled
		w.Lost += s.Lost
		w.Skipped += s.Skipped
	}
	from, to := dayNumber(since), dayNumber(time.Now())
	wanted := make(map[int64]bool, len(jobs))
	for _, id := range jobs {
		wanted[id] = true
	}
	return s.reader.snapshot(ctx, func(r *reader) error {
		for chunk := range slices.Chunk(jobs, maxIDs) {
			ids := sized(chunk)
			for day := from; day <= to; day++ {
				err := each(ctx, r, fields, func(r *row) { add(r.job, &r.stats) }, in(listWeek, len(ids)), append([]any{day}, ids...)...)
				if err != nil {
					return err
				}
			}
		}
		days, err := unfoldedDays(ctx, r, from, to, wanted)
		for key, one := range days {
			add(key.job, one)
		}
		return err
	})
}

// countWaiting counts the runs of jobs that wait, at most [maxWaiting] of their groups.
func (s *Store) countWaiting(ctx context.Context, all active, jobs, groups []int64) error {
	wanted := make(map[int64]bool, len(jobs))
	for _, id := range jobs {
		wanted[id] = true
	}
	slices.Sort(groups)
	left := maxWaiting
	for _, group := range slices.Compact(groups) {
		err := each(ctx, s.reader, oneInteger, func(id *int64) {
			if left--; wanted[*id] {
				all.of(*id).Waiting++
			}
		}, listWaitingJobs, group, left)
		if err != nil || left <= 0 {
			return err
		}
	}
	return nil
}

// faceted is what is counted of a job, as it is stored.
type faceted struct{ group, handler, labels string }

// Facets implements [catalog.Tables].
func (s *Store) Facets(ctx context.Context, sight access.Sight, namespace string) (queries.JobFacets, error) {
	var found queries.JobFacets
	alike := make(map[faceted]int) // many jobs have the same texts: each is read once
	var err error
	if namespace != access.All {
		err = s.facetsIn(ctx, sight, namespace, &found, alike)
	} else {
		err = s.throughSpaces(ctx, &sight, "", func(name string) (more bool, err error) {
			err = s.facetsIn(ctx, sight, name, &found, alike)
			return !found.Partial, err
		})
	}
	if err != nil {
		return queries.JobFacets{}, err
	}
	groups, handlers, labels, owners := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for f, n := range alike {
		groups[f.group] += n
		if name := handlerName(f.handler); name != "" {
			handlers[name] += n
		}
		var of map[string]string
		if err := (document[map[string]string]{&of}).Scan(f.labels); err != nil {
			return queries.JobFacets{}, err
		}
		for key, value := range of {
			labels[key+"="+value] += n
		}
		if owner := of[queries.OwnerLabel]; owner != "" {
			owners[owner] += n
		}
	}
	found.Groups, found.Labels, found.Handlers, found.Owners = most(groups), most(labels), most(handlers), most(owners)
	return found, nil
}

// facetsIn counts the jobs of a namespace, and how many are alike.
func (s *Store) facetsIn(ctx context.Context, sight access.Sight, namespace string, found *queries.JobFacets, alike map[faceted]int) error {
	sight = narrowed(sight, namespace, "")
	query, places, ok, err := within(listFaceted, &sight, "j.namespace", "g.group_key")
	if err != nil || !ok {
		return err
	}
	fields := func(f *faceted) []any { return []any{(*text)(&f.group), (*text)(&f.handler), (*text)(&f.labels)} }
	return each(ctx, s.reader, fields, func(f *faceted) {
		if found.Jobs == queries.MaxFaceted {
			found.Partial = true
			return
		}
		found.Jobs++
		alike[*f]++
	}, query, slices.Concat([]any{namespace}, places, []any{queries.MaxFaceted + 1})...)
}

// handlerName returns what a handler is found by, from the beginning of its text: its
// name, or the kind of its script; empty for a job that runs the code of its template.
func handlerName(text string) string {
	parsed := json.NewDecoder(strings.NewReader(text))
	fields, key := map[string]string{}, ""
	for range 5 { // a brace, and two names with their values
		token, err := parsed.Token()
		if err != nil {
			break
		}
		value, isText := token.(string)
		switch {
		case !isText:
		case key == "":
			key = value
		default:
			fields[key], key = value, ""
		}
	}
	if fields["name"] != "" {
		return fields["name"]
	}
	if fields["kind"] == string(job.HandlerNamed) {
		return ""
	}
	return fields["kind"]
}

// most returns the values that were counted most, those of the same count by name.
func most(counted map[string]int) []queries.Facet {
	all := make([]queries.Facet, 0, len(counted))
	for value, n := range counted {
		all = append(all, queries.Facet{Value: value, Jobs: n})
	}
	slices.SortFunc(all, func(a, b queries.Facet) int {
		if a.Jobs != b.Jobs {
			return b.Jobs - a.Jobs
		}
		return strings.Compare(a.Value, b.Value)
	})
	return all[:min(len(all), queries.MaxFacets)]
}
