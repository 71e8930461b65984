package mysql

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/store/schema"
	"github.com/orthd/orth/job"
)

// migrations are applied in the order of their numbers and never change once they were
// released. Those of SQLite have the same numbers.
//
//go:embed migrations/*.sql
var migrations embed.FS

// step is one file of migrations.
type step struct {
	version    int64
	statements []string
}

// tableOptions stand for {{table}} behind a table's columns: nothing is left to the
// database's defaults.
const tableOptions = "ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE "

// parseStep reads the statements of a step. A statement ends with a semicolon at the end
// of its line; a line that begins with -- is a comment.
func parseStep(version int64, name, text string) (step, error) {
	s := step{version: version}
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		lines = append(lines, line)
		if strings.HasSuffix(line, ";") {
			s.statements = append(s.statements, strings.TrimSuffix(strings.Join(lines, "\n"), ";"))
			lines = nil
		}
	}
	if lines != nil {
		return s, fmt.Errorf("migration %s has a statement without an end", name)
	}
	return s, nil
}

// buildersTurn is the lock that a change of the schema holds. It belongs to the session: a
// statement that changes a table ends the transaction. Its name is that of the database,
// for the names of locks are those of the whole server, and no longer than 64 bytes.
const buildersTurn = "CONCAT('orth.schema.', SUBSTR(SHA2(DATABASE(), 256), 1, 40))"

// turnsFor is how long a server waits for others to bring the schema up to date, in seconds.
const turnsFor = 3600

// migrate brings the schema up to date: forward only. Of several servers that start at
// once one does it, and the others wait; the lock of one that dies is free.
func migrate(ctx context.Context, db *sql.DB, found *session, name string) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	var got sql.NullInt64
	if err := conn.QueryRowContext(ctx, fmt.Sprintf("SELECT GET_LOCK(%s, %d)", buildersTurn, turnsFor)).Scan(&got); err != nil || got.Int64 != 1 {
		return errors.Join(job.Errorf(job.Unavailable, "the turn to change the schema of %s did not come", name), err)
	}
	defer func() {
		// The connection may be gone, and the lock with it.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "DO RELEASE_LOCK("+buildersTurn+")")
	}()
	of, err := describe(db, found.collation(), name)
	if err != nil {
		return err
	}
	noting := false // a server with no step to make needs no right to note one
	of.Make = func(ctx context.Context, one *schema.Step) error {
		s, err := parseStep(one.Number, one.Name, one.SQL)
		if err != nil {
			return err
		}
		if !noting {
			if _, err := conn.ExecContext(ctx, makeVersions); err != nil {
				return err
			}
			noting = true
		}
		return s.do(ctx, conn)
	}
	_, err = of.Up(ctx)
	return err
}

// describe returns the schema of a database.
func describe(db *sql.DB, collation, name string) (*schema.Schema, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return &schema.Schema{
		DB: db, Steps: files, Name: name,
		Fit:      func(ctx context.Context) error { return fit(ctx, db, name) },
		Has:      "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?",
		Live:     "SELECT name FROM servers WHERE stopped_at = 0 AND lease_until > UNIX_TIMESTAMP(SYSDATE(3)) * 1000 ORDER BY name",
		Insert:   "INSERT INTO schema_steps (number, name, checksum) VALUES (?, ?, ?) ON DUPLICATE KEY UPDATE number = number",
		Versions: "SELECT version_id, NULL FROM " + schema.Table + " WHERE is_applied = 1 ORDER BY version_id",
		Expand:   func(sql string) string { return strings.ReplaceAll(sql, "{{table}}", tableOptions+collation) },
	}, nil
}

// Steps returns how the schema of the database of an address stands, and changes nothing.
// Kinds: as Open.
func Steps(ctx context.Context, address string) (state schema.State, err error) {
	base, err := parse(address)
	if err != nil {
		return state, err
	}
	name := nameOf(base)
	state.Name = name
	db, err := pool(base, &Config{}, 1, openFor, forLook())
	if err != nil {
		return state, explain(name, err)
	}
	defer func() { _ = db.Close() }()
	found, err := look(ctx, db)
	if err != nil {
		return state, explain(name, err)
	}
	of, err := describe(db, found.collation(), name)
	if err != nil {
		return state, err
	}
	if state, err = of.Look(ctx); err != nil {
		return state, explain(name, err)
	}
	return state, nil
}

// Migrate brings the schema of the database of an address up to date, as the start of a
// server does. Kinds: as Open.
func Migrate(ctx context.Context, address string) error {
	base, err := parse(address)
	if err != nil {
		return err
	}
	if _, err := prepare(ctx, base, &Config{Readers: 1, Logger: slog.New(slog.DiscardHandler)}); err != nil {
		return explain(nameOf(base), err)
	}
	return nil
}

const (
	makeVersions = "CREATE TABLE IF NOT EXISTS schema_versions (version_id BIGINT NOT NULL, statements BIGINT NOT NULL," +
		" is_applied BIGINT NOT NULL, PRIMARY KEY (version_id)) " + tableOptions + "utf8mb4_bin"
	countTables = `SELECT COUNT(*), COUNT(CASE WHEN table_name = '` + schema.Table + `' THEN 1 END), COUNT(CASE WHEN table_name = '` + schema.Checksums + `' THEN 1 END),
		COUNT(CASE WHEN engine <> 'InnoDB' THEN 1 END),
		COUNT(CASE WHEN row_format NOT IN ('Dynamic', 'DYNAMIC') THEN 1 END) FROM information_schema.tables WHERE table_schema = DATABASE()`
)

// fit refuses a database with tables of another program, or with tables altered to an
// engine without transactions, or to a format without room for keys.
func fit(ctx context.Context, db *sql.DB, name string) error {
	var tables, own, orths, others, narrow int64
	if err := db.QueryRowContext(ctx, countTables).Scan(&tables, &own, &orths, &others, &narrow); err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	switch {
	case tables > 0 && own == 0:
		return schema.Foreign(name, "choose an empty database: a server has many of them", orths > 0)
	case others > 0:
		return refuse(job.Invalid, "ALTER TABLE … ENGINE = InnoDB", "%s of the database %s %s not of the engine InnoDB, which alone has transactions", plural.Count(others, "table"), name, plural.Verb(others, "is", "are"))
	case narrow > 0:
		return refuse(job.Invalid, "ALTER TABLE … ROW_FORMAT = DYNAMIC", "%s of the database %s %s another row format than DYNAMIC", plural.Count(narrow, "table"), name, plural.Verb(narrow, "has", "have"))
	}
	return nil
}

// do runs the statements of a step that were not done, and notes each. What changes rows
// is noted in its own transaction. What changes tables commits at once: when a server was
// killed before the note, the statement finds its work done.
func (s *step) do(ctx context.Context, conn *sql.Conn) error {
	var done, applied int64
	row := conn.QueryRowContext(ctx, "SELECT statements, is_applied FROM schema_versions WHERE version_id = ?", s.version)
	if err := row.Scan(&done, &applied); err != nil && !errors.Is(err, sql.ErrNoRows) || applied == 1 {
		return err
	}
	for i := done; i < int64(len(s.statements)); i++ {
		last := bit(i+1 == int64(len(s.statements)))
		// Only the first one may have been executed by a server that did not note it.
		if err := s.one(ctx, conn, s.statements[i], i == done, i+1, last); err != nil {
			return fmt.Errorf("statement %d: %w", i+1, err)
		}
	}
	return nil
}

// note is of a statement that was done.
const note = "INSERT INTO schema_versions (version_id, statements, is_applied) VALUES (?, ?, ?)" +
	" ON DUPLICATE KEY UPDATE statements = VALUES(statements), is_applied = VALUES(is_applied)"

// one runs a statement and notes that it was executed. again means that it may have been
// before.
func (s *step) one(ctx context.Context, conn *sql.Conn, statement string, again bool, number, last int64) error {
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, statement)
	if err == nil || again && isDone(err) {
		_, err = tx.ExecContext(ctx, note, s.version, number, last)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// isDone reports whether a statement about a table found its work done.
func isDone(err error) bool {
	said, ok := errors.AsType[*mysql.MySQLError](err)
	if !ok {
		return false
	}
	switch said.Number {
	case errTableExists,
		1060, 1061, 1091, // the column and the key are there; what is to be dropped is not
		1826, 3822: // the foreign key and the check are there
		return true
	}
	return false
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
