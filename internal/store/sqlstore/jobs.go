package sqlstore

import (
	"context"
	"math"
	"time"

	"github.com/orthd/orth/job"
)

const (
	insertJob = `INSERT INTO jobs (id, version, namespace, job_key, title, group_id, schedule, misfire, handler, param,
		route, overlap, timeout_ms, retry, on_crash, children, concurrency, labels, enabled, next_at, updated_at,
		last_at, created_at, tombstone)
		VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`
	// By jobs' primary key. last_at belongs to the planner.
	updateJob = `UPDATE jobs SET version = version + 1, namespace = ?, job_key = ?, title = ?, group_id = ?, schedule = ?,
		misfire = ?, handler = ?, param = ?, route = ?, overlap = ?, timeout_ms = ?, retry = ?, on_crash = ?, children = ?,
		concurrency = ?, labels = ?, enabled = ?, next_at = ?, updated_at = ? WHERE id = ?`
	// By jobs' primary key.
	buryJob = `UPDATE jobs SET version = version + 1, enabled = 0, next_at = NULL, updated_at = ?, tombstone = id
		WHERE id = ?`
	// By jobs' primary key.
	readStanding = `SELECT version, group_id, enabled, next_at, last_at, schedule FROM jobs WHERE id = ? AND tombstone = 0`

	// The next two by runs_ready: the waiting runs of the job's group.
	moveWaiting = `UPDATE runs SET job_version = ?, group_id = ?
		WHERE group_id = ? AND ready_at IS NOT NULL AND job_id = ?`
	cancelWaiting = `UPDATE runs SET state = 'cancelled', reason = ?, ended_at = ?, ready_at = NULL
		WHERE group_id = ? AND ready_at IS NOT NULL AND job_id = ? AND (state = 'planned' OR ? = 1)`
)

// CreateJob writes a new job and returns it with ID, GroupID and Version 1. The
// group is made when it does not exist. Kinds: Conflict when the key is taken,
// Full when no group or job can be added.
func (s *Store) CreateJob(ctx context.Context, j job.Job) (job.Job, error) {
	definition, err := definitionOf(&j)
	if err != nil {
		return job.Job{}, err
	}
	if !j.Enabled {
		j.NextAt = time.Time{}
	}
	err = s.writer.update(ctx, func(t *tx) (err error) {
		if j.GroupID, err = t.group(j.Group, j.CreatedAt); err != nil {
			return err
		}
		if j.ID, err = t.reserve(sequenceJobs, 1); err != nil {
			return err
		}
		if j.ID > math.MaxInt32 {
			return job.Errorf(job.Full, "job %s cannot be made: all job ids are used", j.Key)
		}
		args := append([]any{j.ID}, definition.args(&j)...)
		_, err = t.exec(insertJob, append(args, nullable(j.LastAt), job.Millis(j.CreatedAt))...)
		return t.keyTaken(err, &j)
	})
	if err != nil {
		return job.Job{}, err
	}
	j.Version = 1
	return j, nil
}

// SaveJob writes a changed job over the version it was read at and returns it
// as it stands. Waiting runs go over to the new version and group; the planned
// ones of a job that was enabled and is not any more are cancelled with reason.
// The planner owns LastAt, and NextAt too while an enabled job keeps its
// schedule. Kinds: Conflict when the job has another version or its new key is
// taken, NotFound.
func (s *Store) SaveJob(ctx context.Context, j job.Job, reason string) (job.Job, error) {
	definition, err := definitionOf(&j)
	if err != nil {
		return job.Job{}, err
	}
	err = s.writer.update(ctx, func(t *tx) error {
		was, err := t.standing(&j)
		if err != nil {
			return err
		}
		if j.GroupID, err = t.group(j.Group, j.UpdatedAt); err != nil {
			return err
		}
		j.LastAt = was.last
		switch {
		case !j.Enabled:
			j.NextAt = time.Time{}
		case was.enabled && was.schedule == definition.schedule && !was.next.IsZero():
			j.NextAt = was.next
		}
		if _, err := t.exec(updateJob, append(definition.args(&j), j.ID)...); err != nil {
			return t.keyTaken(err, &j)
		}
		if was.enabled && !j.Enabled {
			if _, err := t.exec(cancelWaiting, clean(reason), job.Millis(j.UpdatedAt), was.group, j.ID, 0); err != nil {
				return err
			}
		}
		_, err = t.exec(moveWaiting, was.version+1, j.GroupID, was.group, j.ID)
		return err
	})
	if err != nil {
		return job.Job{}, err
	}
	j.Version++
	return j, nil
}

// DeleteJob hides the job, frees its key and cancels its waiting runs with
// reason. Attempts that are open stay so until they end. Kinds as for SaveJob.
func (s *Store) DeleteJob(ctx context.Context, j job.Job, reason string) error {
	now := job.Millis(time.Now()) // the contract gives no instant
	return s.writer.update(ctx, func(t *tx) error {
		was, err := t.standing(&j)
		if err != nil {
			return err
		}
		if _, err := t.exec(buryJob, now, j.ID); err != nil {
			return err
		}
		_, err = t.exec(cancelWaiting, clean(reason), now, was.group, j.ID, 1)
		return err
	})
}

// definition is what of a job is stored as JSON text.
type definition struct{ schedule, handler, retry, children, labels string }

func definitionOf(j *job.Job) (d definition, err error) {
	if d.schedule, err = encode(j.Schedule); err != nil {
		return d, err
	}
	if d.handler, err = encode(j.Handler); err != nil {
		return d, err
	}
	if d.retry, err = encode(j.Retry); err != nil {
		return d, err
	}
	children := j.Children
	if children == nil {
		children = []int64{}
	}
	if d.children, err = encode(children); err != nil {
		return d, err
	}
	labels := j.Labels
	if labels == nil {
		labels = map[string]string{}
	}
	d.labels, err = encode(labels)
	return d, err
}

// args returns the columns that insertJob and updateJob share, in their order.
// A job that is not enabled must have no NextAt.
func (d *definition) args(j *job.Job) []any {
	return []any{
		j.Namespace, j.Key, j.Title, j.GroupID, d.schedule, string(j.Misfire), d.handler, j.Param,
		string(j.Route), string(j.Overlap), whole(j.Timeout), d.retry, string(j.OnCrash), d.children,
		j.Concurrency, d.labels, bit(j.Enabled), nullable(j.NextAt), job.Millis(j.UpdatedAt),
	}
}

// standing is how a job stands in the database.
type standing struct {
	version, group int64
	enabled        bool
	next, last     time.Time
	schedule       string
}

// standing returns how the job stands, if that is the version that j was read
// at.
func (t *tx) standing(j *job.Job) (was standing, err error) {
	found, err := t.read(readStanding, []any{j.ID}, []any{
		&was.version, &was.group, (*truth)(&was.enabled), (*instant)(&was.next), (*instant)(&was.last), &was.schedule,
	})
	switch {
	case err != nil:
		return was, err
	case !found:
		return was, job.Errorf(job.NotFound, "job %s does not exist", j.Key)
	case was.version != j.Version:
		return was, job.Errorf(job.Conflict, "job %s was changed meanwhile: it has version %d, not %d",
			j.Key, was.version, j.Version)
	}
	return was, nil
}

// keyTaken says in the user's words that the key of a job is taken.
func (t *tx) keyTaken(err error, j *job.Job) error {
	if err != nil && t.dialect.Fault(err) == FaultTaken {
		return job.Errorf(job.Conflict, "job %s exists already in namespace %s", j.Key, j.Namespace)
	}
	return err
}

// clean bounds a text that says why.
func clean(reason string) string { return job.Clean(reason, job.MaxMessage) }
