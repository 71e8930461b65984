package sqlstore

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

const (
	listedColumns = runColumns + `, j.job_key, j.namespace, g.group_key, r.address`
	// By the primary keys of jobs and executor_groups, after runs.
	fromListed = ` FROM runs r CROSS JOIN jobs j ON j.id = r.job_id CROSS JOIN executor_groups g ON g.id = r.group_id `
	// The query passes over runs that it leaves out: the bounds of the ids limit how many.
	// A run that no executor has taken is as late, and takes as long, as it does now.
	listedWhere = `r.id < ? AND r.id >= ? AND (? = '' OR INSTR(?, r.state) > 0) AND (? = '' OR r.cause = ?)
		AND (? = 1 OR r.shard_total = 0) AND (? = '' OR j.namespace = ?) AND (? = '' OR g.group_key = ?)
		AND r.created_at >= ? AND r.created_at < ? AND r.planned_at >= ? AND r.planned_at < ?
		AND COALESCE(r.ended_at, 0) >= ? AND COALESCE(r.ended_at, 0) < ? AND r.tries >= ? AND r.tries <= ?
		AND (? = '' OR r.asked_by = ?) AND (? = 0 OR r.cause_id = ?)
		AND (? < 0 OR (r.cause = 'schedule' OR r.cause = 'misfire')
			AND COALESCE(r.started_at, CASE WHEN r.ended_at > 0 THEN r.planned_at ELSE ? END) - r.planned_at > ?)
		AND (? = 0 OR COALESCE(r.ended_at, ?) - r.started_at >= ? AND COALESCE(r.ended_at, ?) - r.started_at < ?)
		AND (? = '' OR INSTR(j.labels, ?) > 0)
		AND (? = '' OR r.address = ?)
		AND (? = '' OR INSTR(LOWER(r.message), LOWER(?)) > 0 OR INSTR(LOWER(r.reason), LOWER(?)) > 0)
		AND TRUE IN (%s)`
	listedFilter = listedWhere + ` ORDER BY r.id DESC LIMIT ?`

	// By runs' primary key, backwards.
	pageRuns = `SELECT ` + listedColumns + fromListed + `WHERE ` + listedFilter
	// By runs_job, backwards.
	pageJobRuns = `SELECT ` + listedColumns + fromListed + `WHERE r.job_id = ? AND ` + listedFilter
	// By runs_group, backwards.
	pageGroupRuns = `SELECT ` + listedColumns + fromListed + `WHERE r.group_id = ? AND ` + listedFilter
	// By runs_bad, backwards.
	pageBadRuns = `SELECT ` + listedColumns + fromListed +
		`WHERE r.state = ? AND r.state <> 'succeeded' AND r.ended_at > 0 AND ` + listedFilter
	// By runs_cause, backwards.
	pageCauseRuns = `SELECT ` + listedColumns + fromListed + `WHERE r.cause = ? AND r.cause <> 'schedule' AND ` + listedFilter
	// By runs_asked, backwards.
	pageAskedRuns = `SELECT ` + listedColumns + fromListed + `WHERE r.asked_by = ? AND r.asked_by > '' AND ` + listedFilter

	// The next six return the id of the run so many places behind, by the same
	// indexes as the six above, and nothing else of them.
	strideRuns      = `SELECT id FROM runs WHERE id < ? ORDER BY id DESC LIMIT ? OFFSET ?`
	strideJobRuns   = `SELECT id FROM runs WHERE job_id = ? AND id < ? ORDER BY id DESC LIMIT ? OFFSET ?`
	strideGroupRuns = `SELECT id FROM runs WHERE group_id = ? AND id < ? ORDER BY id DESC LIMIT ? OFFSET ?`
	strideBadRuns   = `SELECT id FROM runs WHERE state = ? AND state <> 'succeeded' AND ended_at > 0 AND id < ?
		ORDER BY id DESC LIMIT ? OFFSET ?`
	strideCauseRuns = `SELECT id FROM runs WHERE cause = ? AND cause <> 'schedule' AND id < ? ORDER BY id DESC LIMIT ? OFFSET ?`
	strideAskedRuns = `SELECT id FROM runs WHERE asked_by = ? AND asked_by > '' AND id < ? ORDER BY id DESC LIMIT ? OFFSET ?`

	// By runs' primary key.
	runAtOrBelow = `SELECT id, created_at FROM runs WHERE id <= ? ORDER BY id DESC LIMIT ?`
	// By runs_ready: as many as wait in a group. (The sign keeps SQLite from walking
	// through ids, here and below.)
	firstWaiting = `SELECT COALESCE(MIN(+id), 0) FROM runs WHERE group_id = ? AND ready_at > 0`
	// By runs_open: as many as executors work on.
	firstOpen = `SELECT COALESCE(MIN(+id), 0) FROM runs WHERE open_on > ''`
	// By broadcasts_open, and broadcasts_look: no executor has a run that was split.
	firstSplit   = `SELECT COALESCE(MIN(run_id), 0) FROM broadcasts WHERE open > 0`
	firstSettled = `SELECT COALESCE(MIN(+run_id), 0) FROM broadcasts WHERE look_at > 0`
	// By jobs_place, which has all that is read.
	groupsOfNamespace = `SELECT DISTINCT group_id FROM jobs WHERE namespace = ?`
)

const (
	// stride is how many runs are looked at in one statement, and maxStrides how many
	// of them there are for a page.
	stride     = 10_000
	maxStrides = 3
	// maxStreams is how many groups are read one by one. The runs of more are found
	// among all, where they are not rare.
	maxStreams = 16
	// drift is how much later than the next one a run can be written: ids are drawn
	// before.
	drift = 10 * time.Minute
)

// stream is runs in order of id, the newest first, by one index.
type stream struct {
	rows, step, ranks string // statements
	of                []any  // what the index begins with
}

// RunPage implements [catalog.Lists]. Each index that serves the query is read in
// strides of ids; what the index does not know is filtered within them. So a page
// takes a bounded time, whatever is rare.
func (s *Store) RunPage(ctx context.Context, q queries.RunQuery) ([]queries.FoundRun, int64, error) {
	q.Sight = narrowed(q.Sight, q.Namespace, q.Group)
	if !q.Sight.All && len(q.Sight.Places) == 0 {
		return nil, 0, nil
	}
	top, floor, err := s.bounds(ctx, &q)
	if err != nil || top <= floor {
		return nil, 0, err
	}
	streams, err := s.streams(ctx, &q)
	if err != nil {
		return nil, 0, err
	}
	var found []queries.FoundRun
	reached := floor // below it nothing is known; above it nothing is missing
	for _, one := range streams {
		part, to, err := s.read(ctx, &q, one, top, floor)
		if err != nil {
			return nil, 0, err
		}
		found, reached = append(found, part...), max(reached, to)
	}
	if len(streams) == 0 {
		return nil, 0, nil
	}
	slices.SortFunc(found, func(a, b queries.FoundRun) int { return cmp.Compare(b.Run.ID, a.Run.ID) })
	known := slices.IndexFunc(found, func(r queries.FoundRun) bool { return r.Run.ID < reached })
	if known >= 0 {
		found = found[:known]
	}
	switch limit := page(q.Limit); {
	case len(found) >= limit:
		found = found[:limit]
		return found, found[limit-1].Run.ID, nil
	case reached > floor:
		return found, reached, nil
	}
	return found, 0, nil
}

// read returns runs of a stream with ids in [floor, top), and the id down to which
// there are no others; that is floor at the end.
func (s *Store) read(ctx context.Context, q *queries.RunQuery, from stream, top, floor int64) ([]queries.FoundRun, int64, error) {
	text, places, ok, err := within(from.rows, &q.Sight, "j.namespace", "g.group_key")
	if err != nil || !ok {
		return nil, floor, err
	}
	limit := page(q.Limit)
	var found []queries.FoundRun
	for range stridesOf(q) {
		last, more, err := first(ctx, s.reader, oneInteger, from.step, slices.Concat(from.of, []any{top, 1, stride - 1})...)
		if err != nil {
			return nil, 0, err
		}
		end := floor
		if more {
			end = max(floor, last)
		}
		filter, err := filterArgs(q)
		if err != nil {
			return nil, 0, err
		}
		args := slices.Concat(from.of, []any{top, end}, filter, places, []any{limit - len(found)})
		part, err := list(ctx, s.reader, foundFields, text, args...)
		if err != nil {
			return nil, 0, err
		}
		found = append(found, part...)
		if len(found) >= limit {
			return found, found[len(found)-1].Run.ID, nil
		}
		if top = end; top <= floor {
			break
		}
	}
	return found, top, nil
}

// stridesOf returns how many strides are looked at for a page: fewer when each run has
// to be looked up elsewhere, or read to its end.
func stridesOf(q *queries.RunQuery) int {
	if q.Executor != "" || q.Label != "" || q.Text != "" {
		return maxStrides - 1
	}
	return maxStrides
}

// bounds returns the ids that the runs of a query lie in: from floor on, below top.
func (s *Store) bounds(ctx context.Context, q *queries.RunQuery) (top, floor int64, err error) {
	top = math.MaxInt64
	if q.BeforeID > 0 {
		top = q.BeforeID
	}
	until := q.Created.Until
	if !q.Ended.Until.IsZero() && (until.IsZero() || q.Ended.Until.Before(until)) {
		until = q.Ended.Until // nothing ends before it is made
	}
	if !until.IsZero() {
		id, err := s.idAt(ctx, until.Add(drift))
		if err != nil {
			return 0, 0, err
		}
		top = min(top, id)
	}
	if !q.Created.Since.IsZero() {
		if floor, err = s.idAt(ctx, q.Created.Since.Add(-drift)); err != nil {
			return 0, 0, err
		}
	}
	if len(q.States) > 0 && !slices.ContainsFunc(q.States, job.State.Final) {
		open, err := s.oldestOpen(ctx)
		if err != nil {
			return 0, 0, err
		}
		floor = max(floor, open)
	}
	return top, floor, nil
}

// idAt returns the least id of the runs that were made at an instant or later, give
// or take [drift]: it halves the ids until it has it. It is the largest of all when
// there are none.
func (s *Store) idAt(ctx context.Context, at time.Time) (int64, error) {
	type row struct {
		id int64
		at time.Time
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.id), (*instant)(&r.at)} }
	newest, some, err := first(ctx, s.reader, fields, runAtOrBelow, int64(math.MaxInt64), 1)
	if err != nil || !some || newest.at.Before(at) {
		return math.MaxInt64, err
	}
	low, high := int64(0), newest.id // a run at or below low is older, that at high is not
	for high-low > 1 {
		middle := low + (high-low)/2
		r, some, err := first(ctx, s.reader, fields, runAtOrBelow, middle, 1)
		if err != nil {
			return 0, err
		}
		if !some || r.at.Before(at) {
			low = middle
		} else {
			high = r.id
		}
	}
	return high, nil
}

// oldestOpen returns the least id of the runs that are not over; it is the largest of
// all when there are none.
func (s *Store) oldestOpen(ctx context.Context) (int64, error) {
	oldest := int64(math.MaxInt64)
	look := func(query string, args ...any) error {
		id, _, err := first(ctx, s.reader, oneInteger, query, args...)
		if err == nil && id > 0 {
			oldest = min(oldest, id)
		}
		return err
	}
	for _, query := range [...]string{firstOpen, firstSplit, firstSettled} {
		if err := look(query); err != nil {
			return 0, err
		}
	}
	groups, err := list(ctx, s.reader, oneInteger, listGroups)
	if err != nil {
		return 0, err
	}
	for _, group := range groups {
		if err := look(firstWaiting, group); err != nil {
			return 0, err
		}
	}
	return oldest, nil
}

// streams returns the indexes that serve a query best: the narrowest first.
func (s *Store) streams(ctx context.Context, q *queries.RunQuery) ([]stream, error) {
	if q.JobID != 0 {
		return []stream{{pageJobRuns, strideJobRuns, rankJobRuns, []any{q.JobID}}}, nil
	}
	if q.By != "" {
		return []stream{{pageAskedRuns, strideAskedRuns, rankAskedRuns, []any{q.By}}}, nil
	}
	if bad := badStates(q.States); bad != nil {
		return bad, nil
	}
	if q.Cause != "" && q.Cause != job.CauseSchedule {
		return []stream{{pageCauseRuns, strideCauseRuns, rankCauseRuns, []any{string(q.Cause)}}}, nil
	}
	groups, all, err := s.groupsOf(ctx, q)
	if err != nil {
		return nil, err
	}
	if all {
		return []stream{{pageRuns, strideRuns, rankRuns, nil}}, nil
	}
	streams := make([]stream, len(groups))
	for i, id := range groups {
		streams[i] = stream{pageGroupRuns, strideGroupRuns, rankGroupRuns, []any{id}}
	}
	return streams, nil
}

// badStates returns a stream for each state when all of them are those of runs_bad.
func badStates(states []job.State) []stream {
	var streams []stream
	for _, state := range slices.Compact(slices.Sorted(slices.Values(states))) {
		if !state.Final() || state == job.Succeeded {
			return nil
		}
		streams = append(streams, stream{pageBadRuns, strideBadRuns, rankBadRuns, []any{string(state)}})
	}
	return streams
}

// groupsOf returns the groups that the runs of a query are for; all when they are not
// few.
func (s *Store) groupsOf(ctx context.Context, q *queries.RunQuery) (ids []int64, all bool, err error) {
	places := q.Sight.Places
	if q.Sight.All {
		if q.Namespace == "" && q.Group == "" {
			return nil, true, nil
		}
		places = []access.Place{{Namespace: cmp.Or(q.Namespace, job.DefaultNamespace), Group: cmp.Or(q.Group, access.All)}}
	}
	for _, p := range places {
		var part []int64
		if p.Group == access.All {
			part, err = list(ctx, s.reader, oneInteger, groupsOfNamespace, p.Namespace)
		} else {
			part, err = list(ctx, s.reader, oneInteger, findGroup, p.Group)
		}
		if err != nil {
			return nil, false, err
		}
		ids = append(ids, part...)
		if slices.Sort(ids); len(slices.Compact(ids)) > maxStreams {
			return nil, true, nil
		}
	}
	return slices.Compact(ids), false, nil
}

// filterArgs returns the arguments of listedWhere between the ids and the places.
func filterArgs(q *queries.RunQuery) ([]any, error) {
	var states strings.Builder
	for _, state := range q.States {
		states.WriteString(string(state) + " ")
	}
	args := []any{
		states.String(), states.String(), string(q.Cause), string(q.Cause), bit(q.Shards || q.Cause == job.CauseShard),
		q.Namespace, q.Namespace, q.Group, q.Group,
	}
	for _, span := range [...]queries.Span{q.Created, q.Planned, q.Ended} {
		since, until := int64(math.MinInt64), int64(math.MaxInt64)
		if !span.Since.IsZero() {
			since = max(span.Since.UnixMilli(), 1) // 0 stands for no instant
		}
		if !span.Until.IsZero() {
			until, since = span.Until.UnixMilli(), max(since, 1)
		}
		args = append(args, since, until)
	}
	label, err := labelText(q.Label)
	if err != nil {
		return nil, err
	}
	tries, late, longest, now := int64(math.MaxInt64), int64(-1), int64(math.MaxInt64), job.Millis(q.Now)
	if q.MaxTries > 0 {
		tries = int64(q.MaxTries)
	}
	if q.Late > 0 {
		late = q.Late.Milliseconds()
	}
	if q.MaxTook > 0 {
		longest = whole(q.MaxTook)
	}
	return append(args, q.MinTries, tries, q.By, q.By, q.CauseID, q.CauseID, late, now, late, bit(q.MinTook > 0 || q.MaxTook > 0), now, whole(q.MinTook), now, longest,
		label, label, q.Executor, q.Executor, q.Text, q.Text, q.Text), nil
}

func oneInteger(id *int64) []any { return []any{(*integer)(id)} }

func foundFields(f *queries.FoundRun) []any {
	return append(namedRunFields(&f.Run), (*text)(&f.Namespace), (*text)(&f.Group), (*text)(&f.Executor))
}
