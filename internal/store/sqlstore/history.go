package sqlstore

import (
	"cmp"
	"context"

	"github.com/orthd/orth/job"
)

const insertPast = `INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, reason, due_at, param,
	created_at, started_at, ended_at, message, priority, asked_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// AddPastRuns writes runs that have ended, whose ids the caller has drawn, in one
// transaction, and returns how many did not exist yet. They count on the days on which they
// ended, without an attempt, and in no statistics of the last minutes; they trigger
// nothing.
func (s *Store) AddPastRuns(ctx context.Context, runs []job.Run) (added int, err error) {
	by := askedBy(ctx)
	err = s.writer.update(ctx, func(t *tx) error {
		added = 0 // it may be done again
		for i := range runs {
			r := &runs[i]
			written, err := t.one(s.insertPastOnce, r.ID, r.JobID, r.JobVersion, r.GroupID, job.Millis(r.PlannedAt), string(r.Cause), r.CauseID,
				string(r.State), clean(r.Reason), job.Millis(r.StartedAt), optional(r.Param), job.Millis(r.CreatedAt), nullable(r.StartedAt),
				nullable(r.EndedAt), clean(r.Message), r.Priority.Rank(), clean(cmp.Or(r.By, by)))
			if err != nil {
				return err
			}
			if written {
				t.countPast(r)
				t.made(r)
				added++
			}
		}
		return nil
	})
	return added, err
}

// countPast counts a run of another scheduler, but not in minutes: those measure the work
// of now. Its dispatch delay is unknown.
func (t *tx) countPast(r *job.Run) {
	d := delta{at: beginOf(job.Millis(r.EndedAt), longSpread), long: true, job: r.JobID, state: r.State, runs: 1}
	// A run that took no time was not sent, or its end is not known.
	if took := r.EndedAt.Sub(r.StartedAt); times(r.State) && took > 0 {
		d.timed, d.took = true, took.Milliseconds()
	}
	t.deltas = append(t.deltas, d)
}
