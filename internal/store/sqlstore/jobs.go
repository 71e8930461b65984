package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/job"
)

const (
	insertJob = `INSERT INTO jobs (id, version, namespace, job_key, title, description, group_id, schedule, misfire, misfire_limits,
		after_ms, handler, param, inputs, route, shards, overlap, overlap_scope, overlap_queue, timeout_ms, retry, on_crash, children, concurrency, labels, delivery, logs,
		template, template_version, priority, expire_ms, stop_after, failures, alarm_emails, updated_at, created_at, tombstone)
		VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`
	insertPlan = `INSERT INTO job_plans (enabled, next_at, look_at, fired, stop_reason, awaits, job_id, last_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	// By jobs' primary key.
	updateJob = `UPDATE jobs SET version = version + 1, namespace = ?, job_key = ?, title = ?, description = ?, group_id = ?, schedule = ?,
		misfire = ?, misfire_limits = ?, after_ms = ?, handler = ?, param = ?, inputs = ?, route = ?, shards = ?, overlap = ?, overlap_scope = ?, overlap_queue = ?, timeout_ms = ?,
		retry = ?, on_crash = ?, children = ?, concurrency = ?, labels = ?, delivery = ?, logs = ?, template = ?, template_version = ?,
		priority = ?, expire_ms = ?, stop_after = ?, failures = ?, alarm_emails = ?, updated_at = ? WHERE id = ?`
	// By job_plans' primary key. last_at belongs to the planner.
	updatePlan = `UPDATE job_plans SET enabled = ?, next_at = ?, look_at = ?, fired = ?, stop_reason = ?, awaits = ?,
		held_by = '' WHERE job_id = ?`
	// By jobs' primary key.
	buryJob = `UPDATE jobs SET version = version + 1, updated_at = ?, tombstone = id WHERE id = ?`
	// By job_plans' primary key.
	buryPlan = `UPDATE job_plans SET enabled = 0, next_at = NULL, look_at = NULL, awaits = 0, held_by = '' WHERE job_id = ?`
	// By the primary keys of jobs and job_plans.
	readStanding = `SELECT j.version, j.namespace, j.group_id, p.enabled, p.next_at, p.look_at, p.last_at, j.schedule, p.awaits,
		p.fired, j.failures, p.stop_reason FROM jobs j JOIN job_plans p ON p.job_id = j.id
		WHERE j.id = ? AND j.tombstone = 0`

	// The next two by runs_ready: the waiting runs of the job's group.
	moveWaiting = `UPDATE runs SET job_version = ?, group_id = ?, priority = (SELECT priority FROM jobs WHERE id = job_id)
		WHERE group_id = ? AND ready_at > 0 AND job_id = ?`
	cancelWaiting = `UPDATE runs SET state = 'cancelled', reason = ?, ended_at = ?, ready_at = NULL
		WHERE group_id = ? AND ready_at > 0 AND job_id = ?`
	cancelPlanned = cancelWaiting + ` AND state = 'planned' AND due_at > ? AND (cause = 'schedule' OR cause = 'misfire')`
)

// CreateJob writes a new job and returns it with ID, GroupID and Version 1. The
// group is made when it does not exist. Kinds: Conflict when the key is taken,
// Invalid when its schedule names a calendar that does not exist, or its template
// cannot be one, Full when no group or job can be added.
func (s *Store) CreateJob(ctx context.Context, j job.Job) (job.Job, error) {
	definition, err := definitionOf(&j)
	if err != nil {
		return job.Job{}, err
	}
	if !j.Enabled {
		j.NextAt = time.Time{}
	}
	j.StopReason, j.HeldBy, j.Fired, j.Failures = "", "", 0, 0
	j.Version = 1
	err = s.writer.update(ctx, func(t *tx) (err error) {
		if j.GroupID, err = t.group(j.Group, j.CreatedAt); err != nil {
			return err
		}
		if j.ID, err = t.reserve(sequenceJobs, 1); err != nil {
			return err
		}
		if j.ID > job.MaxJobID {
			return job.Errorf(job.Full, "job %s cannot be made: all job ids are used", j.Key)
		}
		args := append([]any{j.ID}, definition.args(&j)...)
		if _, err = t.exec(insertJob, append(args, job.Millis(j.CreatedAt))...); err != nil {
			return t.keyTaken(err, &j)
		}
		t.names("job", j.Namespace, j.Group, j.Key)
		t.altered(j.ID, event.Saved, aboutJob(&j))
		if err = t.do(insertPlan, append(planArgs(&j, 0), nullable(j.LastAt))...); err != nil {
			return err
		}
		if err := t.mayInherit(&j); err != nil {
			return err
		}
		if err := t.nameCalendars(&j); err != nil {
			return err
		}
		return t.revise(ctx, j, false, false)
	})
	if err != nil {
		return job.Job{}, err
	}
	return j, nil
}

// SaveJob writes a changed job over the version it was read at and returns it as stored.
// Waiting runs move to the new version and group; the planned ones of a job that was
// enabled and is not any more are cancelled with reason. The planner owns LastAt, and
// NextAt too while an enabled job keeps its schedule, or goes on with a fixed delay whose
// run is not over. Kinds: Conflict when the job has another version, had its last firing
// since, or its new key is taken, [catalog.ErrFiringsDue], Invalid when its schedule names
// a calendar that does not exist, or its template cannot be one, NotFound. The jobs that
// run its code get a new version when that has changed.
func (s *Store) SaveJob(ctx context.Context, j job.Job, reason string) (job.Job, error) {
	definition, err := definitionOf(&j)
	if err != nil {
		return job.Job{}, err
	}
	given := j
	err = s.writer.update(ctx, func(t *tx) error {
		j = given // it may be done again
		was, err := t.standingFor(&j, definition.schedule)
		if err != nil {
			return err
		}
		if j.GroupID, err = t.group(j.Group, j.UpdatedAt); err != nil {
			return err
		}
		if err := t.mayInherit(&j); err != nil {
			return err
		}
		if err := t.baseline(j.ID); err != nil {
			return err
		}
		rewritten, err := t.rewritten(j.ID, definition.handler)
		if err != nil {
			return err
		}
		use, err := t.paramUse(j.ID)
		if err != nil {
			return err
		}
		awaits := was.settle(&j, definition.schedule)
		if err := t.overwrite(&j, &definition, awaits); err != nil {
			return err
		}
		t.names("job", j.Namespace, j.Group, j.Key)
		t.altered(j.ID, was.becomes(&j), aboutJob(&j))
		if was.schedule != definition.schedule || was.namespace != j.Namespace {
			if err := t.renameCalendars(&j); err != nil {
				return err
			}
		}
		if err := t.takeAlong(&j, &was, reason); err != nil {
			return err
		}
		if err := t.recode(&j, use, rewritten); err != nil {
			return err
		}
		saved := j
		saved.Version++
		return t.revise(ctx, saved, was.enabled, false)
	})
	if err != nil {
		return job.Job{}, err
	}
	j.Version++
	return j, nil
}

// takeAlong has the runs of a job that was saved go its way: the planned ones of one that
// was stopped are cancelled with reason, the others go over to the new version and group.
func (t *tx) takeAlong(j *job.Job, was *standing, reason string) error {
	if was.enabled && !j.Enabled {
		now := job.Millis(j.UpdatedAt)
		if err := t.cancelPlannedOf(j.ID, was.group, clean(reason), now, now); err != nil {
			return err
		}
	}
	return t.handOver(j, was)
}

// overwrite writes the rows of a job.
func (t *tx) overwrite(j *job.Job, d *definition, awaits int64) error {
	if _, err := t.exec(updateJob, append(d.args(j), j.ID)...); err != nil {
		return t.keyTaken(err, j)
	}
	return t.do(updatePlan, planArgs(j, awaits)...)
}

// DeleteJob hides the job, frees its key and cancels its waiting runs with
// reason. Attempts that are open stay so until they end. Kinds as for SaveJob;
// Conflict too while other jobs run its code.
func (s *Store) DeleteJob(ctx context.Context, j job.Job, reason string) error {
	now := job.Millis(j.UpdatedAt)
	given := j
	return s.writer.update(ctx, func(t *tx) error {
		j = given // it may be done again
		was, err := t.standing(&j)
		if err == nil {
			err = was.leavesDue(&j)
		}
		if err != nil {
			return err
		}
		if err := t.unshared(&j); err != nil {
			return err
		}
		if err := t.baseline(j.ID); err != nil {
			return err
		}
		if err := t.do(buryJob, now, j.ID); err != nil {
			return err
		}
		if err := t.do(buryPlan, j.ID); err != nil {
			return err
		}
		t.altered(j.ID, event.Deleted, aboutJob(&j))
		if err := t.do(dropJobCalendars, j.ID); err != nil {
			return err
		}
		if err := t.cancelOf(j.ID, was.group, clean(reason), now); err != nil {
			return err
		}
		j.Version, j.UpdatedAt = was.version+1, job.FromMillis(now)
		return t.revise(ctx, j, was.enabled, true)
	})
}

// standing is how a job stands in the database.
type standing struct {
	version, group  int64
	namespace       string
	enabled         bool
	next, look      time.Time // look is when the planner is to look at the job
	last            time.Time
	schedule        string
	awaits          int64 // the run whose end sets next; 0 for none
	fired, failures int
	stopReason      string
}

// standing returns how the job stands, if that is the version that j was read
// at.
func (t *tx) standing(j *job.Job) (was standing, err error) {
	found, err := t.read(readStanding, []any{j.ID}, []any{
		&was.version, &was.namespace, &was.group, (*truth)(&was.enabled), (*instant)(&was.next), (*instant)(&was.look), (*instant)(&was.last),
		&was.schedule, &was.awaits, &was.fired, &was.failures, &was.stopReason,
	})
	switch {
	case err != nil:
		return was, err
	case !found:
		return was, job.Errorf(job.NotFound, "job %s does not exist", j.Key)
	case was.version != j.Version:
		return was, job.Errorf(job.Conflict, "job %s was changed since it was read: it has version %d, not %d",
			j.Key, was.version, j.Version)
	}
	return was, nil
}

// settle gives j what its user does not decide, from how the job stood and the
// text of its new schedule. It returns the run that the job goes on to await, 0
// for none: a fixed delay must not fire while its run is open.
func (was *standing) settle(j *job.Job, schedule string) (awaits int64) {
	kept, started := was.schedule == schedule, j.Enabled && !was.enabled
	j.LastAt, j.HeldBy = was.last, ""
	j.Fired, j.Failures, j.StopReason = was.fired, was.failures, was.stopReason
	if !kept || (started && was.stopReason != "") {
		j.Fired = 0
	}
	if started || j.StopAfter == 0 {
		j.Failures = 0
	}
	if j.Enabled || was.enabled {
		j.StopReason = ""
	}
	switch {
	case !j.Enabled:
		j.NextAt = time.Time{}
	case was.awaits != 0 && afterOf(j) > 0:
		j.NextAt = time.Time{}
		return was.awaits
	case was.enabled && kept && !was.next.IsZero():
		j.NextAt = was.next
	}
	return 0
}

// becomes returns the change of state of a job that is saved.
func (was *standing) becomes(j *job.Job) string {
	switch {
	case j.Enabled && !was.enabled:
		return event.Started
	case was.enabled && !j.Enabled:
		return event.Stopped
	}
	return event.Saved
}

// keyTaken describes for the user that the key of a job is taken.
func (t *tx) keyTaken(err error, j *job.Job) error {
	if err != nil && t.dialect.Fault(err) == FaultTaken {
		return job.Errorf(job.Conflict, "job %s exists already in namespace %s", j.Key, j.Namespace)
	}
	return err
}

// clean bounds the text of a reason.
func clean(reason string) string { return job.Clean(reason, job.MaxMessage) }
