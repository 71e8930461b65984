package sqlstore

import (
	"cmp"
	"context"

	"github.com/orthd/orth/job"
)

const insertPast = `INSERT INTO runs (id, job_id, job_version, group_id, planned_at, cause, cause_id, state, reason, due_at, param,
	created_at, started_at, ended_at, message, priority, asked_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// AddPastRuns writes runs that are over, whose ids the caller has drawn, in one
// transaction, and returns how many there were not yet. They count on the days on which
// they ended, without an attempt, and in nothing that is of the last minutes; nothing
// follows from them.
func (s *Store) AddPastRuns(ctx context.Context, runs []job.Run) (added int, err error) {
	by := askedBy(ctx)
	err = s.writer.update(ctx, func(t *tx) error {
		added = 0 // it may be done again
		ended := newTally()
		for i := range runs {
			r := &runs[i]
			written, err := t.one(s.insertPastOnce, r.ID, r.JobID, r.JobVersion, r.GroupID, job.Millis(r.PlannedAt), string(r.Cause), r.CauseID,
				string(r.State), clean(r.Reason), job.Millis(r.StartedAt), optional(r.Param), job.Millis(r.CreatedAt), nullable(r.StartedAt),
				nullable(r.EndedAt), clean(r.Message), r.Priority.Rank(), clean(cmp.Or(r.By, by)))
			if err != nil {
				return err
			}
			if written {
				ended.past(r)
				t.made(r)
				added++
			}
		}
		return t.countPast(ended)
	})
	return added, err
}

// past counts a run of another scheduler. How late it was sent nobody knows.
func (y *tally) past(r *job.Run) {
	var one slot
	one.Count(r.State, 1)
	switch took := r.EndedAt.Sub(r.StartedAt); r.State {
	case job.Succeeded, job.Failed, job.TimedOut:
		if took > 0 { // otherwise it was not sent, or its end is not known
			one.Timed, one.Stats.Took, one.TookMax = 1, took, took
			one.took.Count(took)
		}
	default: // its end says nothing about its duration
	}
	at(y.days, tallyKey{dayNumber(r.EndedAt), r.JobID}).Add(one.Stats)
	at(y.loose, tallyKey{beginOf(job.Millis(r.EndedAt), longSpread), r.JobID}).add(&one)
}

// countPast adds to days and to hours, as [tx.count] does, but not to minutes: by those
// the work of now is judged.
func (t *tx) countPast(ended *tally) error {
	if err := t.countDays(ended.days); err != nil {
		return err
	}
	if err := t.placeLoose(ended); err != nil {
		return err
	}
	return t.addSpreads(ended, longSpread)
}
