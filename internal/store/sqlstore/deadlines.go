package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

const (
	insertDeadline = `INSERT INTO deadlines (ends_at, run_id, length_ms) VALUES (?, ?, ?)`
	// By deadlines' primary key, in its order, and the primary keys of runs and
	// attempts. Runs that are not kept any more have none of these.
	listOverdue = `SELECT d.ends_at, d.run_id, d.length_ms, r.state, ` + newestColumns + `
		FROM deadlines d LEFT JOIN runs r ON r.id = d.run_id LEFT JOIN attempts a ON a.id = r.attempt_id
		WHERE d.ends_at <= ? AND (r.check_at IS NULL OR r.check_at <= ?) ORDER BY d.ends_at, d.run_id LIMIT ?`
	// By deadlines' primary key.
	dropDeadline = `DELETE FROM deadlines WHERE ends_at = ? AND run_id = ?`
)

// deadline notes when the run of a first attempt must be over.
func (t *tx) deadline(a *job.Attempt, length time.Duration) error {
	return t.do(insertDeadline, job.Millis(a.TriggeredAt.Add(length)), a.RunID, whole(length))
}

// overdue is a row of listOverdue.
type overdue struct {
	upkeep.Overdue
	endsAt int64
	runID  int64
	state  job.State // empty when the run is not kept any more
}

// Overdue returns up to limit runs that are not over and had to be by now, those
// of the earliest deadlines first, but for those whose task a server may still send. Deadlines of runs that are over are forgotten
// on the way: then fewer may come although there are more.
func (s *Store) Overdue(ctx context.Context, now time.Time, limit int) (late []upkeep.Overdue, more bool, err error) {
	fields := func(o *overdue) []any {
		own := []any{(*integer)(&o.endsAt), (*integer)(&o.runID), (*period)(&o.Deadline), (*text)(&o.state)}
		return append(own, attemptFields(&o.Attempt)...)
	}
	limit = max(limit, 1)
	rows, err := list(ctx, s.reader, fields, listOverdue, now.UnixMilli(), now.UnixMilli(), limit)
	if err != nil {
		return nil, false, err
	}
	var over []overdue
	for i := range rows {
		o := &rows[i]
		o.Waiting = o.state.Waiting()
		if o.state == "" || o.state.Final() {
			over = append(over, *o)
		} else {
			late = append(late, o.Overdue)
		}
	}
	if len(over) == 0 {
		return late, len(rows) == limit, nil
	}
	err = s.writer.update(ctx, func(t *tx) error {
		for i := range over {
			if err := t.do(dropDeadline, over[i].endsAt, over[i].runID); err != nil {
				return err
			}
		}
		return nil
	})
	return late, len(rows) == limit, err
}
