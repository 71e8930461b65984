package sqlstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/internal/catalog"
	"github.com/orthd/orth/internal/completer"
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

	// By runs' primary key.
	readJobOf = `SELECT job_id FROM runs WHERE id = ?`

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

// tally is what ended within an operation.
type tally struct {
	days map[tallyKey]*job.Stats // by day
	// loose are by minute: where their jobs are has to be read.
	loose map[tallyKey]*slot
	slots map[slotKey]*slot
}

// tallyKey is a job within a day, or a minute.
type tallyKey struct{ at, job int64 }

func newTally() *tally {
	return &tally{days: make(map[tallyKey]*job.Stats), loose: make(map[tallyKey]*slot), slots: make(map[slotKey]*slot)}
}

// at returns what is counted under a key, which may be nothing yet.
func at[K comparable, V any](all map[K]*V, key K) *V {
	v, ok := all[key]
	if !ok {
		v = new(V)
		all[key] = v
	}
	return v
}

// over counts n runs of a job that ended without an attempt.
func (y *tally) over(jobID int64, when time.Time, state job.State, n int64) {
	at(y.days, tallyKey{dayNumber(when), jobID}).Count(state, n)
	at(y.loose, tallyKey{minuteOf(when), jobID}).Count(state, n)
}

// ran counts an attempt that ended, and its run when that is over too.
func (y *tally) ran(c *completer.Completion) {
	var one slot
	one.Count(c.RunState, 1)
	if !c.Waiting { // otherwise the attempt was counted at its end
		one.Attempts, one.Stats.Late = 1, max(c.Late, 0)
		one.LateMax = one.Stats.Late
		one.late.Count(c.Late)
		switch c.Outcome {
		case job.Succeeded, job.Failed, job.TimedOut:
			one.Timed, one.Stats.Took = 1, max(c.EndedAt.Sub(c.StartedAt), 0)
			one.TookMax = one.Stats.Took
			one.took.Count(one.TookMax)
		default: // its end says nothing about its duration
		}
	}
	at(y.days, tallyKey{dayNumber(c.EndedAt), c.JobID}).Add(one.Stats)
	if c.Namespace == "" { // it does not say where it is
		at(y.loose, tallyKey{minuteOf(c.EndedAt), c.JobID}).add(&one)
		return
	}
	at(y.slots, slotKey{minuteOf(c.EndedAt), c.Namespace, c.Group}).add(&one)
}

// countEnds counts the completions that took effect. One that does not say whose
// it is counts nothing, and neither do one of a trial and one of a shard: the run that was split is
// counted.
func (t *tx) countEnds(completions []completer.Completion, done []bool) error {
	ended := newTally()
	for i := range completions {
		if done[i] && completions[i].JobID != 0 && completions[i].ShardOf == 0 && completions[i].Cause != job.CauseTrial {
			ended.ran(&completions[i])
		}
	}
	return t.count(ended)
}

// countOver counts n runs of a job that ended without an attempt.
func (t *tx) countOver(jobID int64, state job.State, at time.Time, n int64) error {
	if n <= 0 {
		return nil
	}
	ended := newTally()
	ended.over(jobID, at, state, n)
	return t.count(ended)
}

// countRun counts a run that ended without an attempt, and lets go what waited for
// it.
func (t *tx) countRun(id int64, state job.State, at time.Time) error {
	var jobID int64
	found, err := t.read(readJobOf, []any{id}, []any{&jobID})
	if err != nil || !found {
		return err
	}
	if err := t.countOver(jobID, state, at, 1); err != nil {
		return err
	}
	return t.unblocked(jobID, id)
}

// count adds to the rows of stats_daily, in the order of their key, as every
// server does, and then to those of spreads. A day's row of a job is made at its first
// end.
func (t *tx) count(ended *tally) error {
	if err := t.countDays(ended.days); err != nil {
		return err
	}
	return t.spread(ended)
}

// countDays adds to the rows of stats_daily.
func (t *tx) countDays(days map[tallyKey]*job.Stats) error {
	keys := slices.SortedFunc(maps.Keys(days), byTallyKey)
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
			fresh, again = append(fresh, []any{key.job, key.at}), append(again, rows[i])
		}
	}
	insert := batch{query: t.dialect.KeepFirst(insertStats, statsKey()...), kinds: "ii"}
	if err := t.doAll(&insert, fresh); err != nil {
		return err
	}
	return t.doAll(&addAllStats, again)
}

func byTallyKey(a, b tallyKey) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.job, b.job)) }

// addArgs returns the arguments of addStats.
func addArgs(key tallyKey, s *job.Stats) []any {
	tookMax, lateMax := s.TookMax.Milliseconds(), s.LateMax.Milliseconds()
	return []any{
		s.Succeeded, s.Failed, s.TimedOut, s.Cancelled, s.Lost, s.Skipped, s.Attempts, s.Timed,
		s.Took.Milliseconds(), tookMax, tookMax, s.Late.Milliseconds(), lateMax, lateMax, key.at, key.job,
	}
}

// statsKey is the columns that make two rows of stats_daily the same.
func statsKey() []string { return []string{"day", "job_id"} }

// Stats returns what ended on the days of the filter, in order of day; days
// without any end are left out. Days of all jobs, or of a group, read a row per
// job. A group that does not exist, or lies beyond the sight, is NotFound; the job
// counts wherever it is.
func (s *Store) Stats(ctx context.Context, f catalog.StatsFilter) ([]job.Stats, error) {
	from, to := dayNumber(f.From), dayNumber(f.To)
	switch {
	case f.JobID != 0:
		return s.jobStats(ctx, f.JobID, from, to)
	case !f.Sight.All:
		return s.statsWithin(ctx, &f, from, to)
	case f.Group == "":
		return list(ctx, s.reader, statsFields, listStats, from, to)
	}
	number := func(id *int64) []any { return []any{(*integer)(id)} }
	group, found, err := first(ctx, s.reader, number, findGroup, f.Group)
	if err == nil && !found {
		err = noGroup(f.Group)
	}
	if err != nil {
		return nil, err
	}
	return list(ctx, s.reader, statsFields, listGroupStats, from, to, group)
}

// statsWithin counts for somebody who does not see everything.
func (s *Store) statsWithin(ctx context.Context, f *catalog.StatsFilter, from, to int64) ([]job.Stats, error) {
	sight := narrowed(f.Sight, "", f.Group)
	if f.Group != "" && len(sight.Places) == 0 {
		return nil, noGroup(f.Group)
	}
	text, places, ok, err := within(listStatsWithin, &sight, "j.namespace", "g.group_key")
	if err != nil || !ok {
		return nil, err
	}
	return list(ctx, s.reader, statsFields, text, append([]any{from, to, f.Group, f.Group}, places...)...)
}

// jobStats asks for the days one by one: the rows of a job lie far apart.
func (s *Store) jobStats(ctx context.Context, jobID, from, to int64) ([]job.Stats, error) {
	var days []int64
	for day := from; day <= to; day++ {
		days = append(days, day)
	}
	var all []job.Stats
	for chunk := range slices.Chunk(days, maxIDs) {
		args := sized(chunk)
		found, err := list(ctx, s.reader, statsFields, in(listJobStats, len(args)), append(args, jobID)...)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b job.Stats) int { return a.Day.Compare(b.Day) })
	return all, nil
}

// RemoveStats removes up to limit rows of days before an instant, the oldest
// first, in one transaction, and returns how many.
func (s *Store) RemoveStats(ctx context.Context, before time.Time, limit int) (int, error) {
	fields := func(k *tallyKey) []any { return []any{(*integer)(&k.at), (*integer)(&k.job)} }
	old, err := list(ctx, s.reader, fields, listOldStats, dayNumber(before), max(limit, 0))
	if err != nil || len(old) == 0 {
		return 0, err
	}
	removed := 0
	err = s.writer.update(ctx, func(t *tx) error {
		removed = 0
		for from := 0; from < len(old); {
			to := from
			for to+1 < len(old) && old[to+1].at == old[from].at {
				to++
			}
			n, err := t.exec(removeStats, old[from].at, old[from].job, old[to].job)
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
