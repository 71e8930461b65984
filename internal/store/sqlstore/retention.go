package sqlstore

import (
	"context"
	"slices"
	"time"

	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

const (
	// By jobs' primary key, in its order.
	listRetentions = `SELECT id, delivery FROM jobs WHERE id > ? ORDER BY id LIMIT ?`
	// By runs_job, in its order.
	listHistory = `SELECT id, created_at, state, ended_at FROM runs WHERE job_id = ? AND id > ? ORDER BY id LIMIT ?`
	// By runs_job, backwards: as many runs as are kept, and those that are open.
	readSurplus = `SELECT id FROM runs WHERE job_id = ? AND id > ? AND ready_at IS NULL AND state <> 'dispatched'
		AND state <> 'running' AND state <> 'stopping' AND shard_total = 0 ORDER BY id DESC LIMIT 1 OFFSET ?`

	// By the primary keys of runs, backfills, broadcasts and workflow_runs, and
	// workflow_nodes_run. A running backfill counts its runs later than they end, a
	// workflow reads the end of a node's run later, and the end of a broadcast depends on
	// its shards.
	removeRun = `DELETE FROM runs WHERE id = ? AND ready_at IS NULL AND state <> 'dispatched' AND state <> 'running'
		AND state <> 'stopping'
		AND NOT EXISTS (SELECT 1 FROM backfills b WHERE runs.cause = 'backfill' AND b.id = runs.cause_id
		AND b.look_at IS NOT NULL)
		AND NOT EXISTS (SELECT 1 FROM broadcasts b WHERE runs.cause = 'shard' AND b.run_id = runs.cause_id AND b.open > 0)
		AND NOT EXISTS (SELECT 1 FROM workflow_nodes n JOIN workflow_runs w ON w.id = n.workflow_run_id
		WHERE runs.cause = 'parent' AND n.run_id = runs.id AND n.state = 'running' AND w.look_at IS NOT NULL)`
	// By runs' primary key, and by attempts_run: the attempts of runs that were tried again.
	listAgain = `SELECT id, attempt_id FROM runs WHERE id IN (%s) AND tries > 1`
	listPast  = `SELECT run_id, id FROM attempts WHERE run_id IN (%s)`
	// By evidence's primary key.
	removeEvidence = `DELETE FROM evidence WHERE attempt_id = ?`
	// By attempts_run.
	removePast = `DELETE FROM attempts WHERE run_id = ?`

	// By backfills' primary key, past those that are running or young.
	listOldBackfills = `SELECT id FROM backfills WHERE id > ? AND look_at IS NULL AND ended_at <= ? ORDER BY id LIMIT ?`
	// By backfills' primary key.
	removeBackfill = `DELETE FROM backfills WHERE id = ? AND look_at IS NULL`
)

// The statements that are carried out for many at once.
var (
	removeRuns   = batch{query: removeRun, kinds: "i"}
	wearAllPacks = batch{query: wearPacks, kinds: threeNumbers, key: 2}
	// What goes with a run, with each of its attempts.
	removeWithRun = [...]string{removeLetter, removeBroadcast, removeTrial}
	removeWithTry = [...]string{removeEvidence, removeChunks, removeLog}
)

// Retentions returns up to limit jobs with ids above after, in order of id, those
// that were deleted too.
func (s *Store) Retentions(ctx context.Context, after int64, limit int) ([]upkeep.Retention, error) {
	type row struct {
		id       int64
		delivery job.Delivery
	}
	fields := func(r *row) []any { return []any{(*integer)(&r.id), document[job.Delivery]{&r.delivery}} }
	var all []upkeep.Retention
	take := func(r *row) {
		all = append(all, upkeep.Retention{JobID: r.id, KeepFor: r.delivery.KeepFor, KeepRuns: r.delivery.KeepRuns})
	}
	err := each(ctx, s.reader, fields, take, listRetentions, after, max(limit, 0))
	return all, err
}

// History returns up to limit runs of a job with ids above after, in order of id. An ended
// run without an end time counts as ended when it was made.
func (s *Store) History(ctx context.Context, jobID, after int64, limit int) ([]upkeep.Past, error) {
	type row struct {
		upkeep.Past
		state job.State
	}
	fields := func(r *row) []any {
		return []any{(*integer)(&r.ID), (*instant)(&r.CreatedAt), (*text)(&r.state), (*instant)(&r.EndedAt)}
	}
	var all []upkeep.Past
	take := func(r *row) {
		switch {
		case !r.state.Final():
			r.EndedAt = time.Time{}
		case r.EndedAt.IsZero():
			r.EndedAt = r.CreatedAt
		}
		all = append(all, r.Past)
	}
	err := each(ctx, s.reader, fields, take, listHistory, jobID, after, max(limit, 0))
	return all, err
}

// Surplus returns the newest run that stands behind the newest keep runs of a job
// that are over, and 0 when there are no more than those.
func (s *Store) Surplus(ctx context.Context, jobID int64, keep int) (int64, error) {
	fields := func(id *int64) []any { return []any{(*integer)(id)} }
	id, _, err := first(ctx, s.reader, fields, readSurplus, jobID, 0, max(keep, 0))
	return id, err
}

// RemoveRuns removes runs with their attempts and evidence, in one transaction, and returns
// how many. Runs that are not over, and those that a backfill, a broadcast or a workflow under way still asks about, are left
// alone. Their ids are never given again, and neither can their firings come
// back: planners, backfills and parents only go forward.
func (s *Store) RemoveRuns(ctx context.Context, runs []int64) (int, error) {
	if len(runs) == 0 {
		return 0, nil
	}
	removed := 0
	err := s.writer.update(ctx, func(t *tx) error {
		rows := make([][]any, len(runs))
		for i, id := range runs {
			rows[i] = []any{id}
		}
		tries, err := t.triesOf(runs)
		if err != nil {
			return err
		}
		spans, err := t.spansOf(runs)
		if err != nil {
			return err
		}
		done, err := t.each(&removeRuns, rows)
		if err != nil {
			return err
		}
		gone := rows[:0]
		for i, row := range rows {
			if done[i] {
				gone = append(gone, row)
			}
		}
		removed = len(gone)
		if err := t.removeBeside(gone, tries); err != nil {
			return err
		}
		if err := t.leaveSpans(spans); err != nil {
			return err
		}
		return t.noteReport(map[string]any{"removed": removed, "runs": runs})
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// triesOf returns the attempts of runs by run, without those that have the ids of their runs.
func (t *tx) triesOf(runs []int64) (map[int64][]int64, error) {
	type row struct{ run, attempt int64 }
	fields := func(r *row) []any { return []any{(*integer)(&r.run), (*integer)(&r.attempt)} }
	tries := make(map[int64][]int64)
	take := func(r *row) {
		if !slices.Contains(tries[r.run], r.attempt) {
			tries[r.run] = append(tries[r.run], r.attempt)
		}
	}
	for chunk := range slices.Chunk(runs, maxWide) {
		args := sized(chunk)
		for _, query := range [...]string{listPast, listAgain} {
			if err := readEach(t, fields, take, in(query, len(args)), args...); err != nil {
				return nil, err
			}
		}
	}
	return tries, nil
}

// removeBeside removes the attempts of removed runs, and the other rows of both; each of
// the rows has the id of a run, which is that of its first attempt. The remains of the
// packs of their logs are looked at later.
func (t *tx) removeBeside(gone [][]any, tries map[int64][]int64) error {
	now := job.Millis(time.Now())
	var again, attempts, worn [][]any
	for _, row := range gone {
		run := row[0].(int64)
		attempts, worn = append(attempts, row), append(worn, []any{now, now, run})
		if len(tries[run]) > 0 {
			again = append(again, row)
		}
		for _, id := range tries[run] {
			if id != run {
				attempts, worn = append(attempts, []any{id}), append(worn, []any{now, now, id})
			}
		}
	}
	if err := t.every(&wearAllPacks, worn); err != nil {
		return err
	}
	for _, of := range []struct {
		remove []string
		rows   [][]any
	}{{removeWithRun[:], gone}, {removeWithTry[:], attempts}, {[]string{removePast}, again}} {
		for _, remove := range of.remove {
			if err := t.every(&batch{query: remove, kinds: "i"}, of.rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// RemoveBackfills removes up to limit backfills that ended at or before an
// instant, the oldest first, and returns how many.
func (s *Store) RemoveBackfills(ctx context.Context, before time.Time, limit int) (int, error) {
	fields := func(id *int64) []any { return []any{(*integer)(id)} }
	old, err := list(ctx, s.reader, fields, listOldBackfills, 0, before.UnixMilli(), max(limit, 0))
	if err != nil || len(old) == 0 {
		return 0, err
	}
	removed := 0
	err = s.writer.update(ctx, func(t *tx) error {
		removed = 0
		for _, id := range old {
			ok, err := t.one(removeBackfill, id)
			if err != nil {
				return err
			}
			if ok {
				removed++
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}
