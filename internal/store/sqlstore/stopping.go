package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/upkeep"
	"github.com/orthd/orth/job"
)

const (
	// By runs' primary key.
	stopRun = `UPDATE runs SET state = 'stopping', reason = ?, message = ''
		WHERE id = ? AND attempt_id = ? AND (state = 'dispatched' OR state = 'running')`
	insertStop = `INSERT INTO stops (run_id, attempt_id, asked_at, calls, look_at) VALUES (?, ?, ?, ?, ?)`
	// By stops' primary key. A run is stopped once.
	dropStop = `DELETE FROM stops WHERE run_id = ?`
	saveStop = `UPDATE stops SET told_at = ?, absent_at = ?, calls = ?, look_at = ? WHERE run_id = ? AND attempt_id = ?`
	// By runs' primary key.
	noteStopping = `UPDATE runs SET message = ? WHERE id = ? AND attempt_id = ? AND state = 'stopping'`
	noteBeside   = `UPDATE runs SET reason = ? WHERE id = ? AND (state = 'dispatched' OR state = 'running')`

	// By stops_look, in its order, and the primary keys of runs, jobs and
	// executor_groups. Runs that are not kept any more have none of these.
	listStops = `SELECT s.run_id, s.attempt_id, s.asked_at, s.told_at, s.absent_at, s.calls, s.look_at, r.state,
		g.group_key, ` + lastColumns + ` FROM stops s
		LEFT JOIN runs r ON r.id = s.run_id AND r.attempt_id = s.attempt_id
		LEFT JOIN executor_groups g ON g.id = r.group_id WHERE s.look_at <= ? ORDER BY s.look_at LIMIT ?`
	// By runs_open: the open attempts of an address.
	listBeside = `SELECT r.id FROM runs r WHERE r.open_on = ? AND r.open_on > '' AND ` + attemptJob + ` = ? AND r.id <> ?
		LIMIT ?`

	// By runs' primary key. An empty reason leaves the user's.
	endStopping = `UPDATE runs SET state = ?, attempt_state = ?, message = ?, reason = COALESCE(?, reason), ended_at = ?,
		accepted_at = COALESCE(accepted_at, ?), ` + closeAttempt + ` WHERE id = ? AND attempt_id = ? AND state = 'stopping'`
	// By the primary keys of runs and jobs.
	endStoppingKnown = endStopping + ifKnown
	// By runs' primary key.
	endUndelivered = `UPDATE runs SET state = 'cancelled', attempt_state = 'failed', message = ?, ended_at = ?,
		undelivered = undelivered + 1, ` + closeAttempt + `
		WHERE id = ? AND attempt_id = ? AND state = 'stopping' AND check_at IS NOT NULL AND (check_at = ? OR 0 = ?)`
)

// maxNoted is the maximum number of runs that one kill is reported to end as well.
const maxNoted = 20

// StopRun moves a run that was sent to stopping, with the reason, and keeps the
// stop until it is over. It reports false, and changes nothing, when the run's
// current attempt is another one or has ended, or when it is stopping already.
func (s *Store) StopRun(ctx context.Context, stop job.Stop, reason string) (bool, error) {
	moved := false
	err := s.writer.update(ctx, func(t *tx) (err error) {
		moved, err = t.one(stopRun, clean(reason), stop.RunID, stop.AttemptID)
		if err != nil || !moved {
			return err
		}
		t.moved(stop.RunID, job.Stopping, stop.AttemptID, reason, "")
		return t.do(insertStop, stop.RunID, stop.AttemptID, job.Millis(stop.AskedAt), stop.Calls, job.Millis(stop.LookAt))
	})
	return moved, err
}

// SaveStop writes where a stop stands, with a note for people that is the message
// of the run while it is stopping; an empty one leaves what is there. A stop that is over is left alone.
func (s *Store) SaveStop(ctx context.Context, stop job.Stop, note string) error {
	return s.writer.update(ctx, func(t *tx) error {
		there, err := t.one(saveStop, nullable(stop.ToldAt), nullable(stop.AbsentAt), stop.Calls, job.Millis(stop.LookAt),
			stop.RunID, stop.AttemptID)
		if err == nil && there && note != "" {
			err = t.do(noteStopping, clean(note), stop.RunID, stop.AttemptID)
		}
		return err
	})
}

// NoteBeside writes the reason into the other runs of the attempt's job that its
// executor has, and returns them in order of id, at most 20.
func (s *Store) NoteBeside(ctx context.Context, a job.Attempt, reason string) ([]int64, error) {
	number := func(n *int64) []any { return []any{(*integer)(n)} }
	runs, err := list(ctx, s.reader, number, listBeside, a.Address, a.JobID, a.RunID, maxNoted)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	var noted []int64
	err = s.writer.update(ctx, func(t *tx) error {
		noted = noted[:0]
		for _, run := range slices.Sorted(slices.Values(runs)) {
			open, err := t.one(noteBeside, clean(reason), run)
			if err != nil {
				return err
			}
			if open {
				noted = append(noted, run)
			}
		}
		return nil
	})
	return noted, err
}

// stopping is a row of stops with what it is about.
type stopping struct {
	upkeep.Stopping
	state job.State // empty when the run has another attempt or is not kept any more
}

func stoppingFields(s *stopping) []any {
	own := []any{
		(*integer)(&s.Stop.RunID), (*integer)(&s.Stop.AttemptID), (*instant)(&s.Stop.AskedAt), (*instant)(&s.Stop.ToldAt),
		(*instant)(&s.Stop.AbsentAt), (*count)(&s.Stop.Calls), (*instant)(&s.Stop.LookAt), (*text)(&s.state), (*text)(&s.Group),
	}
	return append(own, attemptFields(&s.Attempt)...)
}

// Stops returns up to limit stops that are to be looked at by now, those that
// have waited longest first. Stops of runs that are over are forgotten on the
// way: then fewer may come although there are more.
func (s *Store) Stops(ctx context.Context, now time.Time, limit int) (due []upkeep.Stopping, more bool, err error) {
	limit = max(limit, 1)
	rows, err := list(ctx, s.reader, stoppingFields, listStops, now.UnixMilli(), limit)
	if err != nil {
		return nil, false, err
	}
	var over []int64
	for i := range rows {
		if rows[i].state == job.Stopping {
			due = append(due, rows[i].Stopping)
		} else {
			over = append(over, rows[i].Stop.RunID)
		}
	}
	if len(over) > 0 {
		err = s.writer.update(ctx, func(t *tx) error { return t.dropStops(over) })
	}
	return due, len(rows) == limit, err
}

func (t *tx) dropStops(runs []int64) error {
	for _, run := range runs {
		if err := t.do(dropStop, run); err != nil {
			return fmt.Errorf("forget the stop of run %d: %w", run, err)
		}
	}
	return nil
}

// endStopped ends a run in state stopping, if it is one. The completion may have
// been decided before the run was stopped: then it becomes what it is now, and a
// fixed delay that awaited a retry goes on from the end.
func (t *tx) endStopped(c *completer.Completion) (bool, error) {
	now := *c
	now.Stopped()
	at := job.Millis(c.EndedAt)
	query, args := endStopping, []any{
		string(now.RunState), ownState(&now), c.Message, reasonOf(&now), at, takenAt(c), c.RunID, c.AttemptID,
	}
	if c.JobVersion != 0 {
		query, args = endStoppingKnown, append(args, c.JobID, c.JobVersion)
	}
	ended, err := t.one(query, args...)
	if err != nil || !ended {
		return false, err
	}
	if c.RunState == job.WaitingRetry {
		err = t.do(resumeAfter, at, at, c.JobID, c.RunID)
	}
	*c = now
	return true, err
}

// cancelUndelivered cancels the run, if it is stopping, whose attempt did not arrive.
func (t *tx) cancelUndelivered(r *dispatcher.Requeued) error {
	at, check := job.Millis(r.Now), job.Millis(r.CheckAt)
	ended, err := t.one(endUndelivered, clean(r.Reason), at, r.RunID, r.AttemptID, check, check)
	if err != nil || !ended {
		return err
	}
	t.moved(r.RunID, job.Cancelled, r.AttemptID, "", r.Reason)
	var run job.Run
	if _, err := t.read(readRun, []any{r.RunID}, namedRunFields(&run)); err != nil {
		return err
	}
	if err := t.endUnsent(&run, job.Cancelled, r.Now); err != nil {
		return err
	}
	return t.do(resumeAfter, at, at, run.JobID, run.ID)
}
