package database

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

const (
	// page is how many rows are asked for at once.
	page = 200
	// maxColumns bounds the columns of all tables of the database.
	maxColumns = 50_000
	// maxText is the most that is read of a text, in bytes: more than a server takes,
	// so that it sees that there is more.
	maxText = job.MaxSource + 4
	// maxBytes bounds all that is read.
	maxBytes = 256 << 20
)

// reading is one snapshot under way.
type reading struct {
	tx     *sql.Tx
	prefix string
	tables map[string][]string // columns by whole names of tables
	bytes  int
}

// Read returns what a database holds of a server whose tables begin with a prefix, or,
// when that is empty, of the only one that there is. Users are read when wanted. Kinds:
// Invalid when there are no such tables, or too much is in them, Forbidden, Unavailable.
func (s *Source) Read(ctx context.Context, prefix string, users bool) (xxlimport.Contents, error) {
	var c xxlimport.Contents
	err := s.snapshot(ctx, prefix, func(r *reading) (err error) {
		if c, err = s.contents(ctx, r, users); err != nil {
			return err
		}
		return nil
	})
	return c, err
}

// snapshot lets a function read one snapshot, of tables that begin with a prefix.
func (s *Source) snapshot(ctx context.Context, prefix string, do func(*reading) error) error {
	if err := s.greet(ctx); err != nil {
		return s.wrapError(err)
	}
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return s.wrapError(err)
	}
	defer tx.Rollback()
	r := &reading{tx: tx}
	if err = r.readColumns(ctx); err == nil {
		err = r.findTables(prefix)
	}
	if err == nil {
		err = do(r)
	}
	return s.wrapError(err)
}

func (s *Source) contents(ctx context.Context, r *reading, users bool) (c xxlimport.Contents, err error) {
	c.Prefix, c.Columns = r.prefix, map[string][]string{}
	for _, table := range []string{xxlimport.TableGroups, xxlimport.TableJobs, xxlimport.TableUsers, xxlimport.TableCode, xxlimport.TableRuns} {
		c.Columns[table] = r.tables[r.prefix+table]
	}
	if c.Groups, err = r.readRows(ctx, xxlimport.TableGroups, xxlimport.MaxGroups, "id", "app_name", "title", "name", "address_type", "address_list", "access_token"); err != nil {
		return c, err
	}
	if c.Jobs, err = r.readRows(ctx, xxlimport.TableJobs, xxlimport.MaxJobs, "id", "job_group", "job_desc", "name", "author", "alarm_email",
		"schedule_type", "schedule_conf", "job_cron", "misfire_strategy", "executor_route_strategy", "executor_handler", "executor_param",
		"executor_block_strategy", "executor_concurrency", "executor_timeout", "executor_fail_retry_count", "glue_type", "glue_source",
		"glue_remark", "child_jobid", "super_task_id", "trigger_status"); err != nil {
		return c, err
	}
	if users {
		if c.Users, err = r.readRows(ctx, xxlimport.TableUsers, xxlimport.MaxUsers, "id", "username", "password", "role", "permission"); err != nil {
			return c, err
		}
	}
	if c.Versions, err = r.versions(ctx); err != nil {
		return c, err
	}
	if c.UniqueBeats, c.WideParams, err = r.signs(ctx); err != nil {
		return c, err
	}
	c.Zone, c.ZoneFrom, err = s.databaseZone(ctx, r)
	return c, err
}

// readColumns asks which columns the tables of the database have.
func (r *reading) readColumns(ctx context.Context) error {
	found, err := r.tx.QueryContext(ctx,
		`SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position LIMIT ?`, maxColumns)
	if err != nil {
		return err
	}
	defer found.Close()
	r.tables = map[string][]string{}
	for found.Next() {
		var table, column string
		if err := found.Scan(&table, &column); err != nil {
			return err
		}
		r.tables[table] = append(r.tables[table], strings.ToLower(column))
	}
	return found.Err()
}

// findTables decides which tables are meant.
func (r *reading) findTables(prefix string) error {
	var found []string
	for table, columns := range r.tables {
		start, ok := strings.CutSuffix(table, xxlimport.TableJobs)
		if ok && slices.Contains(columns, "executor_route_strategy") && slices.Contains(columns, "glue_type") && r.tables[start+xxlimport.TableGroups] != nil {
			found = append(found, start)
		}
	}
	slices.Sort(found)
	switch {
	case prefix != "" && slices.Contains(found, prefix):
		r.prefix = prefix
	case prefix != "":
		return job.FieldErrorf("--table-prefix", "%.64q begins no tables with jobs and groups; those of this database begin with %q", prefix, found)
	case len(found) == 1:
		r.prefix = found[0]
	case len(found) == 0:
		return &job.Error{
			Kind: job.Invalid, Message: "the database has no tables of XXL-JOB, such as xxl_job_info and xxl_job_group, that this user may see",
			Hint: "name the database that the old admin uses; its user needs the right to SELECT",
		}
	default:
		return job.FieldErrorf("--table-prefix", "is needed: there are tables that begin with %q", found)
	}
	return nil
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_$.-]{1,64}$`)

// quoted writes the name of a table or column for SQL.
func quoted(name string) (string, error) {
	if !plainName.MatchString(name) {
		return "", job.Errorf(job.Invalid, "the table %.64q has a name that is not read: letters, digits, '_', '-' and '.' are", name)
	}
	return "`" + name + "`", nil
}

// readRows returns those of the wanted columns that a table has, in the order of id. A
// table that is not there has no rows.
func (r *reading) readRows(ctx context.Context, table string, most int, wanted ...string) (all []xxlimport.Row, err error) {
	has := r.tables[r.prefix+table]
	if has == nil {
		return nil, nil
	}
	var names, columns []string
	for _, name := range wanted {
		if slices.Contains(has, name) {
			names = append(names, name)
			column := "`" + name + "`"
			if name != "id" {
				column = fmt.Sprintf("LEFT(CAST(%s AS CHAR), %d)", column, maxText)
			}
			columns = append(columns, column)
		}
	}
	if len(names) == 0 || names[0] != "id" {
		return nil, job.Errorf(job.Invalid, "the table %s%s has no column id", r.prefix, table)
	}
	from, err := quoted(r.prefix + table)
	if err != nil {
		return nil, err
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + from + " WHERE id > ? ORDER BY id LIMIT ?"
	first := "SELECT " + strings.Join(columns, ", ") + " FROM " + from + " WHERE ? = '' ORDER BY id LIMIT ?" // also what is no number above 0
	for after := ""; ; after, first = all[len(all)-1]["id"], query {
		found, err := r.readPage(ctx, first, after, names)
		if err != nil {
			return nil, fmt.Errorf("table %s%s: %w", r.prefix, table, err)
		}
		if all = append(all, found...); len(all) > most {
			return nil, job.Errorf(job.Invalid, "the table %s%s has more than %d rows, which is as many as are taken over: make views of a part of its groups and jobs, such as part_group and part_info, and name them with --table-prefix part_", r.prefix, table, most)
		}
		if len(found) < page {
			return all, nil
		}
	}
}

func (r *reading) readPage(ctx context.Context, query, after string, names []string) (all []xxlimport.Row, err error) {
	return r.readSome(ctx, query, after, page, names)
}

// readSome returns the rows of a query for those behind one, at most limit.
func (r *reading) readSome(ctx context.Context, query string, after any, limit int, names []string) (all []xxlimport.Row, err error) {
	found, err := r.tx.QueryContext(ctx, query, after, limit)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		texts := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range texts {
			into[i] = &texts[i]
		}
		if err := found.Scan(into...); err != nil {
			return nil, err
		}
		row := xxlimport.Row{}
		for i, name := range names {
			if texts[i].Valid {
				row[name] = texts[i].String
				r.bytes += len(texts[i].String)
			}
		}
		if r.bytes > maxBytes {
			return nil, job.Errorf(job.Invalid, "there is more than %d MiB to read", maxBytes>>20)
		}
		all = append(all, row)
	}
	return all, found.Err()
}

// versions counts older texts of code by job.
func (r *reading) versions(ctx context.Context) (map[int64]int, error) {
	all := map[int64]int{}
	if !slices.Contains(r.tables[r.prefix+xxlimport.TableCode], "job_id") {
		return all, nil
	}
	from, err := quoted(r.prefix + xxlimport.TableCode)
	if err != nil {
		return nil, err
	}
	query := "SELECT CAST(job_id AS CHAR), COUNT(*) FROM " + from + " WHERE job_id IS NOT NULL GROUP BY job_id LIMIT ?" //nolint:gosec // quoted has seen the name.
	found, err := r.tx.QueryContext(ctx, query, xxlimport.MaxJobs)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var text string
		var n int
		if err := found.Scan(&text, &n); err != nil {
			return nil, err
		}
		if id, err := strconv.ParseInt(text, 10, 64); err == nil { // what is no number is that of no job
			all[id] += n
		}
	}
	return all, found.Err()
}

// signs asks what tells versions apart that have the same columns.
func (r *reading) signs(ctx context.Context) (uniqueBeats, wideParams bool, err error) {
	var unique, wide int
	err = r.tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM information_schema.statistics
		WHERE table_schema = DATABASE() AND table_name = ? AND non_unique = 0 AND index_name <> 'PRIMARY'`, r.prefix+"registry").Scan(&unique)
	if err != nil {
		return false, false, err
	}
	err = r.tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM information_schema.columns
		WHERE table_schema = DATABASE() AND table_name = ? AND column_name = 'executor_param' AND data_type LIKE '%text'`, r.prefix+xxlimport.TableJobs).Scan(&wide)
	return unique > 0, wide > 0, err
}

// databaseZone asks in which zone the database writes its times.
func (s *Source) databaseZone(ctx context.Context, r *reading) (zone, from string, err error) {
	if s.said != "" {
		return s.said, "serverTimezone of the address", nil
	}
	var session, system string
	if err := r.tx.QueryRowContext(ctx, "SELECT @@session.time_zone, @@system_time_zone").Scan(&session, &system); err != nil {
		return "", "", err
	}
	if strings.EqualFold(session, "SYSTEM") {
		return system, "the system of the database", nil
	}
	return session, "the session of the database", nil
}
