package sqlstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

const (
	// A job without a value gets the largest of all, whatever the sign.
	jobInstant = `COALESCE(? * CASE ? WHEN 'next_at' THEN p.next_at WHEN 'updated_at' THEN j.updated_at
		ELSE (SELECT l.ended_at` + lastEnded + ` END, 9223372036854775807)`
	jobText = `CASE ? WHEN 'title' THEN LOWER(COALESCE(NULLIF(j.title, ''), j.job_key)) ELSE '' END`

	byInstant   = `w.id, w.k, w.v, '' FROM (SELECT j.id AS id, j.job_key AS k, ` + jobInstant + ` AS v` + fromFoundJobs + `WHERE `
	byText      = `w.id, w.k, 0, w.v FROM (SELECT j.id AS id, j.job_key AS k, ` + jobText + ` AS v` + fromFoundJobs + `WHERE `
	behind      = foundJobsWhere + `) w WHERE w.v > ? OR (w.v = ? AND w.k > ?) ORDER BY w.v, w.k LIMIT ?`
	inFrontOf   = foundJobsWhere + `) w WHERE w.v < ? OR (w.v = ? AND w.k < ?) ORDER BY w.v DESC, w.k DESC LIMIT ?`
	ofRankGroup = `j.group_id = ? AND `

	// The next six by jobs_key, or by jobs_place for a group, and sorted afterwards: at
	// most catalog.MaxRankedJobs.
	rankJobs           = `SELECT ` + byInstant + behind
	rankGroupJobs      = `SELECT ` + byInstant + ofRankGroup + behind
	rankJobTexts       = `SELECT ` + byText + behind
	rankGroupJobTexts  = `SELECT ` + byText + ofRankGroup + behind
	rankJobTextsDown   = `SELECT ` + byText + inFrontOf
	rankGroupTextsDown = `SELECT ` + byText + ofRankGroup + inFrontOf

	// By jobs_key, and by jobs_place: as many entries as are asked for, and no rows.
	countJobsTo      = `SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE namespace = ? AND tombstone = 0 LIMIT ?) w`
	countGroupJobsTo = `SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE group_id = ? AND namespace = ? AND tombstone = 0 LIMIT ?) w`
)

// highest is behind every text that a job can have.
const highest = "\U0010FFFF"

// rankedJob is a job that is sorted.
type rankedJob struct {
	id   int64
	mark queries.JobMark
}

// JobRanks implements [catalog.Ranks]. Namespaces are sorted one by one, and their
// pages afterwards.
func (s *Store) JobRanks(ctx context.Context, q queries.JobQuery) ([]queries.RankedJob, error) {
	var found []rankedJob
	total := int64(0)
	if !q.Everywhere {
		var err error
		if found, err = s.rankedIn(ctx, q, &total); err != nil {
			return nil, err
		}
	} else if err := s.throughSpaces(ctx, &q.Sight, "", func(name string) (bool, error) {
		of := q
		of.Namespace, of.Mark = name, markIn(q.Mark, name)
		part, err := s.rankedIn(ctx, of, &total)
		for i := range part {
			part[i].mark.Namespace = name
		}
		found = append(found, part...)
		return true, err
	}); err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b rankedJob) int { return compareMarks(&q, &a.mark, &b.mark) })
	return s.fillJobs(ctx, found[:min(page(q.Limit), len(found))])
}

// markIn returns where the page of a namespace begins when that of all begins behind
// a mark: of the jobs with the same value, those of the namespaces before come first.
func markIn(mark *queries.JobMark, namespace string) *queries.JobMark {
	if mark == nil || mark.Namespace == namespace {
		return mark
	}
	of := *mark
	if of.Key = ""; namespace < mark.Namespace {
		of.Key = highest
	}
	return &of
}

// rankedIn returns the first jobs of one namespace behind the mark, those of its groups
// one after the other, and adds to total how many it has.
func (s *Store) rankedIn(ctx context.Context, q queries.JobQuery, total *int64) ([]rankedJob, error) {
	q.Sight, q.After = narrowed(q.Sight, q.Namespace, q.Group), ""
	if !q.Sight.All && len(q.Sight.Places) == 0 {
		return nil, nil
	}
	groups, all, err := s.jobGroups(ctx, &q)
	if err != nil {
		return nil, err
	}
	if all {
		groups = []int64{0}
	}
	if err := s.fewJobs(ctx, &q, groups, all, total); err != nil {
		return nil, err
	}
	var found []rankedJob
	for _, group := range groups {
		part, err := s.rankJobs(ctx, &q, group)
		if err != nil {
			return nil, err
		}
		found = append(found, part...)
	}
	return found, nil
}

// fewJobs refuses to sort more than [catalog.MaxRankedJobs]: those counted before, in
// total, and those of groups.
func (s *Store) fewJobs(ctx context.Context, q *queries.JobQuery, groups []int64, all bool, total *int64) error {
	for _, group := range groups {
		query, args := countGroupJobsTo, []any{group, q.Namespace, queries.MaxRankedJobs + 1}
		if all {
			query, args = countJobsTo, args[1:]
		}
		n, _, err := first(ctx, s.reader, oneInteger, query, args...)
		if err != nil {
			return err
		}
		if *total += n; *total > queries.MaxRankedJobs {
			wrong := job.FieldErrorf("sort", "there are more than %d jobs, too many to be sorted by %s", queries.MaxRankedJobs, q.Order.By)
			wrong.Hint = "name a namespace or a group with fewer jobs, or list them in order of key"
			return wrong
		}
	}
	return nil
}

// isText reports whether jobs are sorted by a text.
func isText(o jobrows.Order) bool { return o.By == jobrows.ByTitle || o.By == jobrows.ByKey }

// rankJobs returns the first of the jobs of a group, or of all for 0, behind the mark.
func (s *Store) rankJobs(ctx context.Context, q *queries.JobQuery, group int64) ([]rankedJob, error) {
	query := [2]string{rankJobs, rankGroupJobs}
	switch {
	case isText(q.Order) && q.Order.Down:
		query = [2]string{rankJobTextsDown, rankGroupTextsDown}
	case isText(q.Order):
		query = [2]string{rankJobTexts, rankGroupJobTexts}
	}
	statement, places, ok, err := within(query[min(group, 1)], &q.Sight, "j.namespace", "g.group_key")
	if err != nil || !ok {
		return nil, err
	}
	filter, err := jobArgs(q)
	if err != nil {
		return nil, err
	}
	order, mark := orderArgs(q)
	var of []any
	if group != 0 {
		of = []any{group}
	}
	fields := func(r *rankedJob) []any {
		return []any{(*integer)(&r.id), (*text)(&r.mark.Key), (*integer)(&r.mark.Value), (*text)(&r.mark.Text)}
	}
	return list(ctx, s.reader, fields, statement, slices.Concat(order, of, filter, places, mark, []any{page(q.Limit)})...)
}

// orderArgs returns the arguments of the value that jobs are sorted by, and those of
// the mark.
func orderArgs(q *queries.JobQuery) (order, mark []any) {
	m := q.Mark
	if isText(q.Order) {
		if m == nil {
			m = &queries.JobMark{}
			if q.Order.Down {
				m.Text, m.Key = highest, highest
			}
		}
		return []any{q.Order.By}, []any{m.Text, m.Text, m.Key}
	}
	if m == nil {
		m = &queries.JobMark{Value: math.MinInt64}
	}
	sign := int64(1)
	if q.Order.Down {
		sign = -1
	}
	return []any{sign, q.Order.By}, []any{m.Value, m.Value, m.Key}
}

// compareMarks compares two jobs of a query by their order.
func compareMarks(q *queries.JobQuery, a, b *queries.JobMark) int {
	order := cmp.Or(cmp.Compare(a.Value, b.Value), strings.Compare(a.Text, b.Text),
		strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Key, b.Key))
	if isText(q.Order) && q.Order.Down {
		return -order
	}
	return order
}

// fillJobs reads the jobs of a page; jobs deleted since are left out.
func (s *Store) fillJobs(ctx context.Context, page []rankedJob) ([]queries.RankedJob, error) {
	ids := make([]int64, len(page))
	for i := range page {
		ids[i] = page[i].id
	}
	jobs, err := s.JobsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*job.Job, len(jobs))
	for i := range jobs {
		byID[jobs[i].ID] = &jobs[i]
	}
	found := make([]queries.RankedJob, 0, len(page))
	for _, r := range page {
		if j := byID[r.id]; j != nil {
			found = append(found, queries.RankedJob{Job: *j, Mark: r.mark})
		}
	}
	return found, nil
}
