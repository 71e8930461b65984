package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

const (
	// By run_logs' primary key. A log that was cut is owed nothing.
	endLog = `UPDATE run_logs SET ended_at = ?, look_at = CASE WHEN state = 'open' THEN CAST(? AS BIGINT) ELSE NULL END WHERE attempt_id = ?`
	// By run_logs' primary key.
	wholeLog = `UPDATE run_logs SET ended_at = ?, look_at = NULL, expires_at = ?, lines = ?, bytes = ?, state = 'whole', note = '',
		whole_text = ? WHERE attempt_id = ?`
	// By the primary keys of runs, jobs and run_logs: of attempts that are in the rows of their runs.
	// Logs that are off begin with that word. (The run comes first, as what the row is found by.)
	oweLog = `INSERT INTO run_logs (run_id, attempt_id, job_id, group_id, address, triggered_at, ended_at, look_at, state)
		SELECT r.id, r.attempt_id, r.job_id, r.group_id, r.address, r.triggered_at, ?, ?, 'open'
		FROM runs r JOIN jobs j ON j.id = r.job_id
		WHERE r.id = ? AND r.attempt_id = ? AND r.address <> '' AND (j.logs NOT LIKE '{"off":true%' OR r.cause = 'trial')
		AND NOT EXISTS (SELECT 1 FROM run_logs l WHERE l.attempt_id = r.attempt_id)`

	standingColumns = `, r.group_id, CASE WHEN r.cause = 'trial' THEN '{}' ELSE j.logs END, l.lines, l.bytes, l.state, l.look_at`
	// By runs_open, which holds open attempts only, and the primary keys of jobs and run_logs.
	listOpenLogs = `SELECT r.attempt_id, r.id, r.job_id, r.address, ` + attemptState + `, r.triggered_at, r.accepted_at, r.ended_at` +
		standingColumns + ` FROM runs r CROSS JOIN jobs j ON j.id = r.job_id LEFT JOIN run_logs l ON l.attempt_id = r.attempt_id
		WHERE r.open_on > '' AND (j.logs NOT LIKE '{"off":true%' OR r.cause = 'trial') LIMIT ?`
	// By run_logs_owed, in its order, and the primary keys of runs, jobs and attempts: an attempt
	// that is not in the row of its run is an earlier one.
	listOwedLogs = `SELECT l.attempt_id, r.id, r.job_id, COALESCE(a.address, r.address), COALESCE(a.state, ` + attemptState + `),
		COALESCE(a.triggered_at, r.triggered_at), CASE WHEN a.id IS NULL THEN r.accepted_at ELSE a.accepted_at END,
		COALESCE(a.ended_at, r.ended_at)` + standingColumns + ` FROM run_logs l CROSS JOIN runs r ON r.id = l.run_id
		CROSS JOIN jobs j ON j.id = r.job_id LEFT JOIN attempts a ON a.id = l.attempt_id
		WHERE l.look_at > 0 AND l.look_at <= ? ORDER BY l.look_at LIMIT ?`
	// By run_logs' primary key.
	claimLog = `UPDATE run_logs SET look_at = ? WHERE attempt_id = ? AND look_at = ?`
)

// The statements that are carried out for many at once.
var (
	endLogs   = batch{query: endLog, kinds: threeNumbers, key: 2}
	wholeLogs = batch{query: wholeLog, kinds: "iiiiti", key: 5}
	oweLogs   = batch{query: oweLog, kinds: "iiii", key: 2}
	claimLogs = batch{query: claimLog, kinds: threeNumbers, key: 1}
)

// beginsAfter is how long after it was sent the log of an attempt is begun at the earliest, by the
// server that follows it: before that there is nothing in its place that an outcome would end.
const beginsAfter = time.Second

// owedAfter is the delay after the end of an attempt before any server may look at its log:
// the server that received the end copies it at once.
const owedAfter = 10 * time.Second

// keepOrOwe stores the logs that came with the outcomes of attempts, and notes that all
// others are to be copied, in the transaction of their ends: those of the completions
// with these numbers.
func (s *Store) keepOrOwe(t *tx, completions []completer.Completion, of []int) error {
	var kept, owed []int
	for _, i := range of {
		if completions[i].Log != nil {
			kept = append(kept, i)
		} else {
			owed = append(owed, i)
		}
	}
	if err := s.keepWhole(t, completions, kept); err != nil {
		return err
	}
	return t.oweAll(completions, owed)
}

// keepWhole stores whole logs in their rows. Of a log that was begun the row counts from
// now on: its chunks are removed with it.
func (s *Store) keepWhole(t *tx, completions []completer.Completion, of []int) error {
	rows := make([][]any, len(of))
	for n, i := range of {
		c := &completions[i]
		l, text := c.Log, wholeText(c.Log)
		rows[n] = []any{
			c.AttemptID, c.RunID, c.JobID, l.GroupID, l.Address, job.Millis(c.TriggeredAt), job.Millis(c.EndedAt), nil,
			expiryOf(c), l.Lines, len(text), string(logbook.Whole), "", text,
		}
	}
	made, err := t.each(&s.insertLogsOnce, rows)
	if err != nil {
		return err
	}
	var begun [][]any
	for n, i := range of {
		if !made[n] {
			begun = append(begun, wholeArgs(&completions[i]))
		}
	}
	return t.doAll(&wholeLogs, begun)
}

// wholeArgs returns the arguments of wholeLog.
func wholeArgs(c *completer.Completion) []any {
	text := wholeText(c.Log)
	return []any{job.Millis(c.EndedAt), expiryOf(c), c.Log.Lines, len(text), text, c.AttemptID}
}

// wholeText returns a small log as it is stored.
func wholeText(l *completer.Log) string { return job.Clean(l.Text, len(l.Text)) }

// expiryOf returns until when the log of a completion is kept; nil if its job does not
// define it.
func expiryOf(c *completer.Completion) any {
	if c.Log.KeepFor <= 0 {
		return nil
	}
	return job.Millis(c.EndedAt.Add(c.Log.KeepFor))
}

// oweAll notes that the logs of attempts that have ended are to be copied, in the
// transaction of their ends: those of the completions with these numbers.
func (t *tx) oweAll(completions []completer.Completion, of []int) error {
	rows := make([][]any, len(of))
	for n, i := range of {
		c := &completions[i]
		at := job.Millis(c.EndedAt)
		rows[n] = []any{at, at + owedAfter.Milliseconds(), c.RunID, c.AttemptID}
	}
	owed, err := t.each(&oweLogs, rows) // few attempts last until their log is begun
	if err != nil {
		return err
	}
	begun := rows[:0]
	for n, row := range rows {
		if !owed[n] {
			begun = append(begun, append(row[:2], row[3]))
		}
	}
	return t.doAll(&endLogs, begun)
}

// OpenLogs returns up to limit attempts that executors have and whose logs are kept,
// in no order.
func (s *Store) OpenLogs(ctx context.Context, limit int) ([]logbook.Standing, error) {
	return list(ctx, s.reader, standingFields, listOpenLogs, max(limit, 0))
}

// OwedLogs returns up to limit attempts that have ended and whose logs are to be
// looked at by now, those that wait longest first.
func (s *Store) OwedLogs(ctx context.Context, now time.Time, limit int) ([]logbook.Standing, error) {
	return list(ctx, s.reader, standingFields, listOwedLogs, job.Millis(now), max(limit, 0))
}

// ClaimLogs claims owed logs until an instant, and reports for each whether it did: not
// when it was looked at since it was read.
func (s *Store) ClaimLogs(ctx context.Context, owed []logbook.Standing, until time.Time) ([]bool, error) {
	if len(owed) == 0 {
		return nil, nil
	}
	rows := make([][]any, len(owed))
	for i := range owed {
		rows[i] = []any{job.Millis(until), owed[i].Attempt.ID, job.Millis(owed[i].LookAt)}
	}
	var done []bool
	err := s.writer.update(ctx, func(t *tx) (err error) {
		done, err = t.each(&claimLogs, rows)
		return err
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

func standingFields(s *logbook.Standing) []any {
	a := &s.Attempt
	return []any{
		(*integer)(&a.ID), (*integer)(&a.RunID), (*integer)(&a.JobID), (*text)(&a.Address), (*text)(&a.State),
		(*instant)(&a.TriggeredAt), (*instant)(&a.AcceptedAt), (*instant)(&a.EndedAt), (*integer)(&s.Group),
		document[job.LogPolicy]{&s.Policy},
		(*count)(&s.Lines), (*integer)(&s.Bytes), (*text)(&s.State), (*instant)(&s.LookAt),
	}
}
