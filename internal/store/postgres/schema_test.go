package postgres

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the other schema

	"github.com/orthd/orth/internal/store/dbtest"
	"github.com/orthd/orth/internal/store/schema"
	"github.com/orthd/orth/job"
)

// schemaOf returns what a database says of its columns and unique indexes, in order.
func schemaOf(t *testing.T, db *sql.DB, queries ...string) []string {
	t.Helper()
	var lines []string
	for _, query := range queries {
		lines = append(lines, linesOf(t, db, query)...)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// linesOf returns what a query finds, a text in each row.
func linesOf(t *testing.T, db *sql.DB, query string) (lines []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestSchemas compares tables, columns, what may be NULL, defaults and unique indexes of
// the schema with those of SQLite.
func TestSchemas(t *testing.T) {
	t.Parallel()
	ours := query(t, migrated(t))
	other, err := sql.Open("sqlite", "file:"+filepath.ToSlash(sqliteFile(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	got := schemaOf(t, ours,
		`SELECT 'column ' || table_name || '.' || column_name || ' ' || data_type || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END
			FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT IN ('schema_versions', 'under_way', 'runs_under_way')
			AND is_generated = 'NEVER' AND table_name NOT IN (SELECT relname FROM pg_class WHERE relispartition)`,
		`SELECT 'unique ' || t.relname || ' (' || (SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(x.indkey) WITH ORDINALITY k (c, n)
			JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.c) || ')' FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid
			JOIN pg_namespace n ON n.oid = t.relnamespace
			WHERE x.indisunique AND n.nspname = current_schema() AND t.relname NOT IN ('schema_versions', 'under_way') AND NOT t.relispartition`,
		`SELECT 'index ' || indexname FROM pg_indexes WHERE schemaname = current_schema() AND indexdef NOT LIKE 'CREATE UNIQUE%'`,
		`SELECT 'sequence ' || name || ' ' || next FROM sequences`)
	const columns = `SELECT m.name AS tab, c.* FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT IN ('schema_versions', 'job_spans')`
	want := schemaOf(t, other,
		`SELECT 'column ' || tab || '.' || name || ' ' || CASE type WHEN 'INTEGER' THEN 'bigint' WHEN 'TEXT' THEN 'text' ELSE 'bytea' END ||
			CASE WHEN "notnull" OR pk THEN ' NOT NULL' ELSE '' END FROM (`+columns+`)`,
		`SELECT 'unique ' || tab || ' (' || GROUP_CONCAT(name, ', ') || ')' FROM (SELECT tab, name FROM (`+columns+`) WHERE pk > 0 ORDER BY tab, pk) GROUP BY tab`,
		`SELECT 'unique ' || tab || ' (' || GROUP_CONCAT(name, ', ') || ')' FROM (SELECT m.name AS tab, x.name AS i, c.name AS name FROM sqlite_schema m
			JOIN pragma_index_list(m.name) x JOIN pragma_index_info(x.name) c
			WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT IN ('schema_versions', 'job_spans') AND x."unique" ORDER BY x.name, c.seqno) GROUP BY tab, i`,
		`SELECT 'index ' || name FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE INDEX%'`,
		`SELECT 'sequence ' || name || ' ' || next FROM sequences`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("PostgreSQL's schema differs from SQLite's (-sqlite +postgres):\n%s", diff)
	}
}

// TestServersStartAtOnce makes the schema by several servers at the same time.
func TestServersStartAtOnce(t *testing.T) {
	t.Parallel()
	address := database(t, "")
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		all.Go(func() {
			s, err := Open(context.WithoutCancel(t.Context()), address, Config{Readers: 1})
			if err == nil {
				err = s.Close()
			}
			errs[i] = err
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	var n int
	if err := query(t, address).QueryRowContext(t.Context(), "SELECT COUNT(*) FROM log_total").Scan(&n); err != nil || n != 1 {
		t.Errorf("the schema was made %d times (%v)", n, err)
	}
}

// TestRefusedDatabases opens databases that cannot be Orth's.
func TestRefusedDatabases(t *testing.T) {
	t.Parallel()
	empty := template(t)
	for name, c := range map[string]struct {
		template, change, says string
		kind                   job.Kind
	}{
		"newer":     {empty, "INSERT INTO schema_versions (version_id, is_applied) VALUES (9999, TRUE)", "version 9999, and this Orth knows", job.Invalid},
		"of before": {empty, "UPDATE schema_versions SET version_id = 50 WHERE version_id = 1", "schema version 50 of a development build", job.Invalid},
		"another":   {"", "CREATE TABLE guests (name text)", "tables of another program", job.Invalid},
		"no steps":  {empty, "DROP TABLE schema_versions", "has tables of Orth", job.Invalid},
		"read-only": {empty, "ALTER DATABASE %s SET default_transaction_read_only = on", "read-only", job.Unavailable},
	} {
		address := database(t, c.template)
		change := strings.ReplaceAll(c.change, "%s", nameIn(t, address))
		if _, err := query(t, address).ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
		_, err := Open(t.Context(), address, Config{})
		if !job.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if found, looked := Steps(t.Context(), address); c.kind == job.Invalid && (looked != nil || found.Refused == nil || found.Refused.Error() != err.Error()) {
			t.Errorf("%s: what looks says %v, %v, and what opens %v", name, found.Refused, looked, err)
		}
	}
	if _, err := Open(t.Context(), dbtest.PostgresAt(t, dbtest.Server(t, dbtest.Postgres), empty+"_absent"), Config{}); !job.Is(err, job.Unavailable) {
		t.Errorf("absent: %v", err)
	}
}

// sqliteFile makes a file with SQLite's schema, by its steps.
func sqliteFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "orth.db")
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, os.DirFS(filepath.Join("..", "sqlite", "migrations")),
		goose.WithDisableGlobalRegistry(true), goose.WithTableName(schema.Table), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := provider.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
