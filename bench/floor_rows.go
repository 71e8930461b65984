package main

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// The database floor is the least that a database does for a run: a row is inserted and then
// updated once by its primary key. Transactions hold 500, 64 or 1 of them. It has one table
// without other indexes, and one writer.

// rowText fills a row to the size of a run, some 150 bytes.
const rowText = "schedule, http://127.0.0.1:9999/, default, succeeded: nothing to do was done in no time"

// rowsTable is for every database; each knows these types.
const rowsTable = `CREATE TABLE floor_rows (
	id BIGINT PRIMARY KEY, job_id BIGINT NOT NULL, state TEXT NOT NULL, planned_at BIGINT NOT NULL, due_at BIGINT NOT NULL,
	created_at BIGINT NOT NULL, started_at BIGINT, ended_at BIGINT, message TEXT NOT NULL)`

// rowsColumns are those that an insertion fills.
const rowsColumns = "id, job_id, state, planned_at, due_at, created_at, message"

// rowsSettings are the pragmas that the store's writer has (writeSettings in
// internal/store/sqlite).
var rowsSettings = []string{
	"temp_store = MEMORY", "journal_mode = WAL", "synchronous = FULL", "foreign_keys = 1", "cache_size = -65536",
	"wal_autocheckpoint = 8192", "journal_size_limit = 67108864",
}

// rowWriter writes so many rows from a first id on, in one transaction for each call.
type rowWriter interface {
	insert(ctx context.Context, first, n int64) error
	update(ctx context.Context, first, n int64) error
}

// howMany is the order to print how many rows have been inserted and updated.
const howMany = "how many?"

// rowsRole writes rows until the context ends, o.Jobs in a transaction. It prints "ready" first.
func rowsRole(ctx context.Context, o options) error {
	open := openSQLiteRows
	if o.Shared {
		open = openPostgresRows
	}
	w, err := open(ctx, o)
	if err != nil {
		return err
	}
	var written atomic.Int64
	go func() {
		for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
			if orders.Text() == howMany {
				fmt.Println(written.Load())
			}
		}
	}()
	fmt.Println("ready")
	n := int64(o.Jobs)
	for first := int64(1); ; first += n {
		err := w.insert(ctx, first, n)
		if err == nil {
			err = w.update(ctx, first, n)
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // It was stopped in the middle of a transaction.
		}
		if err != nil {
			return fmt.Errorf("write rows: %w", err)
		}
		written.Add(n)
	}
}

// sqliteRows writes by prepared statements, a row with each.
type sqliteRows struct{ begin, commit, add, end *sql.Stmt }

func openSQLiteRows(ctx context.Context, o options) (rowWriter, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(o.Dir, "rows.db")))
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range rowsSettings {
		if _, err := conn.ExecContext(ctx, "PRAGMA "+s); err != nil {
			return nil, fmt.Errorf("%s: %w", s, err)
		}
	}
	// This type makes the key the number of the row, as that of a run is.
	if _, err := conn.ExecContext(ctx, strings.Replace(rowsTable, "BIGINT PRIMARY", "INTEGER PRIMARY", 1)); err != nil {
		return nil, err
	}
	var w sqliteRows
	for text, to := range map[string]**sql.Stmt{
		"BEGIN IMMEDIATE": &w.begin, "COMMIT": &w.commit,
		"INSERT INTO floor_rows (" + rowsColumns + ") VALUES (?, ?, 'planned', ?, ?, ?, ?)":    &w.add,
		"UPDATE floor_rows SET state = 'succeeded', started_at = ?, ended_at = ? WHERE id = ?": &w.end,
	} {
		if *to, err = conn.PrepareContext(ctx, text); err != nil { //nolint:sqlclosecheck // It lasts as long as the process.
			return nil, err
		}
	}
	return &w, nil
}

func (w *sqliteRows) insert(ctx context.Context, first, n int64) error {
	return w.each(ctx, first, n, func(id, now int64) error {
		_, err := w.add.ExecContext(ctx, id, id%1000, now, now, now, rowText)
		return err
	})
}

func (w *sqliteRows) update(ctx context.Context, first, n int64) error {
	return w.each(ctx, first, n, func(id, now int64) error {
		_, err := w.end.ExecContext(ctx, now, now, id)
		return err
	})
}

// each writes the rows in one transaction. After a failure the process ends, and with it the
// transaction.
func (w *sqliteRows) each(ctx context.Context, first, n int64, write func(id, now int64) error) error {
	now := time.Now().UnixMilli()
	if _, err := w.begin.ExecContext(ctx); err != nil {
		return err
	}
	for id := first; id < first+n; id++ {
		if err := write(id, now); err != nil {
			return err
		}
	}
	_, err := w.commit.ExecContext(ctx)
	return err
}

// postgresRows writes all rows by one prepared statement, which is a transaction and a round trip.
type postgresRows struct {
	conn  *pgx.Conn
	ids   []int64
	texts []string
}

func openPostgresRows(ctx context.Context, _ options) (rowWriter, error) {
	conn, err := pgx.Connect(ctx, os.Getenv(sharedDatabase))
	if err != nil {
		return nil, err
	}
	w := &postgresRows{conn: conn}
	// Rows are found by their key: without statistics of a new table the planner would read all of it.
	for _, text := range []string{
		"SET synchronous_commit = on", "SET enable_seqscan = off", "SET enable_hashjoin = off", "SET enable_mergejoin = off",
		rowsTable + " WITH (fillfactor = 60)", // as the store's runs
	} {
		if _, err := conn.Exec(ctx, text); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *postgresRows) insert(ctx context.Context, first, n int64) error {
	w.ids, w.texts = w.ids[:0], w.texts[:0]
	for id := first; id < first+n; id++ {
		w.ids, w.texts = append(w.ids, id), append(w.texts, rowText)
	}
	_, err := w.conn.Exec(ctx, `INSERT INTO floor_rows (`+rowsColumns+`) SELECT id, id % 1000, 'planned', $2, $2, $2, text
		FROM unnest($1::bigint[], $3::text[]) AS n (id, text)`, w.ids, time.Now().UnixMilli(), w.texts)
	return err
}

func (w *postgresRows) update(ctx context.Context, _, _ int64) error {
	_, err := w.conn.Exec(ctx, `UPDATE floor_rows r SET state = 'succeeded', started_at = $2, ended_at = $2
		FROM unnest($1::bigint[]) AS n (id) WHERE r.id = n.id`, w.ids, time.Now().UnixMilli())
	return err
}
