package sqlstore

import (
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/job"
)

const (
	// By the primary keys of runs and job_plans. Exactly a fixed delay whose run
	// is not over awaits one.
	setNext = `UPDATE job_plans SET next_at = ?, look_at = ?, awaits = 0
		WHERE job_id = (SELECT job_id FROM runs WHERE id = ?) AND awaits = ?`
	// By the primary keys of job_plans and jobs.
	resumeAfter = `UPDATE job_plans SET next_at = ? + (SELECT after_ms FROM jobs WHERE id = job_id),
		look_at = ? + (SELECT after_ms FROM jobs WHERE id = job_id), awaits = 0 WHERE job_id = ? AND awaits = ?`
	// The next two by the primary keys of runs and jobs.
	growStreak = `UPDATE jobs SET failures = failures + 1
		WHERE id = (SELECT job_id FROM runs WHERE id = ?) AND tombstone = 0`
	breakStreak = `UPDATE jobs SET failures = 0
		WHERE id = (SELECT job_id FROM runs WHERE id = ?) AND failures <> 0`
	// By the primary keys of runs, job_plans and jobs.
	readEnabled = `SELECT j.id, j.version, j.group_id FROM job_plans p JOIN jobs j ON j.id = p.job_id
		WHERE p.job_id = (SELECT job_id FROM runs WHERE id = ?) AND p.enabled = 1`
	// By job_plans' primary key.
	stopPlan = `UPDATE job_plans SET enabled = 0, next_at = NULL, look_at = NULL, awaits = 0, held_by = '',
		stop_reason = ? WHERE job_id = ?`
	// By jobs' primary key.
	touchJob = `UPDATE jobs SET version = version + 1, updated_at = ? WHERE id = ?`
)

// applyRunEnd changes the job as the end of its run requires. Most ends require nothing.
func (t *tx) applyRunEnd(c *completer.Completion) error {
	if !c.NextAt.IsZero() {
		next := c.NextAt.UnixMilli()
		if err := t.do(setNext, next, next, c.RunID, c.RunID); err != nil {
			return err
		}
	}
	switch c.Failures {
	case completer.StreakGrows:
		if err := t.do(growStreak, c.RunID); err != nil {
			return err
		}
	case completer.StreakBroken:
		if err := t.do(breakStreak, c.RunID); err != nil {
			return err
		}
	case completer.StreakSame:
	}
	if c.StopReason != "" {
		return t.stop(c)
	}
	return nil
}

// stop stops the job of the run, which has failed too often: firings that were not sent
// yet are cancelled, those that have come too. What waits otherwise goes over to the new
// version.
func (t *tx) stop(c *completer.Completion) error {
	var id, version, group int64
	enabled, err := t.read(readEnabled, []any{c.RunID}, []any{&id, &version, &group})
	if err != nil || !enabled {
		return err
	}
	reason, now := clean(c.StopReason), job.Millis(c.EndedAt)
	if err := t.do(stopPlan, reason, id); err != nil {
		return err
	}
	t.altered(id, event.Stopped, nil)
	if err := t.do(touchJob, now, id); err != nil {
		return err
	}
	if err := t.cancelPlannedOf(id, group, reason, 0, now); err != nil {
		return err
	}
	return t.do(moveWaiting, version+1, group, group, id)
}

// cancelOf cancels all runs of a job that wait in a group, and counts them. now is in
// milliseconds.
func (t *tx) cancelOf(jobID, group int64, reason string, now int64) error {
	if err := t.dropShardsOf(jobID, reason, job.FromMillis(now)); err != nil {
		return err
	}
	if err := t.cancelling(reason, listWaitingOf, group, jobID); err != nil {
		return err
	}
	n, err := t.exec(cancelWaiting, reason, now, group, jobID)
	if err != nil {
		return err
	}
	if err := t.do(clearBlocked, jobID); err != nil {
		return err
	}
	t.countOver(jobID, job.Cancelled, job.FromMillis(now), n)
	return nil
}

// cancelPlannedOf cancels the firings of a job that wait in a group and are to be sent
// after an instant, and counts them. Runs that users and other jobs have made stay. after
// and now are in milliseconds.
func (t *tx) cancelPlannedOf(jobID, group int64, reason string, after, now int64) error {
	if err := t.cancelling(reason, listPlannedOf, group, jobID, after); err != nil {
		return err
	}
	n, err := t.exec(cancelPlanned, reason, now, group, jobID, after)
	if err != nil {
		return err
	}
	t.countOver(jobID, job.Cancelled, job.FromMillis(now), n)
	return nil
}
