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
	insertStats = `INSERT INTO stats_daily (day, job_id, succeeded, failed, timed_out, cancelled, lost, skipped, attempts,
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
	// By the primary key of stats_daily: one row a day.
	listJobStats = `SELECT s.day, s.succeeded, s.failed, s.timed_out, s.cancelled, s.lost, s.skipped, s.attempts, s.timed,
		s.run_ms, s.run_ms_max, s.late_ms, s.late_ms_max FROM stats_daily s WHERE s.day IN (%s) AND s.job_id = ?`

	// By the first entries of the primary key of stats_daily.
	listOldStats = `SELECT day, job_id FROM stats_daily WHERE day < ? ORDER BY day, job_id LIMIT ?`
	// By the primary key of stats_daily.
	removeStats = `DELETE FROM stats_daily WHERE day = ? AND job_id >= ? AND job_id <= ?`
)

// tally is what ended within an operation.
type tally map[tallyKey]*job.Stats

// tallyKey is a row of stats_daily.
type tallyKey struct{ day, job int64 }

// on returns what is counted for a job on the day of an instant.
func (y tally) on(jobID int64, at time.Time) *job.Stats {
	key := tallyKey{dayNumber(at), jobID}
	s, ok := y[key]
	if !ok {
		s = &job.Stats{}
		y[key] = s
	}
	return s
}

// ran counts an attempt that ended, and its run when that is over too.
func (y tally) ran(c *completer.Completion) {
	s := y.on(c.JobID, c.EndedAt)
	s.Count(c.RunState, 1)
	if c.Waiting { // the attempt was counted at its end
		return
	}
	s.Attempts++
	late := max(c.Late, 0)
	s.Late, s.LateMax = s.Late+late, max(s.LateMax, late)
	switch c.Outcome {
	case job.Succeeded, job.Failed, job.TimedOut:
		took := max(c.EndedAt.Sub(c.StartedAt), 0)
		s.Timed, s.Took, s.TookMax = s.Timed+1, s.Took+took, max(s.TookMax, took)
	default: // its end says nothing about its duration
	}
}

// countEnds counts the completions that took effect. One that does not say whose
// it is counts nothing, and neither does one of a shard: the run that was split is
// counted.
func (t *tx) countEnds(completions []completer.Completion, done []bool) error {
	ended := make(tally)
	for i := range completions {
		if done[i] && completions[i].JobID != 0 && completions[i].ShardOf == 0 {
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
	ended := make(tally)
	ended.on(jobID, at).Count(state, n)
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
// server does. A day's row of a job is made at its first end.
func (t *tx) count(ended tally) error {
	byKey := func(a, b tallyKey) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.job, b.job)) }
	for _, key := range slices.SortedFunc(maps.Keys(ended), byKey) {
		args := addArgs(key, ended[key])
		there, err := t.one(addStats, args...)
		if err == nil && !there {
			if _, err = t.exec(t.dialect.KeepFirst(insertStats, statsKey()...), key.day, key.job); err == nil {
				_, err = t.exec(addStats, args...)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addArgs returns the arguments of addStats.
func addArgs(key tallyKey, s *job.Stats) []any {
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
// job. A group that does not exist is NotFound.
func (s *Store) Stats(ctx context.Context, f catalog.StatsFilter) ([]job.Stats, error) {
	from, to := dayNumber(f.From), dayNumber(f.To)
	switch {
	case f.JobID != 0:
		return s.jobStats(ctx, f.JobID, from, to)
	case f.Group == "":
		return list(ctx, s.reader, statsFields, listStats, from, to)
	}
	number := func(id *int64) []any { return []any{(*integer)(id)} }
	group, found, err := first(ctx, s.reader, number, findGroup, job.DefaultNamespace, f.Group)
	if err == nil && !found {
		err = job.Errorf(job.NotFound, "group %s does not exist", f.Group)
	}
	if err != nil {
		return nil, err
	}
	return list(ctx, s.reader, statsFields, listGroupStats, from, to, group)
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
	fields := func(k *tallyKey) []any { return []any{(*integer)(&k.day), (*integer)(&k.job)} }
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
