package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/legacy"
	"github.com/orthd/orth/job"
)

// MaxPage is the most rows of the log that are asked for at once.
const MaxPage = 2_000

// Log reads the tables of a Java server while it goes on writing them: each call is a
// short transaction of its own, which is read-only. One goroutine uses it.
type Log struct {
	source *Source
	tables map[string][]string
	prefix string
}

// Log looks which tables a database has, as [Source.Read] does, and returns what reads
// their rows one page after the other.
func (s *Source) Log(ctx context.Context, prefix string) (*Log, error) {
	l := &Log{source: s}
	err := s.snapshot(ctx, prefix, func(r *reading) error {
		l.tables, l.prefix = r.tables, r.prefix
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Prefix begins the names of the tables.
func (l *Log) Prefix() string { return l.prefix }

// runs returns the name of the log for SQL.
func (l *Log) runs() (string, error) {
	if !slices.Contains(l.tables[l.prefix+legacy.TableRuns], "trigger_time") {
		return "", job.Errorf(job.Invalid, "the table %s%s is not there, or has no column trigger_time", l.prefix, legacy.TableRuns)
	}
	return quoted(l.prefix + legacy.TableRuns)
}

// read lets a function read in a transaction.
func (l *Log) read(ctx context.Context, do func(*reading) error) error {
	tx, err := l.source.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return l.source.told(err)
	}
	defer tx.Rollback()
	return l.source.told(do(&reading{tx: tx, tables: l.tables, prefix: l.prefix}))
}

// Plans are the groups and jobs of a Java server, as far as they say when jobs fire.
type Plans struct {
	Groups, Jobs []legacy.Row
	// Zone and ZoneFrom are as those of [Contents].
	Zone, ZoneFrom string
	// Now is the time of the database's clock.
	Now time.Time
}

// Plans returns when jobs fire, at one instant.
func (l *Log) Plans(ctx context.Context) (p Plans, err error) {
	err = l.read(ctx, func(r *reading) (err error) {
		if p.Groups, err = r.rows(ctx, legacy.TableGroups, legacy.MaxGroups, "id", "app_name"); err != nil {
			return err
		}
		if p.Jobs, err = r.rows(ctx, legacy.TableJobs, legacy.MaxGroups, "id", "job_group", "job_desc", "name", "schedule_type", "schedule_conf",
			"job_cron", "executor_fail_retry_count", "trigger_status", "trigger_next_time", "update_time"); err != nil {
			return err
		}
		var now float64
		if err := r.tx.QueryRowContext(ctx, "SELECT UNIX_TIMESTAMP(NOW(6))").Scan(&now); err != nil {
			return err
		}
		p.Now = time.UnixMilli(int64(now * 1000)).UTC()
		p.Zone, p.ZoneFrom, err = l.source.zone(ctx, r)
		return err
	})
	return p, err
}

// columns of the log that are read, where the table has them.
func runColumns() []string {
	return []string{
		"id", "job_id", "trigger_time", "schedule_time", "trigger_code", "executor_sharding_param", "executor_fail_retry_count",
	}
}

// maxWords bounds what is read of a text of the log, in characters: as the old server
// does.
const maxWords = 15_000

// After returns the rows of the log with ids above one, the oldest first, at most limit,
// which [MaxPage] bounds. They have what says when they were sent.
func (l *Log) After(ctx context.Context, id int64, limit int) (all []legacy.Row, err error) {
	return l.after(ctx, id, limit, runColumns())
}

// Whole is After with all that is known of the runs.
func (l *Log) Whole(ctx context.Context, id int64, limit int) (all []legacy.Row, err error) {
	return l.after(ctx, id, limit, append(runColumns(), "executor_address", "executor_param", "trigger_msg", "handle_time", "handle_code", "handle_msg"))
}

func (l *Log) after(ctx context.Context, id int64, limit int, wanted []string) (all []legacy.Row, err error) {
	has := l.tables[l.prefix+legacy.TableRuns]
	var names, columns []string
	for _, name := range wanted {
		if slices.Contains(has, name) {
			names, columns = append(names, name), append(columns, fmt.Sprintf("LEFT(CAST(%s AS CHAR), %d)", "`"+name+"`", maxWords))
		}
	}
	from, err := l.runs()
	if err != nil {
		return nil, err
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + from + " WHERE id > ? ORDER BY id LIMIT ?"
	err = l.read(ctx, func(r *reading) error {
		all, err = r.some(ctx, query, id, min(max(limit, 1), MaxPage), names)
		return err
	})
	return all, err
}

// maxCodes is how many older texts of a job's script are read, the newest: as many as the
// old server keeps.
const maxCodes = 30

// Codes returns the older texts of the script of a job, the oldest first.
func (l *Log) Codes(ctx context.Context, jobID int64) (all []legacy.Row, err error) {
	has := l.tables[l.prefix+legacy.TableCode]
	if !slices.Contains(has, "job_id") || !slices.Contains(has, "glue_source") {
		return nil, nil
	}
	var names, columns []string
	for _, name := range []string{"id", "glue_type", "glue_source", "glue_remark", "add_time", "update_time"} {
		if slices.Contains(has, name) {
			names, columns = append(names, name), append(columns, fmt.Sprintf("LEFT(CAST(%s AS CHAR), %d)", "`"+name+"`", maxText))
		}
	}
	from, err := quoted(l.prefix + legacy.TableCode)
	if err != nil {
		return nil, err
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + from + " WHERE job_id = ? ORDER BY id DESC LIMIT ?"
	err = l.read(ctx, func(r *reading) error {
		all, err = r.some(ctx, query, jobID, maxCodes, names)
		return err
	})
	slices.Reverse(all)
	return all, err
}

// Newest returns the highest id of the log, 0 when it is empty.
func (l *Log) Newest(ctx context.Context) (id int64, err error) {
	from, err := l.runs()
	if err != nil {
		return 0, err
	}
	err = l.read(ctx, func(r *reading) error {
		return r.tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) FROM "+from).Scan(&id)
	})
	return id, err
}

// Before returns the last id that was written before an instant, 0 when there is none,
// and when the row after it was written; the zero time when there is none. It halves the
// ids, which grow with time, so that it asks for few rows and for no index of times. The
// zone is that of the times of the table.
func (l *Log) Before(ctx context.Context, since time.Time, zone *time.Location) (id int64, first time.Time, err error) {
	from, err := l.runs()
	if err != nil {
		return 0, first, err
	}
	query := "SELECT id, CAST(trigger_time AS CHAR) FROM " + from + " WHERE id >= ? AND trigger_time IS NOT NULL ORDER BY id LIMIT 1"
	err = l.read(ctx, func(r *reading) error {
		var low, high int64
		if err := r.tx.QueryRowContext(ctx, "SELECT COALESCE(MIN(id), 1), COALESCE(MAX(id), 0) FROM "+from).Scan(&low, &high); err != nil {
			return err
		}
		for low <= high {
			middle := low + (high-low)/2
			var found int64
			var text string
			switch err := r.tx.QueryRowContext(ctx, query, middle).Scan(&found, &text); {
			case errors.Is(err, sql.ErrNoRows):
				high = middle - 1
				continue
			case err != nil:
				return err
			}
			at, err := legacy.Instant(text, zone)
			if err != nil {
				return fmt.Errorf("row %d of the log: %w", found, err)
			}
			if at.Before(since) {
				low, id = found+1, found
			} else {
				high, first = middle-1, at
			}
		}
		return nil
	})
	return id, first, err
}
