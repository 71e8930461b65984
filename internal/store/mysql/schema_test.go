package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the other schema

	"github.com/orthd/orth/internal/store/dbtest"
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

// ourSchema are questions after the schema. Columns that stand for the condition of an
// index of SQLite are not told, and an index of one is told as that index.
func ourSchema() []string {
	return []string{
		`SELECT CONCAT('column ', table_name, '.', column_name, ' ', CASE WHEN data_type IN ('varchar', 'longtext') THEN 'text' ELSE data_type END,
			CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END) FROM information_schema.columns
			WHERE table_schema = DATABASE() AND table_name NOT IN ('schema_versions', 'writers_turn') AND extra NOT LIKE '%GENERATED%'`,
		`SELECT CONCAT('unique ', table_name, ' (', REPLACE(REPLACE(GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR ', '),
			'subject_sum', 'subject'), 'default_of', 'namespace'), ')') FROM information_schema.statistics
			WHERE table_schema = DATABASE() AND non_unique = 0 AND table_name NOT IN ('schema_versions', 'writers_turn') GROUP BY table_name, index_name`,
		`SELECT CONCAT('sequence ', name, ' ', next) FROM sequences`,
	}
}

// TestSchemas compares tables, columns, what may be NULL and unique indexes of the schema
// with those of SQLite.
func TestSchemas(t *testing.T) {
	t.Parallel()
	ours := query(t, migrated(t))
	other, err := sql.Open("sqlite", "file:"+filepath.ToSlash(sqliteFile(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	got := schemaOf(t, ours, ourSchema()...)
	const columns = `SELECT m.name AS tab, c.* FROM sqlite_schema m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT IN ('schema_versions', 'job_spans')`
	want := schemaOf(t, other,
		`SELECT 'column ' || tab || '.' || name || ' ' || CASE type WHEN 'INTEGER' THEN 'bigint' WHEN 'TEXT' THEN 'text' ELSE 'longblob' END ||
			CASE WHEN "notnull" OR pk THEN ' NOT NULL' ELSE '' END FROM (`+columns+`)`,
		`SELECT 'unique ' || tab || ' (' || GROUP_CONCAT(name, ', ') || ')' FROM (SELECT tab, name FROM (`+columns+`) WHERE pk > 0 ORDER BY tab, pk) GROUP BY tab`,
		`SELECT 'unique ' || tab || ' (' || GROUP_CONCAT(name, ', ') || ')' FROM (SELECT m.name AS tab, x.name AS i, c.name AS name FROM sqlite_schema m
			JOIN pragma_index_list(m.name) x JOIN pragma_index_info(x.name) c
			WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT IN ('schema_versions', 'job_spans') AND x."unique" ORDER BY x.name, c.seqno) GROUP BY tab, i`,
		`SELECT 'sequence ' || name || ' ' || next FROM sequences`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the schema differs from SQLite's (-sqlite +mysql):\n%s", diff)
	}
	for _, wrong := range linesOf(t, ours, `SELECT CONCAT(table_name, ' ', engine, ' ', row_format, ' ', table_collation) FROM information_schema.tables
		WHERE table_schema = DATABASE() AND (engine <> 'InnoDB' OR LOWER(row_format) <> 'dynamic' OR table_collation NOT IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')
		AND table_name <> 'schema_versions')`) {
		t.Errorf("table %s", wrong)
	}
}

// TestServersStartAtOnce makes the schema by several servers at the same time.
func TestServersStartAtOnce(t *testing.T) {
	t.Parallel()
	address := database(t)
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
	for name, c := range map[string]struct {
		change, says string
		schema       bool
	}{
		"newer":      {"INSERT INTO schema_versions (version_id, statements, is_applied) VALUES (9999, 1, 1)", "version 9999, and this Orth knows", true},
		"of before":  {"UPDATE schema_versions SET version_id = 50 WHERE version_id = 1", "schema version 50 of a development build", true},
		"another":    {"CREATE TABLE guests (name TEXT)", "tables of another program", false},
		"no steps":   {"DROP TABLE schema_versions", "has tables of Orth", true},
		"engine":     {"ALTER TABLE stops ENGINE = Aria", "not of the engine InnoDB", true},
		"row format": {"ALTER TABLE stops ROW_FORMAT = COMPACT", "row format", true},
	} {
		base := database
		if c.schema {
			base = migrated
		}
		address := base(t)
		dbtest.Must(t, query(t, address), c.change)
		if _, err := Open(t.Context(), address, Config{}); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	config := configOf(t, server(t))
	config.DBName = "orth_absent"
	if _, err := Open(t.Context(), config.FormatDSN(), Config{}); !job.Is(err, job.Unavailable) {
		t.Errorf("absent: %v", err)
	}
	config.User, config.Passwd = "nobody_of_orth", "hunter2hunter2"
	if _, err := Open(t.Context(), config.FormatDSN(), Config{}); !job.Is(err, job.Unavailable) || strings.Contains(err.Error(), config.Passwd) {
		t.Errorf("nobody: %v", err)
	}
}

// TestKilledSteps ends the server that makes the schema before, and after, each of its
// statements: the next one goes on where it was, and comes to the same schema.
func TestKilledSteps(t *testing.T) {
	t.Parallel()
	want := schemaOf(t, query(t, migrated(t)), ourSchema()...)
	files := fstest.MapFS{
		"0001_one.sql": {Data: []byte("-- Some.\nCREATE TABLE a (\n\tn BIGINT NOT NULL,\n\tPRIMARY KEY (n)\n) {{table}};\n\nINSERT INTO a (n) VALUES (1);\n")},
		"0002_two.sql": {Data: []byte("ALTER TABLE a ADD COLUMN m BIGINT NOT NULL DEFAULT 7;\nCREATE INDEX a_m ON a (m);\nUPDATE a SET m = m + 1;\nDROP INDEX a_m ON a;\n" +
			"ALTER TABLE a ADD CONSTRAINT a_m CHECK (m > 0);\nINSERT INTO a (n, m) SELECT n + 1, m FROM a;\n")},
	}
	address := database(t)
	db := query(t, address)
	dbtest.Must(t, db, makeVersions)
	var known []step
	for i, name := range []string{"0001_one.sql", "0002_two.sql"} {
		one, err := parseStep(int64(i+1), name, strings.ReplaceAll(string(files[name].Data), "{{table}}", tableOptions+"utf8mb4_bin"))
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, one)
	}
	finished := false
	for killed := 0; !finished; killed++ {
		var run atomic.Int64
		finished = killedAfter(t, address, &run, int64(1+killed%3), known) == nil
		if killed > 100 {
			t.Fatal("it does not come to an end")
		}
	}
	if got := linesOf(t, db, "SELECT CONCAT(n, ' ', m) FROM a ORDER BY n"); !slices.Equal(got, []string{"1 8", "2 8"}) {
		t.Errorf("the rows are %v", got)
	}
	if got := linesOf(t, db, "SELECT CONCAT(version_id, ' ', statements, ' ', is_applied) FROM schema_versions ORDER BY version_id"); !slices.Equal(got, []string{"1 2 1", "2 6 1"}) {
		t.Errorf("the steps are %v", got)
	}
	// The real schema, by a server that is killed again and again.
	address = database(t)
	for tries := 0; ; tries++ {
		var run atomic.Int64
		through := func(next driver.Connector) driver.Connector {
			return &killing{Connector: next, run: &run, last: int64(20 + 7*(tries%5))}
		}
		s, err := Open(t.Context(), address, Config{Readers: 1, through: through})
		if err == nil {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			break
		}
		if tries > 100 {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, schemaOf(t, query(t, address), ourSchema()...)); diff != "" {
		t.Errorf("the schema of killed servers differs (-want +got):\n%s", diff)
	}
}

// killedAfter does steps on a connection that ends after so many statements.
func killedAfter(t *testing.T, address string, run *atomic.Int64, last int64, known []step) error {
	t.Helper()
	next, err := mysql.NewConnector(configOf(t, address))
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(&killing{Connector: next, run: run, last: last})
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for i := range known {
		if err := known[i].do(t.Context(), conn); err != nil {
			return err
		}
	}
	return nil
}

// killing ends what it is connected with after some statements, of all connections.
type killing struct {
	driver.Connector
	run  *atomic.Int64
	last int64
}

func (k *killing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &killingConn{fullConn: conn.(fullConn), of: k}, nil
}

type killingConn struct {
	fullConn
	of *killing
}

var errKilled = errors.New("killed")

// ExecContext implements driver.ExecerContext.
func (c *killingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if c.of.run.Add(1) > c.of.last {
		return nil, errors.Join(errKilled, c.fullConn.Close())
	}
	return c.fullConn.ExecContext(ctx, query, args)
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
		goose.WithDisableGlobalRegistry(true), goose.WithTableName("schema_versions"), goose.WithLogger(goose.NopLogger()))
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

// TestSteps reads migrations that are wrong.
func TestSteps(t *testing.T) {
	t.Parallel()
	for says, text := range map[string]string{
		"without an end":    "SELECT 1\n",
		"SELECT 1|SELECT 2": "-- A comment;\nSELECT\n1;\nSELECT 2;\n",
	} {
		known, err := parseStep(1, "0001_first.sql", text)
		said := fmt.Sprint(err)
		if err == nil {
			said = strings.ReplaceAll(strings.Join(known.statements, "|"), "\n", " ")
		}
		if !strings.Contains(said, says) {
			t.Errorf("%q, want %q", said, says)
		}
	}
}

// Steps are told before and after they are made, and what was made otherwise is refused.
func TestMigrate(t *testing.T) {
	t.Parallel()
	address := database(t)
	states := func() (missing, made int) {
		found, err := Steps(t.Context(), address)
		if err != nil || found.Name == "" || found.Refused != nil {
			t.Fatal(found.Name, found.Refused, err)
		}
		all := found.Steps
		for i := range all {
			if all[i].Made {
				made++
			} else {
				missing++
			}
			if strings.Contains(all[i].SQL, "{{") || all[i].Checksum == "" {
				t.Errorf("step %d cannot be carried out as it is shown", all[i].Number)
			}
		}
		return missing, made
	}
	if missing, made := states(); missing == 0 || made != 0 {
		t.Errorf("in an empty database %d steps are missing, %d made", missing, made)
	}
	for range 2 {
		if err := Migrate(t.Context(), address); err != nil {
			t.Fatal(err)
		}
		if missing, made := states(); missing != 0 || made == 0 {
			t.Errorf("%d steps are missing, %d made", missing, made)
		}
	}
	db := query(t, address)
	dbtest.Must(t, db, "UPDATE schema_steps SET checksum = 'other' WHERE number = 1")
	refused := func(want string) {
		t.Helper()
		err := Migrate(t.Context(), address)
		if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if found, looked := Steps(t.Context(), address); looked != nil || found.Refused == nil || found.Refused.Error() != err.Error() {
			t.Errorf("what looks says %v, %v, and what makes %v", found.Refused, looked, err)
		}
	}
	refused("baseline) was made with another content")
	dbtest.Must(t, db, "DROP TABLE schema_versions")
	refused("has tables of Orth, and not the table schema_versions")
}
