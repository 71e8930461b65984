package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

const (
	insertRun = `INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, reason,
		ready_at, due_at, param, addresses, created_at, ended_at, priority, expires_at, asked_by, attempt_id, tries, address, triggered_at, check_at, open_on, open_job)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// By jobs' primary key.
	readTarget = `SELECT version, group_id, priority, expire_ms FROM jobs WHERE id = ? AND tombstone = 0`
	// By runs' primary key. Exactly the runs that wait have a ready_at.
	cancelRun = `UPDATE runs SET state = 'cancelled', reason = ?, ended_at = ?, ready_at = NULL
		WHERE id = ? AND ready_at IS NOT NULL`

	runColumns = `r.id, r.job_id, r.job_version, r.group_id, r.planned_at, r.cause, r.cause_id, r.state, r.reason,
		r.ready_at, r.due_at, r.param, r.addresses, r.tries, r.undelivered, r.priority, r.expires_at, r.attempt_id, r.avoid, r.message, r.created_at, r.ended_at,
		r.shard_index, r.shard_total, r.home, r.asked_by, r.started_at`
	fromRuns = ` FROM runs r JOIN jobs j ON j.id = r.job_id `

	// By runs' primary key.
	readRun = `SELECT ` + runColumns + `, j.job_key` + fromRuns + `WHERE r.id = ?`
	// By runs' primary key, backwards; runs in another state, and shards that were not
	// requested, are passed over.
	listRuns = `SELECT ` + runColumns + `, j.job_key` + fromRuns +
		`WHERE r.id < ? AND (? = '' OR r.state = ?) AND (? = 1 OR r.shard_total = 0) ORDER BY r.id DESC LIMIT ?`
	// By runs_job, backwards; the same are passed over.
	listJobRuns = `SELECT ` + runColumns + `, j.job_key` + fromRuns +
		`WHERE r.job_id = ? AND r.id < ? AND (? = '' OR r.state = ?) AND (? = 1 OR r.shard_total = 0) ORDER BY r.id DESC LIMIT ?`
)

// runKey is the columns that make two runs the same firing. firing is the cause, but for
// slots of the schedule: one that was missed and made up for is the same firing.
func runKey() []string { return []string{"job_id", "planned_at", "firing", "cause_id", "shard_index"} }

// AddRun writes a run whose id the caller has drawn. Version and group are the job's at
// this moment, whatever the run has. A run with a parameter and a version is made only
// while the job has that version. Kinds: NotFound when the job does not exist, Conflict
// when the firing exists, or the job has another version.
func (s *Store) AddRun(ctx context.Context, r job.Run) error {
	r.By = cmp.Or(r.By, askedBy(ctx))
	version := r.JobVersion
	return s.writer.update(ctx, func(t *tx) error {
		found, err := t.target(&r)
		if err != nil {
			return err
		}
		if !found {
			return job.Errorf(job.NotFound, "job %d does not exist", r.JobID)
		}
		if err := meantFor(r.Param, version, r.JobVersion); err != nil {
			return err
		}
		t.names("run", "", "", strconv.FormatInt(r.ID, 10))
		t.made(&r)
		return t.do(insertRun, runArgs(&r)...)
	})
}

// askedBy returns the user who made the request; empty when the server acts.
func askedBy(ctx context.Context) string {
	if i := intent.Of(ctx); i != nil {
		return i.By.Name
	}
	return ""
}

// target sets what a run has from its job, and reports whether the job exists. A
// run with an old version would never be sent.
func (t *tx) target(r *job.Run) (bool, error) {
	var expire time.Duration
	found, err := t.read(readTarget, []any{r.JobID}, []any{
		&r.JobVersion, &r.GroupID, (*rank)(&r.Priority), (*period)(&expire),
	})
	r.ExpireAt = time.Time{}
	if expire > 0 {
		r.ExpireAt = dueAt(r).Add(expire)
	}
	return found, err
}

// addOnce writes a run under the version and group of its job at this moment. It leaves out
// a run that exists, and one whose job is deleted.
func (s *Store) addOnce(t *tx, r job.Run) error {
	found, err := t.target(&r)
	if err != nil || !found {
		return err
	}
	if err := t.tighten(&r); err != nil {
		return err
	}
	written, err := t.one(s.insertRunOnce, runArgs(&r)...)
	if written {
		t.made(&r)
	}
	return err
}

// runArgs returns the columns of insertRun.
func runArgs(r *job.Run) []any {
	var ready any
	if r.State.Waiting() {
		ready = nullable(r.ReadyAt)
	}
	return []any{
		r.ID, r.JobID, r.JobVersion, r.GroupID, job.Millis(r.PlannedAt), string(r.Cause), r.CauseID, string(r.State),
		clean(r.Reason), ready, job.Millis(dueAt(r)), optional(r.Param), addressText(r.Addresses), job.Millis(r.CreatedAt), nullable(r.EndedAt),
		r.Priority.Rank(), nullable(r.ExpireAt), clean(r.By), 0, 0, "", nil, nil, nil, nil,
	}
}

// sentRunArgs is runArgs for a run that is dispatched by its first mark.
func sentRunArgs(r *job.Run, m *dispatcher.Mark) []any {
	args := runArgs(r)
	sent := sentArgs(m)
	return append(args[:len(args)-7], sent[0], m.Attempt.Number, sent[1], sent[2], sent[3], sent[4], sent[5])
}

// dueAt returns when a run that is written is due.
func dueAt(r *job.Run) time.Time {
	due := r.DueAt
	if due.IsZero() {
		due = r.ReadyAt
	}
	if due.IsZero() {
		due = r.PlannedAt
	}
	return due
}

// addressText returns addresses as JSON text, and an empty one for none.
func addressText(addresses []string) string {
	if len(addresses) == 0 {
		return ""
	}
	text, err := json.Marshal(addresses)
	if err != nil {
		return "" // texts are always JSON
	}
	return string(text)
}

// CancelRun moves a run that waits to cancelled, and returns the run as it
// stands then. A fixed delay that awaited the run goes on from now. Kinds:
// NotFound.
func (s *Store) CancelRun(ctx context.Context, id int64, reason string, now time.Time) (job.Run, error) {
	var r job.Run
	err := s.writer.update(ctx, func(t *tx) error {
		cancelled, err := t.one(cancelRun, clean(reason), job.Millis(now), id)
		if err != nil {
			return err
		}
		found, err := t.read(readRun, []any{id}, namedRunFields(&r))
		if err == nil && cancelled {
			t.moved(id, job.Cancelled, 0, reason, "")
			err = t.endUnsent(&r, job.Cancelled, now)
		}
		if err == nil && cancelled {
			err = t.unblocked(r.JobID, r.ID)
		}
		switch {
		case err != nil:
			return err
		case !found:
			return noRun(id)
		case cancelled && (r.Cause == job.CauseSchedule || r.Cause == job.CauseMisfire):
			err = t.do(resumeAfter, now.UnixMilli(), now.UnixMilli(), r.JobID, r.ID)
		}
		return err
	})
	return r, err
}

// RunByID returns the run with JobKey, or NotFound.
func (s *Store) RunByID(ctx context.Context, id int64) (job.Run, error) {
	r, found, err := first(ctx, s.reader, namedRunFields, readRun, id)
	if err == nil && !found {
		err = noRun(id)
	}
	return r, err
}

// Runs returns the runs of the filter, the newest first, at most 1,000. A filter
// by state reads past the runs in other states, so a rare state of a long
// history takes long; ctx ends it.
func (s *Store) Runs(ctx context.Context, f jobrows.RunFilter) ([]job.Run, error) {
	before := f.BeforeID
	if before <= 0 {
		before = math.MaxInt64
	}
	state, limit := string(f.State), page(f.Limit)
	if f.JobID != 0 {
		return list(ctx, s.reader, namedRunFields, listJobRuns, f.JobID, before, state, state, bit(f.Shards), limit)
	}
	return list(ctx, s.reader, namedRunFields, listRuns, before, state, state, bit(f.Shards), limit)
}

func noRun(id int64) error {
	wrong := job.Errorf(job.NotFound, "run %d does not exist", id)
	wrong.Hint = "check the number; ended runs are removed after the retention of their job or the server"
	return wrong
}

func runFields(r *job.Run) []any {
	return []any{
		(*integer)(&r.ID), (*integer)(&r.JobID), (*integer)(&r.JobVersion), (*integer)(&r.GroupID),
		(*instant)(&r.PlannedAt), (*text)(&r.Cause), (*integer)(&r.CauseID), (*text)(&r.State), (*text)(&r.Reason),
		(*instant)(&r.ReadyAt), (*instant)(&r.DueAt), &r.Param,
		document[[]string]{&r.Addresses},
		(*count)(&r.Tries),
		(*count)(&r.Undelivered), (*rank)(&r.Priority), (*instant)(&r.ExpireAt),
		(*integer)(&r.AttemptID), (*text)(&r.Avoid), (*text)(&r.Message), (*instant)(&r.CreatedAt), (*instant)(&r.EndedAt),
		(*count)(&r.Shard.Index), (*count)(&r.Shard.Total), (*text)(&r.Home), (*text)(&r.By), (*instant)(&r.StartedAt),
	}
}

func namedRunFields(r *job.Run) []any { return append(runFields(r), (*text)(&r.JobKey)) }
