package sqlstore

import (
	"time"

	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// The planner writes a firing up to its horizon ahead of time. A job that is started,
// stopped or given another schedule in between decides again about the slots that have not
// come: their rows are removed, so that the new decision can use the same slots.
const (
	// By runs_firing: all slots behind an instant, which are those of the next moments. (The sign
	// keeps SQLite from walking through all runs of the job.)
	withdrawRuns = `DELETE FROM runs WHERE +job_id = ? AND planned_at >= ? AND state = 'planned'
		AND firing = 'schedule'`
	// By runs_job, backwards: firings are made in the order of their slots.
	readLastFiring = `SELECT planned_at FROM runs WHERE job_id = ?
		AND firing = 'schedule' ORDER BY id DESC LIMIT 1`
	// By job_plans' primary key.
	setLastFiring = `UPDATE job_plans SET last_at = ? WHERE job_id = ?`
	// By runs' primary key.
	readRunThere = `SELECT id FROM runs WHERE id = ?`
)

// standingFor returns the state of the job without the slots that the change decides about
// again, and refuses a change that revives it, or that drops firings which are due.
func (t *tx) standingFor(j *job.Job, schedule string) (standing, error) {
	was, err := t.standing(j)
	if err == nil && (!j.Enabled || was.schedule != schedule) {
		err = was.leavesDue(j)
	}
	if err == nil {
		err = t.withdraw(&was, j, schedule)
	}
	if err == nil {
		err = was.revives(j, schedule)
	}
	return was, err
}

// leavesDue refuses a change while firings that are due by then are not planned. Firings
// that a pause holds are not due.
func (was *standing) leavesDue(j *job.Job) error {
	if !was.enabled || was.look.IsZero() || was.look.After(j.UpdatedAt) {
		return nil
	}
	return job.Errorf(job.Conflict, "job %s: %w; the first is that of %s", j.Key, jobrows.ErrFiringsDue, was.next.Format(time.RFC3339))
}

// decidesFrom returns the first instant whose firing the change decides again, and
// false when it decides about none. An edit that keeps the schedule of an enabled job goes
// on at the firing that it has read: what was planned before that stays planned. A user
// who stops a job that has ended takes its reason away.
func (was *standing) decidesFrom(j *job.Job, schedule string) (time.Time, bool) {
	ended := !was.enabled && was.stopReason != "" // its last firing may be planned
	after := j.UpdatedAt.Add(time.Millisecond)
	switch {
	case was.schedule != schedule:
		return after, true
	case j.Enabled:
		if j.NextAt.After(after) {
			after = j.NextAt
		}
		return after, !was.enabled && !j.NextAt.IsZero()
	}
	return after, was.enabled || ended && j.StopReason == ""
}

// withdraw removes the runs of slots that the change decides again. It sets how the job
// stood as if they had never been planned. Slots that have come before are not touched.
func (t *tx) withdraw(was *standing, j *job.Job, schedule string) error {
	from, anew := was.decidesFrom(j, schedule)
	if !anew || was.last.Before(from) {
		return nil
	}
	n, err := t.exec(withdrawRuns, j.ID, from.UnixMilli())
	if err != nil || n == 0 {
		return err
	}
	t.changed = append(t.changed, event.Change{Kind: event.Many})
	was.fired, was.stopReason, was.last = max(was.fired-int(n), 0), "", time.Time{}
	if _, err := t.read(readLastFiring, []any{j.ID}, []any{(*instant)(&was.last)}); err != nil {
		return err
	}
	if err := t.do(setLastFiring, nullable(was.last), j.ID); err != nil {
		return err
	}
	if was.awaits == 0 {
		return nil
	}
	var id int64
	there, err := t.read(readRunThere, []any{was.awaits}, []any{&id})
	if err == nil && !there {
		was.awaits = 0
	}
	return err
}
