package sqlstore

import (
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

const (
	backfillColumns = `b.id, b.job_id, b.from_at, b.to_at, b.slots, b.first_at, b.last_at, b.parallel, b.spacing_ms,
		b.skip_succeeded, b.param, b.state, b.reason, b.cursor_at, b.made, b.skipped, b.succeeded, b.failed,
		b.open_runs, b.started_at, b.created_at, b.ended_at`
	fromBackfills = ` FROM backfills b JOIN jobs j ON j.id = b.job_id `

	insertBackfill = `INSERT INTO backfills (id, job_id, from_at, to_at, slots, first_at, last_at, parallel, spacing_ms,
		skip_succeeded, param, created_at, look_at, step, state, reason, made, skipped, succeeded, failed, open_runs)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'running', '', 0, 0, 0, 0, '[]')`
	// By backfills_look, which holds at most job.MaxBackfills running ones.
	countBackfills = `SELECT COUNT(*) FROM backfills WHERE look_at IS NOT NULL`
	// By the primary keys of backfills and jobs.
	readBackfill = `SELECT ` + backfillColumns + `, j.job_key, j.namespace` + fromBackfills + `WHERE b.id = ?`
	// By backfills' primary key, backwards, and those of jobs and executor_groups.
	// Here and below, backfills beyond the sight, or of other namespaces, are passed over.
	listBackfills = `SELECT ` + backfillColumns + `, j.job_key, j.namespace FROM backfills b CROSS JOIN jobs j ON j.id = b.job_id
		CROSS JOIN executor_groups g ON g.id = j.group_id WHERE b.id < ? AND (? = '' OR j.namespace = ?) AND TRUE IN (%s)
		ORDER BY b.id DESC LIMIT ?`
	// By backfills_job, backwards.
	listJobBackfills = `SELECT ` + backfillColumns + `, j.job_key, j.namespace FROM backfills b CROSS JOIN jobs j ON j.id = b.job_id
		CROSS JOIN executor_groups g ON g.id = j.group_id
		WHERE b.job_id = ? AND b.id < ? AND TRUE IN (%s) ORDER BY b.id DESC LIMIT ?`
	// By backfills' primary key.
	cancelBackfill = `UPDATE backfills SET state = 'cancelled', step = step + 1, look_at = NULL, reason = ?, ended_at = ?,
		succeeded = ?, failed = ?, open_runs = ? WHERE id = ?`
	// By runs' primary key.
	readState = `SELECT state FROM runs WHERE id = ?`
	// By runs_firing.
	listSucceeded = `SELECT DISTINCT planned_at FROM runs WHERE job_id = ? AND planned_at IN (%s) AND state = 'succeeded'
		AND shard_total = 0`
)

// maxSlotsAsked bounds the instants that Succeeded answers about at once.
const maxSlotsAsked = 1000

// AddBackfill writes a new backfill, running, and returns it with its ID. It is
// to be worked on from CreatedAt on. Kinds: NotFound when the job does not
// exist, Full when too many are running.
func (s *Store) AddBackfill(ctx context.Context, b job.Backfill) (job.Backfill, error) {
	b = job.Backfill{
		JobID: b.JobID, JobKey: b.JobKey, Namespace: b.Namespace, From: b.From, To: b.To, Slots: b.Slots, First: b.First, Last: b.Last,
		Parallel: b.Parallel, Spacing: b.Spacing, SkipSucceeded: b.SkipSucceeded, Param: b.Param, JobVersion: b.JobVersion,
		State: job.BackfillRunning, CreatedAt: b.CreatedAt,
	}
	err := s.writer.update(ctx, func(t *tx) error {
		r := job.Run{JobID: b.JobID}
		found, err := t.target(&r)
		if err != nil {
			return err
		}
		if !found {
			return job.Errorf(job.NotFound, "job %d does not exist", b.JobID)
		}
		if err := meantFor(b.Param, b.JobVersion, r.JobVersion); err != nil {
			return err
		}
		var n int64
		if _, err := t.read(countBackfills, nil, []any{&n}); err != nil {
			return err
		}
		if n >= job.MaxBackfills {
			full := job.Errorf(job.Full, "the backfill cannot be made: %d are running already", n)
			full.Hint = "wait until some are over, or cancel them"
			return full
		}
		if b.ID, err = t.reserve(sequenceBackfills, 1); err != nil {
			return err
		}
		t.names("backfill", "", "", strconv.FormatInt(b.ID, 10))
		created := job.Millis(b.CreatedAt)
		return t.do(insertBackfill, b.ID, b.JobID, job.Millis(b.From), job.Millis(b.To), b.Slots,
			job.Millis(b.First), job.Millis(b.Last), b.Parallel, whole(b.Spacing), bit(b.SkipSucceeded),
			optional(b.Param), created, created)
	})
	if err != nil {
		return job.Backfill{}, err
	}
	return b, nil
}

// CancelBackfill ends a running backfill, cancels its runs that wait, and
// returns it as it stands then. Its runs that are over by now are counted; those
// under way go on and stay in Open. Kinds: NotFound.
func (s *Store) CancelBackfill(ctx context.Context, id int64, reason string, now time.Time) (job.Backfill, error) {
	var b job.Backfill
	err := s.writer.update(ctx, func(t *tx) error {
		found, err := t.read(readBackfill, []any{id}, namedBackfillFields(&b))
		switch {
		case err != nil:
			return err
		case !found:
			return noBackfill(id)
		case b.State != job.BackfillRunning:
			return nil
		}
		b.State, b.Reason, b.EndedAt = job.BackfillCancelled, clean(reason), now
		if err := t.cancelOpen(&b); err != nil {
			return err
		}
		open, err := encodeIDs(b.Open)
		if err != nil {
			return err
		}
		return t.do(cancelBackfill, b.Reason, job.Millis(now), b.Succeeded, b.Failed, open, id)
	})
	return b, err
}

// cancelOpen cancels the runs of the backfill that wait, and counts those that
// are over.
func (t *tx) cancelOpen(b *job.Backfill) error {
	var open []int64
	for _, id := range b.Open {
		cancelled, err := t.exec(cancelRun, b.Reason, job.Millis(b.EndedAt), id)
		if err == nil && cancelled > 0 {
			t.moved(id, job.Cancelled, 0, b.Reason, "")
			t.countOver(b.JobID, job.Cancelled, b.EndedAt, cancelled)
			err = t.unblocked(b.JobID, id)
		}
		if err != nil {
			return err
		}
		var state job.State
		found, err := t.read(readState, []any{id}, []any{(*text)(&state)})
		switch {
		case err != nil:
			return err
		case state == job.Succeeded:
			b.Succeeded++
		case !found || state.Final():
			b.Failed++
		default:
			open = append(open, id)
		}
	}
	b.Open = open
	return nil
}

// Backfill returns the backfill with JobKey and Namespace, or NotFound.
func (s *Store) Backfill(ctx context.Context, id int64) (job.Backfill, error) {
	b, found, err := first(ctx, s.reader, namedBackfillFields, readBackfill, id)
	if err == nil && !found {
		err = noBackfill(id)
	}
	return b, err
}

// Backfills returns the backfills of the query, by its JobID or Namespace, the newest
// first, at most 1,000. A backfill is where its job is now.
func (s *Store) Backfills(ctx context.Context, q jobrows.BackfillQuery) ([]job.Backfill, error) {
	before := q.BeforeID
	if before <= 0 {
		before = math.MaxInt64
	}
	query, args := listBackfills, []any{before, q.Namespace, q.Namespace}
	if q.JobID != 0 {
		query, args = listJobBackfills, []any{q.JobID, before}
	}
	return listWithin(ctx, s.reader, namedBackfillFields, query, narrowed(q.Sight, q.Namespace, ""), "j.namespace", "g.group_key", args, q.Limit)
}

// Succeeded returns which of the instants a run of the job has succeeded for,
// in no particular order. More than 1,000 instants are Invalid.
func (s *Store) Succeeded(ctx context.Context, jobID int64, planned []time.Time) ([]time.Time, error) {
	if len(planned) > maxSlotsAsked {
		return nil, job.Errorf(job.Invalid, "%d instants are asked at once, at most %d are allowed",
			len(planned), maxSlotsAsked)
	}
	asked := make([]int64, len(planned))
	for i, at := range planned {
		asked[i] = job.Millis(at)
	}
	fields := func(at *time.Time) []any { return []any{(*instant)(at)} }
	var done []time.Time
	for chunk := range slices.Chunk(asked, maxIDs) {
		slots := sized(chunk)
		err := each(ctx, s.reader, fields, func(at *time.Time) { done = append(done, *at) },
			in(listSucceeded, len(slots)), append([]any{jobID}, slots...)...)
		if err != nil {
			return nil, err
		}
	}
	return done, nil
}

func noBackfill(id int64) error { return job.Errorf(job.NotFound, "backfill %d does not exist", id) }

func backfillFields(b *job.Backfill) []any {
	return []any{
		(*integer)(&b.ID), (*integer)(&b.JobID), (*instant)(&b.From), (*instant)(&b.To), (*count)(&b.Slots),
		(*instant)(&b.First), (*instant)(&b.Last), (*count)(&b.Parallel), (*period)(&b.Spacing),
		(*truth)(&b.SkipSucceeded), &b.Param, (*text)(&b.State), (*text)(&b.Reason), (*instant)(&b.Cursor),
		(*count)(&b.Made), (*count)(&b.Skipped), (*count)(&b.Succeeded), (*count)(&b.Failed),
		document[[]int64]{&b.Open},
		(*instant)(&b.StartedAt), (*instant)(&b.CreatedAt), (*instant)(&b.EndedAt),
	}
}

func namedBackfillFields(b *job.Backfill) []any {
	return append(backfillFields(b), (*text)(&b.JobKey), (*text)(&b.Namespace))
}
