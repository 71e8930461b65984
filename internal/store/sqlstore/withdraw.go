package sqlstore

import (
	"time"

	"github.com/orthd/orth/internal/event"
	"github.com/orthd/orth/job"
)

// The planner writes a firing up to its horizon ahead of time. A job that is started,
// stopped or given another schedule meanwhile decides anew about the slots that have not
// come: their rows go, so that the new decision can take the same slots.
const (
	// By runs_firing: the slots of a job behind an instant.
	withdrawRuns = `DELETE FROM runs WHERE job_id = ? AND planned_at > ? AND state = 'planned'
		AND firing = 'schedule'`
	// By the last entries of runs_firing up to an instant.
	readLastFiring = `SELECT planned_at FROM runs WHERE job_id = ? AND planned_at <= ?
		AND firing = 'schedule' ORDER BY planned_at DESC LIMIT 1`
	// By job_plans' primary key.
	setLastFiring = `UPDATE job_plans SET last_at = ? WHERE job_id = ?`
	// By runs' primary key.
	readRunThere = `SELECT id FROM runs WHERE id = ?`
)

// standingFor returns how the job stands without the slots that the change decides about
// anew, and refuses a change that revives it.
func (t *tx) standingFor(j *job.Job, schedule string) (standing, error) {
	was, err := t.standing(j)
	if err == nil {
		err = t.withdraw(&was, j, schedule)
	}
	if err == nil {
		err = was.revives(j, schedule)
	}
	return was, err
}

// withdraw removes the runs of slots that come after now, when the job decides about them
// anew. It sets how the job stood as if they had never been planned. Slots that have come
// are not touched. A user who stops a job that has ended takes its reason away.
func (t *tx) withdraw(was *standing, j *job.Job, schedule string) error {
	now := j.UpdatedAt
	ended := !was.enabled && was.stopReason != "" // its last firing may be planned
	stops := !j.Enabled && (was.enabled || ended && j.StopReason == "")
	if anew := stops || was.enabled != j.Enabled || was.schedule != schedule; !anew || !was.last.After(now) {
		return nil
	}
	n, err := t.exec(withdrawRuns, j.ID, now.UnixMilli())
	if err != nil || n == 0 {
		return err
	}
	t.changed = append(t.changed, event.Change{Kind: event.Many})
	was.fired, was.stopReason, was.last = max(was.fired-int(n), 0), "", time.Time{}
	if _, err := t.read(readLastFiring, []any{j.ID, now.UnixMilli()}, []any{(*instant)(&was.last)}); err != nil {
		return err
	}
	if _, err := t.exec(setLastFiring, nullable(was.last), j.ID); err != nil {
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
