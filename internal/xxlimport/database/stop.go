package database

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

// MaxStopped is how many jobs are stopped at once.
const MaxStopped = xxlimport.MaxJobs

// scheduleLock is the row that the scheduler of a Java server locks while it plans.
const scheduleLock = "schedule_lock"

// States returns how jobs stand, by their ids.
func (l *Log) States(ctx context.Context, ids []int64) (all map[int64]xxlimport.JobState, err error) {
	err = l.readInTx(ctx, func(r *reading) error {
		all, err = states(ctx, r.tx, l.prefix, ids, "")
		return err
	})
	return all, err
}

// Stop stops the jobs that are started of those named, in one transaction that the
// scheduler of the old server waits for, and returns how they stood: every firing before
// Next was taken there, and none from it on will be. It writes nothing but
// trigger_status = 0. Kinds: Forbidden when the user may not.
func (l *Log) Stop(ctx context.Context, ids []int64) (before map[int64]xxlimport.JobState, err error) {
	tx, err := l.source.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, l.source.wrapError(err)
	}
	defer tx.Rollback()
	if err := l.holdScheduler(ctx, tx); err != nil {
		return nil, l.source.wrapError(err)
	}
	if before, err = states(ctx, tx, l.prefix, ids, " FOR UPDATE"); err != nil {
		return nil, l.source.wrapError(err)
	}
	statement, err := stopping(l.prefix, ids, 0)
	if err == nil {
		_, err = tx.ExecContext(ctx, statement)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		return nil, l.source.wrapError(err)
	}
	return before, nil
}

// Back returns the statement that takes back what [Log.Stop] did to jobs.
func (l *Log) Back(ids []int64) (string, error) { return stopping(l.prefix, ids, 1) }

// stopping returns the statement that changes whether jobs are started.
func stopping(prefix string, ids []int64, status int) (string, error) {
	table, err := quoted(prefix + xxlimport.TableJobs)
	if err != nil {
		return "", err
	}
	list, err := numbers(ids)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("UPDATE %s SET trigger_status = %d WHERE id IN (%s) AND trigger_status = %d", table, status, list, 1-status), nil
}

// numbers writes ids for SQL.
func numbers(ids []int64) (string, error) {
	if len(ids) == 0 || len(ids) > MaxStopped {
		return "", job.Errorf(job.Invalid, "%d jobs cannot be stopped at once, at most %d can", len(ids), MaxStopped)
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = fmt.Sprint(id)
	}
	return strings.Join(texts, ", "), nil
}

// holdScheduler waits until the scheduler of the old server does not plan, and keeps it
// from doing so until the end of a transaction. Where its row is not there it takes no
// lock either.
func (l *Log) holdScheduler(ctx context.Context, tx *sql.Tx) error {
	if !slices.Contains(l.tables[l.prefix+"lock"], "lock_name") {
		return nil
	}
	table, err := quoted(l.prefix + "lock")
	if err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, "SELECT lock_name FROM "+table+" WHERE lock_name = ? FOR UPDATE", scheduleLock) //nolint:gosec // quoted has seen the name.
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

func states(ctx context.Context, tx *sql.Tx, prefix string, ids []int64, lock string) (map[int64]xxlimport.JobState, error) {
	table, err := quoted(prefix + xxlimport.TableJobs)
	if err != nil {
		return nil, err
	}
	list, err := numbers(ids)
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, "SELECT id, trigger_status, trigger_next_time FROM "+table+" WHERE id IN ("+list+") ORDER BY id"+lock) //nolint:gosec // numbers and names that quoted has seen
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := make(map[int64]xxlimport.JobState, len(ids))
	for rows.Next() {
		var s xxlimport.JobState
		var status, next int64
		if err := rows.Scan(&s.ID, &status, &next); err != nil {
			return nil, err
		}
		if s.Started = status > 0; next > 0 {
			s.Next = time.UnixMilli(next).UTC()
		}
		all[s.ID] = s
	}
	return all, rows.Err()
}
