package sqlstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

const (
	// By the primary key of stats_daily.
	addStats = `UPDATE stats_daily SET succeeded = succeeded + ?, failed = failed + ?, timed_out = timed_out + ?,
		cancelled = cancelled + ?, lost = lost + ?, skipped = skipped + ?, attempts = attempts + ?, timed = timed + ?,
		run_ms = run_ms + ?, run_ms_max = CASE WHEN run_ms_max < ? THEN ? ELSE run_ms_max END,
		late_ms = late_ms + ?, late_ms_max = CASE WHEN late_ms_max < ? THEN ? ELSE late_ms_max END
		WHERE day = ? AND job_id = ?`
	insertStats = `INSERT INTO stats_daily (job_id, day, succeeded, failed, timed_out, cancelled, lost, skipped, attempts,
		timed, run_ms, run_ms_max, late_ms, late_ms_max) VALUES (?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`

	statsSums = `s.day, SUM(s.succeeded), SUM(s.failed), SUM(s.timed_out), SUM(s.cancelled), SUM(s.lost), SUM(s.skipped),
		SUM(s.attempts), SUM(s.timed), SUM(s.run_ms), MAX(s.run_ms_max), SUM(s.late_ms), MAX(s.late_ms_max)`
	// By the primary key of stats_daily, in its order: all rows of the days.
	listStats = `SELECT ` + statsSums + ` FROM stats_daily s WHERE s.day >= ? AND s.day <= ? GROUP BY s.day`
	// By the primary keys of stats_daily and jobs: all rows of the days.
	listGroupStats = `SELECT ` + statsSums + ` FROM stats_daily s CROSS JOIN jobs j ON j.id = s.job_id
		WHERE s.day >= ? AND s.day <= ? AND j.group_id = ? GROUP BY s.day`
	// By the primary keys of stats_daily, jobs and executor_groups: all rows of the days.
	listStatsWithin = `SELECT ` + statsSums + ` FROM stats_daily s CROSS JOIN jobs j ON j.id = s.job_id
		CROSS JOIN executor_groups g ON g.id = j.group_id
		WHERE s.day >= ? AND s.day <= ? AND (? = '' OR g.group_key = ?) AND TRUE IN (%s) GROUP BY s.day`
	// By the primary key of stats_daily: one row a day.
	listJobStats = `SELECT s.day, s.succeeded, s.failed, s.timed_out, s.cancelled, s.lost, s.skipped, s.attempts, s.timed,
		s.run_ms, s.run_ms_max, s.late_ms, s.late_ms_max FROM stats_daily s WHERE s.day IN (%s) AND s.job_id = ?`

	// By the first entries of the primary key of stats_daily.
	listOldStats = `SELECT day, job_id FROM stats_daily WHERE day < ? ORDER BY day, job_id LIMIT ?`
	// By the primary key of stats_daily.
	removeStats = `DELETE FROM stats_daily WHERE day = ? AND job_id >= ? AND job_id <= ?`
)

// addAllStats adds to many rows at once.
var addAllStats = batch{query: addStats, kinds: "iiiiiiiiiiiiiiii", key: 15}

// dayKey is a job on a day.
type dayKey struct{ day, job int64 }

// at returns what is counted under a key, which may be nothing yet.
func at[K comparable, V any](all map[K]*V, key K) *V {
	v, ok := all[key]
	if !ok {
		v = new(V)
		all[key] = v
	}
	return v
}

// sums are deltas added up, by the rows of the statistics.
type sums struct {
	days  map[dayKey]*job.Stats
	slots map[slotKey]*slot
}

func newSums() *sums { return &sums{days: make(map[dayKey]*job.Stats), slots: make(map[slotKey]*slot)} }

func (y *sums) add(d *delta) {
	d.addTo(at(y.days, dayKey{dayOf(d.at), d.job}))
	if d.namespace == "" {
		return
	}
	if !d.long {
		d.addToSlot(at(y.slots, slotKey{shortSpread, d.at, d.namespace, d.group}))
	}
	d.addToSlot(at(y.slots, slotKey{longSpread, beginOf(d.at, longSpread), d.namespace, d.group}))
}

// addSums adds to the rows of stats_daily and spreads, in the order of their keys. A day's
// row of a job is made at its first end.
func (t *tx) addSums(all *sums) error {
	if err := t.addDays(all.days); err != nil {
		return err
	}
	return t.addSlots(all.slots)
}

// addDays adds to the rows of stats_daily.
func (t *tx) addDays(days map[dayKey]*job.Stats) error {
	keys := slices.SortedFunc(maps.Keys(days), byDayKey)
	rows := make([][]any, len(keys))
	for i, key := range keys {
		rows[i] = addArgs(key, days[key])
	}
	there, err := t.each(&addAllStats, rows)
	if err != nil {
		return err
	}
	var fresh, again [][]any
	for i, key := range keys {
		if !there[i] {
			fresh, again = append(fresh, []any{key.job, key.day}), append(again, rows[i])
		}
	}
	insert := batch{query: t.dialect.KeepFirst(insertStats, statsKey()...), kinds: "ii"}
	if err := t.doAll(&insert, fresh); err != nil {
		return err
	}
	return t.doAll(&addAllStats, again)
}

func byDayKey(a, b dayKey) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.job, b.job)) }

// addArgs returns the arguments of addStats.
func addArgs(key dayKey, s *job.Stats) []any {
	tookMax, lateMax := s.TookMax.Milliseconds(), s.LateMax.Milliseconds()
	return []any{
		s.Succeeded, s.Failed, s.TimedOut, s.Cancelled, s.Lost, s.Skipped, s.Attempts, s.Timed,
		s.Took.Milliseconds(), tookMax, tookMax, s.Late.Milliseconds(), lateMax, lateMax, key.day, key.job,
	}
}

// statsKey is the columns that make two rows of stats_daily the same.
func statsKey() []string { return []string{"day", "job_id"} }

// Stats returns what ended on the days of the filter, in order of day; days
// without any end are left out. Days of all jobs, or of a group, read a row per
// job. A group that does not exist, or lies beyond the sight, is NotFound; the job
// counts wherever it is.
func (s *Store) Stats(ctx context.Context, f queries.StatsFilter) ([]job.Stats, error) {
	from, to := dayNumber(f.From), dayNumber(f.To)
	if f.JobID != 0 {
		return s.jobStats(ctx, f.JobID, from, to)
	}
	query, args, there, err := s.statsQuery(ctx, &f, from, to)
	if err != nil || !there {
		return nil, err
	}
	var all []job.Stats
	err = s.reader.snapshot(ctx, func(r *reader) (err error) {
		if all, err = list(ctx, r, statsFields, query, args...); err != nil {
			return err
		}
		days, err := unfoldedDays(ctx, r, from, to, nil)
		if err == nil && (!f.Sight.All || f.Group != "") {
			err = keepSeen(ctx, r, days, &f)
		}
		all = mergeDays(all, days)
		return err
	})
	return all, err
}

// statsQuery returns the query of days of several jobs, and false when there can be none.
func (s *Store) statsQuery(ctx context.Context, f *queries.StatsFilter, from, to int64) (query string, args []any, there bool, err error) {
	switch {
	case !f.Sight.All:
		sight := narrowed(f.Sight, "", f.Group)
		if f.Group != "" && len(sight.Places) == 0 {
			return "", nil, false, noGroup(f.Group)
		}
		text, places, ok, err := within(listStatsWithin, &sight, "j.namespace", "g.group_key")
		return text, append([]any{from, to, f.Group, f.Group}, places...), ok, err
	case f.Group == "":
		return listStats, []any{from, to}, true, nil
	}
	group, found, err := first(ctx, s.reader, oneInteger, findGroup, f.Group)
	if err == nil && !found {
		err = noGroup(f.Group)
	}
	return listGroupStats, []any{from, to, group}, err == nil, err
}

// unfoldedDays adds up the deltas of some days, by day and job; jobs is nil for all.
func unfoldedDays(ctx context.Context, r *reader, from, to int64, jobs map[int64]bool) (map[dayKey]*job.Stats, error) {
	days := make(map[dayKey]*job.Stats)
	err := eachUnfolded(ctx, r, func(d *delta) {
		key := dayKey{dayOf(d.at), d.job}
		if key.day >= from && key.day <= to && (jobs == nil || jobs[d.job]) {
			d.addTo(at(days, key))
		}
	})
	return days, err
}

// keepSeen drops the days of jobs that are not where the filter looks.
func keepSeen(ctx context.Context, r *reader, days map[dayKey]*job.Stats, f *queries.StatsFilter) error {
	jobs := make([]int64, 0, len(days))
	for key := range days {
		jobs = append(jobs, key.job)
	}
	seen := make(map[int64]bool, len(jobs))
	for chunk := range slices.Chunk(jobs, maxWide) {
		args := sized(chunk)
		err := each(ctx, r, jobPlaceFields, func(p *jobPlace) {
			seen[p.job] = f.Sight.Sees(access.Object{Namespace: p.namespace, Group: p.group}) && (f.Group == "" || p.group == f.Group)
		}, in(readJobPlaces, len(args)), args...)
		if err != nil {
			return err
		}
	}
	maps.DeleteFunc(days, func(key dayKey, _ *job.Stats) bool { return !seen[key.job] })
	return nil
}

// mergeDays adds to stats, and returns them in order of day.
func mergeDays(all []job.Stats, days map[dayKey]*job.Stats) []job.Stats {
	places := make(map[int64]int, len(all))
	for i := range all {
		places[dayNumber(all[i].Day)] = i
	}
	for key, one := range days {
		place, there := places[key.day]
		if !there {
			place = len(all)
			places[key.day] = place
			all = append(all, job.Stats{Day: time.Unix(key.day*int64(dayLength/time.Second), 0).UTC()})
		}
		all[place].Add(*one)
	}
	slices.SortFunc(all, func(a, b job.Stats) int { return a.Day.Compare(b.Day) })
	return all
}

// jobStats asks for the days one by one: the rows of a job lie far apart.
func (s *Store) jobStats(ctx context.Context, jobID, from, to int64) ([]job.Stats, error) {
	var days []int64
	for day := from; day <= to; day++ {
		days = append(days, day)
	}
	var all []job.Stats
	err := s.reader.snapshot(ctx, func(r *reader) error {
		all = nil
		for chunk := range slices.Chunk(days, maxIDs) {
			args := sized(chunk)
			found, err := list(ctx, r, statsFields, in(listJobStats, len(args)), append(args, jobID)...)
			if err != nil {
				return err
			}
			all = append(all, found...)
		}
		unfolded, err := unfoldedDays(ctx, r, from, to, map[int64]bool{jobID: true})
		all = mergeDays(all, unfolded)
		return err
	})
	return all, err
}

// RemoveStats removes up to limit rows of days before an instant, the oldest
// first, in one transaction, and returns how many.
func (s *Store) RemoveStats(ctx context.Context, before time.Time, limit int) (int, error) {
	fields := func(k *dayKey) []any { return []any{(*integer)(&k.day), (*integer)(&k.job)} }
	old, err := list(ctx, s.reader, fields, listOldStats, dayNumber(before), max(limit, 0))
	if err != nil || len(old) == 0 {
		return 0, err
	}
	removed := 0
	err = s.writer.update(ctx, func(t *tx) error {
		removed = 0
		for from := 0; from < len(old); {
			to := from
			for to+1 < len(old) && old[to+1].day == old[from].day {
				to++
			}
			n, err := t.exec(removeStats, old[from].day, old[from].job, old[to].job)
			if err != nil {
				return err
			}
			removed += int(n)
			from = to + 1
		}
		return nil
	})
	return removed, err
}

const dayLength = 24 * time.Hour

// dayNumber counts the UTC days since 1970-01-01.
func dayNumber(t time.Time) int64 { return job.DayOf(t).Unix() / int64(dayLength/time.Second) }

// dayOf returns the day of an instant in milliseconds.
func dayOf(ms int64) int64 { return dayNumber(time.UnixMilli(ms)) }

// day receives the number of a day.
type day time.Time

// Scan implements sql.Scanner.
func (v *day) Scan(src any) error {
	var n int64
	err := scanInt(src, &n)
	*v = day(time.Unix(n*int64(dayLength/time.Second), 0).UTC())
	return err
}

func statsFields(s *job.Stats) []any {
	return []any{
		(*day)(&s.Day), (*integer)(&s.Succeeded), (*integer)(&s.Failed), (*integer)(&s.TimedOut), (*integer)(&s.Cancelled),
		(*integer)(&s.Lost), (*integer)(&s.Skipped), (*integer)(&s.Attempts), (*integer)(&s.Timed),
		(*period)(&s.Took), (*period)(&s.TookMax), (*period)(&s.Late), (*period)(&s.LateMax),
	}
}
