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

// logTable returns the name of the log for SQL.
func (l *Log) logTable() (string, error) {
	if !slices.Contains(l.tables[l.prefix+xxlimport.TableRuns], "trigger_time") {
		return "", job.Errorf(job.Invalid, "the table %s%s is not there, or has no column trigger_time", l.prefix, xxlimport.TableRuns)
	}
	return quoted(l.prefix + xxlimport.TableRuns)
}

// readInTx lets a function read in a transaction.
func (l *Log) readInTx(ctx context.Context, do func(*reading) error) error {
	tx, err := l.source.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return l.source.wrapError(err)
	}
	defer tx.Rollback()
	return l.source.wrapError(do(&reading{tx: tx, tables: l.tables, prefix: l.prefix}))
}

// Plans returns when jobs fire, at one instant.
func (l *Log) Plans(ctx context.Context) (p xxlimport.Plans, err error) {
	err = l.readInTx(ctx, func(r *reading) (err error) {
		if p.Groups, err = r.readRows(ctx, xxlimport.TableGroups, xxlimport.MaxGroups, "id", "app_name"); err != nil {
			return err
		}
		if p.Jobs, err = r.readRows(ctx, xxlimport.TableJobs, xxlimport.MaxJobs, "id", "job_group", "job_desc", "name", "schedule_type", "schedule_conf",
			"job_cron", "executor_fail_retry_count", "trigger_status", "trigger_next_time", "update_time"); err != nil {
			return err
		}
		var now float64
		if err := r.tx.QueryRowContext(ctx, "SELECT UNIX_TIMESTAMP(NOW(6))").Scan(&now); err != nil {
			return err
		}
		p.Now = time.UnixMilli(int64(now * 1000)).UTC()
		p.Zone, p.ZoneFrom, err = l.source.databaseZone(ctx, r)
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
func (l *Log) After(ctx context.Context, id int64, limit int) (all []xxlimport.Row, err error) {
	return l.after(ctx, id, limit, runColumns())
}

// Whole is After with all that is known of the runs.
func (l *Log) Whole(ctx context.Context, id int64, limit int) (all []xxlimport.Row, err error) {
	return l.after(ctx, id, limit, append(runColumns(), "executor_address", "executor_param", "trigger_msg", "handle_time", "handle_code", "handle_msg"))
}

func (l *Log) after(ctx context.Context, id int64, limit int, wanted []string) (all []xxlimport.Row, err error) {
	has := l.tables[l.prefix+xxlimport.TableRuns]
	var names, columns []string
	for _, name := range wanted {
		if slices.Contains(has, name) {
			names, columns = append(names, name), append(columns, fmt.Sprintf("LEFT(CAST(%s AS CHAR), %d)", "`"+name+"`", maxWords))
		}
	}
	from, err := l.logTable()
	if err != nil {
		return nil, err
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + from + " WHERE id > ? ORDER BY id LIMIT ?"
	err = l.readInTx(ctx, func(r *reading) error {
		all, err = r.readSome(ctx, query, id, min(max(limit, 1), MaxPage), names)
		return err
	})
	return all, err
}

// maxCodes is how many older texts of a job's script are read, the newest: as many as the
// old server keeps.
const maxCodes = 30

// Codes returns the older texts of the script of a job, the oldest first.
func (l *Log) Codes(ctx context.Context, jobID int64) (all []xxlimport.Row, err error) {
	has := l.tables[l.prefix+xxlimport.TableCode]
	if !slices.Contains(has, "job_id") || !slices.Contains(has, "glue_source") {
		return nil, nil
	}
	var names, columns []string
	for _, name := range []string{"id", "glue_type", "glue_source", "glue_remark", "add_time", "update_time"} {
		if slices.Contains(has, name) {
			names, columns = append(names, name), append(columns, fmt.Sprintf("LEFT(CAST(%s AS CHAR), %d)", "`"+name+"`", maxText))
		}
	}
	from, err := quoted(l.prefix + xxlimport.TableCode)
	if err != nil {
		return nil, err
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + from + " WHERE job_id = ? ORDER BY id DESC LIMIT ?"
	err = l.readInTx(ctx, func(r *reading) error {
		all, err = r.readSome(ctx, query, jobID, maxCodes, names)
		return err
	})
	slices.Reverse(all)
	return all, err
}

// Newest returns the highest id of the log, 0 when it is empty.
func (l *Log) Newest(ctx context.Context) (id int64, err error) {
	from, err := l.logTable()
	if err != nil {
		return 0, err
	}
	err = l.readInTx(ctx, func(r *reading) error {
		return r.tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) FROM "+from).Scan(&id)
	})
	return id, err
}

// probed is how many rows are looked at together to tell when they were written: one that
// lies about its time says nothing against the others.
const probed = 9

// Before returns the last id that was written before an instant, 0 when there is none,
// and when the row after it was written; the zero time when there is none. It halves the
// ids, which grow with time, so that it asks for few rows and for no index of times. Rows
// without a time that can be read, and single ones that are out of their order, are passed
// over. The zone is that of the times of the table.
func (l *Log) Before(ctx context.Context, since time.Time, zone *time.Location) (id int64, first time.Time, err error) {
	from, err := l.logTable()
	if err != nil {
		return 0, first, err
	}
	p := prober{query: "SELECT id, CAST(trigger_time AS CHAR) FROM " + from + " WHERE id >= ? AND trigger_time > '1000-01-01' ORDER BY id LIMIT ?", zone: zone}
	err = l.readInTx(ctx, func(r *reading) error {
		var low, high int64
		if err := r.tx.QueryRowContext(ctx, "SELECT COALESCE(MIN(id), 1), COALESCE(MAX(id), 0) FROM "+from).Scan(&low, &high); err != nil {
			return err
		}
		p.reading = r
		for low <= high {
			middle := low + (high-low)/2
			rows, err := p.firstRows(ctx, middle)
			if err != nil {
				return err
			}
			if len(rows) > 0 && median(rows).Before(since) {
				low, id = rows[0].id+1, rows[0].id
			} else {
				high = middle - 1
			}
		}
		id, first, err = p.stepTo(ctx, id, since)
		return err
	})
	return id, first, err
}

// prober asks when rows of the log were written.
type prober struct {
	*reading

	query string
	zone  *time.Location
}

// written is when a row was.
type written struct {
	id int64
	at time.Time
}

// firstRows returns the first rows from an id on, without those whose times cannot be read.
func (p *prober) firstRows(ctx context.Context, id int64) (rows []written, err error) {
	found, err := p.tx.QueryContext(ctx, p.query, id, probed)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var one written
		var text string
		if err := found.Scan(&one.id, &text); err != nil {
			return nil, err
		}
		if one.at, err = xxlimport.Instant(text, p.zone); err == nil {
			rows = append(rows, one)
		}
	}
	return rows, found.Err()
}

// stepTo goes on from an id, row by row, to the last one before an instant, and returns when
// the one after it was written. It is near already.
func (p *prober) stepTo(ctx context.Context, id int64, since time.Time) (int64, time.Time, error) {
	for range probed {
		rows, err := p.firstRows(ctx, id+1)
		if err != nil || len(rows) == 0 {
			return id, time.Time{}, err
		}
		for _, one := range rows {
			if !one.at.Before(since) {
				return id, one.at, nil
			}
			id = one.id
		}
	}
	return id, time.Time{}, nil
}

// median returns the time in the middle of some.
func median(rows []written) time.Time {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b written) int { return a.at.Compare(b.at) })
	return rows[(len(rows)-1)/2].at
}
