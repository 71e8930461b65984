package sqlstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/orthd/orth/internal/queries"
)

const (
	// A run without a value gets the largest of all, whatever the sign. A duration has one
	// added, which distinguishes 0 ms from an absent one.
	rankValue = `COALESCE(? * NULLIF(CASE ? WHEN 'planned_at' THEN r.planned_at WHEN 'started_at' THEN r.started_at
		WHEN 'ended_at' THEN r.ended_at WHEN 'duration' THEN r.ended_at - r.started_at + 1 ELSE r.tries + 1 END, 0), 9223372036854775807)`
	rankBegin = `w.id, w.v FROM (SELECT r.id AS id, ` + rankValue + ` AS v` + fromListed + `WHERE `
	rankEnd   = listedWhere + `) w WHERE w.v > ? OR (w.v = ? AND w.id < ?) ORDER BY w.v, w.id DESC LIMIT ?`

	// The next six by the indexes of the pages of runs that are not sorted, and sorted
	// afterwards: at most rankedRuns between the ids.
	rankRuns      = `SELECT ` + rankBegin + rankEnd
	rankJobRuns   = `SELECT ` + rankBegin + `r.job_id = ? AND ` + rankEnd
	rankGroupRuns = `SELECT ` + rankBegin + `r.group_id = ? AND ` + rankEnd
	rankBadRuns   = `SELECT ` + rankBegin + `r.state = ? AND r.state <> 'succeeded' AND r.ended_at > 0 AND ` + rankEnd
	rankCauseRuns = `SELECT ` + rankBegin + `r.cause = ? AND r.cause <> 'schedule' AND ` + rankEnd
	rankAskedRuns = `SELECT ` + rankBegin + `r.asked_by = ? AND r.asked_by > '' AND ` + rankEnd

	// By the primary keys of runs, jobs and executor_groups.
	listRunsByID = `SELECT ` + listedColumns + fromListed + `WHERE r.id IN (%s)`
)

// rankedRuns is how many runs of an index are sorted.
const rankedRuns = 10_000

// ranked is a run that is sorted.
type ranked struct{ id, value int64 }

// RunRanks implements [catalog.Ranks]. All pages of a list lie between the same ids, so
// that none is listed twice; what the index does not know is filtered within them.
func (s *Store) RunRanks(ctx context.Context, q queries.RunQuery) (queries.RankedRuns, error) {
	var none queries.RankedRuns
	q.Sight, q.BeforeID = narrowed(q.Sight, q.Namespace, q.Group), 0
	if !q.Sight.All && len(q.Sight.Places) == 0 {
		return none, nil
	}
	streams, err := s.streams(ctx, &q)
	if err != nil || len(streams) == 0 {
		return none, err
	}
	top, floor, cut, err := s.window(ctx, &q, streams)
	if err != nil || top <= floor {
		return none, err
	}
	limit := page(q.Limit)
	var all []ranked
	for _, one := range streams {
		part, err := s.rank(ctx, &q, one, top, floor, limit+1)
		if err != nil {
			return none, err
		}
		all = append(all, part...)
	}
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(b.id, a.id)) })
	found := queries.RankedRuns{More: len(all) > limit}
	if cut {
		if found.Since, err = s.madeAt(ctx, floor); err != nil {
			return none, err
		}
	}
	err = s.fillRuns(ctx, &found, all[:min(limit, len(all))], top, floor)
	return found, err
}

// window returns the ids between which runs are sorted, and whether there are older
// ones.
func (s *Store) window(ctx context.Context, q *queries.RunQuery, streams []stream) (top, floor int64, cut bool, err error) {
	if top, floor, err = s.bounds(ctx, q); err != nil {
		return 0, 0, false, err
	}
	oldest := floor
	if q.Mark != nil {
		top, floor = min(top, q.Mark.Top), max(floor, q.Mark.Floor)
	} else if top == math.MaxInt64 { // runs that are made from now on are on no page
		newest, some, err := first(ctx, s.reader, oneInteger, strideRuns, top, 1, 0)
		if err != nil || !some {
			return 0, 0, false, err
		}
		top = newest + 1
	}
	for _, one := range streams {
		last, more, err := first(ctx, s.reader, oneInteger, one.step, slices.Concat(one.of, []any{top, 1, rankedRuns - 1})...)
		if err != nil {
			return 0, 0, false, err
		}
		if more {
			floor = max(floor, last)
		}
	}
	if floor <= oldest {
		return top, floor, false, nil
	}
	for _, one := range streams {
		older, more, err := first(ctx, s.reader, oneInteger, one.step, slices.Concat(one.of, []any{floor, 1, 0})...)
		if err != nil || more && older >= oldest {
			return top, floor, true, err
		}
	}
	return top, floor, false, nil
}

// rank returns the first of the runs of a stream behind the mark.
func (s *Store) rank(ctx context.Context, q *queries.RunQuery, from stream, top, floor int64, limit int) ([]ranked, error) {
	text, places, ok, err := within(from.ranks, &q.Sight, "j.namespace", "g.group_key")
	if err != nil || !ok {
		return nil, err
	}
	filter, err := filterArgs(q)
	if err != nil {
		return nil, err
	}
	sign, mark := int64(1), queries.RunMark{Value: math.MinInt64}
	if q.Order.Down {
		sign = -1
	}
	if q.Mark != nil {
		mark = *q.Mark
	}
	fields := func(r *ranked) []any { return []any{(*integer)(&r.id), (*integer)(&r.value)} }
	args := slices.Concat([]any{sign, q.Order.By}, from.of, []any{top, floor}, filter, places, []any{mark.Value, mark.Value, mark.ID, limit})
	return list(ctx, s.reader, fields, text, args...)
}

// fillRuns reads the runs of a page; runs removed since are left out.
func (s *Store) fillRuns(ctx context.Context, found *queries.RankedRuns, page []ranked, top, floor int64) error {
	ids, runs := make([]int64, len(page)), make(map[int64]queries.FoundRun, len(page))
	for i, r := range page {
		ids[i] = r.id
	}
	for chunk := range slices.Chunk(ids, maxIDs) {
		args := sized(chunk)
		err := each(ctx, s.reader, foundFields, func(f *queries.FoundRun) { runs[f.Run.ID] = *f }, in(listRunsByID, len(args)), args...)
		if err != nil {
			return err
		}
	}
	for _, r := range page {
		if f, there := runs[r.id]; there {
			found.Runs = append(found.Runs, f)
			found.Marks = append(found.Marks, queries.RunMark{Value: r.value, ID: r.id, Top: top, Floor: floor})
		}
	}
	return nil
}

// madeAt returns when the run of an id was made, or the first one before it; zero when
// there is none any more.
func (s *Store) madeAt(ctx context.Context, id int64) (time.Time, error) {
	type row struct {
		id int64
		at time.Time
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*instant)(&r.at)} }
	r, _, err := first(ctx, s.reader, fields, runAtOrBelow, id, 1)
	return r.at, err
}
